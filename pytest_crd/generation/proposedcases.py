"""What a case file is made of: cases that are proposed, each with what it sends; what the server answers is found out later."""

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
    A case that may be worth having.

    Attributes:
        section: What is asked of the server.
        name: What holds; names may still be alike.
        place: What it is about, by which cases are grouped.
        input: What is sent, less what a case may leave out.
        old: What is stored before, for updates.
        stated: What is expected, for the passes alone; requests are answered when the file is made.
        shown: Which fields of the object at the place tell that it is stored; nothing for all of them.
        second: What a second manager applies after the first one has applied *input*, for applies.
    """

    section: Section
    name: str
    place: Place
    input: Mapping[str, Any]
    old: Mapping[str, Any] | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    second: Mapping[str, Any] | None = None

    @property
    def is_request(self) -> bool:
        """Whether the server is asked for more than one of its passes."""
        return self.section in REQUESTS


def bare(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return *resource* without what a case may leave out: its type, and metadata in which nothing is but a name of no meaning."""
    kept = {key: value for key, value in resource.items() if key not in {"apiVersion", "kind", "metadata"}}
    metadata = {key: value for key, value in resource.get("metadata", {}).items() if key != "namespace"}
    return kept if metadata == _MADE_UP else {"metadata": metadata, **kept}


def nested(place: Place, value: Any) -> Any:
    """Return an object that has nothing but *value* at *place*."""
    for step in reversed(place):
        value = [value] if step is Each.ITEM else {"key" if step is Each.VALUE else step: value}
    return value


def at(resource: Any, place: Place, named: Mapping[Place, Container[str]]) -> Any:
    """
    Return what *resource* has at *place*: of a list the first item, of a map the first value.

    Args:
        resource: A JSON value.
        place: Where.
        named: What schemas declare at the places on the way, of which a map's own fields are no values.

    Raises:
        LookupError: There is nothing.
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
