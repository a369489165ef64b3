"""
The Scale of an object: read from the object, decoded from a request, and written into the object.

Reference:
    apiextensions-apiserver registry/customresource/etcd.go, ScaleREST.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal, bad_request, too_large
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import decoding, gotypes, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types, requestmetadata, schemes, typemeta
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestbody, subresources
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.registry.patching.documents import SentObject
from pytest_crd.engine.registry.requestbody import Body, FieldValidation, Patched, RefusedError
from pytest_crd.engine.registry.subresources import Subresources

TYPE_META: Final = subresources.SCALE_TYPE_META
# Placeholder for unset replicas in a patched Scale: the smallest int32.
_UNSET: Final = -(2**31)
_IDENTITY: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
SCALE: Final = gotypes.Struct(
    "v1.Scale",
    {
        **metav1types.TYPE_META,
        "metadata": metav1types.OBJECT_META,
        "spec": gotypes.Struct("v1.ScaleSpec", {"replicas": gotypes.INT32}),
        "status": gotypes.Struct("v1.ScaleStatus", {"replicas": gotypes.INT32, "selector": gotypes.STRING}),
    },
)
# Other API versions with a Scale.
_OTHERS: Final = {"apps/v1beta1": "v1beta1", "apps/v1beta2": "v1beta2", "extensions/v1beta1": "v1beta1"}


_NO_STATUS: Final[Mapping[str, JSONValue]] = {"replicas": 0}


class DecodedScale(NamedTuple):
    """
    A Scale from a request, or from the result of a patch.

    Attributes:
        metadata: Its metadata.
        replicas: The desired replicas.
        problems: The messages about unknown and duplicate fields.
        status: Its status.
    """

    metadata: Mapping[str, JSONValue]
    replicas: int
    problems: tuple[str, ...] = ()
    status: Mapping[str, JSONValue] = _NO_STATUS

    @property
    def encoded(self) -> dict[str, JSONValue]:
        """The Scale as JSON; a Scale of 0 omits its replicas."""
        spec = {"replicas": self.replicas} if self.replicas else {}
        return {**TYPE_META, "metadata": self.metadata, "spec": spec, "status": self.status}


def of_resource(resource: Resource, subresources: Subresources, *, marks_unset: bool = False) -> dict[str, JSONValue]:
    """
    Return the Scale of a custom resource, its fields in the server's order.

    Args:
        resource: The custom resource.
        subresources: The subresources, with the paths of the scale.
        marks_unset: Whether unset replicas get an invalid placeholder: if the Scale will be patched, or mutated by plugins.

    Raises:
        RefusedError: A value at one of the paths has the wrong type.
    """
    scale_or_refusal = subresources.find_scale(resource)
    if isinstance(scale_or_refusal, Refusal):
        raise RefusedError(scale_or_refusal)
    scale, has_replicas = scale_or_refusal
    metadata = [(key, resource["metadata"][key]) for key in _IDENTITY if resource["metadata"].get(key)]
    replicas = scale.replicas if has_replicas or not marks_unset else _UNSET
    status = {"replicas": scale.status_replicas} | ({"selector": scale.selector} if scale.selector else {})
    return {
        **TYPE_META,
        "metadata": SentObject(metadata),
        "spec": SentObject([("replicas", replicas)] if replicas else []),
        "status": SentObject(list(status.items())),
    }


def decode(body: Body, field_validation: FieldValidation, profile: Profile) -> DecodedScale:
    """
    Return the Scale in the body of a PUT.

    Raises:
        RefusedError: The body is too large, not a Scale, or has unknown or duplicate fields under strict validation.

    Reference:
        apiserver endpoints/handlers/update.go, UpdateResource.
    """
    if refused := too_large(body.value, body.text):
        raise RefusedError(refused)
    # The server has one message for all problems of a Scale.
    undecodable = RefusedError(bad_request(schemes.unregistered_type("v1.Scale", profile)))
    if not isinstance(body.value, Mapping | None):
        raise undecodable
    sent = {key: value for key, value in (body.value or {}).items() if key not in TYPE_META or value}
    try:
        decoded = decoding.decode({**TYPE_META, **sent}, SCALE)
    except DecodeError:
        raise undecodable from None
    problems = _problems(body.duplicates, decoded.unknown, field_validation, profile)
    is_other = {key: decoded.value[key] for key in TYPE_META} != TYPE_META
    if is_other or (problems and field_validation == "Strict"):
        raise undecodable
    return _decoded(decoded.value, problems)


def decode_patched(patched: Patched, field_validation: FieldValidation, profile: Profile) -> DecodedScale:
    """
    Return the Scale in the result of a patch.

    Raises:
        RefusedError: The result is not a Scale, or has unknown or duplicate fields under strict validation.

    Reference:
        apiserver endpoints/handlers/patch.go, jsonPatcher.applyPatchToCurrentObject.
    """
    sent = documents.plain(patched.value)  # the patched Scale keeps its own order of fields
    if not isinstance(sent, Mapping):
        problem = typemeta.problem_of_patched(sent, profile, write=patched.write)
        raise RefusedError(requestbody.bad_patch(patched.write(), problem))
    value = {**sent, **{key: default for key, default in TYPE_META.items() if not sent.get(key)}}
    try:
        decoded = decoding.decode(value, SCALE)
    except DecodeError as error:
        raise RefusedError(requestbody.bad_patch(patched.write(), str(error))) from None
    if problem := _other_kind(decoded.value, profile):
        raise RefusedError(requestbody.bad_patch(patched.write(), problem))
    problems = (*patched.problems, *_problems(patched.duplicates, decoded.unknown, field_validation, profile))
    if problems and field_validation == "Strict":
        raise RefusedError(requestbody.bad_patch(patched.write(), f"strict decoding error: {', '.join(problems)}"))
    return _decoded(decoded.value, problems)


def decode_applied(value: Resource) -> DecodedScale:
    """Return the Scale in the result of an apply, which the field manager has type-checked."""
    return _decoded(decoding.decode(value, SCALE).value, ())


def decode_admitted(value: Resource, problems: tuple[str, ...]) -> DecodedScale:
    """
    Return the Scale that admission plugins return.

    Raises:
        RefusedError: It is not a Scale.
    """
    try:
        return _decoded(decoding.decode(value, SCALE).value, problems)
    except DecodeError as error:
        raise RefusedError(refusal.internal_error(str(error))) from None


def demand_valid(scale: DecodedScale, target: RequestTarget, uid: str | None = None) -> None:
    """
    Raise RefusedError if a Scale of a built-in kind is invalid, or meant for another object.

    Args:
        scale: The Scale.
        target: The object in the URL.
        uid: The uid of the object, for patches and applies; None for a PUT, whose uid the store compares.

    Raises:
        RefusedError: 422 for a negative number of replicas, 409 for another uid.

    Reference:
        kubernetes pkg/apis/autoscaling/validation/validation.go, ValidateScale; pkg/registry/apps/deployment/storage/storage.go, scaleUpdatedObjectInfo.UpdatedObject.
    """
    if scale.replicas < 0:
        error = fielderror.invalid(
            FieldPath(("spec", "replicas")), scale.replicas, "must be greater than or equal to 0"
        )
        message = f"Scale.autoscaling {printing.quote(target.name)} is invalid: {fielderror.aggregate([error])}"
        subject = {"name": target.name, "group": "autoscaling", "kind": "Scale"}
        raise RefusedError(Refusal(422, "Invalid", message, (error,), subject=subject))
    sent = scale.metadata.get("uid")
    if uid is not None and sent and sent != uid:
        of_scale = target._replace(plural=f"{target.plural}/scale")
        refused = refusal.conflict(of_scale.resource, target.name, requestmetadata.other_uid(sent, uid))
        subject = {"name": target.name, "group": target.group, "kind": of_scale.plural}
        raise RefusedError(refused._replace(subject=subject))


def with_replicas(live: Resource, scale: DecodedScale, subresources: Subresources) -> dict[str, JSONValue]:
    """
    Return a custom resource with the replicas of a Scale, and with the resourceVersion of the Scale if it has one.

    Args:
        live: The custom resource; not modified.
        scale: The Scale.
        subresources: The subresources, with the paths of the scale.

    Raises:
        RefusedError: The Scale has the placeholder for unset replicas, or a parent of the field is not an object.

    Reference:
        apiextensions-apiserver registry/customresource/etcd.go, scaleUpdatedObjectInfo.UpdatedObject.
    """
    path = (subresources.scale or {})["specReplicasPath"]
    if scale.replicas == _UNSET:
        raise RefusedError(bad_request(f"the spec replicas field {printing.quote(path)} cannot be empty"))
    resource: dict[str, JSONValue] = jsonvalue.copy(dict(live))
    *names, last = path.removeprefix(".").split(".")
    holder = resource
    for depth, name in enumerate(names, 1):
        holder = holder.setdefault(name, {})
        if not isinstance(holder, dict):
            place = ".".join(names[:depth])
            problem = f"value cannot be set because .{place} is not a map[string]interface{{}}"
            raise RefusedError(Refusal(500, "", problem))
    holder[last] = scale.replicas
    if version := scale.metadata.get("resourceVersion"):
        resource["metadata"]["resourceVersion"] = version
    return resource


def _decoded(value: Resource, problems: tuple[str, ...]) -> DecodedScale:
    spec, status = value.get("spec") or {}, value.get("status") or {}
    return DecodedScale(value.get("metadata") or {}, spec.get("replicas") or 0, problems, {**_NO_STATUS, **status})


def _problems(
    duplicates: tuple[str, ...], unknown: tuple[str, ...], field_validation: FieldValidation, profile: Profile
) -> tuple[str, ...]:
    if field_validation == "Ignore" or not profile.field_validation:
        return ()
    return (*duplicates, *(f"unknown field {printing.quote(path)}" for path in unknown))


def _other_kind(value: Resource, profile: Profile) -> str:
    kind, version = value["kind"], value["apiVersion"]
    if kind == "Scale" and version in _OTHERS:
        return f"converting ({_OTHERS[version]}.Scale) to (v1.Scale): unknown conversion"
    if {"kind": kind, "apiVersion": version} == TYPE_META:
        return ""
    return schemes.unregistered(kind, version, profile)
