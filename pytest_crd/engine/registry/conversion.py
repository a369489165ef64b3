"""Conversion of custom resources between the versions of a CRD."""

from __future__ import annotations

from collections.abc import Sequence
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

    def convert(self, objects: Sequence[Resource], api_version: str) -> list[Resource]:
        """
        Return *objects*, of other versions of the CRD, in *api_version*.

        The server calls this for one object or for all objects of a list that are stored in another version.

        Raises:
            ConversionFailedError: The webhook cannot be called, or its response is refused.
        """
