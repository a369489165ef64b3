"""
The environments of Kubernetes' API servers.

An environment is that of a *version* of Kubernetes with which expressions are to be compatible, as a *release* of the server has
it: the version says which libraries there are, the release how the language is read and what it costs. Both are handed in.

Reference:
    k8s.io/apiserver pkg/cel/environment/base.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.engine.cel.dialect import Dialect, Libraries
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.library import (
    authorizer,
    cidr,
    comprehensions,
    extendedlists,
    ip,
    kuberneteslists,
    optionals,
    quantity,
    regex,
    semver,
    sets,
    standard,
    stringfunctions,
    url,
)
from pytest_crd.engine.cel.types.functions import Library
from pytest_crd.engine.golang.release import GoRelease


def environment(libraries: Libraries, dialect: Dialect, go: GoRelease, formats: Library) -> Environment:
    """
    Return the environment of a version as a release has it.

    Args:
        libraries: The libraries of the version with which expressions are to be compatible.
        dialect: The language of the release of the server.
        go: The Go that this is built with.
        formats: The library of formats: what says which texts have a format is known outside.
    """
    return Environment(tuple(_libraries(libraries, dialect, go, formats)), dialect, go)


def _libraries(known: Libraries, dialect: Dialect, go: GoRelease, formats: Library) -> Iterator[Library]:
    """Return the libraries in the order in which the server adds them."""
    yield standard.library(dialect, go)
    yield url.library(go)
    yield regex.library(go)
    if not known.includes:
        yield kuberneteslists.library(includes=False)
    yield authorizer.library()
    yield optionals.library(dialect)
    yield quantity.library()
    yield stringfunctions.library(dialect)
    yield sets.library()
    yield ip.library()
    yield cidr.library()
    yield formats
    if known.comprehensions:
        yield comprehensions.library()
    if known.semver:
        yield semver.library(1)
    if known.extended_lists:
        yield extendedlists.library(dialect)
    if known.includes:
        yield kuberneteslists.library(includes=True)
