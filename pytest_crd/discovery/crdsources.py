"""
The sources of a project's CRDs: the settings, else the conventional places, else the whole project.

Nothing is read, and no command is run, before the first CRD is needed.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from pytest_crd import lazyimport, progress
from pytest_crd.discovery import kustomizations, projectfiles, search
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.discovery.headings import HeadingFiles
from pytest_crd.discovery.search import CrdSearch
from pytest_crd.engine import CrdLookupError, CustomResourceDefinition, CustomResourceDefinitions, InputError
from pytest_crd.engine.inputerror import CrdError, Mistake, NoCrdError
from pytest_crd.engine.loading import projectcrds
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin, ReadCrd, Remark
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.progress import Progress, Tell, silent
from pytest_crd.records import dataclass, field

if TYPE_CHECKING:
    from pytest_crd.discovery import commands as crdcommands
    from pytest_crd.discovery import helmtemplates, madecrds
    from pytest_crd.discovery.helmtemplates import UnreadTemplate
    from pytest_crd.discovery.madecrds import MadeManifests
else:
    madecrds = lazyimport.module("pytest_crd.discovery.madecrds")
    crdcommands = lazyimport.module("pytest_crd.discovery.commands")
    helmtemplates = lazyimport.module("pytest_crd.discovery.helmtemplates")

_Files = TypeVar("_Files", bound=CrdFiles)

_MOST_PLACES: Final = 5


@dataclass()
class Sources:
    """
    The CRDs of a project, read once for all Kubernetes versions.

    Attributes:
        base: The folder of relative paths, and of the search without settings.
        paths: Files, folders, globs, and `!pattern` for excluded ones.
        commands: Commands whose output is read.
        folder: The working folder of the commands.
        progress: Shows which files are read.
        make: Returns the CRDs that Python code builds.
        observer: The observer of the CRDs.
        places: The places of the CRDs, in words; empty before they are read.
        is_in_vain: Whether the whole project was searched and has no CRD.
    """

    base: Path
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    folder: Path = field(default_factory=Path.cwd)
    progress: Progress = silent
    make: Callable[[], Sequence[MadeManifests]] = tuple
    observer: Observer = field(default_factory=Observer)
    places: str = field(default="", init=False)
    is_in_vain: bool = field(default=False, init=False)
    _python_manifests: Sequence[MadeManifests] | None = field(default=None, init=False)
    _headings: HeadingFiles | None = field(default=None, init=False)
    _headings_by_version: dict[str, CustomResourceDefinitions] = field(default_factory=dict, init=False)
    _whole: dict[str, ReadCrd] = field(default_factory=dict, init=False)
    _named: dict[tuple[str, str], CustomResourceDefinition] = field(default_factory=dict, init=False)
    _crd_files: CrdFiles | None = field(default=None, init=False)
    _crds_by_version: dict[str, list[CustomResourceDefinition]] = field(default_factory=dict, init=False)
    _loaded: dict[str, CustomResourceDefinitions] = field(default_factory=dict, init=False)
    _names: dict[Path, list[str]] = field(default_factory=dict, init=False)
    _paths: dict[Path, list[Path]] = field(default_factory=dict, init=False)

    def listed(self, root: Path) -> list[Path]:
        """Return the YAML and JSON files below *root* that belong to the project; they are listed once."""
        if root not in self._paths:
            self._paths[root] = [root / name for name in self.list_names(root)]
        return self._paths[root]

    def list_names(self, root: Path) -> list[str]:
        """Return the names of the same files, relative to *root*."""
        if root not in self._names:
            self._names[root] = projectfiles.names(root)
        return self._names[root]

    @property
    def is_read(self) -> bool:
        """Whether the CRDs, or at least their headings, were read successfully."""
        return bool(self._loaded or self._headings_by_version)

    @property
    def whole_notes(self) -> Sequence[Remark]:
        """The notes about CRDs that were read in full after their headings; empty if all CRDs were read."""
        return () if self._crd_files or self._headings is None else self._headings.whole_notes

    @property
    def unread(self) -> Sequence[Mistake]:
        """Mistakes in the files of unread CRDs; empty if all CRDs were read, because `crds` raises them."""
        return () if self._crd_files or self._headings is None else self._headings.mistakes

    def find(self, key: str, kubernetes_version: str) -> CustomResourceDefinition:
        """
        Return the CRD that *key* names, as `crds` has it, and read the schemas of no other CRD.

        Args:
            key: A name, kind, file or resource.
            kubernetes_version: The Kubernetes version of its behaviour; one of `profile.KNOWN`.

        Raises:
            InputError: As for `crds`, but mistakes in other files are left to `unread`.
            CrdLookupError: No CRD or several CRDs match.
        """
        if (named := self._named.get((key, kubernetes_version))) is not None:
            return named
        if not self._loaded and (headings := self._headings_under(kubernetes_version)) is not None:
            # The complete CRDs explain a name that no heading has, or several have.
            with contextlib.suppress(CrdLookupError):
                self._named[key, kubernetes_version] = named = self._read_whole(headings[key])
                return named
        return self.crds(kubernetes_version)[key]

    def list_known(self, kubernetes_version: str) -> CustomResourceDefinitions:
        """
        Return the CRDs as far as they were read, some without schemas: for their names, versions and notes.

        Args:
            kubernetes_version: The Kubernetes version of their behaviour; one of `profile.KNOWN`.
        """
        if not self._loaded and (headings := self._headings_under(kubernetes_version)) is not None:
            return headings
        return self.crds(kubernetes_version)

    def crds(self, kubernetes_version: str) -> CustomResourceDefinitions:
        """
        Return the CRDs, at least one.

        Args:
            kubernetes_version: The Kubernetes version of their behaviour; one of `profile.KNOWN`.

        Raises:
            NoCrdError: There is none; the message has the searched places.
            InputError: The CRDs have mistakes; the message has all.
        """
        if kubernetes_version not in self._loaded:
            crds = self._crds_under(kubernetes_version)
            notes = self._read_once(kubernetes_version).notes
            self._loaded[kubernetes_version] = CustomResourceDefinitions(crds, notes)
        return self._loaded[kubernetes_version]

    def every(self, kubernetes_version: str) -> tuple[ReadCrd, ...]:
        """
        Return all CRDs with their files, copies included; only `v1beta1` twins of other CRDs are left out.

        Args:
            kubernetes_version: The Kubernetes version of their behaviour; one of `profile.KNOWN`.

        Raises:
            InputError: As for `crds`.
        """
        crds = self._crds_under(kubernetes_version)
        by_name: dict[str, list[CustomResourceDefinition]] = {}
        for crd in crds:
            by_name.setdefault(crd.name, []).append(crd)
        distinct = {crd for namesakes in by_name.values() for crd in projectcrds.without_twins(namesakes)}
        crd_files = self._read_once(kubernetes_version)
        pairs = zip(crd_files.read_crds, crds, strict=True)
        read = [
            replace(read_crd, crd=crd, without=tuple(crd_files.conversions.get(crd.name, ())))
            for read_crd, crd in pairs
            if crd in distinct
        ]
        installed = projectcrds.installed([read_crd.crd for read_crd in read])
        return tuple(replace(read_crd, crd=crd) for read_crd, crd in zip(read, installed, strict=True))

    def find_copies(self, kubernetes_version: str) -> list[ReadCrd]:
        """
        Return CRDs in conventional places that `paths` does not name, with the names of CRDs that it names.

        Places of commands and of the search itself have none; unreadable files count as none.

        Args:
            kubernetes_version: The Kubernetes version of their behaviour; one of `profile.KNOWN`.
        """
        read_crds = self._read_once(kubernetes_version).read_crds
        excluded = tuple(path for path in self.paths if path.startswith(manifest.LEFT_OUT))
        if self.commands or len(excluded) == len(self.paths):
            return []
        place = CrdSearch(self.base, excluded, self.list_names).find_conventional(self.base)
        files = () if place is None else place.files
        own = {read.path.resolve() for read in read_crds if read.path is not None}
        used = {file.patterns for file in files if file.path.resolve() in own}
        crd_files = CrdFiles(kubernetes_version)
        for file in files:
            if file.patterns not in used:
                crd_files.read(file, FileOrigin.CONVENTIONAL, rank=len(search.CONVENTIONAL_PATHS))
        names = {read.crd.name for read in read_crds}
        return [read for read in crd_files.read_crds if read.crd.name in names]

    def find_templates(self, kubernetes_version: str) -> list[ReadCrd | UnreadTemplate]:
        """
        Return the CRDs in templates of charts that were not read, and the templates that need Helm; empty if commands print the CRDs.

        Args:
            kubernetes_version: The Kubernetes version of their behaviour; one of `profile.KNOWN`.
        """
        if self.commands:
            return []
        excluded = tuple(path for path in self.paths if path.startswith(manifest.LEFT_OUT))
        read = {read.path.resolve() for read in self._read_once(kubernetes_version).read_crds if read.path is not None}
        templates: list[ReadCrd | UnreadTemplate] = []
        for file in CrdSearch(self.base, excluded, self.list_names).find_templates(self.base):
            if file.path.resolve() not in read:
                templates += helmtemplates.read(file, kubernetes_version, len(search.CONVENTIONAL_PATHS))
        return templates

    def select_main(self, crds: Iterable[CustomResourceDefinition]) -> list[CustomResourceDefinition]:
        """
        Return *crds* without copies in places that other projects use, such as charts beside `config/crd`.

        Args:
            crds: CRDs of the project.
        """
        crds = list(crds)
        ranks = {read.crd.source: read.rank for read in self._crd_files.read_crds} if self._crd_files else {}
        best: dict[str, int] = {}
        for crd in crds:
            best[crd.name] = min(ranks[crd.source], best.get(crd.name, ranks[crd.source]))
        return [crd for crd in crds if ranks[crd.source] == best[crd.name]]

    def only_made(self, kubernetes_version: str) -> list[CustomResourceDefinition]:
        """
        Return the CRDs that only Python code builds.

        Args:
            kubernetes_version: The Kubernetes version of their behaviour; one of `profile.KNOWN`.

        Raises:
            InputError: As for `crds`.
        """
        crds = self.crds(kubernetes_version)
        texts = {text for manifests in self._python_manifests or () for text in manifests.texts}
        return [crd for crd in crds if crd.source.rpartition(":")[0] in texts]

    def _headings_under(self, kubernetes_version: str) -> CustomResourceDefinitions | None:
        """Return the CRDs without schemas; None if there are none, or code and commands print some."""
        if self._crd_files is None and self._headings is None and not self.commands:
            try:
                self._python_manifests = self.make() if self._python_manifests is None else self._python_manifests
                if not self._python_manifests:
                    with self.progress("reading CRDs") as tell:
                        self._headings = self._read(kubernetes_version, tell, HeadingFiles)
                        self._headings.read_namesakes()
            except InputError as error:
                self._crd_files = CrdFiles(kubernetes_version, self.observer, mistakes=list(error.mistakes))
        if self._headings is None or not self._headings.crds:
            return None
        if kubernetes_version not in self._headings_by_version:
            crds = [crd.under(kubernetes_version) for crd in self._headings.crds]
            self._headings_by_version[kubernetes_version] = CustomResourceDefinitions(crds, self._headings.notes)
        return self._headings_by_version[kubernetes_version]

    def _read_whole(self, heading: CustomResourceDefinition) -> CustomResourceDefinition:
        """Return the complete CRD of a heading, with the names that it has beside the other CRDs."""
        source = heading.source
        if self._headings is not None and source not in self._whole:
            self._whole[source] = self._headings.read_whole(source)
        return self._whole[source].crd.under(heading.kubernetes_version).with_naming(heading.naming)

    def _crds_under(self, kubernetes_version: str) -> list[CustomResourceDefinition]:
        if kubernetes_version not in self._crds_by_version:
            crd_files = self._read_once(kubernetes_version)
            if self.is_in_vain:
                raise NoCrdError(crd_files.mistakes)
            crd_files.raise_mistakes()
            self._crds_by_version[kubernetes_version] = [crd.under(kubernetes_version) for crd in crd_files.crds]
        return self._crds_by_version[kubernetes_version]

    def _read_once(self, kubernetes_version: str) -> CrdFiles:
        """Return the files with CRDs; mistakes are kept, too, because a failing command may take long."""
        if self._crd_files is None:
            try:
                with self.progress("reading CRDs") as tell:
                    self._crd_files = files = self._read(kubernetes_version, tell, CrdFiles)
                files.read_crds = [self._whole.get(read.crd.source, read) for read in files.read_crds]
            except InputError as error:
                self._crd_files = CrdFiles(kubernetes_version, self.observer, mistakes=list(error.mistakes))
        return self._crd_files

    def _read(self, kubernetes_version: str, tell: Tell, kind: type[_Files]) -> _Files:
        if self._python_manifests is None:
            self._python_manifests = self.make()
        if not self.commands and all(path.startswith(manifest.LEFT_OUT) for path in self.paths):
            crd_files = self._search(kubernetes_version, tell, kind)
        else:
            crd_files = self._read_settings(kubernetes_version, tell, kind)
        for manifests in self._python_manifests:
            crd_files.take_made(manifests.texts, source=manifests.source)
        if self._python_manifests:
            self.places = " and ".join(filter(None, (self.places, madecrds.words(self._python_manifests))))
        return crd_files

    def _read_settings(self, kubernetes_version: str, tell: Tell, kind: type[_Files]) -> _Files:
        """Read the paths and commands of the settings."""
        applied = kustomizations.of_folder(FolderTree(self.base), self.paths)
        crd_files = kind(kubernetes_version, self.observer, kustomizations=applied)
        if self.paths:
            crd_files.read_all(self.paths, base=self.base, tell=tell)
            crd_files.notes += applied.notes(crd_files.names, crd_files.crd_names)
        for index, command in enumerate(self.commands):
            waiting = functools.partial(tell, index, len(self.commands), f"`{command}`")
            try:
                crd_files.take_output(crdcommands.run(command, folder=self.folder, waiting=waiting), source=command)
            except CrdError as error:
                crd_files.mistakes.extend(error.mistakes)
        self.places = " ".join((*self.paths, *(f"`{command}`" for command in self.commands)))
        return crd_files

    def _search(self, kubernetes_version: str, tell: Tell, kind: type[_Files]) -> _Files:
        """Search the project, and return the first place with a CRD or a mistake about one."""
        crd_search = CrdSearch(self.base, self.paths, self.list_names)
        applied = kustomizations.of_folder(FolderTree(self.base), self.paths)
        notes: list[Remark] = []
        places = crd_search.places()
        for place in places:
            if self._python_manifests and place.origin is FileOrigin.FOUND_IN_TESTS:
                notes += _note_test_data(place.files)
                continue
            crd_files = kind(kubernetes_version, self.observer, kustomizations=applied)
            for file in progress.each(place.files, tell, lambda file: file.name):
                crd_files.read(file, place.origin, rank=search.rank(file))
            crd_files.notes += applied.notes(crd_files.names, crd_files.crd_names)
            notes += crd_files.notes
            if crd_files.crds or crd_files.mistakes:
                if place.origin is FileOrigin.FOUND:
                    notes += _note_test_data(next(places).files)
                crd_files.notes = list(dict.fromkeys(notes))
                self.places = place.words or _describe_folders(crd_files)
                return crd_files
        if self._python_manifests:
            return kind(kubernetes_version, self.observer, notes=list(dict.fromkeys(notes)))
        self.is_in_vain = True

        first, *others = crd_search.in_vain()
        raise CrdError([first, *crdcommands.suggest(notes, base=self.base), *others, *dict.fromkeys(notes)])


def _note_test_data(files: Sequence[ManifestFile]) -> list[Remark]:
    """Return a remark that test data is passed over, because the project has other CRDs; empty without test data."""
    if not files:
        return []
    more = f" with {len(files) - 1} more" if len(files) > 1 else ""
    words = f"passed over{more}: test data counts where there is nothing else"
    return [Remark(files[0].name, 0, words, is_hint=True)]


def _describe_folders(crd_files: CrdFiles) -> str:
    """Return the folders in which the search found CRDs, with a hint how to choose others."""
    folders = list(dict.fromkeys(os.path.dirname(crd.source) or "." for crd in crd_files.crds))  # noqa: PTH120 - a text
    more = f" and {len(folders) - _MOST_PLACES} more folders" if len(folders) > _MOST_PLACES else ""
    return f"{' '.join(folders[:_MOST_PLACES])}{more} (found by looking through the project; set crd_paths to choose)"
