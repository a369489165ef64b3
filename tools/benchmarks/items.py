"""The time of a case relative to a no-op test of pytest, and of a session without CRDs relative to one without the plugin."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure

_BACKUPS = Path(__file__).parents[2] / "example_project/config/crd/bases/backups.yaml"
_ROUNDS = 5
_PRUNING = """\
- name: case {index}
  input: {{spec: {{schedule: "@daily", extra: {index}, volumes: [{{name: a}}, {{name: b}}]}}}}
  expected: {{spec: {{schedule: "@daily", volumes: [{{name: a}}, {{name: b}}]}}}}
  pruned: [spec.extra]
"""
_CREATE = """\
- name: case {index}
  input: {{spec: {{schedule: "@daily", extra: {index}, volumes: [{{name: a}}, {{name: b}}]}}}}
  contains: {{spec: {{schedule: "@daily", volumes: [{{name: a, path: /}}, {{name: b, path: /}}]}}}}
  pruned: [spec.extra]
"""
_SECTIONS = {"pruning": _PRUNING, "create": _CREATE}
_NO_OP = """\
import pytest
@pytest.mark.parametrize("index", range({items}))
def test_nothing(index):
    pass
"""


def seconds(folder: Path, *arguments: str) -> float:
    """Return the processor time of a session in *folder*, in seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    before = os.times()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of items per session."""
    parser.add_argument("items", nargs="?", type=int, default=2000)


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Write the projects, run them, and yield the ratios of the best times."""
    best = _best(options.items)
    no_op = best["no-ops"] - best["one no-op"]
    for section in _SECTIONS:
        case = best[section] - best[f"one {section}"]
        print(f"a {section} case against a no-op item: {case / no_op:.2f} times ({options.items} items)")
        yield Figure(f"a {section} case", case / no_op, "a no-op item")
    idle = best["one no-op"] / best["without"]
    print(f"a session without CRDs against one without the plugin: {idle:.2f} times")
    yield Figure("a session without CRDs", idle, "one without the plugin")
    one_case = best["one pruning"] / best["one no-op"]
    print(f"a session with one case against one with a no-op: {one_case:.2f} times")
    yield Figure("a session with one case", one_case, "one with a no-op item")


def _best(items: int) -> dict[str, float]:
    """Return the best time of each kind of session in seconds."""
    with tempfile.TemporaryDirectory() as name:
        kinds = ("pruning", "one pruning", "create", "one create", "no-ops", "one no-op")
        folders = {kind: Path(name, kind) for kind in kinds}
        for kind, folder in folders.items():
            folder.mkdir()
            count = 1 if kind.startswith("one") else items
            if kind.endswith("no-op") or kind == "no-ops":
                (folder / "test_nothing.py").write_text(_NO_OP.format(items=count))
            else:
                section = kind.removeprefix("one ")
                crd = f"crd: {_BACKUPS}\nversion: v1\n{section}:\n"
                cases = "".join(_SECTIONS[section].format(index=index) for index in range(count))
                (folder / "test_many.crd.yaml").write_text(crd + cases)
        # In turns, so that other load on the machine affects all sessions equally.
        sessions = [(folder, ()) for folder in folders.values()] + [(folders["one no-op"], ("-p", "no:crd"))]
        rounds = [[seconds(folder, *arguments) for folder, arguments in sessions] for _ in range(_ROUNDS)]
    return dict(zip([*folders, "without"], map(min, zip(*rounds, strict=True)), strict=True))
