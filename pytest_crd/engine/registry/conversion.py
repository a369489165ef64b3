"""Conversion of custom resources between the versions of a CRD."""

from __future__ import annotations

from typing import Protocol

from pytest_crd.engine.jsonvalue import JSONObject as Resource


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
