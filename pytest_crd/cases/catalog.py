"""The CRDs that cases may name: those of the project, and those that a case file names by path; each loaded once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pytest_crd.cases.model import CaseFile, CaseFileError
from pytest_crd.engine import CrdLookupError, CustomResourceDefinition, CustomResourceDefinitions, Version, load
from pytest_crd.engine.inputerror import InputError, Mistake

_ENDINGS: Final = (".yaml", ".yml", ".json")


@dataclass(slots=True)
class Catalog:
    """
    What a session has loaded.

    Attributes:
        base: What the paths are relative to.
        paths: Where the project's CRDs are looked for; empty where it has none.
        kubernetes_version: Whose behaviour and words the answers have.
    """

    base: Path
    paths: tuple[str, ...]
    kubernetes_version: str
    _loaded: dict[tuple[Path, tuple[str, ...]], CustomResourceDefinitions] = field(default_factory=dict)

    @property
    def crds(self) -> CustomResourceDefinitions:
        """
        The CRDs of the project.

        Raises:
            InputError: Everything that is wrong with them.
        """
        return self._load(self.base, self.paths) if self.paths else CustomResourceDefinitions([])

    @property
    def is_loaded(self) -> bool:
        """Whether the CRDs of the project were asked for."""
        return (self.base, self.paths) in self._loaded

    def version_of(self, case_file: CaseFile, *, folder: Path) -> Version:
        """
        Return the CRD version that *case_file* is about.

        Args:
            case_file: The declared cases.
            folder: The folder of the file, to which a path in it is relative.

        Raises:
            CaseFileError: It names no CRD, or no version, that there is; file and line say where.
            InputError: The CRDs cannot be loaded.
        """
        try:
            crd = self._crd(case_file.crd, folder)
            if case_file.kubernetes_version is not None:
                crd = crd.under(case_file.kubernetes_version)
        except CrdLookupError as error:
            raise _mistake(case_file, "crd", str(error)) from None
        try:
            return crd.version(case_file.version) if case_file.version is not None else _only_served(crd)
        except LookupError as error:
            raise _mistake(case_file, "crd" if case_file.version is None else "version", str(error)) from None

    def _crd(self, reference: str, folder: Path) -> CustomResourceDefinition:
        if not reference.endswith(_ENDINGS):
            return self.crds[reference]
        try:
            crds = self._load(folder, (reference,))
        except InputError as error:
            raise CrdLookupError(f"crd: {error}") from None
        if len(crds) > 1:
            names = ", ".join(crd.name for crd in crds)
            raise CrdLookupError(f"{reference} holds several CRDs: put it into crd_paths and name one of {names}")
        return crds[0]

    def _load(self, base: Path, paths: tuple[str, ...]) -> CustomResourceDefinitions:
        key = (base, paths)
        if key not in self._loaded:
            self._loaded[key] = load(paths, kubernetes_version=self.kubernetes_version, base=base)
        return self._loaded[key]


def _only_served(crd: CustomResourceDefinition) -> Version:
    served = [version for version in crd.versions if version.served]
    if len(served) == 1:
        return served[0]
    names = ", ".join(version.name for version in served) or "none"
    raise LookupError(f"{crd.name} serves {names}: say which one with `version:`")


def _mistake(case_file: CaseFile, key: str, message: str) -> CaseFileError:
    return CaseFileError([Mistake(case_file.source, case_file.lines.of(key), message)])
