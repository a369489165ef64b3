"""
What an item of a case file costs against a no-op item of pytest, and a session without CRDs against one without the plugin.

    python tests/benchmarks/bench_items.py [ITEMS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
_NOTHING = """\
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


def main() -> None:
    """Write the projects, run them, print the ratios."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as name:
        kinds = ("pruning", "one pruning", "create", "one create", "no-ops", "one no-op")
        folders = {kind: Path(name, kind) for kind in kinds}
        for kind, folder in folders.items():
            folder.mkdir()
            count = 1 if kind.startswith("one") else items
            if kind.endswith("no-op") or kind == "no-ops":
                (folder / "test_nothing.py").write_text(_NOTHING.format(items=count))
            else:
                section = kind.removeprefix("one ")
                crd = f"crd: {_BACKUPS}\nversion: v1\n{section}:\n"
                cases = "".join(_SECTIONS[section].format(index=index) for index in range(count))
                (folder / "test_many.crd.yaml").write_text(crd + cases)
        # In turns, so that whatever else the machine does meets all of them.
        sessions = [(folder, ()) for folder in folders.values()] + [(folders["one no-op"], ("-p", "no:crd"))]
        rounds = [[seconds(folder, *arguments) for folder, arguments in sessions] for _ in range(_ROUNDS)]
    best = dict(zip([*folders, "without"], map(min, zip(*rounds, strict=True)), strict=True))
    nothing, one_nothing, without = best["no-ops"], best["one no-op"], best["without"]
    one_case = best["one pruning"]
    for section in _SECTIONS:
        case = best[section] - best[f"one {section}"]
        print(f"a {section} case against a no-op item: {case / (nothing - one_nothing):.2f} times ({items} items)")
    print(f"a session without CRDs against one without the plugin: {one_nothing / without:.2f} times")
    print(f"a session with one case against one with a no-op: {one_case / one_nothing:.2f} times")


if __name__ == "__main__":
    main()
