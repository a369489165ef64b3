"""
The objects of a project: its samples, and the stored objects of its case files.

They are read from a tree of files, which can be the tree of a commit.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_crd import boundary, folders
from pytest_crd.cases import loader, objectsources
from pytest_crd.cases.model import CaseFile, UpdateCase
from pytest_crd.cases.openshift.suite import Suite, SuiteCase
from pytest_crd.discovery import samplepaths
from pytest_crd.discovery.filetrees import Tree
from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions, InputError
from pytest_crd.engine.yaml import manifest
from pytest_crd.progress import Progress, each, silent
from pytest_crd.upgrades.upgradefindings import Resource


@dataclass(frozen=True, slots=True)
class Specimen:
    """
    An object of a project.

    Attributes:
        resource: The object.
        group: Its API group.
        version: Its version; empty if undeclared.
        kind: Its kind.
        source: Its place, `file:line`.
    """

    resource: Resource
    group: str
    version: str
    kind: str
    source: str


@dataclass(frozen=True, slots=True)
class Specimens:
    """
    The objects of a project.

    Attributes:
        objects: The objects.
        notes: Notes about unreadable files.
    """

    objects: tuple[Specimen, ...] = ()
    notes: tuple[str, ...] = ()

    def select(self, crd: CustomResourceDefinition, version: str) -> list[Specimen]:
        """Return the objects of one version of a CRD; an object without a version belongs to the only served one."""
        served = [candidate.name for candidate in crd.versions if candidate.served]
        default = served[0] if len(served) == 1 else ""
        return [specimen for specimen in self.select_kind(crd) if (specimen.version or default) == version]

    def select_kind(self, crd: CustomResourceDefinition) -> list[Specimen]:
        """Return the objects of a CRD in any version."""
        return [item for item in self.objects if (item.group, item.kind) == (crd.group, crd.kind)]


@dataclass(slots=True)
class Reader:
    """
    A reader of the objects in a tree of files.

    Attributes:
        tree: The files.
        crds: The CRDs of the objects.
        progress: The reporter that is called while files are read.
    """

    tree: Tree
    crds: CustomResourceDefinitions
    progress: Progress = silent
    _specimens: list[Specimen] = field(default_factory=list, init=False)
    _notes: list[str] = field(default_factory=list, init=False)

    def read(self, samples: Sequence[str], case_files: Sequence[str]) -> Specimens:
        """
        Return the objects of the samples and case files.

        Args:
            samples: Files, folders and globs with custom resources.
            case_files: Name patterns of case files; the `old` objects of updates are read.
        """
        is_for_all = samplepaths.AUTO in samples
        with self.progress("reading samples") as report:
            contents = self.tree.read(samplepaths.names(self.tree, samples))
            for name, content in each(contents.items(), report, _name):
                if not is_for_all or any(manifest.may_mention(content, f"{crd.group}/") for crd in self.crds):
                    self._add_samples(name, content)
        patterns = [*map(folders.ignore_ending_case, case_files)]
        matching = [
            name
            for name in self.tree.every()
            if any(folders.matches(PurePosixPath(name), pattern) for pattern in patterns)
        ]
        with self.progress("reading case files") as report:
            for name, content in each(self.tree.read(matching).items(), report, _name):
                self._add_cases(name, content)
        return Specimens(tuple(self._specimens), tuple(self._notes))

    def _add_samples(self, name: str, content: bytes) -> None:
        label = self.tree.display_name(name)
        try:
            for item in manifest.read(content, source=label):
                if isinstance(item.value, dict):
                    self._add(item.value, item.where)
        except InputError as error:
            self._notes.append(f"{label}: passed over: {error.mistakes[0].message}")

    def _add_cases(self, name: str, content: bytes) -> None:
        label = self.tree.display_name(name)
        try:
            loaded = loader.load_any(content, source=label)
            for source, crd, version, old in self._stored(loaded, name):
                self._add(old, source, crd, version)
        except (InputError, LookupError, OSError) as error:
            self._notes.append(f"{label}: passed over: {error}")

    def _stored(
        self, loaded: tuple[CaseFile, ...] | Suite, name: str
    ) -> Iterator[tuple[str, CustomResourceDefinition | None, str, Any]]:
        """Yield the stored objects of the cases in a file, each with its source, CRD and version."""
        folder = posixpath.dirname(name)
        parts: Sequence[CaseFile | Suite] = (loaded,) if isinstance(loaded, Suite) else loaded
        for part in (part for part in parts if isinstance(part, Suite) or not part.policy):
            crd = self._crd(part.crd, folder)
            declared = (item.case if isinstance(item, SuiteCase) else item for item in part.cases)
            updates = (case for case in declared if isinstance(case, UpdateCase))
            resolved = (objectsources.resolve(case, Path(folder), read=self._content) for case in updates)
            for case in (case for case in resolved if isinstance(case, UpdateCase) and case.old is not None):
                yield f"{self.tree.display_name(name)}:{case.line}", crd, part.version or "", case.old

    def _content(self, path: Path) -> bytes:
        """
        Return the content of a file in the tree.

        Raises:
            PermissionError: The file is outside of the project.
            FileNotFoundError: The tree has no such file.
        """
        name = posixpath.normpath(path.as_posix())
        if not self.tree.holds(name):
            raise PermissionError(errno.EACCES, boundary.OUTSIDE)
        try:
            return self.tree.read([name])[name]
        except KeyError:
            raise FileNotFoundError(2, os.strerror(2)) from None

    def _crd(self, reference: str, folder: str) -> CustomResourceDefinition:
        """
        Return the CRD that a case file names.

        Raises:
            CrdLookupError: No CRD has this name, or several have it.
        """
        if folders.is_manifest(reference):
            content = self._content(Path(folder) / reference)
            reference = str(manifest.read(content, source=reference)[0].value["metadata"]["name"])
        return self.crds[reference]

    def _add(
        self, value: Mapping[str, Any], source: str, crd: CustomResourceDefinition | None = None, version: str = ""
    ) -> None:
        """Add an object if its group and kind are known."""
        api_version, kind = value.get("apiVersion"), value.get("kind")
        group, _, version_name = api_version.rpartition("/") if isinstance(api_version, str) else ("", "", "")
        if crd is not None and not (group and kind):
            group, kind, version_name = crd.group, crd.kind, version_name or version
        if isinstance(kind, str) and group:
            self._specimens.append(Specimen(value, group, version_name, kind, source))


def _name(file: tuple[str, bytes]) -> str:
    return file[0]
