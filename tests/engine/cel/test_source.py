"""Locations in the source of an expression."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.errors import CompileError, Problem
from pytest_crd.engine.cel.source import NO_LOCATION, NO_OFFSET, Location, Source

TEXT = "a &&\n  é😀b\n"


@pytest.mark.parametrize("offset", range(len(TEXT)))
def test_offsets_and_locations_convert_to_each_other(offset: int) -> None:
    source = Source(TEXT)

    assert source.offset(source.location(offset)) == offset


@pytest.mark.parametrize("location", [NO_LOCATION, Location(0, 0), Location(4, 0), Location(1, -1)])
def test_locations_outside_of_the_text_have_no_offset(location: Location) -> None:
    assert Source(TEXT).offset(location) is None


def test_the_offset_of_an_error_is_that_of_its_first_located_problem() -> None:
    nowhere, first, second = (Problem(place, "wrong") for place in (NO_LOCATION, Location(2, 3), Location(2, 4)))

    assert CompileError(Source(TEXT), [second, nowhere, first]).offset == 8
    assert CompileError(Source(TEXT), [nowhere]).offset is None


def test_a_message_shows_the_line_up_to_a_limit() -> None:
    line = "a" * 16_384

    assert Source(line).show(Location(1, 1), "wrong") == f"ERROR: <input>:1:2: wrong\n | {line}\n | .^"
    assert Source(f"{line}a").show(Location(1, 1), "wrong") == "ERROR: <input>:1:2: wrong"


def test_a_caret_is_below_the_first_column_if_there_is_no_column() -> None:
    source = Source("a + b")

    assert source.show(source.location(NO_OFFSET), "wrong") == "ERROR: <input>:1:0: wrong\n | a + b\n | ^"
