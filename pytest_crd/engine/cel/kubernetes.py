"""
Environments of Kubernetes' API servers.

The compatibility *version* selects the libraries; the *release* of the server decides the language and the costs. The
caller passes both.

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
    Return the environment of a compatibility version in a release of the server.

    Args:
        libraries: The libraries of the compatibility version.
        dialect: The language of the server's release.
        go: The Go release that the server is built with.
        formats: The library of named formats, which the caller builds.
    """
    return Environment(tuple(_libraries(libraries, dialect, go, formats)), dialect, go)


def _libraries(available: Libraries, dialect: Dialect, go: GoRelease, formats: Library) -> Iterator[Library]:
    """Yield the libraries in the order in which the server adds them."""
    yield standard.library(dialect, go)
    yield url.library(dialect, go)
    yield regex.library(go)
    if not available.includes:
        yield kuberneteslists.library(includes=False)
    yield authorizer.library()
    yield optionals.library(dialect)
    yield quantity.library(rounds_digits=dialect.rounds_digits)
    yield stringfunctions.library(dialect)
    yield sets.library()
    yield ip.library()
    yield cidr.library(has_masks=available.has_masks)
    yield formats
    if available.comprehensions:
        yield comprehensions.library()
    if available.semver:
        yield semver.library(1)
    if available.extended_lists:
        yield extendedlists.library(dialect)
    if available.includes:
        yield kuberneteslists.library(includes=True)
