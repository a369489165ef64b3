"""
Imports at the first use of a name: most sessions need no formats, no patches and no errors.

A type checker and the import contracts read the usual import, in the branch for type checkers:

    if TYPE_CHECKING:
        from pytest_crd.engine.registry import scale
    else:
        scale = lazyimport.module("pytest_crd.engine.registry.scale")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Module:
    """Stand-in for a module, which keeps each name that was asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(import_module(self._name), name)
        setattr(self, name, attribute)
        return attribute


def module(name: str) -> Any:
    """
    Return the module *name* with all its names.

    Raises:
        ImportError: There is no such module; raised by the first use.
    """
    return _Module(name)
