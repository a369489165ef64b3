"""What the server says of the write itself: the new CRD over the old one, and of versions and subresources that go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.errors import refusal
from pytest_crd.examples import places
from pytest_crd.upgrades.findings import Finding, Kind, Line

# Where the server names a schema that all versions share.
_SHARED: Final = "spec.validation"


def written(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Finding]:
    """
    Yield why the server refuses the new CRD where the old one is stored, with the versions in which objects are stored.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
    """
    for error in new.update_from(old).errors:
        lines = ((_line(old, error.field), _line(new, error.field)),)
        yield Finding(Kind.REFUSED, error.field or ".", f"the CRD: {error}", lines=lines)


def gone(old: CustomResourceDefinition) -> Finding:
    """Return what it means that there is no CRD of a name any more."""
    words = "there is no such CRD any more; deleted from a cluster, it takes all of its objects with it"
    return Finding(Kind.DATA_LOSS, "metadata.name", words, lines=((_line(old, "metadata.name"), Line("", "")),))


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
    before, after = _subresources(old), _subresources(new)
    for name in ("status", "scale"):
        if name in before and name not in after:
            words = f"/{name} is gone: {refusal.NOT_SERVED.message}"
            lines = (_version_line(old.crd, old.name, name), _version_line(new.crd, new.name, name))
            yield Finding(Kind.REFUSED, f"subresources.{name}", words, (old.name,), (lines,))


def is_deprecated_otherwise(old: Version, new: Version) -> bool:
    """Return whether the server warns of a version otherwise than before."""
    before, after = _declared(old), _declared(new)
    return any(before.get(key) != after.get(key) for key in ("deprecated", "deprecationWarning"))


def _subresources(version: Version) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (
        _declared(version).get("subresources") or version.crd.declared["spec"].get("subresources") or {}
    )
    return found


def _declared(version: Version) -> Mapping[str, Any]:
    versions = version.crd.declared["spec"].get("versions") or ()
    own: Mapping[str, Any] = next((one for one in versions if one["name"] == version.name), {})
    return own


def _version_line(crd: CustomResourceDefinition, name: str, subresource: str = "") -> Line:
    """Return the line of a version, or of one of its subresources; where it is not there, of what is around it."""
    names = [one.get("name") for one in crd.declared["spec"].get("versions") or ()]
    index = names.index(name) if name in names else None
    steps = ("spec", "versions", *(() if index is None else (index,)))
    where = (*steps, "subresources", subresource) if subresource else (*steps, "served")
    there = index is not None
    if subresource:
        text = f"{subresource}: …" if there and subresource in _subresources(crd.version(name)) else ""
    else:
        text = f"name: {name}, served: {str(crd.version(name).served).lower()}" if there else ""
    return Line("" if crd.locate is None else crd.locate(where, None), text)


def _line(crd: CustomResourceDefinition, field: str) -> Line:
    """Return the line of a field that the server names, or of what is nearest above it."""
    if field.startswith(_SHARED) and not crd.declared["spec"].get("validation"):
        field = f"spec.versions[0].schema{field.removeprefix(_SHARED)}"
    steps, rest = places.find(crd.declared, field)
    where = "" if crd.locate is None else crd.locate(steps, None)
    if rest or not steps:
        return Line(where, "")
    value = places.at(crd.declared, steps)
    return Line(where, f"{steps[-1]}: {_shown(value)}" if isinstance(value, str | int | bool) else "")


def _shown(value: str | int) -> str:
    return str(value) or '""'
