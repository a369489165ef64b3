"""
What the server does with a request for a CustomResourceDefinition: create and update.

The order of the steps is written here; what is wrong with a CRD is found in `crdvalidation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.crds import declared, defaulted, encoded, storeddefaults
from pytest_crd.engine.crdvalidation import crd as crdvalidation
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.errors.response import Changes, Response
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decoding import Decoded
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata
from pytest_crd.engine.metadata.requestmetadata import Prepared, Target
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import nodes

_GROUP: Final = "apiextensions.k8s.io"
_PLURAL: Final = "customresourcedefinitions"


def create(manifest: Decoded, profile: Profile, field_validation: str = "Warn") -> Response:
    """
    Return the answer to a POST of a CRD.

    Args:
        manifest: The CRD, and its unknown fields.
        profile: Whose behaviour and words.
        field_validation: What unknown fields do: `Strict`, `Warn` or `Ignore`.

    Errors:
        Those of `crdvalidation.create`.

    Reference:
        apiserver registry/rest/create.go; apiextensions-apiserver registry/customresourcedefinition/strategy.go.
    """
    if not _is_served(manifest, profile):
        return response.refused(refusal.NOT_SERVED, subject={})
    if refused := refusal.too_large(manifest.value) or _refuse_unknown(manifest, profile, field_validation):
        return response.refused(refused, subject={}, changes=Changes(manifest.unknown))
    target = Target(_GROUP, _PLURAL, None)
    prepared = requestmetadata.prepare_create(manifest.value.get("metadata") or {}, target)
    crd = _with_metadata(defaulted.apply(manifest.value, profile), prepared)
    errors = crdvalidation.create(crd, profile)
    before = _warnings(manifest, prepared, profile, field_validation)
    if errors:
        return _invalid(crd, errors, before, manifest)
    warnings = (*before, *crdvalidation.warnings(crd, profile))
    return _accepted(response.CREATED, defaulted.created(crd), warnings, manifest, profile)


def update(manifest: Decoded, old: Decoded, profile: Profile, field_validation: str = "Warn") -> Response:
    """
    Return the answer to a PUT of a CRD.

    Args:
        manifest: The new CRD; without a resourceVersion it is taken for written over the stored one.
        old: The stored one; its name is that of the URL.
        profile: Whose behaviour and words.
        field_validation: What unknown fields do: `Strict`, `Warn` or `Ignore`.

    Errors:
        Those of `crdvalidation.update`.

    Reference:
        apiserver registry/rest/update.go; apiextensions-apiserver registry/customresourcedefinition/strategy.go.
    """
    if not _is_served(manifest, profile):
        return response.refused(refusal.NOT_SERVED, subject={})
    if refused := refusal.too_large(manifest.value) or _refuse_unknown(manifest, profile, field_validation):
        return response.refused(refused, subject={}, changes=Changes(manifest.unknown))
    old_metadata = old.value.get("metadata") or {}
    target = Target(_GROUP, _PLURAL, None, old_metadata.get("name", ""))
    metadata = {"resourceVersion": "1", **(manifest.value.get("metadata") or {})}
    if refused := requestmetadata.refuse_update(metadata, target, profile):
        subject = {"name": target.name, "group": _GROUP, "kind": _PLURAL}
        warnings = (
            *crdvalidation.deprecations(manifest.value, profile),
            *_unknown(manifest, profile, field_validation),
        )
        return response.refused(refused, subject=subject, warnings=warnings, changes=Changes(manifest.unknown))
    prepared = requestmetadata.prepare_update(metadata, old_metadata, target)
    crd = _with_metadata(defaulted.apply(manifest.value, profile), prepared)
    stored = defaulted.apply(old.value, profile)
    errors = crdvalidation.update(crd, stored, profile)
    before = _warnings(manifest, prepared, profile, field_validation)
    if errors:
        return _invalid(crd, errors, before, manifest)
    warnings = (*before, *crdvalidation.warnings(crd, profile, stored))
    return _accepted(response.OK, defaulted.updated(crd, stored), warnings, manifest, profile)


def _refuse_unknown(manifest: Decoded, profile: Profile, field_validation: str) -> Refusal | None:
    listed = ", ".join(_unknown(manifest, profile, field_validation))
    if field_validation != "Strict" or not listed:
        return None
    version = printing.quote(manifest.value["apiVersion"].rpartition("/")[2])
    cannot = f"{declared.KIND} in version {version} cannot be handled as a {declared.KIND}"
    return refusal.bad_request(f"{cannot}: strict decoding error: {listed}")


def _is_served(manifest: Decoded, profile: Profile) -> bool:
    return profile.serves_v1beta1 or manifest.value["apiVersion"] != declared.V1BETA1


def _with_metadata(crd: Mapping[str, JSONValue], prepared: Prepared) -> Mapping[str, JSONValue]:
    return {**crd, "metadata": prepared.metadata}


def _accepted(
    code: int, crd: Mapping[str, JSONValue], warnings: tuple[str, ...], manifest: Decoded, profile: Profile
) -> Response:
    stored = encoded.encode(_as_stored(crd, profile))
    return Response(code, stored=stored, warnings=response.sent(warnings), changes=Changes(manifest.unknown))


def _as_stored(crd: Mapping[str, JSONValue], profile: Profile) -> Mapping[str, JSONValue]:
    """Return an accepted CRD with its schemas as the server stores them."""
    spec = {
        **crd["spec"],
        "versions": [_stored_in(version, "schema", profile) for version in crd["spec"].get("versions") or ()],
    }
    return {**crd, "spec": _stored_in(spec, "validation", profile)}


def _stored_in(holder: Mapping[str, JSONValue], field: str, profile: Profile) -> Mapping[str, JSONValue]:
    schema = (holder.get(field) or {}).get("openAPIV3Schema")
    if schema is None:
        return holder
    stored = schema
    if nodes.has_defaults(schema):
        stored = storeddefaults.coerce(schema, profile)
    if nodes.has(schema, lambda node: node.get("items") == []):
        # Go writes an empty list of schemas as the schema that is not there, a null.
        stored = nodes.without(stored, lambda keyword, value: keyword == "items" and value == [])
    return holder if stored is schema else {**holder, field: {**holder[field], "openAPIV3Schema": stored}}


def _unknown(manifest: Decoded, profile: Profile, field_validation: str) -> list[str]:
    """Return what is said about unknown fields."""
    if field_validation == "Ignore" or not profile.field_validation:
        return []
    return [f"unknown field {printing.quote(path)}" for path in manifest.unknown]


def _warnings(manifest: Decoded, prepared: Prepared, profile: Profile, field_validation: str) -> tuple[str, ...]:
    """Return the warnings that are given whether the CRD is accepted or not."""
    deprecations = crdvalidation.deprecations(manifest.value, profile)
    return (*deprecations, *_unknown(manifest, profile, field_validation), *prepared.warnings)


def _invalid(
    crd: Mapping[str, JSONValue], errors: list[FieldError], warnings: tuple[str, ...], manifest: Decoded
) -> Response:
    name = crd["metadata"].get("name", "")
    changes = Changes(manifest.unknown)
    return response.invalid(_GROUP, declared.KIND, name, errors, warnings=warnings, changes=changes)
