"""
The metadata of a request: refusals, and changes before validation.

A POST is checked in this order: its types (`typemeta`), its metadata's types, unknown fields under strict validation, its API version
(`typemeta`), and its namespace (here). A PUT is checked likewise, then for its name, for a missing object, and for uid and resourceVersion.
Checks after the name include warnings about duplicate owner references.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, lazyre
from pytest_crd.engine.errors import badvalues, fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.profile import Profile
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.metadata import ownerreferences
else:
    ownerreferences = lazyimport.module("pytest_crd.engine.metadata.ownerreferences")


# Metadata of an object that is being deleted.
DELETION: Final = ("deletionTimestamp", "deletionGracePeriodSeconds")

_OTHER_NAMESPACE: Final = "the namespace of the provided object does not match the namespace sent on the request"
_STALE: Final = "the object has been modified; please apply your changes to the latest version and try again"
_MAX_GENERATED_BASE: Final = 58
_MAX_UINT64: Final = 2**64 - 1
_NUMBER: Final = lazyre.compile(r"[0-9]+\Z")


class RequestTarget(NamedTuple):
    """
    The object in the URL of a request.

    Attributes:
        group: The group of the CRD.
        plural: The plural of the CRD.
        namespace: The namespace; None if the CRD's scope is Cluster.
        name: The name; empty on create.
        storage_prefix: The prefix of the keys of stored objects.
        storage_path: The part of these keys for the resource; empty for group and plural.
    """

    group: str
    plural: str
    namespace: str | None
    name: str = ""
    storage_prefix: str = ""
    storage_path: str = ""

    @property
    def resource(self) -> str:
        """The name of the resource in messages: `plural.group`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def key(self) -> str:
        """The key of the stored object."""
        path = (self.storage_path,) if self.storage_path else (self.group, self.plural)
        return f"{self.storage_prefix}/" + "/".join(part for part in (*path, self.namespace, self.name) if part)

    def storage_problem(self, problem: str) -> str:
        """Return the message for a *problem* of the store with the stored object."""
        return self._storage_error("invalid object, Code: 4", problem)

    def corruption(self, problem: str) -> str:
        """Return the message for a stored object that cannot be read because of a *problem*."""
        return self._storage_error("corrupt object, Code: 7", problem)

    def _storage_error(self, kind: str, problem: str) -> str:
        return f"StorageError: {kind}, Key: {self.key}, ResourceVersion: 0, AdditionalErrorMsg: {problem}"


class Prepared(NamedTuple):
    """
    Metadata prepared for validation and the store.

    Attributes:
        metadata: The metadata, without generated values (SERVER_MADE).
        warnings: The warnings of the preparation, given even if the request is refused.
        has_generated_name: Whether the name ends in a random suffix.
    """

    metadata: dict[str, JSONValue]
    warnings: tuple[str, ...]
    has_generated_name: bool = False


def refuse_create(metadata: Mapping[str, JSONValue], target: RequestTarget) -> Refusal | None:
    """
    Return the refusal of a POST for its metadata, or None.

    Args:
        metadata: Root metadata, decoded.
        target: The object in the URL.

    Errors:
        None; a 400 for another namespace than the URL's. If the CRD's scope is Cluster, the namespace is ignored.

    Reference:
        apiserver registry/rest/meta.go, EnsureObjectNamespaceMatchesRequestNamespace.
    """
    namespace = metadata.get("namespace")
    if target.namespace is None or namespace in (None, "", target.namespace):
        return None
    return refusal.bad_request(_OTHER_NAMESPACE)


def refuse_update(metadata: Mapping[str, JSONValue], target: RequestTarget, profile: Profile) -> Refusal | None:
    """
    Return the refusal of a PUT for its metadata before the lookup of the stored object, or None.

    Args:
        metadata: Root metadata, decoded.
        target: The object in the URL.
        profile: 1.21 checks the name first, and words the namespace error differently.

    Errors:
        None; a 400 for another namespace or name than the URL's, or no name.

    Reference:
        apiserver endpoints/handlers/update.go, UpdateResource; rest.go, checkName.
    """
    by_namespace = refuse_create(metadata, target)
    by_name = _refuse_name(metadata.get("name") or "", target.name)
    if profile.checks_namespace_before_name:
        return by_namespace or by_name
    if by_namespace and not by_name:
        problem = f"({metadata['namespace']}) does not match the namespace on the request ({target.namespace})"
        return refusal.bad_request(f"the namespace of the object {problem}")
    return by_name


