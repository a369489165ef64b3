"""
Internal form of a CustomResourceDefinition, to which the server converts both API versions before validation.

Declarations that all versions share move up to the spec: errors name `spec.validation` even if the manifest has none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds import declared as crdspec
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.gotypes import GoType
from pytest_crd.engine.jsonvalue import JSONObject as Object
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import (
        InternalNames,
        InternalSubresources,
        InternalVersion,
        ObjectMeta,
        Schema,
        Spec,
        Status,
        Validation,
    )
    from pytest_crd.engine.golang import structs
else:
    structs = lazyimport.module("pytest_crd.engine.golang.structs")


# The fields that versions may not all repeat with equal values.
Exclusive: TypeAlias = Literal["schema", "subresources", "additionalPrinterColumns"]

SPEC: Final = FieldPath(("spec",))
# Fields of a version, and the names of the shared fields in the spec.
_SHARED: Final[Mapping[str, str]] = {
    "subresources": "subresources",
    "schema": "validation",
    "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}


class InternalCrd(NamedTuple):
    """
    A CRD in its internal form.

    Attributes:
        metadata: Its metadata.
        spec: `validation`, `subresources`, `additionalPrinterColumns` and `selectableFields` for all versions or in
            each; `conversion` with `webhookClientConfig` and `conversionReviewVersions`; the names of fields are those
            of v1.
        status: Its status.
        is_v1beta1: Whether the manifest is of v1beta1.
        schemas: The schemas in the spec: the shared one, then those of the versions.
    """

    metadata: ObjectMeta
    spec: Spec
    status: Status
    is_v1beta1: bool
    schemas: tuple[OpenAPISchema, ...] = ()

    @property
    def names(self) -> InternalNames:
        """`spec.names`."""
        return self.spec.get("names") or {}

    @property
    def versions(self) -> list[InternalVersion]:
        """`spec.versions`."""
        return self.spec.get("versions") or []

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether unknown fields are kept even without a keyword in the schema."""
        return bool(self.spec.get("preserveUnknownFields"))

    @property
    def nodes(self) -> Iterator[Schema]:
        """All schemas and their nested schemas."""
        return itertools.chain.from_iterable(schema.nodes for schema in self.schemas)

    def prepared(self, metadata: ObjectMeta, status: Status) -> InternalCrd:
        """Return the same CRD with other metadata and another status."""
        return InternalCrd(metadata, self.spec, status, self.is_v1beta1, self.schemas)

    def schema_in(self, validation: Validation | None) -> OpenAPISchema | None:
        """Return the schema in `spec.validation`, or in the `schema` of a version; None without a schema."""
        value = None if validation is None else validation.get("openAPIV3Schema")
        return next((schema for schema in self.schemas if schema.value is value), None)


def from_defaulted(crd: Object, profile: Profile) -> InternalCrd:
    """
    Return a CRD in its internal form.

    Args:
        crd: The decoded and defaulted CRD.
        profile: The Kubernetes version.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/conversion.go; v1beta1 equals the internal form except for one
        name.
    """
    is_v1beta1 = crd["apiVersion"] == crdspec.V1BETA1
    spec = dict(crd.get("spec") or {})
    if is_v1beta1:
        spec = _with_v1_names(spec)
    else:
        spec["conversion"] = _conversion(spec.get("conversion"))
        if spec.get("versions"):
            spec = _shared_above(spec, profile)
    typed = cast("Spec", spec)  # decoding has checked the types
    schemas = tuple(OpenAPISchema(schema, profile) for schema in _schemas(typed))
    return InternalCrd(crd.get("metadata") or {}, typed, crd.get("status") or {}, is_v1beta1, schemas)


def _schemas(spec: Spec) -> Iterator[Schema]:
    versions = spec.get("versions") or ()
    for holder in (spec.get("validation"), *(version.get("schema") for version in versions)):
        if holder and holder.get("openAPIV3Schema") is not None:
            yield holder["openAPIV3Schema"]


