"""
What cases are about: a CRD version, and what has to be found out about it only once.

It knows which objects can be stored under a CRD, and which answers the engine does not have yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine import CustomResourceDefinition, Response, UnsupportedConstructError, Version
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.structural import NestedValueValidation, Structural, ValueValidation

# Set or checked by the server while it stores an object, so that what is stored has them and what is sent must not.
_OF_STORED_OBJECTS: Final = frozenset(
    {
        *("uid", "generation", "creationTimestamp", "resourceVersion", "managedFields"),
        *("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"),
    }
)
_NAME: Final = {"name": "example"}
_Schema: TypeAlias = "Structural | NestedValueValidation"


class Subject:
    """
    A CRD version that cases are about.

    Attributes:
        version: The version.
    """

    def __init__(self, version: Version) -> None:
        """Take the version."""
        self.version = version

    @cached_property
    def context(self) -> Mapping[str, str]:
        """What a report says of it: CRD, version, Kubernetes version, source."""
        crd = self.version.crd
        return {
            "crd": crd.name,
            "version": self.version.name,
            "kubernetes": crd.kubernetes_version,
            "source": crd.source,
        }

    @cached_property
    def rule(self) -> str:
        """The first CEL rule of the schema, and where it stands; empty where it has none."""
        try:
            schema = self.version.schema
        except UnsupportedConstructError:
            return ""  # nothing is served, and the answer says so
        return next(_rules(schema, ""), "") if schema else ""

    def store(self, resource: Mapping[str, JSONValue]) -> Response:
        """
        Return what the server answers where *resource*, status and all, is to be stored under the CRD for the first time.

        No request is like that: to a server, the status comes later. So this is a create under a CRD that has no status
        subresource; whatever a create checks, the value of the status included, is checked as it would be in the end.

        Args:
            resource: The object as it is stored, in any version of the CRD; metadata may be left out.
        """
        storage = self._without_status_subresource
        crd = storage.crd
        known = {f"{crd.group}/{version.name}" for version in crd.versions}
        stated = resource.get("apiVersion")
        metadata = resource.get("metadata")
        if metadata is None:
            metadata = _NAME
        elif isinstance(metadata, dict):
            metadata = {**_NAME, **{key: value for key, value in metadata.items() if key not in _OF_STORED_OBJECTS}}
        sent = {"kind": crd.kind, **resource, "metadata": metadata}
        sent["apiVersion"] = f"{crd.group}/{storage.name}" if stated is None or stated in known else stated
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        where = namespace if isinstance(namespace, str) and namespace else "default"
        return storage.create(sent, namespace=where, field_validation="Strict")

    @cached_property
    def _without_status_subresource(self) -> Version:
        crd = self.version.crd
        manifest = manifest_of(crd)
        spec = _without_status(manifest["spec"])
        spec["versions"] = [_without_status(version) for version in spec.get("versions") or ()]
        if not spec["versions"]:
            del spec["versions"]  # v1beta1 with `version`
        altered = CustomResourceDefinition.from_value(
            {**manifest, "spec": spec}, kubernetes_version=crd.kubernetes_version, source=crd.source
        )
        return next((version for version in altered.versions if version.storage), altered.version(self.version.name))


def manifest_of(crd: CustomResourceDefinition) -> Mapping[str, JSONValue]:
    """Return the manifest of *crd*, as the server decodes it."""
    return crd._manifest.value  # noqa: SLF001 - there is no public name for it


def _without_status(declared: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    subresources = {key: value for key, value in (declared.get("subresources") or {}).items() if key != "status"}
    return {**declared, "subresources": subresources} if "subresources" in declared else dict(declared)


def _rules(schema: _Schema, path: str) -> Iterator[str]:
    for rule in schema.x_validations or ():
        yield f"{rule['rule']!r} at {path or 'the root'}"
    for name, child in (schema.properties or {}).items():
        yield from _rules(child, f"{path}.{name}" if path else name)
    if isinstance(schema.additional_properties, Structural | NestedValueValidation):
        yield from _rules(schema.additional_properties, f"{path}[*]")
    if schema.items:
        yield from _rules(schema.items, f"{path}[*]")
    for junctor in _junctors(schema.validation):
        yield from _rules(junctor, path)


def _junctors(validation: ValueValidation) -> tuple[NestedValueValidation, ...]:
    negated = (validation.not_,) if validation.not_ else ()
    return (*validation.all_of, *validation.any_of, *validation.one_of, *negated)
