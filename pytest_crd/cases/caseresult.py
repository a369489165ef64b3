"""
Results of cases, as data for reports.

Each case is reported to the observer of its CRD once it is judged. Coverage uses it to learn what a case states about the request that was
just made.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from pytest_crd.engine import CrdVersion
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from pytest_crd.cases.deviations import Mismatch
    from pytest_crd.cases.model import ConvertCase, DefaultingCase, PruningCase, RequestCase
    from pytest_crd.engine.errors.fielderror import FieldError
    from pytest_crd.engine.errors.refusal import Denial
    from pytest_crd.engine.registry.response import FieldConflict, Stored

Judged: TypeAlias = "PruningCase | DefaultingCase | ConvertCase | RequestCase"


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


@dataclass(frozen=True)
class JudgedCase:
    """
    A case and its result.

    Attributes:
        case: The case, about the last request to *version*.
        version: The CRD version.
        result: The result.
    """

    case: Judged
    version: CrdVersion
    result: CaseResult


def report_verdict(case: Judged, version: CrdVersion, result: CaseResult) -> CaseResult:
    """Report a judged case to the observer of the version, and return its result."""
    if (listener := version.observer.verdict) is not None:
        listener(JudgedCase(case, version, result))
    return result
