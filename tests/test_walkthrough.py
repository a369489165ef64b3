"""The walkthrough is what happens: each command of it is run, and prints what is shown."""

from __future__ import annotations

import difflib
import re
import shlex
from pathlib import Path
from typing import Final

import pytest

WALKTHROUGH: Final = (Path(__file__).parents[1] / "docs/walkthrough.md").read_text(encoding="utf-8")
_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CRD: Final = "crds/backups.yaml"
CASES: Final = "test_backups.crd.yaml"


def test_the_walkthrough_is_what_happens(pytester: pytest.Pytester) -> None:
    (crd,) = (text for kind, text in _BLOCK.findall(WALKTHROUGH) if text.startswith("apiVersion"))
    (pytester.mkdir("crds") / "backups.yaml").write_text(crd, encoding="utf-8")
    before = ""
    runs = 0
    for kind, text in _BLOCK.findall(WALKTHROUGH):
        if kind == "console":
            _run(pytester, text)
            runs += 1
        elif kind == "diff":
            assert text in _difference(before, _text(pytester, CASES))
        elif text.startswith("# spec"):
            before = _text(pytester, CASES)
            assert text.removeprefix("# spec.retention\n") in before
        if runs == 2:  # then it is noon
            (pytester.path / CRD).write_text(crd.replace("minimum: 1,", "minimum: 2,"), encoding="utf-8")

    assert runs == 5


def _run(pytester: pytest.Pytester, block: str) -> None:
    command, *shown = block.splitlines()
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *shlex.split(command)[2:])
    # How long it took is another time each time.
    lines = [re.sub(r" in [\d.]+s$", " in *s", line.replace("[", "[[]")) for line in shown if line]
    result.stdout.fnmatch_lines(lines)


def _text(pytester: pytest.Pytester, name: str) -> str:
    return (pytester.path / name).read_text(encoding="utf-8")


def _difference(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=8, lineterm="")
    return "\n".join(lines)
