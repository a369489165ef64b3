"""What is told step by step."""

from __future__ import annotations

from pytest_crd import progress


def test_each_thing_is_told_before_it_is_there() -> None:
    told: list[object] = []

    found = progress.each(["a", "b"], lambda *step: told.append(step), str.upper)
    told += found

    assert told == [(0, 2, "A"), "a", (1, 2, "B"), "b"]


def test_where_nobody_is_told_things_are_the_same() -> None:
    with progress.silent("reading") as tell:
        assert list(progress.each({"a": 1}.items(), tell, str)) == [("a", 1)]
