"""Counts of the lines and branches of `pytest_crd` that processes take."""

from __future__ import annotations

import atexit
import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final, NoReturn

import slipcover
from _pytest.assertion.rewrite import AssertionRewritingHook  # nothing public
from slipcover.importer import SlipcoverLoader
from slipcover.slipcover import format_missing

_PACKAGE: Final = "pytest_crd"
# Lines that are not counted: code for type checkers, and of `python -m`.
_EXCLUDED: Final = ["@overload", "if not TYPE_CHECKING:", "if __name__ == .__main__."]
_OF_BRANCHES: Final = ("executed_branches", "missing_branches")
_KEYS: Final = ("executed_lines", "missing_lines", *_OF_BRANCHES)
# slipcover stops counting the lines taken so far whenever a line is taken this often again. It looks through all modules then, which takes
# as long as ten million lines take to be counted.
_HOT: Final = 100_000


class Count:
    """
    The count of this process.

    Attributes:
        running: The count, if this process counts.
        file: The file that `save` writes.
    """

    running: ClassVar[Count | None] = None

    def __init__(self, file: Path) -> None:
        """Create for a file."""
        self.file = file
        # `merge` excludes lines once; here they would take a second of each process.
        self._counts = slipcover.Slipcover(branch=True, d_miss_threshold=_HOT, exclude_lines=[])

    def execute(self, loader: SourceFileLoader, module: ModuleType) -> None:
        """Execute a module, and count its branches from now on."""
        SlipcoverLoader(self._counts, loader, loader.path).exec_module(module)

    def save(self) -> None:
        """Write the counts until now."""
        self.file.write_text(json.dumps(self._counts.get_coverage()), encoding="utf-8")


def start(folder: Path, modules: Collection[str]) -> None:
    """
    Count in this process until it ends, and save the counts in *folder*.

    Args:
        folder: The folder for the counts of all processes.
        modules: The only modules to count: preparing all of them takes four seconds. Empty for all.
    """
    Count.running = count = Count(folder / f"{os.getpid()}.json")
    execute = SourceFileLoader.exec_module
    find_spec = AssertionRewritingHook.find_spec

    def is_counted(module: str) -> bool:
        return module in modules if modules else module.partition(".")[0] == _PACKAGE

    def execute_counted(loader: SourceFileLoader, module: ModuleType) -> None:
        (count.execute if is_counted(module.__name__) else execute)(loader, module)

    def find_others(hook: Any, name: str, *arguments: Any, **named: Any) -> ModuleSpec | None:
        return None if is_counted(name) else find_spec(hook, name, *arguments, **named)

    SourceFileLoader.exec_module = execute_counted  # type: ignore[assignment, method-assign]
    AssertionRewritingHook.find_spec = find_others  # type: ignore[assignment, method-assign]
    atexit.register(count.save)
    os.register_at_fork(after_in_child=lambda: _count_in_fork(count, folder))


def _count_in_fork(count: Count, folder: Path) -> None:
    """Count in a fork, too: it saves its counts before `os._exit`, which ends it without the functions of `atexit`."""
    end = os._exit
    count.file = folder / f"{os.getpid()}.json"

    def save_and_end(status: int) -> NoReturn:
        count.save()
        end(status)

    os._exit = save_and_end


def merge(folder: Path) -> dict[str, Any]:
    """Return the counts in *folder* by file, as slipcover writes them. Each line of a module that no process has loaded is missing."""
    sets = defaultdict[str, dict[str, set[Any]]](lambda: {key: set() for key in _KEYS})
    for file in folder.glob("*.json"):
        for name, counts in json.loads(file.read_text(encoding="utf-8"))["files"].items():
            merged = sets[os.path.relpath(name)]
            for key in _KEYS:
                merged[key].update(map(tuple, counts[key]) if key in _OF_BRANCHES else counts[key])
    for module in (Path(__file__).resolve().parents[2] / _PACKAGE).rglob("*.py"):
        if (name := os.path.relpath(module)) not in sets and (text := module.read_text(encoding="utf-8")):
            sets[name]["missing_lines"].update(range(1, len(text.splitlines()) + 1))
    files = {
        name: {
            "executed_lines": sorted(merged["executed_lines"]),
            "missing_lines": sorted(merged["missing_lines"] - merged["executed_lines"]),
            "executed_branches": sorted(merged["executed_branches"]),
            "missing_branches": sorted(merged["missing_branches"] - merged["executed_branches"]),
        }
        for name, merged in sets.items()
    }
    # Nothing public excludes lines of merged counts.
    slipcover.Slipcover(branch=True, exclude_also=_EXCLUDED)._filter_excluded_lines(files)
    return files


def missing(files: dict[str, Any]) -> Iterator[str]:
    """Yield `file: lines, branches` for each file of *files* with lines or branches that no process took."""
    for name, file in sorted(files.items()):
        if places := format_missing(file["missing_lines"], file["executed_lines"], file["missing_branches"]):
            yield f"{name}: {places}"
