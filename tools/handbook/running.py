"""
What a page shows, done in a folder of its own: files are written, commands are run, and what they print is compared.

A block with a title is a file, and one of `diff` with a title a change to it. A block of `console` has commands behind `$` and what they
print, of which a line `…` stands for any others. What a page shows that is neither is not run.
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

# What starts the command, in whichever way it is installed; it runs without the cache and the plugins of pytest's own that say nothing here.
_STARTS: Final = ("uvx pytest-crd", "pipx run pytest-crd", "pytest-crd")
# What is another one in each run.
_TIME: Final = re.compile(r"in [\d.]+s|\([0-9a-f]{9}\) of \d{4}-\d\d-\d\d")
_UNSURE: Final = re.compile(r"^platform |^rootdir: |^=+ test session starts =+$")


def run(page: str, project: Project) -> int:
    """Do what a page shows; return how many commands were run."""
    count = 0
    for block in markdown.blocks(page):
        if block.kind == "console":
            for command, shown in _commands(block):
                _compare(command, shown, _output(command, project))
                count += 1
        elif block.title and block.kind == "diff":
            _change(block, project)
        elif block.title:
            project.write(block.title, block.text)
    return count


def _commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def _output(command: str, project: Project) -> str:
    """Return what a command prints."""
    if command.startswith("git "):
        git(project.path, *shlex.split(command)[1:])
        return ""
    for start in _STARTS:
        if command.startswith(f"{start} "):
            return _of_program(shlex.split(command.removeprefix(start)))
    name, *arguments = shlex.split(command)
    if name != "pytest":
        raise ValueError(f"the page shows {command!r}, which nothing here can run")
    return project.run(*arguments).stdout.str()


def _of_program(arguments: list[str]) -> str:
    out = io.StringIO()
    handed_on = ["--", "-p", "no:faulthandler"] if arguments[0] == "test" else []
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "")
        patch.setenv("PYTEST_PLUGINS", "")
        patch.setattr(sys, "dont_write_bytecode", True)
        program.main([*arguments, *handed_on])
    return out.getvalue()


def _compare(command: str, shown: list[str], output: str) -> None:
    """Fail where a line that is shown is not there, or in another order."""
    lines = iter(output.splitlines())
    for line in shown:
        if line.strip() in ("", "…") or _UNSURE.match(line):
            continue
        pattern = _TIME.sub("*", line.rstrip().replace("[", "[[]"))
        pattern = re.sub(r"=+$", "*", re.sub(r"^=+", "*", pattern))
        assert any(fnmatchcase(one.rstrip(), pattern) for one in lines), (
            f"$ {command}\nprints no line\n{line}\n(or in another order); it prints\n{output}"
        )


def _change(block: Block, project: Project) -> None:
    """Change a file, of which the lines that stay and go are there once."""
    old, new = (
        "".join(f"{line[1:]}\n" for line in block.text.splitlines() if line[:1] in kept) for kept in (" -", " +")
    )
    text = project.read(block.title)
    assert text.count(old) == 1, f"{block.title} does not have, or has twice:\n{old}"
    project.write(block.title, text.replace(old, new))
