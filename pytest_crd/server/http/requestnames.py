"""Verbs and resources in selections of requests: a misspelt name would select nothing, and a test would prove nothing."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Final

from pytest_crd.server.http import requestinfo

_NEAREST: Final = 3
_LATER: Final = "; if a test creates the CRD, it selects the resource afterwards"


class UnknownNameError(ValueError):
    """A selection of requests has an unknown verb or resource; the message has the nearest names."""


def demand_verb(verb: str) -> None:
    """
    Check the verb of a selection.

    Raises:
        UnknownNameError: No request has this verb.
    """
    if verb not in requestinfo.VERBS:
        raise UnknownNameError(f"no request has the verb {verb!r}{_describe_nearest(verb, requestinfo.VERBS)}")


def demand_resource(resource: str, known: Collection[str]) -> None:
    """
    Check the resource of a selection.

    Args:
        resource: The resource.
        known: The names of the known resources, with and without their groups and subresources.

    Raises:
        UnknownNameError: The resource is not among them.
    """
    if resource not in known:
        nearest = _describe_nearest(resource, known)
        raise UnknownNameError(f"no served kind has the resource {resource!r}{nearest}{_LATER}")


def _describe_nearest(name: str, known: Collection[str]) -> str:
    nearest = difflib.get_close_matches(name, sorted(known), _NEAREST, 0.0)
    return f"; the nearest are {', '.join(nearest)}" if nearest else ""
