"""Served versions of a CRD, and the conversion of custom resources between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from pytest_crd.engine.crds.declared import VersionSpec
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.records import NamedTuple


class ConversionFailedError(Exception):
    """A conversion that failed; the message is the server's."""


class UnknownConversionError(Exception):
    """A conversion by a webhook that cannot be called; the message says why."""


class VersionConverter(Protocol):
    """
    The conversion of a CRD with the strategy `Webhook`.

    Reference:
        apiextensions-apiserver apiserver/conversion/webhook_converter.go.
    """

    def convert(self, resource: Resource, api_version: str) -> Resource:
        """
        Return an object of the CRD in *api_version*.

        The server converts the objects of a list one by one, too.

        Raises:
            ConversionFailedError: The webhook cannot be called, or its response is refused.
        """


class Served(NamedTuple):
    """
    One served version of a CRD.

    Attributes:
        spec: The declared version.
        schema: The structural schema; None without one.
        passes: The passes that change its resources.
        published: Returns the schema for its OpenAPI document; None without one.
    """

    spec: VersionSpec
    schema: Structural | None
    passes: Passes
    published: Callable[[], Mapping[str, JSONValue] | None]
