"""Points: what of a schema can be exercised, one by one."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place

PointKind: TypeAlias = Literal[
    "property",
    "default",
    "null",
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
    Something that requests can exercise.

    Attributes:
        kind: Of what kind it is.
        place: Where objects have it; empty for the whole object.
        steps: Where it stands: keys and indices from the schema of the version. Of a conversion: no steps.
        side: Which side of it: `held`, `broken`, `used`, `true` …
        words: What nobody has seen yet, as long as it is missed.
    """

    kind: PointKind
    place: Place
    steps: Steps
    side: str
    words: str

    @property
    def id(self) -> str:
        """What tells it from all others of its version, as long as the schema stays the same: `properties/spec/maximum:held`."""
        return id_of(self.steps, self.side)

    @property
    def path(self) -> str:
        """The place as a person writes it: `spec.items[*].name`; empty for the whole object."""
        return schemamap.spelled(self.place)

    @property
    def text(self) -> str:
        """Where, and what is missed."""
        return f"{self.path}: {self.words}" if self.place else self.words


def id_of(steps: Steps, side: str) -> str:
    """Return the id of the points at *steps* of a schema that are about one *side* of a keyword."""
    text = "/".join(map(str, steps))
    if "~" in text or text.count("/") >= len(steps) > 0:  # which a step itself has
        text = "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return f"{text}:{side}"
