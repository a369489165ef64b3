"""What can only be wrong in this package ends in an error of its own."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.rules import declarations, environments, times, tree
from pytest_crd.engine.rules.compilation import Scope
from pytest_crd.engine.rules.declarations import Declarations
from pytest_crd.engine.schema.structural import Structural

NEWEST: Final = profile.named("1.37")


def test_the_problem_of_an_expression_without_one_is_a_bug() -> None:
    declared = declarations.declare(Structural(type="string"), NEWEST, "self")
    assert declared is not None
    known = Declarations(declared, {})

    with pytest.raises(AssertionError, match="'self == self' can be compiled after all"):
        Scope(known, lambda: known).problem_of("self == self", environments.stored(NEWEST), optional=False)


def test_a_part_that_is_declared_inside_a_schema_only_is_a_bug() -> None:
    builder = tree._Builder(NEWEST, lambda _: environments.stored(NEWEST), lambda _: environments.stored(NEWEST))

    with pytest.raises(AssertionError, match="cannot be declared alone"):
        builder._named_alone(Structural(), is_resource=False)


def test_a_time_that_go_can_read_and_we_cannot_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="is a time, but cannot be read"):
        times._utc("x")
