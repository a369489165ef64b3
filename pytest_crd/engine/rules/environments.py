"""
Environments for the compilation of CRD rules.

New rules may only use libraries of the previous Kubernetes version, so that a server can be rolled back. Stored rules
may use all libraries.

Reference:
    apiserver pkg/cel/environment/environment.go, NewExpressions and StoredExpressions.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from pytest_crd.engine.cel import kubernetes
from pytest_crd.engine.cel.dialect import Libraries
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.library import formatfunctions as formats
from pytest_crd.engine.cel.library.formatfunctions import Validate
from pytest_crd.engine.cel.types.functions import Library
from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.golang import printing, urls
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile


@functools.cache
def new(profile: Profile) -> Environment:
    """Return the environment of new expressions."""
    return _environment(profile.libraries_before, profile)


@functools.cache
def stored(profile: Profile) -> Environment:
    """Return the environment of stored expressions."""
    return _environment(profile.libraries, profile)


def _environment(libraries: Libraries, profile: Profile) -> Environment:
    return kubernetes.environment(libraries, profile.cel, profile.go, _named_formats(profile))


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
