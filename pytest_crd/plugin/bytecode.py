"""
Modules of this package as Python has compiled them when they were installed.

pytest compiles each module of a plugin anew, so that an assertion in it shows its values, and keeps what it has compiled where it may
write. In a CI every run is the first one: 400 modules take two seconds there, and none of them has an assertion that a user would see.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

_PACKAGE: Final = __name__.partition(".")[0]


class _AsCompiled(MetaPathFinder):
    """Finds the modules of this package before pytest does."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_own = fullname.partition(".")[0] == _PACKAGE
        return PathFinder.find_spec(fullname, path, target) if is_own else None


def keep() -> None:
    """Have the modules that are imported from now on taken as they are compiled."""
    if not any(isinstance(finder, _AsCompiled) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AsCompiled())
