"""
Defaults of a CustomResourceDefinition, and the status of a new one.

The result is not validated here.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject as Object
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import subschemas

_WEBHOOK_PORT: Final = 443


def apply(decoded: Object, profile: Profile) -> Object:
    """
    Return a CRD with the server's defaults, in its own API version.

    Args:
        decoded: The CRD as the server decodes it; not modified.
        profile: The Kubernetes version; fields that are newer than it are dropped.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/defaults.go and v1beta1/defaults.go.
    """
    spec = _drop_newer_fields(decoded.get("spec") or {}, profile)
    is_v1beta1 = decoded["apiVersion"] == declared.V1BETA1
    spec["names"] = _names(spec.get("names") or {})
    if is_v1beta1:
        _default_v1beta1(spec)
    spec["conversion"] = _conversion(spec.get("conversion"), is_v1beta1=is_v1beta1)
    return {**decoded, "spec": spec, "status": with_stored_versions(decoded.get("status") or {}, spec)}


def with_stored_versions(status: Object, spec: Object) -> Object:
    """Return the status of a CRD with the storage version of its spec as the stored one, unless it has stored versions."""
    if status.get("storedVersions") or (storage := storage_version(spec)) is None:
        return dict(status)
    return {**status, "storedVersions": [storage]}


def created_status(defaulted: Object) -> Object:
    """
    Return the status of a defaulted CRD for the validation of its creation.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, PrepareForCreate.
    """
    storage = storage_version(defaulted["spec"])
    return {} if storage is None else {"storedVersions": [storage]}


def updated_status(defaulted: Object, old: Object) -> Object:
    """
    Return the status of a defaulted CRD for the validation of its update: that of *old* plus the storage version.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, PrepareForUpdate.
    """
    status = dict(old.get("status") or {})
    stored = list(status.get("storedVersions") or [])
    storage = storage_version(defaulted["spec"])
    if storage is not None and storage not in stored:
        stored.append(storage)
    return {**status, "storedVersions": stored}


def storage_version(spec: Object) -> str | None:
    """Return the name of the first storage version; None without one."""
    for version in spec.get("versions") or ():
        if version.get("storage"):
            name: str = version.get("name", "")
            return name
    return None


def _names(declared_names: Object) -> Object:
    defaulted = dict(declared_names)
    kind = declared_names.get("kind", "")
    if not declared_names.get("singular"):
        defaulted["singular"] = names.lower(kind)
    if not declared_names.get("listKind") and kind:
        defaulted["listKind"] = f"{kind}List"
    return defaulted


def _default_v1beta1(spec: dict[str, JSONValue]) -> None:
    """Set the defaults that only v1beta1 has; *spec* is the caller's own copy."""
    spec["scope"] = spec.get("scope") or "Namespaced"
    if not spec.get("versions") and spec.get("version"):
        spec["versions"] = [{"name": spec["version"], "served": True, "storage": True}]
    if not spec.get("version") and spec.get("versions"):
        spec["version"] = spec["versions"][0].get("name", "")
    spec.setdefault("preserveUnknownFields", True)


def _conversion(declared_conversion: Object | None, *, is_v1beta1: bool) -> Object:
    conversion: dict[str, JSONValue] = (
        {"strategy": "None"} if declared_conversion is None else dict(declared_conversion)
    )
    if not is_v1beta1:
        webhook = conversion.get("webhook")
        return {**conversion, "webhook": _with_port(webhook, "clientConfig")} if webhook is not None else conversion
    if conversion.get("strategy") == "Webhook" and not conversion.get("conversionReviewVersions"):
        conversion["conversionReviewVersions"] = ["v1beta1"]
    return _with_port(conversion, "webhookClientConfig")


def _with_port(holder: Object, client_config: str) -> Object:
    config = holder.get(client_config)
    if config is None or config.get("service") is None:
        return holder
    service = {"port": _WEBHOOK_PORT, **config["service"]}
    return {**holder, client_config: {**config, "service": service}}


def _drop_newer_fields(spec: Object, profile: Profile) -> dict[str, JSONValue]:
    """Return a copy of *spec* without the fields that are newer than *profile*."""
    older_fields = _without_newer_version_fields(spec, "validation", profile)
    if "versions" in older_fields:
        older_fields["versions"] = [
            _without_newer_version_fields(version, "schema", profile) for version in older_fields["versions"]
        ]
    return older_fields


def _without_newer_version_fields(holder: Object, field: str, profile: Profile) -> dict[str, JSONValue]:
    older_fields = dict(holder)
    if not profile.selectable_fields:
        older_fields.pop("selectableFields", None)
    validation = older_fields.get(field)
    if not profile.validation_rules and validation is not None and validation.get("openAPIV3Schema") is not None:
        schema = subschemas.without(validation["openAPIV3Schema"], _is_rules)
        older_fields[field] = {**validation, "openAPIV3Schema": schema}
    return older_fields


def _is_rules(keyword: str, _value: JSONValue) -> bool:
    return keyword == "x-kubernetes-validations"
