"""The server's answers to the write of the new CRD over the old one, and to requests for removed versions and subresources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, FieldError
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.synthesis import objectplaces
from pytest_crd.upgrades.upgradefindings import Finding, Kind, Line


def find_write_errors(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Finding]:
    """
    Yield the errors for which the server refuses the new CRD as an update of the old one; the old storage versions are in its status.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
    """
    for error in new.update_from(old).errors:
        yield Finding(Kind.REFUSED, error.field or ".", f"the CRD: {error}", lines=(_lines(error, old, new),))


def describe_refusal(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Finding:
    """Return the finding for a CRD that a server refuses even without the old one; its errors are one finding, and not allowable."""
    errors = new.first_response.errors
    words = f"no server takes the CRD: {'; '.join(map(str, errors))}"
    lines = tuple(dict.fromkeys(_lines(error, old, new) for error in errors))
    return Finding(Kind.REFUSED, ".", words, lines=lines, is_allowable=False)


def describe_removal(old: CustomResourceDefinition) -> Finding:
    """Return the finding for a CRD that no longer exists."""
    words = "there is no such CRD any more; deleted from a cluster, it takes all of its objects with it"
    return Finding(Kind.DATA_LOSS, "metadata.name", words, lines=((_line(old, ("metadata", "name")), Line("", "")),))


def find_unserved_versions(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Finding]:
    """Yield a finding for each version that the server no longer serves."""
    new_versions = {version.name: version for version in new.versions}
    for version in old.versions:
        if version.served and not (version.name in new_versions and new_versions[version.name].served):
            is_there = version.name in new_versions
            change = "is no longer served" if is_there else "is gone"
            words = f"{version.name} {change}: {refusal.NOT_SERVED.message}"
            lines = (_version_line(old, version.name), _version_line(new, version.name))
            yield Finding(Kind.REFUSED, version.name, words, (version.name,), (lines,))


def find_removed_subresources(old: CrdVersion, new: CrdVersion) -> Iterator[Finding]:
    """Yield a finding for each subresource of a version that the server no longer serves."""
    for name, was, is_now in (
        ("status", old.has_status, new.has_status),
        ("scale", old.subresources.scale is not None, new.subresources.scale is not None),
    ):
        if was and not is_now:
            words = f"/{name} is gone: {refusal.NOT_SERVED.message}"
            lines = (line_of(old, "subresources", name, text=f"{name}: …"), line_of(new, "subresources", name))
            yield Finding(Kind.REFUSED, f"subresources.{name}", words, (old.name,), (lines,))


def is_deprecated_otherwise(old: CrdVersion, new: CrdVersion) -> bool:
    """Return True if the deprecation warning of a version differs between the CRDs."""
    before, after = _declared(old), _declared(new)
    return any(before.get(key) != after.get(key) for key in ("deprecated", "deprecationWarning"))


def line_of(version: CrdVersion, field: str, *inner: str, text: str = "") -> Line:
    """Return the line that declares *field* in a version, or for all versions of its CRD; if undeclared, the nearest line around it."""
    crd = version.crd
    index = [candidate.name for candidate in crd.versions].index(version.name)
    own = ("spec", "versions", index) if crd.declared["spec"].get("versions") else ("spec",)
    is_shared = field in crd.declared["spec"] and field not in _declared(version)
    return Line.at(crd, (*(("spec",) if is_shared else own), field, *inner), text)


def declared_of(version: CrdVersion, field: str) -> Any:
    """Return the declaration of *field* in a version or for all versions of its CRD; None if undeclared."""
    return _declared(version).get(field) or version.crd.declared["spec"].get(field)


def _declared(version: CrdVersion) -> Mapping[str, Any]:
    versions = version.crd.declared["spec"].get("versions") or ()
    own: Mapping[str, Any] = next((item for item in versions if item["name"] == version.name), {})
    return own


def _version_line(crd: CustomResourceDefinition, name: str) -> Line:
    """Return the line of the version *name*, or of the list of versions if the version is missing."""
    version = next((candidate for candidate in crd.versions if candidate.name == name), None)
    if version is None:
        return Line.at(crd, ("spec", "versions", "served"))
    return line_of(version, "served", text=f"name: {name}, served: {str(version.served).lower()}")


def _lines(error: FieldError, old: CustomResourceDefinition, new: CustomResourceDefinition) -> tuple[Line, Line]:
    """Return the lines of both CRDs that an error of the new one is about."""
    steps = () if error.path is None else error.path.steps
    return _line(old, steps), _line(new, steps)


def _line(crd: CustomResourceDefinition, steps: Steps) -> Line:
    """Return the line of the field at *steps*, or of the nearest declared parent."""
    reached_steps, rest = objectplaces.split_path(crd.declared, declared.place_in(crd.declared, steps))
    value = objectplaces.get_value(crd.declared, reached_steps)
    is_shown = reached_steps and not rest and isinstance(value, str | int | bool)
    return Line.at(crd, reached_steps, f"{reached_steps[-1]}: {_value_text(value)}" if is_shown else "")


def _value_text(value: str | int) -> str:
    return str(value) or '""'
