"""Rewriting: changed parts are new, unchanged parts are shared, and paths start at the root."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine.passes import rewriting
from pytest_crd.engine.passes.rewriting import DROPPED, Path


def _drop_x(value: Any, paths: list[Path]) -> Any:
    if type(value) is list or "x" not in value:
        return value
    paths.append(("x",))
    return rewriting.changed_object(value, {"x": DROPPED})


def test_a_rewrite_leaves_scalars_alone() -> None:
    for scalar in (None, 1, "x", True, 1.5):
        assert rewriting.apply(_drop_x, scalar) == rewriting.Rewritten(scalar, ())


def test_a_rewrite_reports_the_new_tree_and_its_paths() -> None:
    rewritten = rewriting.apply(_drop_x, {"x": 1, "y": 2})
    assert rewritten.value == {"y": 2}
    assert rewritten.paths == (("x",),)


def test_nested_paths_get_the_segment_as_prefix() -> None:
    paths: list[Path] = [("before",), ("x",), ("y", 0)]
    rewriting.prefix(paths, 1, "a")
    assert paths == [("before",), ("a", "x"), ("a", "y", 0)]


def test_changes_of_an_object_replace_append_or_drop_fields() -> None:
    original = {"a": 1, "b": 2, "c": 3}
    changed = rewriting.changed_object(original, {"b": 20, "d": 4, "a": DROPPED})
    assert list(changed.items()) == [("b", 20), ("c", 3), ("d", 4)]
    assert original == {"a": 1, "b": 2, "c": 3}


def test_items_are_rewritten_and_unchanged_ones_are_shared() -> None:
    original: list[Any] = [{"x": 1}, {"y": 2}, 3, [{"x": 4}], {"x": 5, "z": 6}]
    paths: list[Path] = []
    new = rewriting.items(_drop_x)(original, paths)
    assert new == [{}, {"y": 2}, 3, [{"x": 4}], {"z": 6}]
    assert new[1] is original[1]
    assert paths == [(0, "x"), (4, "x")]
    assert original[0] == {"x": 1}


def test_an_unchanged_list_is_returned_itself() -> None:
    original = [{"y": 1}, 2]
    assert rewriting.items(_drop_x)(original, []) is original


def test_items_of_a_list_are_replaced_by_index() -> None:
    assert rewriting.changed_list([1, 2, 3], {1: None}) == [1, None, 3]
