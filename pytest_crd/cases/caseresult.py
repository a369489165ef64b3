"""What became of a case: data for the report, hardly a word of it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from pytest_crd.cases.caseparts import ExpectedConflict, ExpectedError
from pytest_crd.cases.comparison import Remainder
from pytest_crd.engine import Version
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.response import FieldConflict, Stored
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.structural import Structural


class Disregarded(enum.Enum):
    """Why a part of what is sent never counts, whatever stands in it."""

    DROPPED_ON_CREATE = "a create drops the status, which is a subresource"
    STATUS_ON_UPDATE = "an update leaves the status alone, which is a subresource"
    REST_ON_STATUS_UPDATE = "an update of the status leaves all else alone"


class Trace(NamedTuple):
    """
    What the passes did on the way, by path as the server spells it.

    Attributes:
        pruned: Unknown fields that were dropped.
        nulls: Nulls that were dropped.
        defaulted: Where a default was put in.
        lost: What was lost on storing.
        kept: Where what is sent does not count, and why.
        withheld: Where the schema has a default that is not put in, as pruning alone was asked for; known of a case that does not hold.
        meant: The fields that the unknown ones may stand for, by their paths; known where somebody reads of it.
    """

    pruned: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    kept: Mapping[str, Disregarded] = MappingProxyType({})
    withheld: tuple[str, ...] = ()
    meant: Mapping[str, str] = MappingProxyType({})


class ObjectMismatch(NamedTuple):
    """
    The actual object is not the expected one.

    Attributes:
        key: The key of the case that was not met: `expected` or `contains`.
        expected: What the case says, completed.
        actual: What the server would hold, less what is not compared.
        asked: The part of it that the case asks for.
        remainder: Where the two differ.
        input: What the case sends, completed.
        schema: What the CRD says of such objects; None where it says nothing.
        is_of_pruning: Whether pruning alone was asked for, which puts in no defaults.
    """

    key: str
    expected: JSONValue
    actual: JSONValue
    asked: JSONValue
    remainder: Remainder
    input: JSONValue
    schema: Structural | None = None
    is_of_pruning: bool = False


class PathsMismatch(NamedTuple):
    """
    A list of paths, or of warnings, is not the expected one.

    Attributes:
        key: The key of the case that was not met: `pruned`, `defaulted`, `nullsDropped`, `lost`, `warnings`.
        missing: Expected, but not there.
        unasked: There, but not expected.
        met: Expected and there.
        hints: Why a path is not there, where there can be no field.
    """

    key: str
    missing: tuple[str, ...]
    unasked: tuple[str, ...]
    met: tuple[str, ...]
    hints: Mapping[str, str] = MappingProxyType({})


class Present(NamedTuple):
    """
    Something is there that must be absent.

    Attributes:
        path: As the case spells it.
        value: What is there.
    """

    path: str
    value: JSONValue


class Stray(NamedTuple):
    """
    A field of the input that is dropped, and that the case shows no knowledge of.

    Attributes:
        path: As `unknown field` warnings spell it.
        is_lost: Whether it is dropped on storing only: the version knows it, the storage version does not.
        near: The path of the field that may be meant; empty if none is similar, None if none was looked for.
    """

    path: str
    is_lost: bool
    near: str | None


class Strays(NamedTuple):
    """
    Fields of the input are dropped, and the case shows no knowledge of it.

    Attributes:
        fields: In the server's order; at least one.
        remedy: How a case states that such a field is meant.
    """

    fields: tuple[Stray, ...]
    remedy: str


class NotReached(NamedTuple):
    """
    The server does not get as far as the case wants it to.

    Attributes:
        message: The server's words, or why the version serves no custom resources.
    """

    message: str


class Rejected(NamedTuple):
    """
    The server refuses what the case wants to be accepted.

    Attributes:
        code: The HTTP code.
        errors: What is wrong.
        hint: What may have led to it; may be empty.
    """

    code: int
    errors: tuple[FieldError, ...]
    hint: str = ""


class Accepted(NamedTuple):
    """
    The server accepts what the case wants to be refused.

    Attributes:
        code: The HTTP code.
        expected: The errors that the case expects.
        part: The part of the message that it expects; None where it states none.
        ratcheted: What is wrong with the object, and kept because it was so before.
        conflicts: The conflicts that the case expects.
    """

    code: int
    expected: tuple[ExpectedError, ...]
    part: str | None
    ratcheted: tuple[FieldError, ...] = ()
    conflicts: tuple[ExpectedConflict, ...] = ()


class NearMiss(NamedTuple):
    """
    The error that comes nearest to an expected one.

    Attributes:
        error: The error that is there.
        wrong: The keys of the expected one that it does not meet.
    """

    error: FieldError
    wrong: tuple[str, ...]


class ErrorsMismatch(NamedTuple):
    """
    The errors are not the expected ones.

    Attributes:
        key: The key of the case that was not met: `errors` or `containsErrors`.
        missing: Expected, but not there; each with the nearest of the unasked ones, where one is near.
        unasked: There, but not expected.
        met: Expected and there.
        refusal: The code and the message of a refusal as a whole that is not expected, else empty.
        hints: Why an error is missing, where there can be no such field or is no such rule; by the field, or the part of a rule.
        unsearched: The number of the last missing errors for which no nearest was looked for, as there are too many.
    """

    key: str
    missing: tuple[tuple[ExpectedError, NearMiss | None], ...]
    unasked: tuple[FieldError, ...]
    met: tuple[FieldError, ...]
    refusal: str = ""
    hints: Mapping[str, str] = MappingProxyType({})
    unsearched: int = 0


class MessageMismatch(NamedTuple):
    """
    The message of the refusal does not have the expected part.

    Attributes:
        part: What the case expects to be in it.
        message: The whole message.
    """

    part: str
    message: str


class OwnedField(NamedTuple):
    """
    A field, and who owns it.

    Attributes:
        manager: Who is expected to own it, or owns it without being expected to.
        path: Which field, spelled as by the server, or as the case does.
        others: Who else owns it.
    """

    manager: str
    path: str
    others: tuple[str, ...] = ()


class ManagersMismatch(NamedTuple):
    """
    Managers do not own what they are expected to own.

    Attributes:
        missing: Expected, but not owned by that manager.
        unasked: Owned, but not expected.
    """

    missing: tuple[OwnedField, ...]
    unasked: tuple[OwnedField, ...]


class ConflictsMismatch(NamedTuple):
    """
    The conflicts with which an apply is refused are not the expected ones.

    Attributes:
        missing: Expected, but not there.
        unasked: There, but not expected.
        refusal: The code and the message of a refusal for another reason; empty where there are conflicts.
    """

    missing: tuple[OwnedField, ...]
    unasked: tuple[OwnedField, ...]
    refusal: str = ""


Mismatch: TypeAlias = "ObjectMismatch | PathsMismatch | Present | Strays | NotReached | Rejected | Accepted | ErrorsMismatch | MessageMismatch | ManagersMismatch | ConflictsMismatch"


class Context(NamedTuple):
    """
    Where a case ran, for the first line of a report.

    Attributes:
        crd: The name of the CRD.
        version: The version of the CRD.
        kubernetes_version: Whose behaviour.
        source: Where the CRD stands, `file:line`; empty where it was not read from a file.
    """

    crd: str
    version: str
    kubernetes_version: str
    source: str


class CaseAnswer(NamedTuple):
    """
    What the server makes of what a case sends, whatever the case expects.

    Attributes:
        code: The HTTP code; 0 where a pass alone was asked.
        kept: The resulting object; None where the request is refused.
        errors: Why it is refused; empty where it is accepted.
        warnings: What the server warns of.
        given: What the case sends, as far as it states it.
        made_up: The fields of metadata that nobody stated.
        unknown: Why the object is not known as it is stored; empty where it is.
        owned: Which fields each manager owns after an apply; None of other requests, and where it is refused.
        conflicts: What an apply changes that others own.
    """

    code: int
    kept: Stored | None
    errors: tuple[FieldError, ...]
    warnings: tuple[str, ...]
    given: JSONValue
    made_up: frozenset[str]
    unknown: str = ""
    owned: Stored | None = None
    conflicts: tuple[FieldConflict, ...] = ()

    @property
    def managers(self) -> Mapping[str, tuple[OwnedPath, ...]]:
        """Which fields each manager owns after an apply, by its name."""
        return {} if self.owned is None else self.owned.value


class CaseResult(NamedTuple):
    """
    What became of a case.

    Attributes:
        context: Where the case ran.
        mismatches: What was not as expected; empty when the case holds.
        trace: What the passes did.
        notes: What is worth to know though the case may hold.
        answer: What the server makes of what it sends; None where it does not get that far.
        warnings: What everybody is told, once, though the case may hold.
        barewords: Which words of its objects are read as booleans, though they may be meant as texts.
        version: The CRD version that it is about; None where none serves objects, and of suites.
    """

    context: Context
    mismatches: tuple[Mismatch, ...] = ()
    trace: Trace = Trace()
    notes: tuple[str, ...] = ()
    answer: CaseAnswer | None = None
    warnings: tuple[str, ...] = ()
    barewords: tuple[str, ...] = ()
    version: Version | None = None

    @property
    def held(self) -> bool:
        """Whether the case holds."""
        return not self.mismatches
