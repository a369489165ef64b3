"""Origins of errors and changes: the keyword in the schema of a version, and the CEL rule; and fields that the server changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Self, TypeAlias

from pytest_crd.engine import fieldpath
from pytest_crd.engine.fieldpath import Key, Segment, SpelledPath

# Mapping keys and list indices.
Steps: TypeAlias = "tuple[str | int, ...]"
# Returns `file:line` of steps; with the offset of a character in a text, `file:line:column` of the character.
Locate: TypeAlias = "Callable[[Steps, int | None], str]"


class FailedRule:
    """
    Rule that is false for a value or cannot be evaluated; in an error about a CRD, a rule that is itself wrong.

    Expensive attributes are computed on first use.

    Attributes:
        text: The declared rule, or the `messageExpression` that is wrong.
        steps: Its path in the schema of the version: keys and indices. In an error about a CRD: its path in the CRD, as
            its errors spell it.
        offset: The first wrong character of the text, in code points; None for the whole text.
        was_evaluated: Whether the rule evaluated to false; otherwise it ended in an error, or did not run to its end.
    """

    def __init__(  # noqa: PLR0913 - the attributes of a rule
        self,
        text: str,
        steps: Steps,
        explain: Callable[[], tuple[str, ...]],
        locate: Locate | None = None,
        *,
        offset: int | None = None,
        was_evaluated: bool = True,
    ) -> None:
        """Create a rule; *explain* returns the deciding values, *locate* the place of a path in its file."""
        self.text = text
        self.steps = steps
        self.offset = offset
        self.was_evaluated = was_evaluated
        self._explain = explain
        self._locate = locate

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The values that decided, such as `self.replicas = 11`; may be empty. The last line says if some are omitted."""
        return self._explain()

    @cached_property
    def source(self) -> str:
        """Its place, `file:line`, or `file:line:column` of the wrong part; empty if no file was read."""
        return "" if self._locate is None else self._locate(self.steps, self.offset)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of its explanation: the rule with its place, then the deciding values."""
        place = f" ({self.source})" if self.source else ""
        return f"rule{place}: {' '.join(self.text.split())}", *self.parts

    def located(self, locate: Locate) -> FailedRule:
        """Return the same rule with a function that locates it."""
        return FailedRule(
            self.text, self.steps, self._explain, locate, offset=self.offset, was_evaluated=self.was_evaluated
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal rule with all attributes computed."""
        return _restore_rule, (self.text, self.steps, self.parts, self.source, self.offset, self.was_evaluated)

    def __repr__(self) -> str:
        """Return the rule and its place."""
        return f"<FailedRule {self.text!r}{f' ({self.source})' if self.source else ''}>"


def _restore_rule(  # noqa: PLR0913, PLR0917 - the arguments of `__reduce__`
    text: str,
    steps: Steps,
    parts: tuple[str, ...],
    source: str,
    offset: int | None,
    was_evaluated: bool,  # noqa: FBT001
) -> FailedRule:
    return FailedRule(text, steps, lambda: parts, lambda *_: source, offset=offset, was_evaluated=was_evaluated)


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


class ChangedField(SpelledPath):
    """
    A path as in `unknown field "…"` warnings.

    Attributes:
        steps: The keys and indices of the field.
    """

    __slots__ = ("_find",)

    _find: Callable[[Steps], Origin | None]

    def __new__(cls, steps: Steps, find: Callable[[Steps], Origin | None]) -> Self:
        """Return the path at *steps*; *find* returns the origin on first use."""
        path = super().__new__(cls, fieldpath.unknown_field(steps), steps)
        path._find = find
        return path

    @property
    def origin(self) -> Origin | None:
        """The schema keyword that caused the change; None if no keyword did."""
        return self._find(self.steps)

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal path."""
        return _restore_field, (self.steps, self.origin)


def _restore_field(steps: Steps, origin: Origin | None) -> ChangedField:
    return ChangedField(steps, lambda _: origin)


def source_of(path: str) -> str:
    """Return `file:line` of the origin of *path*; empty if it is unknown."""
    origin = path.origin if isinstance(path, ChangedField) else None
    return origin.source if origin is not None else ""
