"""What became of a case: data for the report, no words of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pytest_crd.cases.comparison import Remainder
from pytest_crd.engine.jsonvalue import JSONValue


@dataclass(frozen=True, slots=True)
class Trace:
    """
    What the passes did on the way, by path as the server spells it.

    Attributes:
        pruned: Unknown fields that were dropped.
        nulls: Nulls that were dropped.
        defaulted: Where a default was put in.
    """

    pruned: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectMismatch:
    """
    The actual object is not the expected one.

    Attributes:
        key: The key of the case that was not met: `expected` or `contains`.
        expected: What the case says, completed.
        actual: What the server would hold, less what is not compared.
        remainder: Where the two differ.
        input: What the case sends, completed.
    """

    key: str
    expected: JSONValue
    actual: JSONValue
    remainder: Remainder
    input: JSONValue


@dataclass(frozen=True, slots=True)
class PathsMismatch:
    """
    A list of paths is not the expected one.

    Attributes:
        key: The key of the case that was not met: `pruned`, `defaulted`, `nullsDropped`.
        missing: Expected, but not there.
        unasked: There, but not expected.
        met: Expected and there.
    """

    key: str
    missing: tuple[str, ...]
    unasked: tuple[str, ...]
    met: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """
    Something is there that must be absent.

    Attributes:
        path: As the case spells it.
        value: What is there.
    """

    path: str
    value: JSONValue


@dataclass(frozen=True, slots=True)
class Refused:
    """
    The server does not get as far as the case wants it to.

    Attributes:
        message: The server's words, or why the version serves no custom resources.
    """

    message: str


Mismatch: TypeAlias = "ObjectMismatch | PathsMismatch | Present | Refused"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """
    What became of a case.

    Attributes:
        mismatches: What was not as expected; empty when the case holds.
        trace: What the passes did.
        context: Where the case ran, for the first line of a report: CRD, version, Kubernetes version.
    """

    mismatches: tuple[Mismatch, ...] = ()
    trace: Trace = field(default_factory=Trace)
    context: Mapping[str, str] = field(default_factory=dict)

    @property
    def held(self) -> bool:
        """Whether the case holds."""
        return not self.mismatches
