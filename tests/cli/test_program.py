"""`pytest-crd`: common behaviour of all commands."""

from __future__ import annotations

import argparse
import io
import os
import sys
from importlib import metadata
from typing import Any

import pytest

from pytest_crd import __main__ as program
from pytest_crd.cli import COMMANDS, exits
from pytest_crd.engine import profile


def test_readers_may_stop_reading(monkeypatch: pytest.MonkeyPatch) -> None:
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
        == f"pytest-crd {metadata.version('pytest-crd')}, Kubernetes {profile.list_versions()}\n"
    )


def test_help_names_the_plugin_of_kubectl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/local/bin/kubectl-crd"])

    with pytest.raises(SystemExit):
        program.main(["check", "--help"])

    assert capsys.readouterr().out.startswith("usage: kubectl crd check [-h]")


def _fails_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: object) -> int:
        raise error

    monkeypatch.setattr("pytest_crd.cli.schema.run", run)


def test_a_mistake_of_the_program_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fails_with(ZeroDivisionError("of ours"), monkeypatch)

    assert program.main(["schema"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):\n")
    assert err.endswith("ZeroDivisionError: of ours\n")


def test_an_interruption_is_no_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _fails_with(KeyboardInterrupt(), monkeypatch)

    assert program.main(["schema"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_the_help_of_all_commands_explains_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], *([name] for name in COMMANDS)):
        with pytest.raises(SystemExit):
            program.main([*arguments, "--help"])
        assert " ".join(capsys.readouterr().out.split()).endswith(exits.HELP)


def test_without_arguments_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main([])

    assert ended.value.code == 2
    assert capsys.readouterr().out.split("COMMAND\n")[1].split()[0] == "test"


def test_the_help_of_test_is_short_and_names_the_list_of_settings(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for option in ("--help", "--help-settings"):
        with pytest.raises(SystemExit):
            program.main(["test", option])
        outputs.append(capsys.readouterr().out)
    short, long = outputs

    assert len(short.splitlines()) <= 60
    assert "--help-settings" in short
    assert {"--baseline", "--kubernetes-version"} <= {*short.split()} | {word.rstrip(",") for word in short.split()}
    assert "--crd-lint NAME" in long
    assert "--crd-lint" not in short


def test_only_the_parser_of_the_command_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs = []
    create = argparse.ArgumentParser.__init__

    def record(parser: argparse.ArgumentParser, *args: Any, **options: Any) -> None:
        create(parser, *args, **options)
        programs.append(parser.prog)

    monkeypatch.setattr(argparse.ArgumentParser, "__init__", record)

    assert program.main(["schema"]) == 0
    assert capsys.readouterr().out.endswith(".json\n")
    assert programs == ["pytest-crd schema"]


def test_a_command_behind_an_unknown_option_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main(["--unheard-of", "schema", "--write"])

    assert ended.value.code == 2
    assert "usage: pytest-crd [-h] [--version] COMMAND ...\n" in capsys.readouterr().err


def test_lines_that_a_command_writes_at_once_are_escaped() -> None:
    stream = io.StringIO()

    program._EscapedStream(stream).writelines(["::error::a\n", "b\n"])

    assert stream.getvalue() == "\\u003a:error::a\nb\n"
