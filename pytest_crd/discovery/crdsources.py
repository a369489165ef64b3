"""
The sources of a project's CRDs: what is set, else the places where CRDs usually are, else wherever they are.

Nothing is read, and no command is run, before somebody asks for a CRD.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pytest_crd import garbage, progress
from pytest_crd.discovery import madecrds, projectfiles
from pytest_crd.discovery.madecrds import MadeManifests
from pytest_crd.discovery.search import CrdSearch
from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions, InputError
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.loading import copies, projectcrds
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin, ReadCrd
from pytest_crd.engine.loading.remarks import Remark
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.progress import Progress, Tell, silent

_MOST_PLACES: Final = 5


@dataclass(slots=True)
class Sources:
    """
    The CRDs of a project, read once, however many Kubernetes versions ask for them.

    Attributes:
        base: What paths are relative to, and where is looked when nothing is set.
        paths: Files, folders, globs, and `!pattern` for what is left out.
        commands: Commands whose output is read.
        folder: Where they are run.
        progress: Who is told while files are read.
        make: What makes CRDs besides, in Python.
        places: Where the CRDs have been found, in words; empty before they are asked for.
        is_in_vain: Whether they were looked for everywhere, and there is none.
    """

    base: Path
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    folder: Path = field(default_factory=Path.cwd)
    progress: Progress = silent
    make: Callable[[], Sequence[MadeManifests]] = tuple
    places: str = field(default="", init=False)
    is_in_vain: bool = field(default=False, init=False)
    _made: Sequence[MadeManifests] = field(default=(), init=False)
    _found: CrdFiles | None = field(default=None, init=False)
    _under: dict[str, list[CustomResourceDefinition]] = field(default_factory=dict, init=False)
    _loaded: dict[str, CustomResourceDefinitions] = field(default_factory=dict, init=False)
    _listed: dict[Path, list[Path]] = field(default_factory=dict, init=False)

    def listed(self, root: Path) -> list[Path]:
        """Return the YAML and JSON files below *root* that belong to the project, which are listed once."""
        if root not in self._listed:
            self._listed[root] = projectfiles.files(root)
        return self._listed[root]

    @property
    def is_read(self) -> bool:
        """Whether CRDs were asked for, and found."""
        return bool(self._loaded)

    def crds(self, kubernetes_version: str) -> CustomResourceDefinitions:
        """
        Return the CRDs; there is at least one.

        Args:
            kubernetes_version: Whose behaviour and words they show; one of `profile.KNOWN`.

        Raises:
            InputError: Everything that is wrong with them, or that there is none, with where they were looked for.
        """
        if kubernetes_version not in self._loaded:
            crds = self._crds_under(kubernetes_version)
            notes = self._read_once(kubernetes_version).notes
            self._loaded[kubernetes_version] = CustomResourceDefinitions(crds, notes)
        return self._loaded[kubernetes_version]

    def every(self, kubernetes_version: str) -> tuple[ReadCrd, ...]:
        """
        Return the CRDs, copies too, each with where it was read; only twins in `v1beta1` of others are left out.

        Args:
            kubernetes_version: Whose behaviour and words they show; one of `profile.KNOWN`.

        Raises:
            InputError: As for `crds`.
        """
        crds = self._crds_under(kubernetes_version)
        named: dict[str, list[CustomResourceDefinition]] = {}
        for crd in crds:
            named.setdefault(crd.name, []).append(crd)
        kept = {crd for others in named.values() for crd in copies.without_twins(others)}
        found = self._read_once(kubernetes_version)
        pairs = zip(found.read_crds, crds, strict=True)
        read = [
            replace(one, crd=crd, without=tuple(found.conversions.get(crd.name, ())))
            for one, crd in pairs
            if crd in kept
        ]
        installed = projectcrds.installed([one.crd for one in read])
        return tuple(replace(one, crd=crd) for one, crd in zip(read, installed, strict=True))

    def only_made(self, kubernetes_version: str) -> list[CustomResourceDefinition]:
        """
        Return the CRDs that Python makes and that no file has.

        Args:
            kubernetes_version: Whose behaviour and words they show; one of `profile.KNOWN`.

        Raises:
            InputError: As for `crds`.
        """
        crds = self.crds(kubernetes_version)
        texts = {text for one in self._made for text in one.texts}
        return [crd for crd in crds if crd.source.rpartition(":")[0] in texts]

    def _crds_under(self, kubernetes_version: str) -> list[CustomResourceDefinition]:
        if kubernetes_version not in self._under:
            found = self._read_once(kubernetes_version)
            found.raise_mistakes()
            self._under[kubernetes_version] = [crd.under(kubernetes_version) for crd in found.crds]
        return self._under[kubernetes_version]

    @garbage.paused()
    def _read_once(self, kubernetes_version: str) -> CrdFiles:
        """Return what is there; what is wrong with it is found out once, too, for a command may take its time to fail."""
        if self._found is None:
            try:
                with self.progress("reading CRDs") as tell:
                    self._found = self._read(kubernetes_version, tell)
            except InputError as error:
                self._found = CrdFiles(kubernetes_version, mistakes=list(error.mistakes))
        return self._found

    def _read(self, kubernetes_version: str, tell: Tell) -> CrdFiles:
        self._made = self.make()
        if not self.commands and all(path.startswith(manifest.LEFT_OUT) for path in self.paths):
            found = self._look(kubernetes_version, tell)
        else:
            found = self._named(kubernetes_version, tell)
        for one in self._made:
            found.take_made(one.texts, source=one.source)
        self.places = " and ".join(filter(None, (self.places, madecrds.words(self._made))))
        return found

    def _named(self, kubernetes_version: str, tell: Tell) -> CrdFiles:
        """Read what is set."""
        found = CrdFiles(kubernetes_version)
        if self.paths:
            found.read_all(self.paths, base=self.base, tell=tell)
        if self.commands:
            from pytest_crd.discovery import commands  # noqa: PLC0415 - few projects have any
        for index, command in enumerate(self.commands):
            waiting = functools.partial(tell, index, len(self.commands), f"`{command}`")
            try:
                found.take_output(commands.run(command, folder=self.folder, waiting=waiting), source=command)
            except CrdError as error:
                found.mistakes.extend(error.mistakes)
        self.places = " ".join((*self.paths, *(f"`{command}`" for command in self.commands)))
        return found

    def _look(self, kubernetes_version: str, tell: Tell) -> CrdFiles:
        """Look where nothing is set: the first place counts in which there is a CRD, or what keeps one from being read."""
        search = CrdSearch(self.base, self.paths, self.listed)
        notes: list[Remark] = []
        places = search.places()
        for place in places:
            if self._made and place.origin is FileOrigin.FOUND_IN_TESTS:
                notes += _of_test_data(place.files)
                continue
            found = CrdFiles(kubernetes_version)
            for file in progress.each(place.files, tell, lambda one: one.name):
                found.read(file, place.origin)
            notes += found.notes
            if found.crds or found.mistakes:
                if place.origin is FileOrigin.FOUND:
                    notes += _of_test_data(next(places).files)
                found.notes = list(dict.fromkeys(notes))
                self.places = place.words or _told(found)
                return found
        if self._made:
            return CrdFiles(kubernetes_version, notes=list(dict.fromkeys(notes)))
        self.is_in_vain = True
        from pytest_crd.discovery import rendering  # noqa: PLC0415 - only where nothing was found

        first, *others = search.in_vain()
        raise CrdError([first, *rendering.advice(notes, base=self.base), *others, *dict.fromkeys(notes)])


def _of_test_data(files: Sequence[ManifestFile]) -> list[Remark]:
    """Return what is to be said of test data that does not count, as there is something else."""
    if not files:
        return []
    more = f" with {len(files) - 1} more" if len(files) > 1 else ""
    return [Remark(files[0].name, 0, f"passed over{more}: test data counts where there is nothing else")]


def _told(found: CrdFiles) -> str:
    """Return in which folders CRDs have been found by looking everywhere, and how to choose others."""
    folders = list(dict.fromkeys(os.path.dirname(crd.source) or "." for crd in found.crds))  # noqa: PTH120 - a text
    more = f" and {len(folders) - _MOST_PLACES} more folders" if len(folders) > _MOST_PLACES else ""
    return f"{' '.join(folders[:_MOST_PLACES])}{more} (found by looking through the project; crd_paths says otherwise)"
