"""
Model of a case file that is free of mistakes: plain immutable data.

It reads nothing and judges nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from pytest_crd.cases.sections import CaseLines, Section
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document
from pytest_crd.records import dataclass, field

if TYPE_CHECKING:
    from pytest_crd.cases.parts import ApplyStep, ExpectedConflict, ExpectedDenial, ExpectedError, ObjectSource, OldCRD
    from pytest_crd.engine.registry.admission import Operation  # slow to import
    from pytest_crd.engine.registry.requestbody import FieldValidation


class CaseFileError(InputError):
    """Mistakes in a case file, in the order of their lines."""


# The keys with expectations about the stored object.
OF_STORED: Final = frozenset({"expected", "contains", "absent", "lost", "managers"})


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    Common attributes of all cases; None means that an expectation was not stated.

    Attributes:
        section: The kind of request.
        name: The name, unique in the file.
        input: The sent object: JSON, or the text of one YAML or JSON document; None until it is read from a file.
        input_source: The source of *input*; None if the case itself has it.
        expected: The whole resulting object.
        contains: A part of the resulting object.
        absent: Field paths that the resulting object does not have.
        allows_unknown_fields: Whether the file allows its inputs to have fields that are dropped.
        skip: Why the case is not run.
        xfail: Why the case is known to fail.
        marks: Names of pytest marks.
        blanks: The keys of expectations that have yet to be filled in.
        is_open: Whether it states no expectation at all.
        lines: The lines of the case's keys.
        files: Documents of other files from which its objects come.
    """

    section: ClassVar[Section]

    name: str
    input: JSONValue = None
    input_source: ObjectSource | None = None
    expected: JSONValue = None
    contains: JSONValue = None
    absent: tuple[str, ...] | None = None
    allows_unknown_fields: bool = False
    skip: str | None = None
    xfail: str | None = None
    marks: tuple[str, ...] = ()
    blanks: tuple[str, ...] = ()
    is_open: bool = False
    lines: CaseLines = field(compare=False, repr=False)
    files: tuple[Document, ...] = field(default=(), compare=False, repr=False)

    @property
    def id(self) -> str:
        """The last part of the node id."""
        return self.name

    @property
    def title(self) -> str:
        """A title for messages: `update case "the class cannot change"`."""
        return f'{self.section.noun} case "{self.name}"'

    @property
    def passed_over(self) -> str:
        """The key, `skip` or `xfail`, that keeps the case from being filled in; empty if it is filled in or complete."""
        if not (self.is_open or self.blanks):
            return ""
        return "skip" if self.skip is not None else "xfail" if self.xfail is not None else ""

    @property
    def objects(self) -> tuple[JSONValue, ...]:
        """The objects of the case: the sent one, and the old one if the case has it."""
        return (self.input,)

    @property
    def line(self) -> int:
        """The 1-based line where the case begins."""
        return self.lines.find_line()

    @property
    def declared(self) -> Mapping[str, JSONValue]:
        """The case as the file declares it, by key."""
        section, index = self.lines.path
        declared: Mapping[str, JSONValue] = self.lines.document.value[section][index]
        return declared

    def mistake(self, message: str, *path: str | int) -> CaseFileError:
        """Return an error about the case, at the line of the key at *path*."""
        return CaseFileError([Mistake(self.lines.document.source, self.lines.find_line(*path), message)])


@dataclass(frozen=True, kw_only=True)
class PruningCase(Case):
    """
    A case about unknown fields alone.

    Attributes:
        pruned: All field paths that are pruned.
    """

    section = Section.PRUNING

    pruned: tuple[str, ...] | None = None

    @property
    def listed(self) -> Mapping[str, tuple[str, ...] | None]:
        """The lists that the case states completely, by the key in the file."""
        return {"pruned": self.pruned}


@dataclass(frozen=True, kw_only=True)
class DefaultingCase(Case):
    """
    A case about nulls and defaults alone.

    Attributes:
        defaulted: All field paths where a default is put in.
        nulls_dropped: All field paths whose null is dropped.
    """

    section = Section.DEFAULTING

    defaulted: tuple[str, ...] | None = None
    nulls_dropped: tuple[str, ...] | None = None

    @property
    def listed(self) -> Mapping[str, tuple[str, ...] | None]:
        """The lists that the case states completely, by the key in the file."""
        return {"defaulted": self.defaulted, "nullsDropped": self.nulls_dropped}


