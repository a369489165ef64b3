"""Origin of an error or a change: the keyword in the schema of a version that caused it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pytest_crd.engine.errors.failedrule import Locate, Steps
from pytest_crd.engine.fieldpath import Key, Segment


class Origin:
    """
    A keyword in the schema of a version of a CRD.

    Attributes:
        schema: The steps from the schema of the version to the schema with the keyword.
        keyword: The keyword: `minimum`, `required`, `x-kubernetes-validations` …
        inner: The steps inside the keyword's value: the index of a rule, or of a required name; usually empty.
    """

    def __init__(self, schema: Steps, keyword: str, inner: Steps = (), locate: Locate | None = None) -> None:
        """Create from the place, and a function that locates schemas in files."""
        self.schema = schema
        self.keyword = keyword
        self.inner = inner
        self._locate = locate

    @property
    def steps(self) -> Steps:
        """The steps of the keyword from the schema of the version."""
        return (*self.schema, self.keyword, *self.inner)

    @cached_property
    def source(self) -> str:
        """Its place, `file:line`; empty if no file was read."""
        return "" if self._locate is None else self._locate(self.steps, None)

    def located(self, locate: Locate) -> Origin:
        """Return the same origin with a function that locates it."""
        return Origin(self.schema, self.keyword, self.inner, locate)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)

    def __str__(self) -> str:
        """Return place and keyword: `crds/backups.yaml:24 minimum`; the keyword alone if no file was read."""
        return f"{self.source} {self.keyword}".lstrip()

    def __repr__(self) -> str:
        """Return the steps and the file."""
        return f"<Origin {'/'.join(map(str, self.steps))}{f' ({self.source})' if self.source else ''}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal origin."""
        return _restore, (self.schema, self.keyword, self.inner, self.source)


def schema_steps(segments: Iterable[Segment]) -> Steps:
    """Return the steps in a structural schema to the schema of the values at *segments* of an object."""
    steps: list[str | int] = []
    for segment in segments:
        if isinstance(segment, str):
            steps += ("properties", segment)
        else:
            steps.append("additionalProperties" if isinstance(segment, Key) else "items")
    return tuple(steps)


def _restore(schema: Steps, keyword: str, inner: Steps, source: str) -> Origin:
    return Origin(schema, keyword, inner, lambda *_: source)
