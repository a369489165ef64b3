"""The door to all commands, none of which is run: they ask servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle import commands, door

HERE = Path(door.__file__).parent


@pytest.fixture(autouse=True)
def _nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go and kubectl are for those who run a command."""
    monkeypatch.setenv("PATH", "")


def test_the_help_names_every_command_and_all_that_one_may_need(capsys: pytest.CaptureFixture[str]) -> None:
    assert door.main(["--help"]) == 0

    said = capsys.readouterr().out
    for command in commands.COMMANDS:
        assert re.search(rf"^  {command.name} +{re.escape(command.does)}$", said, re.MULTILINE)
    assert {need for command in commands.COMMANDS for need in command.needs} == commands.NEEDS.keys()


@pytest.mark.parametrize("command", commands.COMMANDS, ids=lambda command: command.name)
def test_each_command_says_what_it_does_without_doing_it(
    command: commands.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        door.main([*command.name.split(), "--help"])

    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert said.startswith(f"usage: python -m oracle {command.name} [-h]")
    assert f"takes {command.takes}" in said


def test_every_module_with_a_program_is_a_command() -> None:
    programs = {
        ".".join(("oracle", *path.relative_to(HERE).with_suffix("").parts))
        for path in HERE.rglob("*.py")
        if re.search(r"^def main\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert programs - {"oracle.door"} == {command.module for command in commands.COMMANDS}


def test_a_group_says_what_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert door.main(["fuzz", "--help"]) == 0

    said = capsys.readouterr().out
    assert "fuzz yaml" in said
    assert "compare crds" not in said


@pytest.mark.parametrize("arguments", [[], ["fuzz"], ["fuzz", "nothing"], ["nothing"], ["nothing", "--help"]])
def test_a_command_line_that_names_no_command_is_told_which_there_are(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert door.main(arguments) == 2

    assert "fuzz yaml" in capsys.readouterr().err


def test_a_command_says_why_it_cannot_do_what_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        door.main(["check", "profiles", "nothing"])

    assert ended.value.code == 2
    assert "python -m oracle check profiles: error: no flag with a boundary: nothing" in capsys.readouterr().err