@dataclass(frozen=True, kw_only=True)
class ConvertCase(Case):
    """
    A case about a conversion between versions.

    Attributes:
        to: The version to convert to.
        stored_as: The version of the input; None for the version of the file.
        refused: A part of the message of the failed conversion; None if the conversion must succeed.
    """

    section = Section.CONVERT

    to: str
    stored_as: str | None = None
    refused: str | None = None

    @property
    def listed(self) -> Mapping[str, tuple[str, ...] | None]:
        """The lists that the case states completely: none."""
        return {}


@dataclass(frozen=True, kw_only=True)
class RequestCase(Case):
    """
    A case about a whole request, which the server accepts or refuses.

    Attributes:
        pruned: All field paths that are pruned.
        defaulted: All field paths where a default is put in.
        nulls_dropped: All field paths whose null is dropped.
        lost: All field paths that are lost on storing.
        mutated: All field paths that mutating admission changes.
        warnings: All warnings.
        errors: All errors.
        errors_under: All errors under other Kubernetes versions; None if the case does not state them.
        contains_errors: Some of the errors.
        error: A part of the whole message of the refusal.
        denied: All webhooks and policies that deny the request.
        accepted: Whether the case expects nothing but acceptance.
        field_validation: The treatment of unknown and duplicate fields; None if the case does not state it.
        user: The user, as `userInfo` of a review; None for an administrator.
        namespace_object: The Namespace of the object; None for one with the label of its name alone.
        params: Further params of admission policies.
        authorizer: The rules of the user, as in a Role; None for the roles of the project.
    """

    pruned: tuple[str, ...] | None = None
    defaulted: tuple[str, ...] | None = None
    nulls_dropped: tuple[str, ...] | None = None
    lost: tuple[str, ...] | None = None
    mutated: tuple[str, ...] | None = None
    warnings: tuple[str, ...] | None = None
    errors: tuple[ExpectedError, ...] | None = None
    errors_under: Mapping[str, tuple[ExpectedError, ...]] | None = None
    contains_errors: tuple[ExpectedError, ...] | None = None
    error: str | None = None
    denied: tuple[ExpectedDenial, ...] | None = None
    accepted: bool = False
    field_validation: FieldValidation | None = None
    user: JSONValue = None
    namespace_object: JSONValue = None
    params: tuple[JSONValue, ...] | None = None
    authorizer: tuple[JSONValue, ...] | None = None

    @property
    def listed(self) -> Mapping[str, tuple[str, ...] | None]:
        """The lists that the case states completely, by the key in the file."""
        return {
            "pruned": self.pruned,
            "defaulted": self.defaulted,
            "nullsDropped": self.nulls_dropped,
            "lost": self.lost,
            "mutated": self.mutated,
            "warnings": self.warnings,
        }

    @property
    def expects_refusal(self) -> bool:
        """Whether the object must be refused; without such an expectation it must be accepted."""
        expected = (self.errors, self.contains_errors, self.error, self.denied)
        return any(expectation is not None for expectation in expected)


class CreateCase(RequestCase):
    """A case about a POST."""

    section = Section.CREATE


@dataclass(frozen=True, kw_only=True)
class UpdateCase(RequestCase):
    """
    A case about a PUT over a stored object.

    Attributes:
        old: The stored object; None until it is read from a file, and for an apply without one.
        old_source: The source of *old*; None if the case itself has it.
        old_crd: The CRD under which *old* was stored, if it was another one.
    """

    section = Section.UPDATE

    old: JSONValue = None
    old_source: ObjectSource | None = None
    old_crd: OldCRD | None = None

    @property
    def objects(self) -> tuple[JSONValue, ...]:
        """The sent object, and the old one."""
        return self.input, self.old


class StatusUpdateCase(UpdateCase):
    """A case about a PUT to `/status` over a stored object."""

    section = Section.UPDATE_STATUS


class PatchCase(UpdateCase):
    """A case about a PATCH of a stored object; its input is the patch: a list is a JSON Patch, a mapping a merge patch."""

    section = Section.PATCH


class StatusPatchCase(PatchCase):
    """A case about a PATCH of the `/status` of a stored object."""

    section = Section.PATCH_STATUS


