"""
The objects of a project: its samples, and what the case files say is stored.

They are read from a tree of files, which may be that of a commit.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_crd import folders
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
        version: Its version; empty where nobody says which.
        kind: Its kind.
        source: Where it stands, `file:line`.
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
        found: The objects.
        notes: What could not be read.
    """

    found: tuple[Specimen, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, crd: CustomResourceDefinition, version: str) -> list[Specimen]:
        """Return the objects of one version of a CRD."""
        served = [one.name for one in crd.versions if one.served]
        default = served[0] if len(served) == 1 else ""
        return [
            one
            for one in self.found
            if (one.group, one.kind) == (crd.group, crd.kind) and (one.version or default) == version
        ]


@dataclass(slots=True)
class Reader:
    """
    Reads the objects of a tree.

    Attributes:
        tree: The files.
        crds: The CRDs that they are of.
        progress: Who is told while files are read.
    """

    tree: Tree
    crds: CustomResourceDefinitions
    progress: Progress = silent
    _found: list[Specimen] = field(default_factory=list, init=False)
    _notes: list[str] = field(default_factory=list, init=False)

    def read(self, samples: Sequence[str], case_files: Sequence[str]) -> Specimens:
        """
        Return the objects.

        Args:
            samples: Files, folders and globs with custom resources.
            case_files: Name patterns of case files; of these, what is stored before an update.
        """
        is_for_all = samplepaths.AUTO in samples
        with self.progress("reading samples") as tell:
            found = self.tree.read(samplepaths.names(self.tree, samples))
            for name, content in each(found.items(), tell, _name):
                if not is_for_all or any(manifest.may_mention(content, f"{crd.group}/") for crd in self.crds):
                    self._take_samples(name, content)
        matching = [
            name for name in self.tree.every() if any(map(PurePosixPath(name).match, map(folders.widened, case_files)))
        ]
        with self.progress("reading case files") as tell:
            for name, content in each(self.tree.read(matching).items(), tell, _name):
                self._take_cases(name, content)
        return Specimens(tuple(self._found), tuple(self._notes))

    def _take_samples(self, name: str, content: bytes) -> None:
        shown = self.tree.shown(name)
        try:
            for item in manifest.read(content, source=shown):
                if isinstance(item.value, dict):
                    self._take(item.value, item.where)
        except InputError as error:
            self._notes.append(f"{shown}: passed over: {error.mistakes[0].message}")

    def _take_cases(self, name: str, content: bytes) -> None:
        shown = self.tree.shown(name)
        try:
            loaded = loader.load_any(content, source=shown)
            for source, crd, version, old in self._stored(loaded, name):
                self._take(old, source, crd, version)
        except (InputError, LookupError, OSError) as error:
            self._notes.append(f"{shown}: passed over: {error}")

    def _stored(
        self, loaded: tuple[CaseFile, ...] | Suite, name: str
    ) -> Iterator[tuple[str, CustomResourceDefinition | None, str, Any]]:
        """Yield what the cases of a file say is stored, each with where it stands, its CRD and its version."""
        folder = posixpath.dirname(name)
        parts: Sequence[CaseFile | Suite] = (loaded,) if isinstance(loaded, Suite) else loaded
        for part in parts:
            crd = self._crd(part.crd, folder)
            declared = (one.case if isinstance(one, SuiteCase) else one for one in part.cases)
            updates = (case for case in declared if isinstance(case, UpdateCase))
            resolved = (objectsources.resolve(case, Path(folder), read=self._content) for case in updates)
            for case in (case for case in resolved if isinstance(case, UpdateCase) and case.old is not None):
                yield f"{self.tree.shown(name)}:{case.line}", crd, part.version or "", case.old

    def _content(self, path: Path) -> bytes:
        """
        Return the content of a file in the tree.

        Raises:
            FileNotFoundError: There is none.
        """
        name = posixpath.normpath(path.as_posix())
        try:
            return self.tree.read([name])[name]
        except KeyError:
            raise FileNotFoundError(2, os.strerror(2)) from None

    def _crd(self, reference: str, folder: str) -> CustomResourceDefinition:
        """
        Return the CRD that a case file is about.

        Raises:
            CrdLookupError: There is none of this name, or there are several.
        """
        if folders.is_manifest(reference):
            content = self._content(Path(folder) / reference)
            reference = str(manifest.read(content, source=reference)[0].value["metadata"]["name"])
        return self.crds[reference]

    def _take(
        self, value: Mapping[str, Any], source: str, crd: CustomResourceDefinition | None = None, version: str = ""
    ) -> None:
        """Keep an object whose group and kind are known."""
        stated, kind = value.get("apiVersion"), value.get("kind")
        group, _, named = stated.rpartition("/") if isinstance(stated, str) else ("", "", "")
        if crd is not None and not (group and kind):
            group, kind, named = crd.group, crd.kind, named or version
        if isinstance(kind, str) and group:
            self._found.append(Specimen(value, group, named, kind, source))


def _name(file: tuple[str, bytes]) -> str:
    return file[0]
