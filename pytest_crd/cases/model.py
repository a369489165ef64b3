"""
What a case file says, once it is known to be right: plain immutable data.

It reads nothing and judges nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from pytest_crd.cases.caseparts import ApplyStep, CaseLines, ExpectedConflict, ExpectedError, ObjectSource, OldCRD
from pytest_crd.cases.sections import Section
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests.requestbody import FieldValidation
from pytest_crd.engine.yaml.document import Document


class CaseFileError(InputError):
    """A case file that is wrong: all its mistakes, in the order of their lines."""


# The keys that say what is stored.
OF_STORED: Final = frozenset({"expected", "contains", "absent", "lost", "managers"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    What all cases have; an expectation that is None was not stated.

    Attributes:
        section: What is asked of the server.
        name: Unique in the file.
        input: What is sent: a JSON object, or the text of one YAML or JSON document; None until it is read from a file.
        input_source: Where it comes from; None where it is sent as it stands.
        expected: The whole resulting object.
        contains: A part of the resulting object.
        absent: Field paths that the resulting object does not have.
        allows_unknown_fields: Whether the file says that its inputs may have fields that are dropped.
        skip: Why the case is not run.
        xfail: Why the case is known to fail.
        marks: Names of pytest marks.
        blanks: The keys of expectations that have yet to be filled in.
        is_open: Whether it states no expectation at all.
        lines: Where the keys of the case stand.
        files: What was read of other files, of which its objects come.
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
        """The case in a sentence: `update case "the class cannot change"`."""
        return f'{self.section} case "{self.name}"'

    @property
    def passed_over(self) -> str:
        """The key, `skip` or `xfail`, for which what the case leaves out is not filled in; empty where it is, or is all there."""
        if not (self.is_open or self.blanks):
            return ""
        return "skip" if self.skip is not None else "xfail" if self.xfail is not None else ""

    @property
    def objects(self) -> tuple[JSONValue, ...]:
        """The objects that the case gives: what is sent, and what is stored before, where it gives that."""
        return (self.input,)

    @property
    def line(self) -> int:
        """The 1-based line where the case begins."""
        return self.lines.of()

    @property
    def declared(self) -> Mapping[str, JSONValue]:
        """What the file says of the case, key by key."""
        section, index = self.lines.path
        declared: Mapping[str, JSONValue] = self.lines.document.value[section][index]
        return declared

    def mistake(self, message: str, *path: str | int) -> CaseFileError:
        """Return what is wrong with the case, at the line of the key at *path*."""
        return CaseFileError([Mistake(self.lines.document.source, self.lines.of(*path), message)])


@dataclass(frozen=True, slots=True, kw_only=True)
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
        """What the case lists whole, by the key in the file."""
        return {"pruned": self.pruned}


@dataclass(frozen=True, slots=True, kw_only=True)
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
        """What the case lists whole, by the key in the file."""
        return {"defaulted": self.defaulted, "nullsDropped": self.nulls_dropped}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCase(Case):
    """
    A case about a whole request, which the server accepts or refuses.

    Attributes:
        pruned: All field paths that are pruned.
        defaulted: All field paths where a default is put in.
        nulls_dropped: All field paths whose null is dropped.
        lost: All field paths that are lost on storing.
        warnings: All warnings.
        errors: All errors.
        contains_errors: Some of the errors.
        error: A part of the whole message of the refusal.
        accepted: True where it is asked that the object is accepted.
        field_validation: What unknown and duplicate fields do; None where the case does not say.
    """

    pruned: tuple[str, ...] | None = None
    defaulted: tuple[str, ...] | None = None
    nulls_dropped: tuple[str, ...] | None = None
    lost: tuple[str, ...] | None = None
    warnings: tuple[str, ...] | None = None
    errors: tuple[ExpectedError, ...] | None = None
    contains_errors: tuple[ExpectedError, ...] | None = None
    error: str | None = None
    accepted: bool = False
    field_validation: FieldValidation | None = None

    @property
    def listed(self) -> Mapping[str, tuple[str, ...] | None]:
        """What the case lists whole, by the key in the file."""
        return {
            "pruned": self.pruned,
            "defaulted": self.defaulted,
            "nullsDropped": self.nulls_dropped,
            "lost": self.lost,
            "warnings": self.warnings,
        }

    @property
    def expects_refusal(self) -> bool:
        """Whether the object must be refused; a request without such an expectation must be accepted."""
        return self.errors is not None or self.contains_errors is not None or self.error is not None


class CreateCase(RequestCase):
    """A case about a POST."""

    __slots__ = ()
    section = Section.CREATE


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCase(RequestCase):
    """
    A case about a PUT over a stored object.

    Attributes:
        old: The object as stored before; None until it is read from a file, and where nothing is stored before an apply.
        old_source: Where it comes from; None where it is stored as it stands.
        old_crd: The CRD under which *old* was stored, if it was another.
    """

    section = Section.UPDATE

    old: JSONValue = None
    old_source: ObjectSource | None = None
    old_crd: OldCRD | None = None

    @property
    def objects(self) -> tuple[JSONValue, ...]:
        """What is sent, and what is stored before."""
        return self.input, self.old


class StatusUpdateCase(UpdateCase):
    """A case about a PUT to `/status` over a stored object."""

    __slots__ = ()
    section = Section.UPDATE_STATUS


class PatchCase(UpdateCase):
    """A case about a PATCH of a stored object; what is sent is the patch: a list is a JSON Patch, a mapping a merge patch."""

    __slots__ = ()
    section = Section.PATCH


class StatusPatchCase(PatchCase):
    """A case about a PATCH of the `/status` of a stored object."""

    __slots__ = ()
    section = Section.PATCH_STATUS


class ScalePatchCase(PatchCase):
    """A case about a PATCH of the `/scale` of a stored object."""

    __slots__ = ()
    section = Section.PATCH_SCALE


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyCase(UpdateCase):
    """
    A case about server-side applies, one after the other; all but the last are to be accepted, and what it expects is about the last.

    Attributes:
        steps: The applies; at least one. There is no other input.
        managers: Which fields some managers own in the end, by their names.
        conflicts: All conflicts with which the last apply is refused.
    """

    section = Section.APPLY

    steps: tuple[ApplyStep, ...]
    managers: Mapping[str, tuple[str, ...]] | None = None
    conflicts: tuple[ExpectedConflict, ...] | None = None

    @property
    def objects(self) -> tuple[JSONValue, ...]:
        """What is applied, and what is stored before."""
        return (*(step.input for step in self.steps), self.old)

    @property
    def expects_refusal(self) -> bool:
        """Whether the last apply must be refused."""
        # A dataclass with slots is made anew, so that `super()` alone would mean the class before.
        return self.conflicts is not None or super(ApplyCase, self).expects_refusal


class StatusApplyCase(ApplyCase):
    """A case about server-side applies to the `/status` of an object."""

    __slots__ = ()
    section = Section.APPLY_STATUS


class ScaleApplyCase(ApplyCase):
    """A case about server-side applies to the `/scale` of an object."""

    __slots__ = ()
    section = Section.APPLY_SCALE


# All there are, so that what is decided by the kind of a case is decided for each.
AnyCase: TypeAlias = PruningCase | DefaultingCase | CreateCase | UpdateCase
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
    )
}
REQUESTS: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, RequestCase))
UPDATES: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, UpdateCase))
PATCHES: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, PatchCase))
APPLIES: Final = frozenset(section for section, kind in KINDS.items() if issubclass(kind, ApplyCase))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """
    The cases for one version of one CRD: a case file, or one YAML document of it.

    Attributes:
        source: The file as the user named it.
        crd: The name of a CRD, or the path of its file relative to the case file.
        version: The version of the CRD; None where the only served one is meant.
        kubernetes_version: Whose behaviour; None where the setting decides.
        stored_crd: Whether the CRD is stored already, so that its cases are run though today's server may refuse it.
        cases: In the order of the file; at least one.
        lines: Where the keys of the document stand.
    """

    source: str
    crd: str
    version: str | None = None
    kubernetes_version: str | None = None
    stored_crd: bool = False
    cases: tuple[AnyCase, ...]
    lines: CaseLines = field(compare=False, repr=False)
