"""Where in the schema of a version stands what decided an answer: the keyword that a value does not meet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pytest_crd.engine.errors.failedrule import Locate, Steps
from pytest_crd.engine.fieldpath import Key, Segment


class Origin:
    """
    A keyword in the schema of a version of a CRD.

    Attributes:
        schema: Which part of the schema has it: keys and indices, from the schema of the version.
        keyword: The keyword: `minimum`, `required`, `x-kubernetes-validations` …
        inner: Which part of what the keyword says: the index of a rule, or of a required name; mostly empty.
    """

    def __init__(self, schema: Steps, keyword: str, inner: Steps = (), locate: Locate | None = None) -> None:
        """Take the place, and what knows where a schema stands in a file."""
        self.schema = schema
        self.keyword = keyword
        self.inner = inner
        self._locate = locate

    @property
    def steps(self) -> Steps:
        """Where it stands: keys and indices, from the schema of the version."""
        return (*self.schema, self.keyword, *self.inner)

    @cached_property
    def source(self) -> str:
        """Where it stands, `file:line`; empty where no file was read."""
        return "" if self._locate is None else self._locate(self.steps, None)

    def located(self, locate: Locate) -> Origin:
        """Return the same origin, of which *locate* knows where it stands."""
        return Origin(self.schema, self.keyword, self.inner, locate)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)

    def __str__(self) -> str:
        """Return how a person is told of it: `crds/backups.yaml:24 minimum`; the keyword alone where no file was read."""
        return f"{self.source} {self.keyword}".lstrip()

    def __repr__(self) -> str:
        """Return the steps and the file."""
        return f"<Origin {'/'.join(map(str, self.steps))}{f' ({self.source})' if self.source else ''}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Return what another process needs to say the same: there, no file is looked into any more."""
        return _known, (self.schema, self.keyword, self.inner, self.source)


def schema_steps(segments: Iterable[Segment]) -> Steps:
    """Return which part of a structural schema is about the values at *segments* of an object."""
    steps: list[str | int] = []
    for segment in segments:
        if isinstance(segment, str):
            steps += ("properties", segment)
        else:
            steps.append("additionalProperties" if isinstance(segment, Key) else "items")
    return tuple(steps)


def _known(schema: Steps, keyword: str, inner: Steps, source: str) -> Origin:
    return Origin(schema, keyword, inner, lambda *_: source)
