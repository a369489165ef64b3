"""
The metadata of a request: when the request is refused for it as a whole, and how the server changes it before it is validated.

In order, a POST is refused for its types (`typemeta`), its metadata's types (`objectmeta`), unknown fields under strict
validation, its API version (`typemeta`) and its namespace (here); a PUT likewise, then for its name, then because nothing of the
name is stored, then for uid and resourceVersion. Duplicate owner references are warned about with all that comes after the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.errors import badvalues, fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import ownerreferences
from pytest_crd.engine.profile import Profile

# What the server makes and no answer of ours shows, nor any case compares.
SERVER_MADE: Final = frozenset(
    {"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
)
# What the server makes of an object that is being deleted.
DELETION: Final = ("deletionTimestamp", "deletionGracePeriodSeconds")

_OTHER_NAMESPACE: Final = "the namespace of the provided object does not match the namespace sent on the request"
_MODIFIED: Final = "the object has been modified; please apply your changes to the latest version and try again"
_MAX_GENERATED_BASE: Final = 58
_MAX_UINT64: Final = 2**64 - 1


class RequestTarget(NamedTuple):
    """
    What a request is about, as its URL says.

    Attributes:
        group: The group of the CRD.
        plural: The plural of the CRD.
        namespace: The namespace; None where the CRD's scope is Cluster.
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
        """How messages call the resource: `plural.group`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def key(self) -> str:
        """Under which key the object is stored."""
        path = (self.storage_path,) if self.storage_path else (self.group, self.plural)
        return f"{self.storage_prefix}/" + "/".join(part for part in (*path, self.namespace, self.name) if part)

    def storage_problem(self, problem: str) -> str:
        """Return the words for a *problem* that the store has with the stored object."""
        details = f"Code: 4, Key: {self.key}, ResourceVersion: 0, AdditionalErrorMsg: {problem}"
        return f"StorageError: invalid object, {details}"


class Prepared(NamedTuple):
    """
    Metadata that goes on to validation, and to the store.

    Attributes:
        metadata: The metadata, without what only the server makes (SERVER_MADE).
        warnings: What the server warns about on the way, whether the request is accepted or not.
        has_generated_name: Whether the end of the name is random.
    """

    metadata: dict[str, JSONValue]
    warnings: tuple[str, ...]
    has_generated_name: bool = False


def refuse_create(metadata: Mapping[str, JSONValue], target: RequestTarget) -> Refusal | None:
    """
    Return why a POST is refused for its metadata, or None.

    Args:
        metadata: Root metadata, decoded.
        target: What the URL says.

    Errors:
        None; a 400 for another namespace than the URL's. Where the CRD's scope is Cluster any namespace is ignored.

    Reference:
        apiserver registry/rest/meta.go, EnsureObjectNamespaceMatchesRequestNamespace.
    """
    namespace = metadata.get("namespace")
    if target.namespace is None or namespace in (None, "", target.namespace):
        return None
    return refusal.bad_request(_OTHER_NAMESPACE)


def refuse_update(metadata: Mapping[str, JSONValue], target: RequestTarget, profile: Profile) -> Refusal | None:
    """
    Return why a PUT is refused for its metadata before the stored object is looked for, or None.

    Args:
        metadata: Root metadata, decoded.
        target: What the URL says.
        profile: 1.21 looks at the name first, and words the other namespace differently.

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
    Return how a PUT is refused where nothing is found under its URL.

    Args:
        target: What the URL says.

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
    Return why a PUT is refused because it is not for the object as it is stored, or None.

    Args:
        metadata: Root metadata, decoded.
        old_metadata: The stored one. Where it has no uid or resourceVersion, nothing is compared with it.
        target: What the URL says.
        profile: How numbers are printed.

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
    if problem := _unsigned_problem(version):
        return Refusal(500, "", f"strconv.ParseUint: parsing {quote(version)}: {problem}")
    if not int(version or 0):
        return _refuse_unversioned(target, profile)
    old_version = old_metadata.get("resourceVersion") or version
    if int(version) != int(old_version):
        return refusal.conflict(target.resource, target.name, _MODIFIED)
    return None


def refuse_uid(uid: str, old_uid: str, target: RequestTarget) -> Refusal:
    """Return the refusal of a write for the object with another *uid*; without an object, *old_uid* is empty."""
    return refusal.conflict(target.resource, target.name, target.storage_problem(other_uid(uid, old_uid)))


def other_uid(uid: str, old_uid: str) -> str:
    """Return the words for an object with another uid than the request states."""
    return f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old_uid}"


def prepare_create(metadata: Mapping[str, JSONValue], target: RequestTarget, *, suffix: str = "xxxxx") -> Prepared:
    """
    Return the metadata of a POST as it is validated and stored.

    Args:
        metadata: Root metadata, decoded and not refused; not modified.
        target: What the URL says: its namespace is filled in.
        suffix: What stands for the five random characters of a generated name.

    Reference:
        apiserver registry/rest/meta.go, WipeObjectMetaSystemFields; create.go, BeforeCreate; storage/names/generate.go.
    """
    prepared = {key: value for key, value in metadata.items() if key not in DELETION}
    generates = bool(prepared.get("generateName")) and not prepared.get("name")
    if generates:
        # Go cuts between bytes, and prints the rest of a character as those.
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
    Return the metadata of a PUT as it is validated and stored; an update of the status keeps the old metadata instead.

    Args:
        metadata: Root metadata, decoded and not refused; not modified.
        old_metadata: The stored one: an object that is being deleted stays so.
        target: What the URL says.
        is_patched: Whether a patch made it. A patch has no preconditions, so that validation finds another uid wrong.

    Reference:
        apiserver registry/rest/update.go, BeforeUpdate.
    """
    kept = {key: old_metadata[key] for key in DELETION if old_metadata.get(key) is not None}
    grace = metadata.get("deletionGracePeriodSeconds")
    if grace is not None:
        kept.pop("deletionGracePeriodSeconds", None)
    prepared = _prepared({**metadata, **kept}, target, is_patched=is_patched)
    if is_patched and metadata.get("uid") not in (None, "", old_metadata.get("uid")):
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


def shown(metadata: Mapping[str, JSONValue], *, generated: bool) -> dict[str, JSONValue]:
    """Return stored metadata as answers show it: without what the server makes, a *generated* name too."""
    made = SERVER_MADE | {"name"} if generated else SERVER_MADE
    return {key: value for key, value in metadata.items() if key not in made}


def ends(metadata: Mapping[str, JSONValue], old_metadata: Mapping[str, JSONValue] | None) -> bool:
    """
    Return whether an update of the metadata of a stored object ends it: it was to be deleted, and nobody holds it any longer.

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
