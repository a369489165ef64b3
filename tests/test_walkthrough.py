"""The commands of the walkthrough are run, and print the output that it shows."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from support import sessions

WALKTHROUGH: Final = (Path(__file__).parents[1] / "docs/tutorials/a-day-with-a-crd.md").read_text(encoding="utf-8")
_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CRD: Final = "crds/backups.yaml"
CASES: Final = "test_backups.crd.yaml"


@pytest.mark.parametrize("way", ["here", pytest.param("in processes", marks=pytest.mark.slow)])
def test_the_walkthrough_shows_real_output(pytester: pytest.Pytester, way: str) -> None:
    project = sessions.Project(pytester.path)
    run = project.run if way == "here" else project.start
    (crd,) = (text for kind, text in _BLOCK.findall(WALKTHROUGH) if text.startswith("apiVersion"))
    project.write(CRD, crd)
    before = ""
    runs = 0
    for kind, text in _BLOCK.findall(WALKTHROUGH):
        if kind == "console":
            _compare(run, text)
            runs += 1
        elif kind == "diff":
            assert text in _difference(before, project.read(CASES))
        elif text.startswith("# spec"):
            before = project.read(CASES)
            assert text.removeprefix("# spec.retention\n") in before
        if runs == 2:  # the second run is at noon
            project.write(CRD, crd.replace("minimum: 1,", "minimum: 2,"))

    assert runs == 5


def _compare(run: Callable[..., pytest.RunResult], block: str) -> None:
    command, *output = block.splitlines()
    result = run(*shlex.split(command)[2:])
    # The duration differs between runs.
    lines = [re.sub(r" in [\d.]+s$", " in *s", line.replace("[", "[[]")) for line in output if line]
    result.stdout.fnmatch_lines(lines)


def _difference(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=8, lineterm="")
    return "\n".join(lines)
