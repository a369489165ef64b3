"""Proposals: candidate cases of a file with their requests; the answers are added later."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_crd.cases.model import REQUESTS
from pytest_crd.cases.sections import Section
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis.schemavalues import NAME

_MADE_UP: Final = {"name": NAME}


@dataclass(frozen=True, slots=True)
class Proposal:
    """
    A candidate case.

    Attributes:
        section: The section of the case.
        name: The statement of the case; need not be unique.
        place: The subject of the case, by which cases are grouped.
        input: The request body without the fields that a case may omit.
        old: The stored object, for updates.
        expectation: The expectation, for cases about passes; requests are answered when the file is made.
        shown_fields: The fields at the place that are enough to show that the object is stored; empty for all.
        is_exact: Whether the case expects the whole stored object.
        second: The second manager's apply, after the first has applied *input*; None for other sections.
    """

    section: Section
    name: str
    place: Place
    input: Mapping[str, Any]
    old: Mapping[str, Any] | None = None
    expectation: Mapping[str, Any] = field(default_factory=dict)
    shown_fields: tuple[str, ...] = ()
    second: Mapping[str, Any] | None = None
    is_exact: bool = False

    @property
    def is_request(self) -> bool:
        """Whether the case sends a request and not only runs a pass."""
        return self.section in REQUESTS


def bare(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return *resource* without the fields that a case may omit: its type, and metadata that has only the default name."""
    fields = {key: value for key, value in resource.items() if key not in {"apiVersion", "kind", "metadata"}}
    metadata = {key: value for key, value in resource.get("metadata", {}).items() if key != "namespace"}
    return fields if metadata == _MADE_UP else {"metadata": metadata, **fields}


def nested(place: Place, value: Any) -> Any:
    """Return an object that has only *value* at *place*."""
    for step in reversed(place):
        value = [value] if step is Each.ITEM else {"key" if step is Each.VALUE else step: value}
    return value


def at(resource: Any, place: Place, named: Mapping[Place, Container[str]]) -> Any:
    """
    Return the value at *place* in *resource*, using the first item of lists and the first entry of maps.

    Args:
        resource: A JSON value.
        place: The place.
        named: The declared fields of each place on the path, which are not entries of a map.

    Raises:
        LookupError: There is no such value.
    """
    for index, step in enumerate(place):
        if step is Each.ITEM and isinstance(resource, list):
            resource = resource[0]
        elif not isinstance(resource, Mapping):
            raise LookupError(place)
        elif step is Each.VALUE:
            fields = named.get(place[:index], ())
            key = next((key for key in resource if key not in fields), None)
            if key is None:
                raise LookupError(place)
            resource = resource[key]
        else:
            resource = resource[step]
    return resource
