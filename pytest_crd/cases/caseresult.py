"""Results of cases, as data for reports."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from pytest_crd.cases.parts import ExpectedConflict, ExpectedError
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.cases.comparison import Remainder
    from pytest_crd.engine.errors.fielderror import FieldError
    from pytest_crd.engine.errors.refusal import Denial
    from pytest_crd.engine.registry.response import FieldConflict, Stored
    from pytest_crd.engine.schema.structural import Structural


class Disregarded(enum.Enum):
    """Reasons why a part of the sent object never counts, whatever its value."""

    DROPPED_ON_CREATE = "a create drops the status, which is a subresource"
    STATUS_ON_UPDATE = "an update leaves the status alone, which is a subresource"
    REST_ON_STATUS_UPDATE = "an update of the status leaves all else alone"


class Trace(NamedTuple):
    """
    Effects of the passes, by path as the server spells it.

    Attributes:
        pruned: Unknown fields that were dropped.
        nulls: Nulls that were dropped.
        defaulted: Fields that were set to their default.
        lost: Fields of the version that the storage version does not have.
        disregarded: Parts of the sent object that the server ignores, each with the reason.
        withheld: Fields with a default that a pruning case does not set; computed only for a failed case.
        suggestions: The most similar known field, by the path of the unknown field; empty for a case that shows none.
        mutated: Fields that mutating admission changed.
    """

    pruned: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    disregarded: Mapping[str, Disregarded] = MappingProxyType({})
    withheld: tuple[str, ...] = ()
    suggestions: Mapping[str, str] = MappingProxyType({})
    mutated: tuple[str, ...] = ()


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
    A field of the input that is dropped, or whose null does nothing, without being mentioned by the case.

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


class Context(NamedTuple):
    """
    CRD version and Kubernetes version of a case, for the first line of a report.

    Attributes:
        crd: The name of the CRD.
        version: The version of the CRD.
        kubernetes_version: The Kubernetes version.
        source: The place of the CRD, `file:line`; empty if it was not read from a file.
        policy: The kind and the name of the policy of the case, which has no CRD then; else empty.
    """

    crd: str
    version: str
    kubernetes_version: str
    source: str
    policy: str = ""

    @property
    def subject(self) -> str:
        """The CRD with its version, or the policy."""
        return self.policy or f"{self.crd} {self.version}"


class CaseAnswer(NamedTuple):
    """
    The server's answer to the request of a case, whatever the case expects.

    Attributes:
        code: The HTTP code; 0 for pruning and defaulting cases.
        stored: The resulting object; None if the request is refused.
        errors: The errors of a refusal; empty if the request is accepted.
        warnings: The server's warnings.
        input: The sent object, as far as the case states it.
        made_up: The fields of metadata that the case does not state.
        unknown: The reason why the stored object is unknown; empty if it is known.
        owned: The fields that each manager owns after an apply; None for other requests and for a refusal.
        conflicts: Changes of an apply to fields that other managers own.
        denials: The webhooks and policies that deny the request.
        is_changed: Whether the object shows the decision; False for a validating policy, which changes nothing.
        audit_annotations: The audit annotations in the spelling of cases; None for cases of CRDs.
    """

    code: int
    stored: Stored | None
    errors: tuple[FieldError, ...]
    warnings: tuple[str, ...]
    input: JSONValue
    made_up: frozenset[str]
    unknown: str = ""
    owned: Stored | None = None
    conflicts: tuple[FieldConflict, ...] = ()
    denials: tuple[Denial, ...] = ()
    is_changed: bool = True
    audit_annotations: Mapping[str, str] | None = None

    @property
    def managers(self) -> Mapping[str, tuple[OwnedPath, ...]]:
        """The fields that each manager owns after an apply, by its name."""
        return {} if self.owned is None else self.owned.value


class CaseResult(NamedTuple):
    """
    The result of a case.

    Attributes:
        context: Where the case ran.
        mismatches: Deviations from the expectations; empty if the case holds.
        trace: Effects of the passes.
        notes: Remarks, even for a case that holds.
        answer: The server's answer; None if the request does not get that far.
        warnings: Warnings that a session shows once, even for a case that holds.
        barewords: Warnings about words that are read as booleans, though they may be meant as texts.
        version: The CRD version; None if it serves no objects, for suites, and for cases of a policy.
        decisions: Lines with the expressions of a policy, and the values that decided them.
    """

    context: Context
    mismatches: tuple[Mismatch, ...] = ()
    trace: Trace = Trace()
    notes: tuple[str, ...] = ()
    answer: CaseAnswer | None = None
    warnings: tuple[str, ...] = ()
    barewords: tuple[str, ...] = ()
    version: CrdVersion | None = None
    decisions: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the case holds."""
        return not self.mismatches

    def __bool__(self) -> NoReturn:
        """Raise TypeError: a bare `assert` would hold for a failed case, too."""
        raise TypeError("a CaseResult is neither true nor false; write `.holds`, as in `assert result.holds`")
