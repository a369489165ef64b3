"""The command line of the oracle; no command is run, as commands need servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle import cli, commands

HERE = Path(cli.__file__).parent


@pytest.fixture(autouse=True)
def _nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide Go and kubectl, which only people who run a command need."""
    monkeypatch.setenv("PATH", "")


def test_the_help_names_every_command_and_every_need(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0

    output = capsys.readouterr().out
    for command in commands.COMMANDS:
        assert re.search(rf"^  {command.name} +{re.escape(command.does)}$", output, re.MULTILINE)
    assert {need for command in commands.COMMANDS for need in command.needs} == commands.NEEDS.keys()


@pytest.mark.parametrize("command", commands.COMMANDS, ids=lambda command: command.name)
def test_help_for_a_command_runs_nothing(command: commands.Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*command.name.split(), "--help"])

    output = capsys.readouterr().out
    assert ended.value.code == 0
    assert output.startswith(f"usage: python -m oracle {command.name} [-h]")
    assert f"takes {command.takes}" in output


def test_every_module_with_a_program_is_a_command() -> None:
    programs = {
        ".".join(("oracle", *path.relative_to(HERE).with_suffix("").parts))
        for path in HERE.rglob("*.py")
        if re.search(r"^def main\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert programs - {"oracle.cli"} == {command.module for command in commands.COMMANDS}


def test_help_for_a_group_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fuzz", "--help"]) == 0

    output = capsys.readouterr().out
    assert "fuzz yaml" in output
    assert "compare crds" not in output


@pytest.mark.parametrize("arguments", [[], ["fuzz"], ["fuzz", "nothing"], ["nothing"], ["nothing", "--help"]])
def test_a_wrong_command_line_lists_the_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2

    assert "fuzz yaml" in capsys.readouterr().err


def test_a_usage_error_of_a_command_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["check", "profiles", "nothing"])

    assert ended.value.code == 2
    assert "python -m oracle check profiles: error: no flag with a boundary: nothing" in capsys.readouterr().err
