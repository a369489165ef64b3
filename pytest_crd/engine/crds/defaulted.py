"""
What the server fills in of a CustomResourceDefinition, and the status that it gives to a new one.

Whether what then stands there is valid is decided elsewhere.
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
    Return a CRD with the server's defaults, in the API version in which it came.

    Args:
        decoded: The CRD as the server decodes it; not modified.
        profile: The Kubernetes version; fields that it does not know yet fall away.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/defaults.go and v1beta1/defaults.go.
    """
    spec = _known(decoded.get("spec") or {}, profile)
    is_v1beta1 = decoded["apiVersion"] == declared.V1BETA1
    spec["names"] = _names(spec.get("names") or {})
    if is_v1beta1:
        _default_v1beta1(spec)
    spec["conversion"] = _conversion(spec.get("conversion"), is_v1beta1=is_v1beta1)
    status = dict(decoded.get("status") or {})
    if not status.get("storedVersions") and (storage := storage_version(spec)) is not None:
        status["storedVersions"] = [storage]
    return {**decoded, "spec": spec, "status": status}


def created_status(defaulted: Object) -> Object:
    """
    Return the status of a defaulted CRD when the server validates its creation.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, PrepareForCreate.
    """
    storage = storage_version(defaulted["spec"])
    return {} if storage is None else {"storedVersions": [storage]}


def updated_status(defaulted: Object, old: Object) -> Object:
    """
    Return the status of a defaulted CRD when the server validates its update: that of the *old* one, with its storage version.

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
    """Return the name of the first version that is marked as storage version; None where none is."""
    for version in spec.get("versions") or ():
        if version.get("storage"):
            name: str = version.get("name", "")
            return name
    return None


def _names(given: Object) -> Object:
    defaulted = dict(given)
    kind = given.get("kind", "")
    if not given.get("singular"):
        defaulted["singular"] = names.lower(kind)
    if not given.get("listKind") and kind:
        defaulted["listKind"] = f"{kind}List"
    return defaulted


def _default_v1beta1(spec: dict[str, JSONValue]) -> None:
    """Fill in what only v1beta1 leaves open; *spec* is the caller's own copy."""
    spec["scope"] = spec.get("scope") or "Namespaced"
    if not spec.get("versions") and spec.get("version"):
        spec["versions"] = [{"name": spec["version"], "served": True, "storage": True}]
    if not spec.get("version") and spec.get("versions"):
        spec["version"] = spec["versions"][0].get("name", "")
    spec.setdefault("preserveUnknownFields", True)


def _conversion(given: Object | None, *, is_v1beta1: bool) -> Object:
    conversion: dict[str, JSONValue] = {"strategy": "None"} if given is None else dict(given)
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


def _known(spec: Object, profile: Profile) -> dict[str, JSONValue]:
    """Return a copy of *spec* without what the server of *profile* does not know yet, and so does not decode."""
    known = _known_of_version(spec, "validation", profile)
    if "versions" in known:
        known["versions"] = [_known_of_version(version, "schema", profile) for version in known["versions"]]
    return known


def _known_of_version(holder: Object, field: str, profile: Profile) -> dict[str, JSONValue]:
    known = dict(holder)
    if not profile.selectable_fields:
        known.pop("selectableFields", None)
    validation = known.get(field)
    if not profile.validation_rules and validation is not None and validation.get("openAPIV3Schema") is not None:
        schema = subschemas.without(validation["openAPIV3Schema"], _is_rules)
        known[field] = {**validation, "openAPIV3Schema": schema}
    return known


def _is_rules(keyword: str, _value: JSONValue) -> bool:
    return keyword == "x-kubernetes-validations"
