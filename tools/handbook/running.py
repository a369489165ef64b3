"""
Execution of pages: write their files, run their commands, and compare the output.

A block with a title is a file, and a `diff` block with a title changes a file. A `console` block has commands after `$`
and their output, in which a line `…` matches any lines. All other content is ignored.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

import pytest
from support.git import git
from support.sessions import Project

from handbook import markdown
from handbook.markdown import Block
from pytest_crd import __main__ as program

# Ways to start the installed command. It runs without the cache and without pytest's own plugins that print nothing
# here.
_LAUNCHERS: Final = ("uvx pytest-crd", "pipx run pytest-crd", "pytest-crd")
# Texts that differ between runs.
_TIME: Final = re.compile(r"in [\d.]+s|\([0-9a-f]{9}\) of \d{4}-\d\d-\d\d")
_IGNORED: Final = re.compile(r"^platform |^rootdir: |^=+ test session starts =+$")


def run(page: str, project: Project) -> int:
    """Execute the blocks of a page in *project*; return the number of commands that ran."""
    count = 0
    for block in markdown.blocks(page):
        if block.kind == "console":
            for command, expected in _commands(block):
                _compare(command, expected, _output(command, project))
                count += 1
        elif block.title and block.kind == "diff":
            _change(block, project)
        elif block.title:
            project.write(block.title, block.text)
    return count


def _commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *expected = part.splitlines()
        yield command, expected


def _output(command: str, project: Project) -> str:
    """
    Run one command and return its output, empty for git.

    Raises:
        ValueError: The command is neither git, pytest nor pytest-crd.
    """
    if command.startswith("git "):
        git(project.path, *shlex.split(command)[1:])
        return ""
    for launcher in _LAUNCHERS:
        if command.startswith(f"{launcher} "):
            return _program_output(shlex.split(command.removeprefix(launcher)))
    name, *arguments = shlex.split(command)
    if name != "pytest":
        raise ValueError(f"the page shows {command!r}, which nothing here can run")
    return project.run(*arguments).stdout.str()


def _program_output(arguments: list[str]) -> str:
    out = io.StringIO()
    extra = ["--", "-p", "no:faulthandler"] if arguments[0] == "test" else []
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "")
        patch.setenv("PYTEST_PLUGINS", "")
        patch.setattr(sys, "dont_write_bytecode", True)
        program.main([*arguments, *extra])
    return out.getvalue()


def _compare(command: str, expected: list[str], output: str) -> None:
    """Fail if an expected line is missing from *output* or in a different order."""
    lines = iter(output.splitlines())
    for line in expected:
        if line.strip() in ("", "…") or _IGNORED.match(line):
            continue
        pattern = _TIME.sub("*", line.rstrip().replace("[", "[[]"))
        pattern = re.sub(r"=+$", "*", re.sub(r"^=+", "*", pattern))
        assert any(fnmatchcase(printed.rstrip(), pattern) for printed in lines), (
            f"$ {command}\nprints no line\n{line}\n(or in another order); it prints\n{output}"
        )


def _change(block: Block, project: Project) -> None:
    """Apply a `diff` block to a file; fail unless its old lines occur exactly once."""
    old, new = (
        "".join(f"{line[1:]}\n" for line in block.text.splitlines() if line[:1] in markers) for markers in (" -", " +")
    )
    text = project.read(block.title)
    assert text.count(old) == 1, f"{block.title} does not have, or has twice:\n{old}"
    project.write(block.title, text.replace(old, new))
