"""Simple JSON paths."""

from __future__ import annotations

import pytest

from pytest_crd.engine.crds.validation import pathfields


@pytest.mark.parametrize("path", [".a", ".", "..", ".a b["])
def test_a_path_need_only_begin_with_a_dot(path: str) -> None:
    assert pathfields.find_path_problem(path) == ""


def test_a_path_without_a_leading_dot_is_refused() -> None:
    assert pathfields.find_path_problem("a.b") == "must be a simple json path starting with ."
