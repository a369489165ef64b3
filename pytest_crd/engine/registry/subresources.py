"""
Subresources of a custom resource: the fields that `status` protects, and the fields that `scale` reads.

The endpoints and the `generation` belong to the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple

# The apiVersion and kind of Scales.
SCALE_TYPE_META: Final[Mapping[str, JSONValue]] = {"kind": "Scale", "apiVersion": "autoscaling/v1"}

_MAX_REPLICAS: Final = 2**31 - 1
_OBJECT: Final = "map[string]interface{}"


class Scale(NamedTuple):
    """
    The scale of an object.

    Attributes:
        replicas: The desired replicas.
        status_replicas: The actual replicas.
        selector: The label selector of the scaled Pods; may be empty.
    """

    replicas: int
    status_replicas: int
    selector: str


class Subresources(NamedTuple):
    """
    The subresources of one version.

    Attributes:
        has_status: Whether only `/status` writes the status.
        scale: `specReplicasPath`, `statusReplicasPath` and optionally `labelSelectorPath`; None without the subresource.
        kept_by_status: The metadata fields that an update of the status leaves unchanged; None for all, as for custom resources.
        others: Further subresources of a built-in kind.
        find_selector: Returns the label selector in the Scale of a built-in object; None to read it at its path.
    """

    has_status: bool = False
    scale: Mapping[str, str] | None = None
    kept_by_status: frozenset[str] | None = None
    others: frozenset[str] = frozenset()
    find_selector: Callable[[Resource], str] | None = None

    def has(self, subresource: str) -> bool:
        """Return whether a *subresource* exists."""
        if subresource == "scale":
            return self.scale is not None
        return self.has_status if subresource == "status" else subresource in self.others

    def prepare_create(self, resource: Resource) -> dict[str, JSONValue]:
        """
        Return *resource* for a create, without its status if that is a subresource.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go, PrepareForCreate.
        """
        return {key: value for key, value in resource.items() if key != "status" or not self.has_status}

    def prepare_update(self, resource: Resource, old: Resource) -> dict[str, JSONValue]:
        """
        Return *resource* for an update of *old*, with the status of *old* if that is a subresource.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go, PrepareForUpdate.
        """
        return _with_status_of(resource, old) if self.has_status else dict(resource)

    def prepare_status_update(self, resource: Resource, old: Resource) -> dict[str, JSONValue]:
        """
        Return *old* with the status and managed fields of *resource*, for an update through `/status`.

        For built-in kinds it takes over most of the metadata, too.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go, PrepareForUpdate; kubernetes pkg/registry, the same.
        """
        metadata = {key: value for key, value in (old.get("metadata") or {}).items() if key != "managedFields"}
        if self.kept_by_status is not None:
            new = resource.get("metadata") or {}
            metadata = {key: value for key, value in new.items() if key not in self.kept_by_status} | {
                key: metadata[key] for key in self.kept_by_status if key in metadata
            }
        managed = (resource.get("metadata") or {}).get("managedFields")
        if managed is not None:
            metadata["managedFields"] = managed
        return _with_status_of({**old, "metadata": metadata}, resource)

    def validate_scale(self, resource: Resource) -> list[FieldError]:
        """
        Validate the fields of the scale subresource, on create and update.

        Args:
            resource: The custom resource; absent fields are valid.

        Errors:
            Invalid: A number of replicas that is no int64, negative, or beyond int32; a label selector that is no string.

        Reference:
            apiextensions-apiserver registry/customresource/validator.go, ValidateScaleSpec.
        """
        if self.scale is None:
            return []
        return [*_replicas_errors(resource, self.scale["specReplicasPath"]), *self.validate_status_scale(resource)]

    def validate_status_scale(self, resource: Resource) -> list[FieldError]:
        """
        Validate the status fields of the scale subresource, on update through `/status`.

        Args:
            resource: The whole custom resource.

        Errors:
            Invalid: As in `validate_scale`, except for the replicas in the spec.

        Reference:
            apiextensions-apiserver registry/customresource/validator.go, ValidateScaleStatus.
        """
        if self.scale is None:
            return []
        errors = _replicas_errors(resource, self.scale["statusReplicasPath"])
        selector_path = self.scale.get("labelSelectorPath")
        if selector_path is not None:
            try:
                _nested(resource, selector_path, str)
            except _AccessError as error:
                errors.append(fielderror.invalid(FieldPath((selector_path,)), "", str(error)))
        return errors

    def read_scale(self, stored: Resource) -> Scale | Refusal:
        """
        Return the scale of a stored object for a GET of `/scale`, or a refusal: 404 without the subresource.

        Args:
            stored: The object, which is valid.

        Reference:
            apiextensions-apiserver registry/customresource/etcd.go, scaleFromCustomResource and ScaleREST.Get.
        """
        if self.scale is None:
            return refusal.NOT_SERVED
        scale_or_refusal = self.find_scale(stored)
        if isinstance(scale_or_refusal, Refusal):
            return scale_or_refusal
        scale, has_replicas = scale_or_refusal
        if not has_replicas:
            message = f'the spec replicas field "{self.scale["specReplicasPath"]}" does not exist'
            return refusal.internal_error(message)
        return scale

    def find_scale(self, resource: Resource) -> tuple[Scale, bool] | Refusal:
        """
        Return the scale of an object and whether its desired replicas are set, or a refusal if a value has the wrong type.

        Reference:
            apiextensions-apiserver registry/customresource/etcd.go, scaleFromCustomResource.
        """
        paths = self.scale or {}
        selector_path = paths.get("labelSelectorPath")
        try:
            replicas = _nested(resource, paths["specReplicasPath"], int)
            status_replicas = _nested(resource, paths["statusReplicasPath"], int)
            selector = _nested(resource, selector_path, str) if selector_path else None
        except _AccessError as error:
            return Refusal(500, "", str(error))
        if self.find_selector is not None:
            selector = self.find_selector(resource)
        return Scale(replicas or 0, status_replicas or 0, selector or ""), replicas is not None


def from_declared(declared: Mapping[str, JSONValue]) -> Subresources:
    """Return the *declared* subresources of a version, `{"status": {}, "scale": {…}}`."""
    return Subresources(has_status=declared.get("status") is not None, scale=declared.get("scale"))


def _with_status_of(resource: Resource, source: Resource) -> dict[str, JSONValue]:
    without = {key: value for key, value in resource.items() if key != "status"}
    return {**without, "status": source["status"]} if "status" in source else without


def _replicas_errors(resource: Resource, path: str) -> list[FieldError]:
    try:
        replicas = _nested(resource, path, int) or 0
    except _AccessError as error:
        return [fielderror.invalid(FieldPath((path,)), 0, str(error))]
    if replicas < 0:
        detail = "should be a non-negative integer"
    elif replicas > _MAX_REPLICAS:
        detail = f"should be less than or equal to {_MAX_REPLICAS}"
    else:
        return []
    return [fielderror.invalid(FieldPath((path,)), replicas, detail)]


class _AccessError(Exception):
    """A value of the wrong type at a path, or at one of its parents, with the server's message."""


def _nested(resource: Resource, path: str, kind: type) -> JSONValue:
    """
    Return the value at *path*, or None if it is absent.

    Raises:
        _AccessError: The value is not of *kind*, or a parent is not an object.

    Reference:
        apimachinery unstructured/helpers.go, NestedInt64 and NestedString.
    """
    names = path.removeprefix(".").split(".")
    value: JSONValue = resource
    for depth, name in enumerate(names, 1):
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise _AccessError(_wrong_type(names[:depth], value, _OBJECT))
        if name not in value:
            return None
        value = value[name]
    if type(value) is not kind:
        raise _AccessError(_wrong_type(names, value, printing.GO_TYPES[kind]))
    return value


def _wrong_type(names: list[str], value: JSONValue, expected: str) -> str:
    return f".{'.'.join(names)} accessor error: {printing.json_value(value)} is of the type {printing.GO_TYPES[type(value)]}, expected {expected}"