def refuse_missing(target: RequestTarget) -> Refusal:
    """
    Return the refusal of a PUT for a missing object.

    Args:
        target: The object in the URL.

    Errors:
        None; a 404.

    Reference:
        apimachinery api/errors, NewNotFound.
    """
    return Refusal(404, "NotFound", f"{target.resource} {quote(target.name)} not found")


def refuse_stale(
    metadata: Mapping[str, JSONValue], old_metadata: Mapping[str, JSONValue], target: RequestTarget, profile: Profile
) -> Refusal | None:
    """
    Return the refusal of a PUT whose uid or resourceVersion differs from the stored object, or None.

    Args:
        metadata: Root metadata, decoded.
        old_metadata: The stored root metadata. Without a uid or resourceVersion it matches any.
        target: The object in the URL.
        profile: The version decides how numbers are printed.

    Errors:
        Invalid, in a 422, for no resourceVersion or 0; else a 409 for another uid or resourceVersion, and a 500 for a
        resourceVersion that is no number.

    Reference:
        apiserver registry/generic/registry/store.go, Update; storage/interfaces.go, Preconditions.Check.
    """
    uid, old_uid = metadata.get("uid"), old_metadata.get("uid")
    if uid and old_uid and uid != old_uid:
        return refuse_uid(uid, old_uid, target)
    version = metadata.get("resourceVersion") or ""
    if (refused := refuse_version(version)) is not None:
        return refused
    if not int(version or 0):
        return _refuse_unversioned(target, profile)
    old_version = old_metadata.get("resourceVersion") or version
    if int(version) != int(old_version):
        return refusal.conflict(target.resource, target.name, _STALE)
    return None


def refuse_version(version: str) -> Refusal | None:
    """Return the refusal of an update with a resourceVersion that is no number."""
    problem = _unsigned_problem(version)
    return Refusal(500, "", f"strconv.ParseUint: parsing {quote(version)}: {problem}") if problem else None


def is_version(text: str) -> bool:
    """Return whether a resourceVersion is a number above 0: a new object may only have another text."""
    return bool(_NUMBER.match(text)) and 0 < int(text) <= _MAX_UINT64


def refuse_uid(uid: str, old_uid: str, target: RequestTarget) -> Refusal:
    """Return the refusal of a write for the object with another *uid*; without an object, *old_uid* is empty."""
    return refusal.conflict(target.resource, target.name, target.storage_problem(other_uid(uid, old_uid)))


def other_uid(uid: str, old_uid: str) -> str:
    """Return the message for another uid in the request than in the store."""
    return f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old_uid}"


def prepare_create(
    metadata: Mapping[str, JSONValue], target: RequestTarget, *, suffix: str = "xxxxx", keeps_deletion: bool = False
) -> Prepared:
    """
    Return the metadata of a POST for validation and the store.

    Args:
        metadata: Root metadata, decoded and accepted so far; not modified.
        target: The object in the URL; its namespace is filled in.
        suffix: The five random characters of a generated name.
        keeps_deletion: Whether deletion fields come from a mutating plugin, and stay.

    Reference:
        apiserver registry/rest/meta.go, WipeObjectMetaSystemFields; create.go, BeforeCreate; storage/names/generate.go.
    """
    dropped = () if keeps_deletion else DELETION
    prepared = {key: value for key, value in metadata.items() if key not in dropped}
    generates = bool(prepared.get("generateName")) and not prepared.get("name")
    if generates:
        # Go cuts between bytes, and prints the remaining bytes of a character as such.
        base = prepared["generateName"].encode()[:_MAX_GENERATED_BASE].decode(errors="surrogateescape")
        prepared["name"] = base + suffix
    return _prepared(prepared, target, has_generated_name=generates)


