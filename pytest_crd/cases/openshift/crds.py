"""
CRD files of a suite of openshift/api: those with its CRD's name, in the folder that goes with it, by feature gates.

A file of the folder is one variant of the CRD. The manifests of the feature gates say which variant has which gates.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd import folders
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.cases.openshift.suite import Suite
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, CustomResourceDefinitions
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading import projectcrds
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.yaml import manifest

_CRDS: Final = "zz_generated.crd-manifests"
_GATES: Final = Path("payload-manifests", "featuregates")
_FEATURE_SET: Final = "release.openshift.io/feature-set"
_MAJOR_VERSION: Final = "release.openshift.io/major-version"
_PROFILE: Final = "include.release.openshift.io/"
# The feature set with which each gate can be set by hand.
_ANY: Final = "CustomNoUpgrade"
_DEFAULT: Final = "Default"


class Variant(NamedTuple):
    """
    A CRD of a suite.

    Attributes:
        label: A label that distinguishes it from the others; empty if there is no other.
        crd: The CRD as its file has it.
        version: The version of the suite, from a CRD with no other version.
    """

    label: str
    crd: CustomResourceDefinition
    version: CrdVersion


@dataclass(slots=True)
class SuiteCRDs:
    """
    The CRDs of suites, each file loaded once.

    Attributes:
        kubernetes_version: The Kubernetes version of the answers.
        observer: The observer of the CRDs.
        find_boundary: Returns the boundary of the files that a suite in a folder may name.
    """

    kubernetes_version: str
    observer: Observer
    find_boundary: Callable[[Path], ProjectBoundary] = ProjectBoundary
    _loaded: dict[tuple[Path, str], tuple[CustomResourceDefinition, ...]] = field(default_factory=dict)
    _gates: dict[Path, list[Mapping[str, JSONValue]]] = field(default_factory=dict)
    _versions: dict[tuple[CustomResourceDefinition, str], CrdVersion] = field(default_factory=dict)

    def variants(self, suite: Suite, folder: Path) -> list[Variant]:
        """
        Return the CRDs of *suite*; empty if its folder has no CRD files beside it.

        Args:
            suite: The suite.
            folder: The folder of the suite: `<group>/<version>/tests/<name of the CRD>`.

        Raises:
            CaseFileError: There is no CRD of that name or with those gates, or it lacks the version.
            InputError: A CRD cannot be loaded.
        """
        files = folder.parent.parent / _CRDS
        if not files.is_dir():
            return []
        limits = self.find_boundary(files.parent)
        crds = [(path, crd) for path in sorted(files.iterdir()) for crd in self._crds(path, suite.crd, limits)]
        if not crds:
            raise suite.mistake(f"no CRD is called {suite.crd!r} in {files}")
        matching = [(path, crd) for path, crd in crds if self._has_gates(suite, crd, folder)]
        if not matching:
            raise suite.mistake(
                f"no CRD in {files} has the feature gates {', '.join(suite.feature_gates)}", "featureGates"
            )
        return [
            Variant(path.name.partition(".")[0] if len(matching) > 1 else "", crd, self.version_of(suite, crd))
            for path, crd in matching
        ]

    def only_variant(self, suite: Suite, crd: CustomResourceDefinition) -> Variant:
        """
        Return *crd* as the only variant of a suite.

        Raises:
            CaseFileError: The CRD has no such version.
        """
        return Variant("", crd, self.version_of(suite, crd))

    def version_of(self, suite: Suite, crd: CustomResourceDefinition) -> CrdVersion:
        """
        Return the version of *suite*, from a copy of *crd* that has no other version, and serves and stores this one.

        Suites about one version share it, and with it everything computed for it.

        Raises:
            CaseFileError: The version does not exist, or the suite does not say which.
        """
        names = [version.name for version in crd.versions]
        if suite.version is None and len(names) > 1:
            raise suite.mistake(f"{crd.name} has the versions {', '.join(names)}: say which one with `version:`")
        name = suite.version or names[0]
        if name not in names:
            raise suite.mistake(f"{crd.name} has no version {name!r}; it has: {', '.join(names)}", "version")
        if (crd, name) not in self._versions:
            self._versions[crd, name] = _only(crd, name)
        return self._versions[crd, name]

    def _crds(self, path: Path, name: str, limits: ProjectBoundary) -> tuple[CustomResourceDefinition, ...]:
        """Return the CRD *name* in a file; a file that cannot contain it is not parsed, as the folder is large."""
        key = (path, name)
        if key not in self._loaded:
            is_outside = not limits.holds(os.path.realpath(path))
            file = manifest.ManifestFile(path, str(path), named=True, is_outside=is_outside)
            may_hold = folders.is_manifest(path.name) and manifest.may_mention(file.read(), name)
            crds = self._read(path) if may_hold else ()
            self._loaded[key] = tuple(crd for crd in crds if crd.name == name)
        return self._loaded[key]

    def _read(self, path: Path) -> CustomResourceDefinitions:
        version = self.kubernetes_version
        return projectcrds.read([str(path)], base=path.parent, kubernetes_version=version, observer=self.observer)

    def _has_gates(self, suite: Suite, crd: CustomResourceDefinition, folder: Path) -> bool:
        if not suite.feature_gates:
            return True
        annotations = _annotations(crd.declared)
        sets = _listed(annotations.get(_FEATURE_SET, ""))
        if _ANY in sets:
            return not any(gate.startswith("-") for gate in suite.feature_gates)
        profile = next((key for key, value in sorted(annotations.items()) if _is_profile(key, value)), "")
        if not profile:
            return True
        return any(
            _are_set(gates, suite.feature_gates)
            for gates in self._manifests(suite, folder)
            if _goes_with(gates, annotations, profile, sets)
        )

    def _manifests(self, suite: Suite, folder: Path) -> Sequence[Mapping[str, JSONValue]]:
        gates_folder = next((parent / _GATES for parent in folder.parents if (parent / _GATES).is_dir()), None)
        if gates_folder is None:
            raise suite.mistake(f"what the gates are is not known: no folder above has {_GATES}", "featureGates")
        if gates_folder not in self._gates:
            files = manifest.files([str(gates_folder)], base=gates_folder)
            self._gates[gates_folder] = [
                item.value for file in files for item in manifest.read(file.read(), source=file.name)
            ]
        return self._gates[gates_folder]


def _only(crd: CustomResourceDefinition, name: str) -> CrdVersion:
    value = crd.declared
    chosen = [
        {**version, "served": True, "storage": True}
        for version in value["spec"].get("versions") or ()
        if version["name"] == name
    ]
    # In the text that was read, the version is the same.
    alone = crd.altered({**value, "spec": {**value["spec"], "versions": chosen}}, written=crd.written)
    return alone.version(name)


def _annotations(value: Mapping[str, JSONValue]) -> Mapping[str, str]:
    return (value.get("metadata") or {}).get("annotations") or {}


def _listed(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def _is_profile(key: str, value: str) -> bool:
    return key.startswith(_PROFILE) and value == "true"


def _goes_with(
    gates: Mapping[str, JSONValue], annotations: Mapping[str, str], profile: str, sets: frozenset[str]
) -> bool:
    """Return whether the manifest *gates* says which gates are set where a CRD with *annotations* is installed."""
    gates_annotations = _annotations(gates)
    if profile not in gates_annotations or (sets and (gates_annotations.get(_FEATURE_SET) or _DEFAULT) not in sets):
        return False
    crd_majors, gates_majors = (
        _listed(annotations.get(_MAJOR_VERSION, "")),
        _listed(gates_annotations.get(_MAJOR_VERSION, "")),
    )
    return not crd_majors or not gates_majors or bool(crd_majors & gates_majors)


def _are_set(gates: Mapping[str, JSONValue], wanted: Sequence[str]) -> bool:
    states: list[Mapping[str, JSONValue]] = (gates.get("status") or {}).get("featureGates") or []
    enabled, disabled = (
        {gate["name"] for state in states for gate in state.get(key) or ()} for key in ("enabled", "disabled")
    )
    return all(gate[1:] in disabled if gate.startswith("-") else gate in enabled for gate in wanted)
