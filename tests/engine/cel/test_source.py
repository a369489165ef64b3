"""Places in the text of an expression."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.errors import CompileError, Problem
from pytest_crd.engine.cel.source import NO_LOCATION, Location, Source

TEXT = "a &&\n  é😀b\n"


@pytest.mark.parametrize("offset", range(len(TEXT)))
def test_a_place_and_an_offset_are_the_same_thing(offset: int) -> None:
    source = Source(TEXT)

    assert source.offset(source.location(offset)) == offset


@pytest.mark.parametrize("location", [NO_LOCATION, Location(0, 0), Location(4, 0), Location(1, -1)])
def test_what_is_nowhere_has_no_offset(location: Location) -> None:
    assert Source(TEXT).offset(location) is None


def test_the_offset_of_an_error_is_that_of_the_first_problem_with_a_place() -> None:
    nowhere, first, second = (Problem(place, "wrong") for place in (NO_LOCATION, Location(2, 3), Location(2, 4)))

    assert CompileError(Source(TEXT), [second, nowhere, first]).offset == 8
    assert CompileError(Source(TEXT), [nowhere]).offset is None