def declared(crd: InternalCrd) -> CrdSpec:
    """
    Return the declarations of a CRD; shared fields are copied into each version, as the server converts them back.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/conversion.go, from the internal type.
    """
    plural, group = crd.names.get("plural", ""), crd.spec.get("group", "")
    return CrdSpec(
        name=crd.metadata.get("name") or f"{plural}.{group}",
        group=group,
        kind=crd.names.get("kind", ""),
        list_kind=crd.names.get("listKind", ""),
        plural=plural,
        scope=crd.spec.get("scope", ""),
        preserve_unknown_fields=crd.preserves_unknown_fields,
        converts_by_webhook=(crd.spec.get("conversion") or {}).get("strategy") == "Webhook",
        versions=tuple(_version_spec(crd, version, index) for index, version in enumerate(crd.versions)),
    )


def is_shared(crd: InternalCrd, field: Exclusive, profile: Profile) -> bool:
    """Return whether all versions of *crd*, which is of v1beta1, have the same value in *field*, and have one."""
    values = [version.get(field) for version in crd.versions]
    kind = internaltypes.version(profile).fields[field]
    is_set = all(value is not None if field != "additionalPrinterColumns" else value for value in values)
    return bool(values) and is_set and _all_equal(values, kind)


def has_status(subresources: InternalSubresources | None) -> bool:
    """Return whether *subresources* enable the status subresource."""
    return subresources is not None and subresources.get("status") is not None


def _version_spec(crd: InternalCrd, version: InternalVersion, index: int) -> VersionSpec:
    above, subresources = crd.spec.get("validation"), crd.spec.get("subresources")
    selectable = crd.spec.get("selectableFields") or version.get("selectableFields") or ()
    own = SPEC.child("versions").index(index).child("schema", "openAPIV3Schema")
    return VersionSpec(
        name=version.get("name", ""),
        served=version.get("served", False),
        storage=version.get("storage", False),
        schema=crd.schema_in(version.get("schema") if above is None else above),
        schema_path=own if above is None else SPEC.child("validation", "openAPIV3Schema"),
        condition_path=own,
        subresources=(version.get("subresources") if subresources is None else subresources) or {},
        deprecated=version.get("deprecated", False),
        deprecation_warning=version.get("deprecationWarning"),
        selectable_fields=tuple(field.get("jsonPath", "") for field in selectable),
    )


def _all_equal(values: list[JSONValue], kind: GoType) -> bool:
    first, *others = values
    # Comparing JSON first is faster, and is usually enough.
    return not others or all(jsonvalue.equal(value, first) or structs.equal(value, first, kind) for value in others)


def _shared_above(spec: dict[str, JSONValue], profile: Profile) -> dict[str, JSONValue]:
    versions = spec["versions"]
    is_single = len(versions) == 1
    kinds = internaltypes.version(profile).fields
    shared = {
        field: above
        for field, above in _SHARED.items()
        if field in kinds and (is_single or _all_equal([version.get(field) for version in versions], kinds[field]))
    }
    spec["version"] = versions[0].get("name", "")
    for field, above in shared.items():
        spec[above] = versions[0].get(field)
    spec["versions"] = [{key: value for key, value in version.items() if key not in shared} for version in versions]
    return spec


def _conversion(conversion: Object | None) -> Object | None:
    if conversion is None:
        return None
    webhook = conversion.get("webhook") or {}
    return {
        "strategy": conversion.get("strategy", ""),
        "webhookClientConfig": webhook.get("clientConfig"),
        "conversionReviewVersions": webhook.get("conversionReviewVersions"),
    }


def _with_v1_names(spec: dict[str, JSONValue]) -> dict[str, JSONValue]:
    if spec.get("versions"):
        spec["versions"] = [_with_v1_columns(version) for version in spec["versions"]]
    return dict(_with_v1_columns(spec))


def _with_v1_columns(holder: Object) -> Object:
    columns = holder.get("additionalPrinterColumns")
    if columns is None:
        return holder
    renamed = [{"jsonPath" if key == "JSONPath" else key: value for key, value in item.items()} for item in columns]
    return {**holder, "additionalPrinterColumns": renamed}
