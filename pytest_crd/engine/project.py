"""The CRDs of a project: found in its files, each once, with a note on what was passed over."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, overload

from pytest_crd.engine import profile
from pytest_crd.engine.crd import CustomResourceDefinition, side_by_side
from pytest_crd.engine.crds import crdspec
from pytest_crd.engine.inputerror import CrdError, InputError, ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.reading import manifest
from pytest_crd.engine.reading.manifest import Manifest, ManifestFile

# Where operator projects keep their CRDs, by the habits of kubebuilder, Operator SDK, Helm and others.
CONVENTIONAL_PATHS: Final = (
    "config/crd/bases",
    "config/crd",
    "config/crds",
    "crd",
    "crds",
    "deploy/crd",
    "deploy/crds",
    "manifests/crd",
    "manifests/crds",
    "charts/*/crds",
    "charts/*/templates/crds",
    "helm/*/crds",
)


class CrdLookupError(LookupError):
    """No CRD, or more than one, answers to a name; the message says which there are."""


class CustomResourceDefinitions(Sequence[CustomResourceDefinition]):
    """
    The CRDs of a project, in the order of its files.

    Found by `metadata.name`, by kind, or by file: `crds["crontabs.stable.example.com"]`, `crds["CronTab"]`,
    `crds["config/crd/bases/crontabs.yaml"]`.

    Attributes:
        notes: What was passed over, `file:line: reason`.
    """

    def __init__(self, crds: Sequence[CustomResourceDefinition], notes: Sequence[str] = ()) -> None:
        """Take the CRDs, their names unique; in their conditions they claim names in this order."""
        self._crds = side_by_side(crds)
        self.notes = tuple(notes)

    def __len__(self) -> int:
        """Return how many CRDs there are."""
        return len(self._crds)

    @overload
    def __getitem__(self, key: int | str) -> CustomResourceDefinition: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[CustomResourceDefinition, ...]: ...
    def __getitem__(self, key: int | str | slice) -> CustomResourceDefinition | tuple[CustomResourceDefinition, ...]:
        """
        Return the CRD with this name, of this kind, or from this file; or by position.

        Raises:
            CrdLookupError: None answers to the name, or several do.
        """
        if not isinstance(key, str):
            return self._crds[key]
        found = [crd for crd in self._crds if crd.name == key] or [
            crd for crd in self._crds if key == crd.kind or crd.source.rpartition(":")[0] == key
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise CrdLookupError(
                f"{key!r} names several CRDs: {', '.join(map(_described, found))}; say which by its name"
            )
        raise CrdLookupError(f"no CRD is called {key!r}{self._nearest(key)}")

    def _nearest(self, key: str) -> str:
        names = [name for crd in self._crds for name in (crd.name, crd.kind)]
        if close := difflib.get_close_matches(key, names, n=1):
            return f"; did you mean {close[0]!r}?"
        return f"; there are: {', '.join(crd.name for crd in self._crds)}" if names else "; none is loaded"

    def __repr__(self) -> str:
        """Return the names."""
        return f"<CustomResourceDefinitions {', '.join(crd.name for crd in self._crds)}>"


def load(
    paths: Sequence[str | Path], *, kubernetes_version: str = profile.DEFAULT, base: str | Path = "."
) -> CustomResourceDefinitions:
    """
    Return the CRDs in files, folders and globs.

    Args:
        paths: Files, folders (read recursively) and globs. Other kinds are passed over; so are Helm templates and
            Kustomize patches found in folders, with a note.
        kubernetes_version: Whose behaviour and words the CRDs show.
        base: What relative paths are relative to; by default the current folder.

    Raises:
        InputError: Everything that is wrong, with file and line: a path that names nothing, a file that cannot be read, a
            CRD that the server could not decode, two CRDs of one name, no CRD at all.
        UnknownVersionError: No known Kubernetes version.
    """
    version = profile.named(kubernetes_version).version
    scan = _Scan(version)
    found = manifest.files([str(path) for path in paths], base=Path(base).absolute())
    for file in found:
        scan.file(file)
    if not scan.crds and not scan.mistakes:
        seen = f"{len(found)} files" if len(found) > 1 else "the file"
        notes = "".join(f"\n{note}" for note in scan.notes)
        scan.mistakes.append(Mistake(", ".join(map(str, paths)), 0, f"no CustomResourceDefinition in {seen}{notes}"))
    if scan.mistakes:
        raise CrdError(scan.mistakes)
    return CustomResourceDefinitions(list(scan.crds.values()), scan.notes)


@dataclass(slots=True)
class _Scan:
    """What a walk over files has found so far."""

    kubernetes_version: str
    crds: dict[str, CustomResourceDefinition] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def file(self, file: ManifestFile) -> None:
        """Take the CRDs of one file, or note its mistakes."""
        content = b""
        try:
            content = file.read()
            if manifest.may_mention(content, crdspec.KIND):
                for item in _crds(manifest.read(content, source=file.name)):
                    self.manifest(item, file)
        except ManifestError as error:
            if not file.named and _is_template(content):
                self.notes.append(f"{file.name}: passed over, a Helm template")
            else:
                self.mistakes.extend(error.mistakes)

    def manifest(self, item: Manifest, file: ManifestFile) -> None:
        """Take one manifest that says it is a CRD."""
        reason = _reason_to_pass_over(item.value)
        if reason and not file.named:
            self.notes.append(f"{item.where}: passed over, {reason}")
            return
        if reason:
            self.mistakes.append(Mistake(file.name, item.line_of(), f"{reason}, not a whole CustomResourceDefinition"))
            return
        try:
            crd = CustomResourceDefinition.from_value(
                item.value, kubernetes_version=self.kubernetes_version, source=item.where
            )
        except InputError as error:
            self.mistakes.extend(Mistake(file.name, item.line_of(), mistake.message) for mistake in error.mistakes)
            return
        if (other := self.crds.setdefault(crd.name, crd)) is not crd:
            message = f"{crd.name} is declared twice, here and in {other.source}: keep one of them out of crd_paths"
            self.mistakes.append(Mistake(file.name, item.line_of(), message))


def _crds(manifests: list[Manifest]) -> Iterator[Manifest]:
    return (item for item in manifests if crdspec.is_crd(item.value))


def _is_template(content: bytes) -> bool:
    return b"{{" in content and b"}}" in content


def _reason_to_pass_over(value: Mapping[str, JSONValue]) -> str:
    """Return why a manifest of the right kind is no CRD of its own; empty when it is one."""
    name, spec = (value.get("metadata") or {}), value.get("spec") or {}
    if isinstance(name, Mapping) and "{{" in str(name.get("name", "")):
        return "a Helm template"
    if isinstance(spec, Mapping) and not spec.keys() & {"group", "names", "version", "versions"}:
        return "a patch: it has neither spec.group, spec.names nor spec.versions"
    return ""


def _described(crd: CustomResourceDefinition) -> str:
    return f"{crd.name} ({crd.source})" if crd.source else crd.name
