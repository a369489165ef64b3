"""Field managers of CRD versions, with types from the published schemas of all versions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.golang.release import ApplyRelease
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.openapi.commontypes import Schema, Types
from pytest_crd.engine.openapi.schemas import Publisher
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.conversion import VersionConverter
from pytest_crd.engine.registry.fieldmanager import fieldsets, scalefields
from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.openapitypes import OpenAPITypes
from pytest_crd.engine.registry.fieldmanager.pathelements import field
from pytest_crd.engine.registry.fieldmanager.versionedobjects import Versions


class PublishedVersion(NamedTuple):
    """
    A version of a CRD, for field managers.

    Attributes:
        name: `v1`.
        schema: Returns its decoded schema; None if it has none or the schema is not structural.
        has_status: Whether its status is a subresource.
    """

    name: str
    schema: Callable[[], Schema | None]
    has_status: bool


def of_version(
    crd: CrdSpec,
    served: str,
    versions: Sequence[PublishedVersion],
    profile: Profile,
    converter: VersionConverter | None = None,
) -> FieldManager:
    """
    Return the field manager of a version.

    Args:
        crd: The CRD.
        served: The version that requests are sent to.
        versions: All versions of the CRD.
        profile: The Kubernetes version.
        converter: The conversion webhook; None if the CRD has none, or if it cannot be called.

    Reference:
        apiextensions-apiserver apiserver/customresource_handler.go, buildOpenAPIModelsForApply and scopeWithFieldManager.
    """
    kinds = {
        declared.api_version(crd.group, version.name): functools.partial(
            _kind, version.schema, crd.preserve_unknown_fields, profile
        )
        for version in versions
    }
    type_meta = {"apiVersion": declared.api_version(crd.group, served), "kind": crd.kind}
    ignored = _ignored(crd, served, versions, profile.apply)
    return FieldManager(Versions(crd.group, kinds, converter=converter), type_meta, ignored, profile.apply)


@functools.cache
def of_scale(profile: Profile) -> FieldManager:
    """Return the field manager of `/scale`, the same for all CRDs."""
    types = _types(profile)
    kinds = {
        scalefields.API_VERSION: lambda: OpenAPITypes(types.schemas, profile.apply).merge_type(
            types.schemas[commontypes.SCALE]
        )
    }
    type_meta = {"apiVersion": scalefields.API_VERSION, "kind": "Scale"}
    return FieldManager(
        Versions(scalefields.API_VERSION.partition("/")[0], kinds), type_meta, {"scale": {}}, profile.apply
    )


def _ignored(
    crd: CrdSpec, served: str, versions: Sequence[PublishedVersion], release: ApplyRelease
) -> dict[str, Mapping[str, FieldSet]]:
    """
    Return the fields that requests ignore, by subresource and apiVersion.

    Reference:
        apiextensions-apiserver registry/customresource, GetResetFields of the strategies.
    """
    status = fieldsets.from_paths([(field("status"),)])
    other_fields = ("metadata", "spec") if release.keeps_metadata_from_status else ("spec",)
    not_status = fieldsets.from_paths([(field(name),) for name in other_fields])
    with_status = [version.name for version in versions if version.has_status]
    return {
        "": {declared.api_version(crd.group, name): status for name in with_status if name == served},
        "status": {
            declared.api_version(crd.group, name): not_status
            for name in with_status
            if name == served or release.knows_status_of_all_versions
        },
    }


def _kind(schema: Callable[[], Schema | None], preserves: bool, profile: Profile) -> MergeType:  # noqa: FBT001 - for functools.partial
    types = _types(profile)
    published = Publisher(types, profile).resource(schema(), preserves=preserves)
    return OpenAPITypes(types.schemas, profile.apply, preserves=preserves).merge_type(published)


def _types(profile: Profile) -> Types:
    """Return the types of Kubernetes; schemas refer to them as in OpenAPI v3, even if a version does not publish v3."""
    return commontypes.load(profile, 3 if profile.publishes_v3 else 2, scales=True)._replace(openapi=3)
