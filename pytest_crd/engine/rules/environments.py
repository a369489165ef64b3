"""
Environments for the compilation of CRD rules.

New rules may only use libraries of the previous Kubernetes version, so that a server can be rolled back. Stored rules
may use all libraries. The compatibility version selects the libraries; the release of the server decides the language and the costs.

Reference:
    apiserver pkg/cel/environment/environment.go, NewExpressions and StoredExpressions; base.go.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

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
from pytest_crd.engine.cel.library import formatfunctions as formats
from pytest_crd.engine.cel.library.formatfunctions import Validate
from pytest_crd.engine.cel.types.functions import Library
from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.golang import printing, urls
from pytest_crd.engine.golang.release import GoRelease
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile


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


@functools.cache
def new(profile: Profile) -> Environment:
    """Return the environment of new expressions."""
    return _environment(profile.libraries_before, profile)


@functools.cache
def stored(profile: Profile) -> Environment:
    """Return the environment of stored expressions."""
    return _environment(profile.libraries, profile)


def _environment(libraries: Libraries, profile: Profile) -> Environment:
    return environment(libraries, profile.cel, profile.go, _named_formats(profile))


@functools.cache
def _named_formats(profile: Profile) -> Library:
    """
    Return the library of named formats in rules, such as `format.dns1123Label()`: Kubernetes names, and formats of schemas.

    Reference:
        k8s.io/apiserver pkg/cel/library/format.go, ConstantFormats.
    """

    def label(text: str) -> Sequence[str]:
        return names.dns1123_label(text, profile)

    def uri(text: str) -> Sequence[str]:
        try:
            urls.parse_request_uri(text, strict_colons=profile.go.has_strict_colons)
        except urls.UrlError as error:
            return (f"parse {printing.quote(text)}: {error}",)
        return ()

    return formats.library(
        {
            "dns1123Label": label,
            "dns1123Subdomain": names.dns1123_subdomain,
            "dns1035Label": names.dns1035_label,
            "qualifiedName": lambda text: names.label_key(text, profile),
            "dns1123LabelPrefix": lambda text: label(names.without_trailing_dash(text)),
            "dns1123SubdomainPrefix": names.dns1123_subdomain_prefix,
            "dns1035LabelPrefix": lambda text: names.dns1035_label(names.without_trailing_dash(text)),
            "labelValue": lambda text: names.label_value(text, profile),
            "uri": uri,
            "uuid": _schema_format("uuid", "does not match the UUID format", profile),
            "byte": _schema_format("byte", "invalid base64", profile),
            "date": _schema_format("date", "invalid date", profile),
            "datetime": _schema_format("datetime", "invalid datetime", profile),
        }
    )


def _schema_format(name: str, problem: str, profile: Profile) -> Validate:
    """Return a validator that reports *problem* unless the text has the schema format *name*."""

    def validate(text: str) -> Sequence[str]:
        check = stringformats.check(name, profile)
        return () if check is not None and check(text) else (problem,)

    return validate
