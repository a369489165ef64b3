"""
CRDs in files: manifests of CRDs, errors about unreadable files and misspelt CRDs, and notes about skipped ones.

The strictness depends on the origin of a file: a named file must be right, a discovered one may become a note.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from pytest_crd.engine.api.context import CrdContext, WrittenCrd
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import declared
from pytest_crd.engine.inputerror import CrdError, InputError, ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading import slips
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile
from pytest_crd.progress import Tell, each, ignore_step
from pytest_crd.records import dataclass, field


class FileOrigin(enum.Enum):
    """Origin of a file, strictest first; problems in later ones are reported more leniently."""

    NAMED = "named itself"
    GIVEN = "in a folder, or matched by a glob, that was named"
    CONVENTIONAL = "in a place where CRDs usually are"
    FOUND = "found somewhere in the project"
    FOUND_IN_TESTS = "found among test data, where much is wrong on purpose"


_FOUND: Final = frozenset({FileOrigin.FOUND, FileOrigin.FOUND_IN_TESTS})

_A_TEMPLATE: Final = "a Helm template"
_RENDER: Final = "use what it renders to: crd_commands = helm template …"


@dataclass(frozen=True, eq=False)
class ReadCrd:
    """
    A CRD with the manifest and file that it was read from.

    Attributes:
        crd: The CRD.
        manifest: Its manifest.
        path: The file; None if a command has printed it, or Python code has created it.
        without: The places of skipped patches of its conversion.
        rank: The rank of its place among conventional places; 0 is the main one.
    """

    crd: CustomResourceDefinition
    manifest: Manifest
    path: Path | None
    without: tuple[str, ...] = ()
    rank: int = 0

    def ranked(self, rank: int) -> ReadCrd:
        """Return the CRD with another rank; `replace` takes a hundred times the calls."""
        return ReadCrd(self.crd, self.manifest, self.path, self.without, rank)


class AppliedKustomizations(Protocol):
    """Kustomizations of the CRDs in files; a file is named by its path, or by its name in a commit."""

    def is_patch(self, name: str) -> bool:
        """Return whether a file is a patch of a kustomization that is applied."""

    def applies_to(self, name: str) -> bool:
        """Return whether a kustomization lists a file."""

    def apply(self, name: str, item: Manifest) -> Manifest:
        """
        Return a CRD of a file as its kustomizations build it.

        Raises:
            ManifestError: A patch fails.
        """


@dataclass()
class CrdFiles:
    """
    Collected results of reading files.

    Attributes:
        kubernetes_version: The Kubernetes version of the CRDs.
        observer: The observer of the CRDs.
        read_crds: All CRDs, in the order of the files.
        mistakes: Errors that prevent using the CRDs.
        notes: Skipped manifests, with the reasons.
        conversions: The places of skipped patches that change the conversion of a CRD, by its name.
        kustomizations: The kustomizations that are applied to the CRDs; None for CRDs as they are in their files.
    """

    kubernetes_version: str
    observer: Observer = field(default_factory=Observer)
    read_crds: list[ReadCrd] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)
    conversions: dict[str, list[str]] = field(default_factory=dict)
    kustomizations: AppliedKustomizations | None = None
    _answered: set[str] = field(default_factory=set)
    _rank: int = 0

    @property
    def crds(self) -> list[CustomResourceDefinition]:
        """The CRDs without their manifests."""
        return [read_crd.crd for read_crd in self.read_crds]

    @property
    def names(self) -> list[str]:
        """The names, for kustomizations, of the files with CRDs."""
        return [read_crd.path.as_posix() for read_crd in self.read_crds if read_crd.path is not None]

    @property
    def crd_names(self) -> set[str]:
        """The names of the CRDs."""
        return {crd.name for crd in self.crds}

    def read_all(self, patterns: Sequence[str], *, base: Path, tell: Tell = ignore_step) -> None:
        """
        Read all files that *patterns* name; each pattern must yield a CRD.

        Args:
            patterns: Files, folders, globs, and `!pattern` for exclusions.
            base: The folder for relative patterns.
            tell: Called with the progress for each file.

        Raises:
            ManifestError: A pattern names nothing that exists; all of them at once.
        """
        self.read_files(patterns, manifest.files(patterns, base=base), tell=tell)

    def read_files(self, patterns: Sequence[str], files: Sequence[ManifestFile], *, tell: Tell = ignore_step) -> None:
        """
        Read files; each pattern must yield a CRD.

        Args:
            patterns: The patterns.
            files: The files that they name.
            tell: Called with the progress for each file.
        """
        for file in each(files, tell, lambda file: file.name):
            self.read(file, FileOrigin.NAMED if file.named else FileOrigin.GIVEN)
        self._demand(patterns, files)

    def read(self, file: ManifestFile, origin: FileOrigin, *, rank: int = 0) -> None:
        """Read the CRDs of one file; *rank* is the rank of its place."""
        self._rank = rank
        before = len(self.read_crds) + len(self.mistakes)
        try:
            content = file.read()
        except ManifestError as error:
            self._record(error, is_note=origin in _FOUND)
        else:
            self.take(content, source=file.name, origin=origin, path=file.path, name=file.path.as_posix())
        if len(self.read_crds) + len(self.mistakes) > before:
            self._answered.update(file.patterns)

    def take(
        self, content: bytes, *, source: str, origin: FileOrigin, path: Path | None = None, name: str = ""
    ) -> None:
        """
        Read the CRDs of a text.

        Args:
            content: The text.
            source: Its name in messages.
            origin: Its origin.
            path: Its file, if it has one.
            name: Its name for kustomizations; empty if none apply to it.
        """
        if name and self.kustomizations is not None and self.kustomizations.is_patch(name):
            return
        if not may_hold_crd(content):
            return
        try:
            items = manifest.read(content, source=source)
        except ManifestError as error:
            self._unreadable(content, source, error, origin)
            return
        for item in items:
            self._manifest(item, origin, path, name)

    def take_objects(self, items: Iterable[Manifest]) -> None:
        """Read the CRDs among objects that a kustomization has built."""
        for item in items:
            self._manifest(item, FileOrigin.GIVEN, None, "")

    def take_output(self, content: bytes, *, source: str) -> None:
        """Read the CRDs that a command has printed; no CRD is a mistake."""
        self._rank = 0
        before = len(self.read_crds) + len(self.mistakes)
        self.take(content, source=source, origin=FileOrigin.NAMED)
        if len(self.read_crds) + len(self.mistakes) == before:
            self.mistakes.append(Mistake(source, 0, f"no {declared.KIND} in what it prints"))

    def take_made(self, texts: Mapping[str, bytes], *, source: str) -> None:
        """Read the CRDs of named *texts* that the function *source* has returned; no CRD is a mistake."""
        self._rank = 0
        before = len(self.read_crds) + len(self.mistakes)
        for name, content in texts.items():
            self.take(content, source=name, origin=FileOrigin.NAMED)
        if len(self.read_crds) + len(self.mistakes) == before:
            self.mistakes.append(Mistake(source, 0, f"no {declared.KIND} in what it returns"))

    def raise_mistakes(self) -> None:
        """
        Raise all mistakes, if there are any.

        Raises:
            CrdError: All of them; if there is no CRD, together with the notes, which may explain why.
        """
        if self.mistakes:
            raise CrdError([*self.mistakes, *([] if self.crds else self.notes)])

    def _demand(self, patterns: Iterable[str], files: Iterable[ManifestFile]) -> None:
        """Add a mistake for each of *patterns* that has yielded neither a CRD nor a mistake."""
        matched = [pattern for file in files for pattern in file.patterns]
        for pattern in dict.fromkeys(patterns):
            if pattern in self._answered or pattern.startswith(manifest.LEFT_OUT):
                continue
            count = matched.count(pattern)
            subject = "the file" if count == 1 else f"{count} files" if count else "what is not left out"
            self.mistakes.append(Mistake(pattern, 0, f"no {declared.KIND} in {subject}"))

    def _unreadable(self, content: bytes, source: str, error: ManifestError, origin: FileOrigin) -> None:
        if not manifest.is_template(content):
            self._record(error, is_note=origin in _FOUND)
        elif origin is FileOrigin.NAMED:
            self._record(error, is_note=False, why=f"{_A_TEMPLATE}: {_RENDER}")
        else:
            self.notes.append(Remark(source, 0, f"passed over, {_A_TEMPLATE}", RemarkKind.TEMPLATE))

    def _manifest(self, item: Manifest, origin: FileOrigin, path: Path | None, name: str) -> None:
        is_crd = declared.is_crd(item.value)
        problem = "" if is_crd else slips.problem_of(item.value)
        if not is_crd and not problem:
            return
        place = (item.source, item.line_of())
        if reason := _reason_to_pass_over(item.value, is_crd=is_crd):
            if origin is FileOrigin.NAMED:
                self.mistakes.append(Mistake(*place, f"{reason}, not a whole {declared.KIND}"))
            else:
                self._pass_over(item, place, reason)
        elif problem:
            self._record(CrdError([Mistake(*place, problem)]), is_note=origin is FileOrigin.FOUND_IN_TESTS)
        else:
            try:
                kustomized = self.kustomizations.apply(name, item) if name and self.kustomizations is not None else item
            except ManifestError as error:
                self._record(error, is_note=origin in _FOUND)
            else:
                self._crd(kustomized, place, origin, path)

    def _pass_over(self, item: Manifest, place: tuple[str, int], reason: str) -> None:
        kind = RemarkKind.TEMPLATE if reason == _A_TEMPLATE else RemarkKind.PATCH
        remark = Remark(*place, f"passed over, {reason}", kind)
        self.notes.append(remark)
        metadata, spec = item.value.get("metadata"), item.value.get("spec")
        if kind is RemarkKind.PATCH and isinstance(metadata, dict) and isinstance(spec, dict) and "conversion" in spec:
            self.conversions.setdefault(str(metadata.get("name")), []).append(remark.place)

    def _crd(self, item: Manifest, place: tuple[str, int], origin: FileOrigin, path: Path | None) -> None:
        try:
            crd = CustomResourceDefinition.from_value(
                item.value,
                kubernetes_version=self.kubernetes_version,
                context=CrdContext(self.observer, item.where, item.where_is, WrittenCrd(item, path)),
                duplicates=tuple(duplicate.message for duplicate in item.duplicates),
            )
        except InputError as error:
            mistakes = [Mistake(*place, mistake.message) for mistake in error.mistakes]
            self._record(CrdError(mistakes), is_note=origin is FileOrigin.FOUND_IN_TESTS)
        else:
            self.read_crds.append(ReadCrd(crd, item, path, rank=self._rank))
            self.notes += (Remark(item.source, line, message) for line, message in slips.find_messages(item))

    def _record(self, error: InputError, *, is_note: bool, why: str = "") -> None:
        for mistake in error.mistakes:
            message = f"{mistake.message} ({why})" if why else mistake.message
            if is_note:
                self.notes.append(
                    Remark(mistake.source, mistake.line, f"passed over, {message}", RemarkKind.UNREADABLE)
                )
            else:
                self.mistakes.append(Mistake(mistake.source, mistake.line, message))


def may_hold_crd(content: bytes) -> bool:
    """Return whether a text may hold a CRD, or an object that is nearly one, so that other texts need not be parsed."""
    return manifest.may_mention(content, declared.KIND) or slips.may_hold(content)


def _reason_to_pass_over(value: Mapping[str, JSONValue], *, is_crd: bool) -> str:
    """Return why a manifest with the kind of a CRD, or nearly so, is not a whole CRD; empty if it is one."""
    metadata, spec = value.get("metadata") or {}, value.get("spec") or {}
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if "{{" in f"{name} {value.get('apiVersion')} {value.get('kind')}":
        return _A_TEMPLATE
    if is_crd and isinstance(spec, Mapping) and not spec.keys() & {"group", "names", "version", "versions"}:
        return "a patch: it has neither spec.group, spec.names nor spec.versions"
    return ""


class RemarkKind(enum.StrEnum):
    """Kind of a skipped manifest; the value is its plural for messages."""

    PATCH = "patches"
    TEMPLATE = "templates"
    COPY = "copies"
    TWIN = "v1beta1 twins"
    UNREADABLE = "files that cannot be used"
    IGNORED = "ignored samples"


@dataclass(frozen=True, order=True)
class Remark(Mistake):
    """
    A note with its place.

    Attributes:
        kind: The kind of the skipped manifest; None if the note is never counted.
        is_hint: True if the note is about nothing that is left out by mistake.
    """

    kind: RemarkKind | None = None
    is_hint: bool = False

    @property
    def is_expected(self) -> bool:
        """Whether nothing is left out by mistake: a short summary counts such notes."""
        return self.is_hint or self.kind not in {None, RemarkKind.UNREADABLE}

    @property
    def place(self) -> str:
        """`file:line`, or the file alone."""
        return f"{self.source}:{self.line}" if self.line else self.source