def prepare_update(
    metadata: Mapping[str, JSONValue],
    old_metadata: Mapping[str, JSONValue],
    target: RequestTarget,
    *,
    is_patched: bool = False,
) -> Prepared:
    """
    Return the metadata of a PUT for validation and the store; updates of the status keep the old metadata instead.

    Args:
        metadata: Root metadata, decoded and accepted so far; not modified.
        old_metadata: The stored root metadata; its deletion fields are kept.
        target: The object in the URL.
        is_patched: Whether it comes from a patch.

    Reference:
        apiserver registry/rest/update.go, BeforeUpdate.
    """
    deletion_fields = {key: old_metadata[key] for key in DELETION if old_metadata.get(key) is not None}
    grace = metadata.get("deletionGracePeriodSeconds")
    if grace is not None:
        deletion_fields.pop("deletionGracePeriodSeconds", None)
    prepared = _prepared({**metadata, **deletion_fields}, target, is_patched=is_patched)
    old_uid = old_metadata.get("uid")
    if (is_patched or old_uid) and metadata.get("uid") not in (None, "", old_uid):
        prepared.metadata["uid"] = metadata["uid"]
    return prepared


def with_texts(metadata: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """
    Return the metadata of an apply with empty texts for labels and annotations that are null.

    Reference:
        apimachinery apis/meta/v1/unstructured, NestedNullCoercingStringMap.
    """
    texts = {
        name: {key: "" if value is None else value for key, value in metadata[name].items()}
        for name in ("labels", "annotations")
        if isinstance(metadata.get(name), dict)
    }
    return {**metadata, **texts}


def without_generated(metadata: Mapping[str, JSONValue], *, generated: bool) -> dict[str, JSONValue]:
    """Return stored metadata for a response, without generated values and without a *generated* name."""
    hidden = SERVER_MADE | {"name"} if generated else SERVER_MADE
    return {key: value for key, value in metadata.items() if key not in hidden}


def ends(metadata: Mapping[str, JSONValue], old_metadata: Mapping[str, JSONValue] | None) -> bool:
    """
    Return whether an update removes a stored object: it is being deleted, and its last finalizer is gone.

    Reference:
        apiserver registry/generic/registry/store.go, ShouldDeleteDuringUpdate.
    """
    old = old_metadata or {}
    is_held = metadata.get("finalizers") or old.get("deletionGracePeriodSeconds")
    return bool(old.get("deletionTimestamp")) and not is_held


def _prepared(
    metadata: Mapping[str, JSONValue],
    target: RequestTarget,
    *,
    has_generated_name: bool = False,
    is_patched: bool = False,
) -> Prepared:
    prepared = {key: value for key, value in metadata.items() if key not in SERVER_MADE | {"clusterName"}}
    warnings: tuple[str, ...] = ()
    if references := prepared.get("ownerReferences"):
        prepared["ownerReferences"], warnings = ownerreferences.deduplicate(references, is_patched=is_patched)
    if target.namespace is None:
        prepared.pop("namespace", None)
    else:
        prepared["namespace"] = target.namespace
    return Prepared(prepared, warnings, has_generated_name)


def _refuse_name(name: str, expected: str) -> Refusal | None:
    if not name:
        problem = f"({expected} based on URL) was undeterminable: name must be provided"
    elif name != expected:
        problem = f"({name}) does not match the name on the URL ({expected})"
    else:
        return None
    return refusal.bad_request(f"the name of the object {problem}")


def _refuse_unversioned(target: RequestTarget, profile: Profile) -> Refusal:
    path = FieldPath(("metadata", "resourceVersion"))
    printed = None if profile.prints_values_as_json else "0x0"
    error = badvalues.invalid_as(path, 0, printed, "must be specified for an update")
    message = f"{target.resource} {quote(target.name)} is invalid: {fielderror.aggregate([error])}"
    return Refusal(422, "Invalid", message, (error,))


def _unsigned_problem(digits: str) -> str:
    if digits and not (digits.isascii() and digits.isdigit()):
        return "invalid syntax"
    return "value out of range" if int(digits or 0) > _MAX_UINT64 else ""
