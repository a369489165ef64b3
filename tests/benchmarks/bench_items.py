"""
What an item of a case file costs against a no-op item of pytest, and a session without CRDs against one without the plugin.

    python tests/benchmarks/bench_items.py [ITEMS]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BACKUPS = Path(__file__).parents[2] / "example_project/config/crd/bases/backups.yaml"
_ROUNDS = 3
_CASE = """\
- name: case {index}
  input: {{spec: {{schedule: "@daily", extra: {index}, volumes: [{{name: a}}, {{name: b}}]}}}}
  expected: {{spec: {{schedule: "@daily", volumes: [{{name: a}}, {{name: b}}]}}}}
  pruned: [spec.extra]
"""
_NOTHING = """\
import pytest
@pytest.mark.parametrize("index", range({items}))
def test_nothing(index):
    pass
"""


def seconds(folder: Path, *arguments: str) -> float:
    """Return the best time of a session in *folder*, in seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Write the projects, run them, print the ratios."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as name:
        folders = {kind: Path(name, kind) for kind in ("cases", "one case", "no-ops", "one no-op")}
        for kind, folder in folders.items():
            folder.mkdir()
            count = 1 if kind.startswith("one") else items
            if kind.endswith("no-op") or kind == "no-ops":
                (folder / "test_nothing.py").write_text(_NOTHING.format(items=count))
            else:
                crd = f"crd: {_BACKUPS}\nversion: v1\npruning:\n"
                cases = "".join(_CASE.format(index=index) for index in range(count))
                (folder / "test_many.crd.yaml").write_text(crd + cases)
        case, one_case, nothing, one_nothing = (seconds(folder) for folder in folders.values())
        without = seconds(folders["one no-op"], "-p", "no:crd")
    print(f"a case against a no-op item: {(case - one_case) / (nothing - one_nothing):.2f} times ({items} items)")
    print(f"a session without CRDs against one without the plugin: {one_nothing / without:.2f} times")
    print(f"a session with one case against one with a no-op: {one_case / one_nothing:.2f} times")


if __name__ == "__main__":
    main()
