"""What the server says of the write itself: the new CRD over the old one, and of versions and subresources that go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.synthesis import objectplaces
from pytest_crd.upgrades.upgradefindings import Finding, Kind, Line


def written(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Finding]:
    """
    Yield why the server refuses the new CRD where the old one is stored, with the versions in which objects are stored.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
    """
    for error in new.update_from(old).errors:
        steps = () if error.path is None else error.path.steps
        lines = ((_line(old, steps), _line(new, steps)),)
        yield Finding(Kind.REFUSED, error.field or ".", f"the CRD: {error}", lines=lines)


def gone(old: CustomResourceDefinition) -> Finding:
    """Return what it means that there is no CRD of a name any more."""
    words = "there is no such CRD any more; deleted from a cluster, it takes all of its objects with it"
    return Finding(Kind.DATA_LOSS, "metadata.name", words, lines=((_line(old, ("metadata", "name")), Line("", "")),))


def unserved(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Finding]:
    """Yield the versions that the server no longer answers for."""
    kept = {version.name: version for version in new.versions}
    for version in old.versions:
        if version.served and not (version.name in kept and kept[version.name].served):
            is_there = version.name in kept
            what = "is no longer served" if is_there else "is gone"
            words = f"{version.name} {what}: {refusal.NOT_SERVED.message}"
            lines = (_version_line(old, version.name), _version_line(new, version.name))
            yield Finding(Kind.REFUSED, version.name, words, (version.name,), (lines,))


def subresources(old: Version, new: Version) -> Iterator[Finding]:
    """Yield the subresources of a version that the server no longer answers for."""
    for name, was, is_now in (
        ("status", old.has_status, new.has_status),
        ("scale", old.subresources.scale is not None, new.subresources.scale is not None),
    ):
        if was and not is_now:
            words = f"/{name} is gone: {refusal.NOT_SERVED.message}"
            lines = (line_of(old, "subresources", name, text=f"{name}: …"), line_of(new, "subresources", name))
            yield Finding(Kind.REFUSED, f"subresources.{name}", words, (old.name,), (lines,))


def is_deprecated_otherwise(old: Version, new: Version) -> bool:
    """Return whether the server warns of a version otherwise than before."""
    before, after = _declared(old), _declared(new)
    return any(before.get(key) != after.get(key) for key in ("deprecated", "deprecationWarning"))


def line_of(version: Version, field: str, *inner: str, text: str = "") -> Line:
    """Return the line of what a version declares of a *field*, or of what is nearest around it: of itself, or above all versions."""
    crd = version.crd
    index = [one.name for one in crd.versions].index(version.name)
    own = ("spec", "versions", index) if crd.declared["spec"].get("versions") else ("spec",)
    is_shared = field in crd.declared["spec"] and field not in _declared(version)
    return Line.at(crd, (*(("spec",) if is_shared else own), field, *inner), text)


def declared_of(version: Version, field: str) -> Any:
    """Return what a version declares of a *field*, or what all versions of its CRD share; None where that is nothing."""
    return _declared(version).get(field) or version.crd.declared["spec"].get(field)


def _declared(version: Version) -> Mapping[str, Any]:
    versions = version.crd.declared["spec"].get("versions") or ()
    own: Mapping[str, Any] = next((one for one in versions if one["name"] == version.name), {})
    return own


def _version_line(crd: CustomResourceDefinition, name: str) -> Line:
    """Return the line of a version; where it is not there, of what is around it."""
    version = next((one for one in crd.versions if one.name == name), None)
    if version is None:
        return Line.at(crd, ("spec", "versions", "served"))
    return line_of(version, "served", text=f"name: {name}, served: {str(version.served).lower()}")


def _line(crd: CustomResourceDefinition, steps: Steps) -> Line:
    """Return the line of a field that the server names, or of what is nearest above it."""
    there, rest = objectplaces.reached(crd.declared, declared.place_in(crd.declared, steps))
    value = objectplaces.at(crd.declared, there)
    is_shown = there and not rest and isinstance(value, str | int | bool)
    return Line.at(crd, there, f"{there[-1]}: {_shown(value)}" if is_shown else "")


def _shown(value: str | int) -> str:
    return str(value) or '""'
