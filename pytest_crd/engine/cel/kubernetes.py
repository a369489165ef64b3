"""
The environments of Kubernetes' API servers.

An environment is that of a *version* of Kubernetes with which expressions are to be compatible, as a *release* of the server has
it: the version says which libraries there are, the release how the language is read and what it costs.

Reference:
    k8s.io/apiserver pkg/cel/environment/base.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.functions import Library
from pytest_crd.engine.cel.library import (
    authorizer,
    cidr,
    comprehensions,
    extendedlists,
    ip,
    lists,
    optionals,
    quantity,
    regex,
    semver,
    sets,
    standard,
    strings,
    url,
)
from pytest_crd.engine.cel.library.costing import CostRules

OLDEST_VERSION = 31
"""The oldest minor version of Kubernetes 1 whose environment there is."""


def environment(version: int, release: int, formats: Library) -> Environment:
    """
    Return the environment of a version as a release has it.

    Args:
        version: Minor version of Kubernetes 1 with which expressions are to be compatible.
        release: Minor version of the server.
        formats: The library of formats: what says which texts have a format is known outside.
    """
    dialect = _dialect(release)
    return Environment(tuple(_libraries(version, release, dialect, formats)), dialect)


def _dialect(release: int) -> Dialect:
    """
    Return the language as *release* reads it.

    1.32 has cel-go 0.22, 1.33 has 0.23, 1.34 0.26, and 1.37 0.29. Regular expressions are those of the Go that the first
    release of a version is built with.
    """
    return Dialect(
        escaped_identifiers=release >= 33,
        escapes_allowed=release >= 37,
        strict_code_points=release >= 33,
        accumulator="@result" if release >= 33 else "__result__",
        dots_leave_scopes=release >= 37,
        misformats=release < 33,
        second_variables_typed=release >= 33,
        ranges_keep_errors=release >= 33,
        estimates_entries=release >= 33,
        structs_name_types=release >= 37,
        lists_are_messages=release >= 37,
        type_names_settled=release >= 37,
        optionals_nest=release >= 37,
        has_loose_class_names=release >= 35,
    )


def _libraries(version: int, release: int, dialect: Dialect, formats: Library) -> Iterator[Library]:
    """Return the libraries in the order in which the server adds them."""
    rules = CostRules(
        affixes_by_length=release >= 37, functions_match=release >= 37, optionals_have_sizes=release >= 33
    )
    yield standard.library(dialect, rules, ints_are_durations=release < 37)
    yield url.library(strict_colons=release >= 36)
    yield regex.library(dialect)
    if version < 37:
        yield lists.library(0)
    yield authorizer.library()
    yield optionals.library(2 if release >= 33 else 1, others_pass=release < 37)
    yield quantity.library()
    yield strings.library(bounds_indices=release >= 37, searches_empty=release >= 34, spaced_exponents=release < 33)
    yield sets.library()
    yield ip.library()
    yield cidr.library()
    yield formats
    if version >= 32:
        yield comprehensions.library()
    if version >= 33:
        yield semver.library(1)
    if version >= 34:
        yield extendedlists.library(bounded=release >= 37)
    if version >= 37:
        yield lists.library(1)