class ScalePatchCase(PatchCase):
    """A case about a PATCH of the `/scale` of a stored object."""

    section = Section.PATCH_SCALE


@dataclass(frozen=True, kw_only=True)
class ApplyCase(UpdateCase):
    """
    A case about server-side applies in a row, all accepted but maybe the last, which the expectations are about.

    Attributes:
        steps: The applies; at least one. There is no other input.
        managers: The fields that managers own in the end, by manager.
        conflicts: All conflicts with which the last apply is refused.
    """

    section = Section.APPLY

    steps: tuple[ApplyStep, ...]
    managers: Mapping[str, tuple[str, ...]] | None = None
    conflicts: tuple[ExpectedConflict, ...] | None = None

    @property
    def objects(self) -> tuple[JSONValue, ...]:
        """The applied objects, and the old one."""
        return (*(step.input for step in self.steps), self.old)

    @property
    def expects_refusal(self) -> bool:
        """Whether the last apply must be refused."""
        return self.conflicts is not None or super().expects_refusal


class StatusApplyCase(ApplyCase):
    """A case about server-side applies to the `/status` of an object."""

    section = Section.APPLY_STATUS


class ScaleApplyCase(ApplyCase):
    """A case about server-side applies to the `/scale` of an object."""

    section = Section.APPLY_SCALE


@dataclass(frozen=True, kw_only=True)
class PolicyCase(RequestCase):
    """
    A case about the decision of an admission policy.

    Attributes:
        old: The stored object; None until it is read from a file, and if nothing is stored.
        old_source: The source of *old*; None if the case itself has it.
        operation: `CREATE`, `UPDATE`, `DELETE` or `CONNECT`; None for CREATE without *old*, and UPDATE with it.
        subresource: The subresource to which the request is sent; empty for the object itself.
        audit_annotations: All audit annotations.
        unmatched: The causes why the policy does not match the request, empty if the case names none; None if it must match.
    """

    section = Section.POLICY

    old: JSONValue = None
    old_source: ObjectSource | None = None
    operation: Operation | None = None
    subresource: str = ""
    audit_annotations: Mapping[str, str] | None = None
    unmatched: tuple[str, ...] | None = None

    @property
    def listed(self) -> Mapping[str, tuple[str, ...] | None]:
        """The lists that the case states completely, by the key in the file."""
        return {"mutated": self.mutated, "warnings": self.warnings}


# All of them, so that type checkers find kinds of cases that a decision leaves out.
AnyCase: TypeAlias = PruningCase | DefaultingCase | CreateCase | UpdateCase | ConvertCase | PolicyCase
KINDS: Final[Mapping[Section, type[AnyCase]]] = {
    kind.section: kind
    for kind in (
        PruningCase,
        DefaultingCase,
        CreateCase,
        UpdateCase,
        StatusUpdateCase,
        PatchCase,
        StatusPatchCase,
        ScalePatchCase,
        ApplyCase,
        StatusApplyCase,
        ScaleApplyCase,
        ConvertCase,
        PolicyCase,
    )
}
# The requests for custom resources of a file about a CRD.
REQUESTS: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, RequestCase)) - {
    Section.POLICY
}
# The requests that admission sees.
ADMITTED: Final = REQUESTS | {Section.POLICY}
UPDATES: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, UpdateCase))
PATCHES: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, PatchCase))
APPLIES: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, ApplyCase))


@dataclass(frozen=True, kw_only=True)
class CaseFile:
    """
    The cases for one version of one CRD, or for a policy: a case file, or a YAML document in it.

    Attributes:
        source: The file as the user named it.
        crd: The name of a CRD, or the path of its file relative to the case file; empty for cases of a policy.
        policy: The name of an admission policy; empty for cases of a CRD.
        version: The version of the CRD; None for the only served one.
        kubernetes_version: The Kubernetes version; None if the setting decides.
        stored_crd: Whether the CRD is stored already, so that its cases are run though today's server may refuse it.
        cases: At least one case, in the order of the file.
        lines: The lines of the document's keys.
    """

    source: str
    crd: str = ""
    policy: str = ""
    version: str | None = None
    kubernetes_version: str | None = None
    stored_crd: bool = False
    cases: tuple[AnyCase, ...]
    lines: CaseLines = field(compare=False, repr=False)
