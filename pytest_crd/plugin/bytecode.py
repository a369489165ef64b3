"""
Modules of this package from the bytecode that was compiled at their installation.

pytest recompiles every module of a plugin to rewrite its assertions, and caches the result if it can write there. In CI every run is the
first one: 400 modules take two seconds, and no user sees an assertion of theirs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

_PACKAGE: Final = __name__.partition(".")[0]


class _InstalledFinder(MetaPathFinder):
    """Finder of the modules of this package that comes before pytest's."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_own = fullname.partition(".")[0] == _PACKAGE
        return PathFinder.find_spec(fullname, path, target) if is_own else None


def install_finder() -> None:
    """Import the modules of this package from their installed bytecode from now on."""
    if not any(isinstance(finder, _InstalledFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _InstalledFinder())
