"""Points: the units of coverage in a schema."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place

PointKind: TypeAlias = Literal[
    "property",
    "default",
    "null",
    "type",
    "pruning",
    "enum",
    "bound",
    "pattern",
    "format",
    "required",
    "list",
    "junctor",
    "rule",
    "message",
    "conversion",
]


class Point(NamedTuple):
    """
    A behaviour of a schema that requests can exercise.

    Attributes:
        kind: The kind of point.
        place: The place in objects; empty for the whole object.
        steps: The keys and indices from the root schema of the version; empty for a conversion.
        side: The side of the keyword: `held`, `broken`, `used`, `true` …
        words: The description of the missing behaviour.
    """

    kind: PointKind
    place: Place
    steps: Steps
    side: str
    words: str

    @property
    def id(self) -> str:
        """The id, unique in the version and stable while the schema is unchanged: `properties/spec/maximum:held`."""
        return id_of(self.steps, self.side)

    @property
    def path(self) -> str:
        """The spelling of the place: `spec.items[*].name`; empty for the whole object."""
        return schemamap.spelled(self.place)

    @property
    def text(self) -> str:
        """The place and the missing behaviour."""
        return f"{self.path}: {self.words}" if self.place else self.words


def id_of(steps: Steps, side: str) -> str:
    """Return the id of a point at *steps* of a schema for one *side* of a keyword."""
    text = "/".join(map(str, steps))
    if "~" in text or text.count("/") >= len(steps) > 0:  # a step contains a separator
        text = "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return f"{text}:{side}"
