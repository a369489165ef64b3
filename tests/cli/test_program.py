"""`python -m pytest_crd`: what all commands have in common."""

from __future__ import annotations

import os
import sys
from importlib import metadata

import pytest

from pytest_crd import __main__ as program
from pytest_crd.engine import profile


def test_who_reads_may_stop_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)

        assert program.main(["schema"]) == 2
        stdout.write("more")  # goes nowhere, also when the file is closed


def test_it_says_which_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        program.main(["--version"])

    assert exited.value.code == 0
    assert (
        capsys.readouterr().out
        == f"pytest-crd {metadata.version('pytest-crd')}, Kubernetes {', '.join(profile.KNOWN)}\n"
    )
