"""
What prune + default cost against copy.deepcopy of the same object, measured in turns in one run.

    python tests/benchmarks/bench_passes.py [CRD_FILE OBJECT_FILE]...

Without arguments: the example project's Backup with forty volumes, about 240 nodes.
"""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_crd import engine
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.reading import yamlreader

_BACKUPS = Path(__file__).parents[2] / "example_project/config/crd/bases/backups.yaml"
_ROUNDS, _CALLS = 15, 50


def nodes(value: Any) -> int:
    """Return how many values *value* is made of."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(nodes, children))


def best(functions: list[Callable[[], object]]) -> list[float]:
    """Return the best time of a call of each function, in seconds; measured in turns, so that noise hits all alike."""
    times = [float("inf")] * len(functions)
    for _ in range(_ROUNDS):
        for index, function in enumerate(functions):
            start = time.perf_counter()
            for _ in range(_CALLS):
                function()
            times[index] = min(times[index], (time.perf_counter() - start) / _CALLS)
    return times


def measure(title: str, version: engine.Version, resource: dict[str, Any]) -> None:
    """Print the ratios for one object."""
    passes = version.passes
    copied, pruned, defaulted, in_turn, both, alone = best(
        [
            lambda: copy.deepcopy(resource),
            lambda: version.prune(resource),
            lambda: version.default(resource),
            lambda: version.default(version.prune(resource).value),
            lambda: passes.default(passes.prune(jsonvalue.from_python(resource)).value),
            lambda: passes.default(passes.prune(resource).value),
        ]
    )
    print(
        f"{title}: {nodes(resource)} nodes; version.prune {pruned / copied:.2f}, version.default {defaulted / copied:.2f}, "
        f"one after the other {in_turn / copied:.2f}; "
        f"one copy, prune and default {both / copied:.2f}, without the copy {alone / copied:.2f} times copy.deepcopy"
    )


def main() -> None:
    """Measure the files on the command line, or the example project's Backup."""
    arguments = sys.argv[1:]
    if not arguments:
        volumes = [{"name": f"v{index}", "path": "/data", "exclude": ["tmp", "cache"]} for index in range(40)]
        backup = {"metadata": {"name": "nightly"}, "spec": {"schedule": "@daily", "volumes": volumes}}
        measure("Backup", engine.load([_BACKUPS])["Backup"].version("v1"), backup)
    for crd_file, object_file in zip(arguments[::2], arguments[1::2], strict=True):
        crds = engine.load([crd_file])
        for document in yamlreader.read(Path(object_file).read_text(), source=object_file):
            version = document.value["apiVersion"].rpartition("/")[2]
            measure(object_file, crds[document.value["kind"]].version(version), document.value)


if __name__ == "__main__":
    main()
