"""Catalog of the CRDs that cases may name, by the name of a project's CRD or by path; each is loaded once."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_crd import boundary, folders, lazyimport
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.cases.model import AnyCase, Case, CaseFile, CaseFileError, CreateCase, UpdateCase
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import CrdLookupError, CrdVersion, CustomResourceDefinition, CustomResourceDefinitions
from pytest_crd.engine.api.context import Guard, Webhooks
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.loading import projectcrds
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.records import dataclass, field

if TYPE_CHECKING:
    from pytest_crd.cases import acceptance, casepatch
    from pytest_crd.cases.openshift.crds import SuiteCRDs, Variant
    from pytest_crd.cases.openshift.suite import Suite
    from pytest_crd.cases.parts import OldCRD
else:
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")
    acceptance = lazyimport.module("pytest_crd.cases.acceptance")

_LONGEST_NAME: Final = 253


@dataclass()
class Catalog:
    """
    Catalog of the loaded CRDs of a session.

    Attributes:
        sources: The sources of the project's CRDs.
        kubernetes_version: The Kubernetes version of the answers.
        stored: Names of CRDs that count as stored, even if the server would refuse them.
        find_webhooks: Returns the webhooks that requests call. It takes the names of the project's CRDs, each with whether a webhook
            converts its objects. None if requests call none.
    """

    sources: Sources
    kubernetes_version: str
    stored: frozenset[str] = frozenset()
    find_webhooks: Callable[[Mapping[str, bool]], Webhooks | None] | None = None
    _project: CustomResourceDefinitions | None = None
    _loaded: dict[tuple[Path, tuple[str, ...]], CustomResourceDefinitions] = field(default_factory=dict)
    _named: dict[CustomResourceDefinition, CustomResourceDefinition] = field(default_factory=dict)
    _webhooks: Webhooks | None = None
    _suites: SuiteCRDs | None = None
    _patched_crds: dict[tuple[CustomResourceDefinition, str], CustomResourceDefinition] = field(default_factory=dict)
    _stored_crds: dict[CustomResourceDefinition, CustomResourceDefinition] = field(default_factory=dict)

    def find_boundary(self, folder: Path) -> ProjectBoundary:
        """Return the boundary of the files that a case file in *folder* may name: of the project, or of its own one elsewhere."""
        project = ProjectBoundary(self.sources.folder, (str(self.sources.base / path) for path in self.sources.paths))
        return project if project.holds(os.path.realpath(folder)) else ProjectBoundary(folder)

    @property
    def crds(self) -> CustomResourceDefinitions:
        """
        The CRDs of the project.

        Raises:
            InputError: All mistakes in them, or that there are no CRDs.
        """
        if self._project is None:
            crds = self.sources.crds(self.kubernetes_version).guarded(self._guard_of)
            if self.find_webhooks is not None:
                converted = {crd.name: crd.answers.spec.converts_by_webhook for crd in crds}
                self._webhooks = self.find_webhooks(converted)
            self._project = crds.with_webhooks(self._webhooks)
        return self._project

    def find(self, key: str) -> CustomResourceDefinition:
        """
        Return a CRD of the project by name, kind or resource; other CRDs are read only as far as their names.

        Raises:
            InputError: As for `crds`, but mistakes in the files of other CRDs do not count.
            CrdLookupError: No CRD or several CRDs match.
        """
        if self._project is not None or self.find_webhooks is not None:
            return self.crds[key]
        crd = self.sources.find(key, self.kubernetes_version)
        if crd not in self._named:
            self._named[crd] = crd.guarded(self._guard_of(crd)).with_webhooks(None)
        return self._named[crd]

    def find_main(self, key: str) -> CustomResourceDefinition:
        """
        Return a CRD as `find` does; of several, the one in the main place, as a copy such as that of a chart may lag behind.

        Raises:
            InputError: As for `find`.
            CrdLookupError: As for `find`, and if several are in the main place.
        """
        try:
            return self.find(key)
        except CrdLookupError as error:
            main = self.sources.select_main(self.crds)
            if len(main) == len(self.crds):
                raise
            with contextlib.suppress(CrdLookupError):
                return CustomResourceDefinitions(main)[key]
            raise error from None  # it names all files

    @property
    def webhooks(self) -> Webhooks | None:
        """
        The webhooks that requests call; None if they call none.

        Raises:
            InputError: As for `crds`.
        """
        if self.find_webhooks is not None:
            self.crds  # noqa: B018 - finds the webhooks, too
        return self._webhooks

    def find_admitted(self) -> tuple[Sequence[CustomResourceDefinition], Webhooks | None]:
        """
        Return the CRDs of the project, which need not have any, and the policies and webhooks that requests call.

        Raises:
            InputError: The mistakes in the CRDs.
        """
        try:
            return tuple(self.crds), self.webhooks
        except InputError:
            if not self.sources.is_in_vain:
                raise
        if self._webhooks is None and self.find_webhooks is not None:
            self._webhooks = self.find_webhooks({})
        return (), self._webhooks

    def every(self) -> tuple[ReadCrd, ...]:
        """
        Return all CRDs of the project with their files, copies included; their requests call the webhooks.

        Raises:
            InputError: As for `crds`.
        """
        read_crds = self.sources.every(self.kubernetes_version)
        return tuple(replace(read, crd=read.crd.with_webhooks(self.webhooks)) for read in read_crds)

    def find_all(self) -> Iterator[CustomResourceDefinition]:
        """
        Yield the CRDs of the project with all copies, also with those in conventional places that no setting names.

        Raises:
            InputError: As for `crds`.
        """
        version = self.kubernetes_version
        yield from (read.crd for read in (*self.sources.every(version), *self.sources.find_copies(version)))

    def can_list(self, case_file: CaseFile) -> bool:
        """Return whether the names and versions of the project's CRDs, read without schemas, have the CRD version of *case_file*."""
        if self.find_webhooks is not None:
            return False
        try:
            crd = self.sources.list_known(case_file.kubernetes_version or self.kubernetes_version)[case_file.crd]
            _find_version(crd, case_file.version)
        except (InputError, LookupError):  # the complete CRDs have the words about it
            return False
        return True

    def version_of(self, case_file: CaseFile, *, folder: Path) -> CrdVersion:
        """
        Return the CRD version of *case_file*.

        Args:
            case_file: The declared cases.
            folder: The folder of the file, to which a path in it is relative.

        Raises:
            CaseFileError: The CRD or version that it names does not exist.
            InputError: The CRDs cannot be loaded; the server refuses this one, and no setting declares it stored.
        """
        try:
            crd = self._crd(case_file.crd, folder)
            if case_file.kubernetes_version is not None:
                crd = crd.under(case_file.kubernetes_version)
        except CrdLookupError as error:
            raise _mistake(case_file, "crd", str(error)) from None
        if case_file.stored_crd:
            crd = self._unguarded(crd)
        elif crd.guard is not None:
            crd.guard(crd)
        try:
            return _find_version(crd, case_file.version)
        except LookupError as error:
            raise _mistake(case_file, "crd" if case_file.version is None else "version", str(error)) from None

    def old_version_of(self, case: AnyCase, version: CrdVersion, *, folder: Path) -> CrdVersion:
        """
        Return the CRD version under which the old object of *case* was stored.

        Args:
            case: A case; most have no other old CRD.
            version: The CRD version of the case.
            folder: The folder of the case's file, to which a path in it is relative.

        Raises:
            CaseFileError: The old CRD does not exist, cannot be made, has another name, or is refused by the server.
        """
        if not isinstance(case, UpdateCase) or case.old_crd is None:
            return version
        crd = self._old_crd(case, case.old_crd, version.crd, folder)
        if version.crd.guard is not None:
            self._require_accepted(case, case.old_crd, crd)
        if crd.name != version.crd.name:
            raise case.mistake(f"the old CRD is {crd.name}, not {version.crd.name}", *case.old_crd.place)
        try:
            return crd.version(version.name)
        except LookupError as error:
            raise case.mistake(f"the old CRD: {error}", *case.old_crd.place) from None

    def variants_of(self, suite: Suite, *, folder: Path) -> list[Variant]:
        """
        Return the CRDs of a suite: the ones in the folder that goes with it, else the project's CRD of that name.

        Raises:
            CaseFileError: There is no such CRD, or none with the version.
            InputError: The CRDs cannot be loaded; the server refuses one, and no setting declares it stored.
        """
        if variants := self._suite_crds.variants(suite, folder):
            for variant in variants:
                if variant.crd.name not in self.stored:
                    self._require_project_crd(variant.crd)
            return variants
        try:
            crd = self.find_main(suite.crd)
        except CrdLookupError as error:
            raise suite.mistake(str(error)) from None
        if crd.guard is not None:
            crd.guard(crd)
        return [self._suite_crds.only_variant(suite, crd)]

    def suite_old_version_of(self, suite: Suite, case: CreateCase | UpdateCase, variant: Variant) -> CrdVersion:
        """
        Return the CRD version under which the object of an update in a suite is created.

        Raises:
            CaseFileError: The patches cannot be applied, or the server refuses the patched CRD.
        """
        if isinstance(case, CreateCase) or case.old_crd is None:
            return variant.version
        patched = self._require_accepted(case, case.old_crd, self._patched(case, case.old_crd, variant.crd))
        return self._suite_crds.version_of(suite, patched)

    @property
    def _suite_crds(self) -> SuiteCRDs:
        if self._suites is None:
            from pytest_crd.cases.openshift.crds import SuiteCRDs  # noqa: PLC0415 - most projects have no suites

            self._suites = SuiteCRDs(self.kubernetes_version, self.sources.observer, self.find_boundary)
        return self._suites

    def _old_crd(
        self, case: Case, old_crd: OldCRD, crd: CustomResourceDefinition, folder: Path
    ) -> CustomResourceDefinition:
        if old_crd.path is None:
            return self._patched(case, old_crd, crd)
        try:
            crds = self._load(folder, (old_crd.path,))
            return (crds[0] if len(crds) == 1 else crds[crd.name]).under(crd.kubernetes_version)
        except (InputError, CrdLookupError) as error:
            raise case.mistake(f"the old CRD: {error}", *old_crd.place) from None

    def _require_accepted(self, case: Case, old_crd: OldCRD, crd: CustomResourceDefinition) -> CustomResourceDefinition:
        if crd.name not in self.stored and (refusal := acceptance.describe_refusal(crd)):
            raise case.mistake(f"a server refuses the old CRD:{refusal}", *old_crd.place)
        return crd

    def _patched(self, case: Case, old_crd: OldCRD, crd: CustomResourceDefinition) -> CustomResourceDefinition:
        patch, place = old_crd.patch or (), old_crd.place
        key = (crd, json.dumps(patch))
        if key not in self._patched_crds:
            try:
                patched = casepatch.apply(crd.declared, patch)
            except casepatch.PatchError as error:
                message = f"the old CRD cannot be made: {error}"
                raise case.mistake(message, *place, *error.place) from None
            try:
                new_crd = crd.altered(patched)
            except InputError as error:
                message = f"the patched old CRD is not valid: {error.mistakes[0].message}"
                raise case.mistake(message, *place) from None
            self._patched_crds[key] = new_crd
        return self._patched_crds[key]

    def _crd(self, reference: str, folder: Path) -> CustomResourceDefinition:
        if not folders.is_manifest(reference):
            if len(reference) > _LONGEST_NAME:
                raise CrdLookupError(f"no CRD is called so: names have at most {_LONGEST_NAME} characters")
            return self.find_main(reference)
        try:
            crds = self._load(folder, (reference,))
        except InputError as error:
            raise CrdLookupError(f"crd: {error}") from None
        if len(crds) > 1:
            names = ", ".join(map(crds.id_of, crds))
            raise CrdLookupError(f"{reference} holds several CRDs: put it into crd_paths and name one of {names}")
        return crds[0]

    def _load(self, base: Path, paths: tuple[str, ...]) -> CustomResourceDefinitions:
        key = (base, paths)
        if key not in self._loaded:
            limits = self.find_boundary(base)
            if outside := [
                path for path in paths if not limits.holds(os.path.realpath(base / boundary.start_of(path)))
            ]:
                raise InputError(Mistake(path, 0, boundary.OUTSIDE) for path in outside)
            version, observer = self.kubernetes_version, self.sources.observer
            loaded = projectcrds.read(paths, base=base, kubernetes_version=version, observer=observer)
            self._loaded[key] = loaded.guarded(self._guard_of).with_webhooks(self.webhooks)
        return self._loaded[key]

    def _guard_of(self, crd: CustomResourceDefinition) -> Guard | None:
        return None if crd.name in self.stored else self._require_project_crd

    def _require_project_crd(self, crd: CustomResourceDefinition) -> None:
        acceptance.require_accepted(crd, self.find_all)

    def _unguarded(self, crd: CustomResourceDefinition) -> CustomResourceDefinition:
        """Return *crd* without its guard, as a stored CRD."""
        if crd not in self._stored_crds:
            self._stored_crds[crd] = crd.guarded(None)
        return self._stored_crds[crd]


def _find_version(crd: CustomResourceDefinition, name: str | None) -> CrdVersion:
    """Return the version *name*; without a name, the only served version."""
    if name is not None:
        return crd.version(name)
    served = [version for version in crd.versions if version.served]
    if len(served) == 1:
        return served[0]
    names = ", ".join(version.name for version in served) or "none"
    raise LookupError(f"{crd.name} serves {names}: say which one with `version:`")


def _mistake(case_file: CaseFile, key: str, message: str) -> CaseFileError:
    return CaseFileError([Mistake(case_file.source, case_file.lines.find_line(key), message)])
