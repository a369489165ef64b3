"""Markers and cases that have no effect in a test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import pytest

from pytest_crd.plugin.fixtures import MARKERS

_CHOSEN_BY: Final = {"crd": ("crd", "crd_version"), "crd_cases": ("crd_case",), "crd_server": ("crd_server",)}


def problem(item: pytest.Item, *, is_passed: bool) -> str:
    """
    Return the error about a marker or case of the plugin that has no effect in a test; else empty.

    Args:
        item: The test, after it was run.
        is_passed: Whether it passed.
    """
    if not isinstance(item, pytest.Function):
        return ""
    for name, fixtures in _CHOSEN_BY.items():
        # Only the function's own markers: a marker on a class or module may concern other tests there.
        marks = [mark for mark in item.own_markers if mark.name == name and (mark.args or mark.kwargs)]
        if marks and not set(fixtures) & set(item.fixturenames) and not _is_of_project(item.config, name):
            keywords = (f"{key}={value!r}" for key, value in marks[0].kwargs.items())
            arguments = ", ".join((*map(repr, marks[0].args), *keywords))
            return f"@pytest.mark.{name}({arguments}) does nothing: the test has no argument {_listed(fixtures)}"
    case: Any = item.funcargs.get("crd_case")
    if is_passed and getattr(case, "is_idle", False):
        return f"the test passed, but did nothing with its crd_case: call crd_case.check() ({case!r})"
    return ""


def _is_of_project(config: pytest.Config, name: str) -> bool:
    """Return whether the project itself declares a marker *name*."""
    declared = [line for line in config.getini("markers") if re.match(rf"{name}\b", line)]
    return any(line not in MARKERS for line in declared)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
