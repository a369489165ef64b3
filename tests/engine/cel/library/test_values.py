"""The values that libraries bring: what they cost, how they read, when two are equal."""

from __future__ import annotations

from pytest_crd.engine.cel import values
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing, semver
from pytest_crd.engine.cel.library.ip import parse
from pytest_crd.engine.cel.values import Optional


def test_versions_are_normalized_by_the_second_version_of_their_library_only() -> None:
    def overloads(version: int) -> list[str]:
        return [overload.id for function in semver.library(version).functions for overload in function.overloads]

    assert set(overloads(1)) - set(overloads(0)) == {"string_bool_to_semver", "is_semver_string_bool"}


def test_a_version_has_no_size_and_an_address_that_of_its_bytes() -> None:
    assert values.size(semver.Semver((1, 2, 3), (), ())) is None
    assert values.size(parse("1.2.3.4")) == 4


def test_values_of_libraries_show_their_type_to_who_debugs() -> None:
    assert repr(parse("1.2.3.4")) == "<net.IP 1.2.3.4>"


def test_an_optional_that_cannot_be_read_costs_as_much_as_what_has_no_size() -> None:
    unreadable = Optional.unreadable(EvaluationError("no"))

    assert costing.counted_inside(unreadable) == 1
    assert costing.counted_inside(Optional("abc")) == 3
