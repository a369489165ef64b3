"""Deviations of an answer from the expectations of a case, by kind, as data for reports; a passing case has none."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pytest_crd.cases.parts import ExpectedConflict, ExpectedError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.cases.comparison import Remainder
    from pytest_crd.engine.errors.fielderror import FieldError
    from pytest_crd.engine.schema.structural import Structural


class ObjectMismatch(NamedTuple):
    """
    An actual object that differs from the expected one.

    Attributes:
        key: The key of the case that was not met: `expected` or `contains`.
        expected: The expected object, completed.
        actual: The object that the server would store, without the fields that are not compared.
        compared: The part of *actual* that the case states an expectation for.
        remainder: The differences.
        input: The sent object, completed.
        schema: The schema of the object; None if there is none.
        is_of_pruning: Whether it is a pruning case, which puts in no defaults.
    """

    key: str
    expected: JSONValue
    actual: JSONValue
    compared: JSONValue
    remainder: Remainder
    input: JSONValue
    schema: Structural | None = None
    is_of_pruning: bool = False


class PathsMismatch(NamedTuple):
    """
    A list of paths, or of warnings, that differs from the expected one.

    Attributes:
        key: The key of the case that was not met: `pruned`, `defaulted`, `nullsDropped`, `lost`, `mutated`, `warnings`; or `denied`, with
            denials as a case states them.
        missing: Expected, but not there.
        unasked: There, but not expected.
        met: Expected and there.
        hints: Reasons why an object cannot have a field at a missing path.
    """

    key: str
    missing: tuple[str, ...]
    unasked: tuple[str, ...]
    met: tuple[str, ...]
    hints: Mapping[str, str] = MappingProxyType({})


class Present(NamedTuple):
    """
    A value where the case expects none.

    Attributes:
        path: The path, as the case spells it.
        value: The value.
    """

    path: str
    value: JSONValue


class Stray(NamedTuple):
    """
    A dropped field of the input, or a null without effect, that the case does not mention.

    Attributes:
        path: The path, as `unknown field` warnings spell it.
        is_lost: Whether it is dropped on storing only: the version knows it, the storage version does not.
        near: The path of a similar field; empty if there is none, None if the search was left out.
        is_idle: Whether it is a null of a patch that changes nothing.
    """

    path: str
    is_lost: bool
    near: str | None
    is_idle: bool = False


class Strays(NamedTuple):
    """
    Fields of the input that are dropped without being mentioned by the case.

    Attributes:
        fields: In the server's order; at least one.
        remedy: Advice on how a case states that such a field is intended.
    """

    fields: tuple[Stray, ...]
    remedy: str


class NotReached(NamedTuple):
    """
    A request without an answer that decides the case.

    Attributes:
        message: The server's words about an earlier step, why the version serves no custom resources, or two orders of policies with
            different answers.
    """

    message: str


class Unstated(NamedTuple):
    """
    A fact about the answer that the case does not state: the case would hold for another reason than its reader believes.

    Attributes:
        key: The key of the case that states such a fact, or that would hold.
        message: The fact, and the words that state it.
    """

    key: str
    message: str


class Rejected(NamedTuple):
    """
    A refusal of an object that the case expects to be accepted.

    Attributes:
        code: The HTTP code.
        errors: The errors.
        hint: A possible cause; may be empty.
    """

    code: int
    errors: tuple[FieldError, ...]
    hint: str = ""


class Accepted(NamedTuple):
    """
    An acceptance of an object that the case expects to be refused.

    Attributes:
        code: The HTTP code.
        expected: The errors that the case expects.
        part: The expected part of the message; None if the case states none.
        ratcheted: Errors of the object that are tolerated because the old object has them too.
        conflicts: The conflicts that the case expects.
        denials: The denials that the case expects, as it states them.
        hint: A possible cause of missing denials; may be empty.
    """

    code: int
    expected: tuple[ExpectedError, ...]
    part: str | None
    ratcheted: tuple[FieldError, ...] = ()
    conflicts: tuple[ExpectedConflict, ...] = ()
    denials: tuple[str, ...] = ()
    hint: str = ""


class NearMiss(NamedTuple):
    """
    The error that is most similar to an expected one.

    Attributes:
        error: The actual error.
        wrong: The keys of the expected error that it does not match.
    """

    error: FieldError
    wrong: tuple[str, ...]


class ErrorsMismatch(NamedTuple):
    """
    Errors that differ from the expected ones.

    Attributes:
        key: The key of the case that was not met: `errors` or `containsErrors`.
        missing: Expected, but not there; each with the most similar unasked error, if any.
        unasked: There, but not expected.
        met: Expected and there.
        refusal: The code and message of an unexpected refusal of the whole request, else empty.
        hints: Reasons for missing errors whose field or rule cannot exist, by field or part of the rule.
        unsearched: The number of missing errors, at the end, that were not compared with the others to save time.
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
    A message of a refusal that lacks the expected part.

    Attributes:
        part: The expected part.
        message: The whole message.
        key: The key of the case that was not met: `error`, `refused` or `denied`.
    """

    part: str
    message: str
    key: str = "error"


class OwnedField(NamedTuple):
    """
    A field and its owners.

    Attributes:
        manager: The owner that is missing, or that is not expected.
        path: The field, spelled as by the server or as in the case.
        others: The other owners.
    """

    manager: str
    path: str
    others: tuple[str, ...] = ()


class ManagersMismatch(NamedTuple):
    """
    Owned fields that differ from the expected ones.

    Attributes:
        missing: Expected, but not owned by that manager.
        unasked: Owned, but not expected.
    """

    missing: tuple[OwnedField, ...]
    unasked: tuple[OwnedField, ...]


class ConflictsMismatch(NamedTuple):
    """
    Conflicts of a refused apply that differ from the expected ones.

    Attributes:
        missing: Expected, but not there.
        unasked: There, but not expected.
        refusal: The code and message of a refusal for another reason; empty if there are conflicts.
    """

    missing: tuple[OwnedField, ...]
    unasked: tuple[OwnedField, ...]
    refusal: str = ""


Mismatch: TypeAlias = "ObjectMismatch | PathsMismatch | Present | Strays | NotReached | Unstated | Rejected | Accepted | ErrorsMismatch | MessageMismatch | ManagersMismatch | ConflictsMismatch"
