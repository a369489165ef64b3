"""Progress reporting."""

from __future__ import annotations

from pytest_crd import progress


def test_each_item_is_reported_before_it_is_yielded() -> None:
    output: list[object] = []

    actual = progress.each(["a", "b"], lambda *step: output.append(step), str.upper)
    output += actual

    assert output == [(0, 2, "A"), "a", (1, 2, "B"), "b"]


def test_silent_progress_yields_the_same_items() -> None:
    with progress.silent("reading") as report_step:
        assert list(progress.each({"a": 1}.items(), report_step, str)) == [("a", 1)]
