"""Delete requests: options, preconditions and finalizers, including those for the garbage collector."""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server import bodies, resourcetypes, unreadable, writes
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.listoptions import integer
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import Store, StoredObject

_ORPHAN, _FOREGROUND = "orphan", "foregroundDeletion"
_EVENTS: Final = "events"
_POLICIES: Final = ("Foreground", "Background", "Orphan")
_UNSAFE: Final = "ignoreStoreReadErrorWithClusterBreakingPotential"
_POLICY_PATH: Final = FieldPath(("propagationPolicy",))


class DeleteOptions(NamedTuple):
    """
    Options of a deletion.

    Attributes:
        uid: The expected uid; None for any.
        resource_version: The expected resourceVersion; None for any.
        policy: `Foreground`, `Background` or `Orphan`; empty if unset.
        dry_run: Whether to leave the store unchanged.
        is_unsafe: True to delete only an unreadable object, in spite of its finalizers.
        grace_period: The `gracePeriodSeconds`, which only admission sees; None if unset.
    """

    uid: str | None = None
    resource_version: str | None = None
    policy: str = ""
    dry_run: bool = False
    is_unsafe: bool = False
    grace_period: int | None = None


def read(request: HTTPRequest, type_: ResourceType) -> DeleteOptions:
    """
    Return the options of a delete request from its body, or from its URL if the body is empty.

    Raises:
        ApiError: 400 for unreadable options, 415 for an unsupported media type of the body, 422 for invalid options.

    Reference:
        apiserver endpoints/handlers/delete.go, DeleteResource; apimachinery apis/meta/v1/validation, ValidateDeleteOptions.
    """
    options = bodies.decode_delete(request, type_) if request.body else _of_url(request)
    policy, orphans = options.get("propagationPolicy"), options.get("orphanDependents")
    errors: list[FieldError] = []
    if policy is not None and orphans is not None:
        problem = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(fielderror.invalid(_POLICY_PATH, policy, problem))
    if policy is not None and policy not in _POLICIES:
        errors.append(fielderror.not_supported(_POLICY_PATH, policy, [*_POLICIES, "nil"]))
    is_unsafe = type_.profile.knows_unreadable_objects and bool(options.get(_UNSAFE))
    if is_unsafe:
        errors += _unsafe_problems(options)
    errors += writes.dry_run_problems(list(options.get("dryRun") or ()))
    if errors:
        raise statuses.invalid_options("DeleteOptions", errors)
    if orphans is not None:
        policy = "Orphan" if orphans else "Background"
    conditions = options.get("preconditions") or {}
    return DeleteOptions(
        conditions.get("uid"),
        conditions.get("resourceVersion"),
        policy or "",
        bool(options.get("dryRun")),
        is_unsafe,
        options.get("gracePeriodSeconds"),
    )


def _unsafe_problems(options: Resource) -> list[FieldError]:
    """
    Return an error for each option that cannot be combined with an unsafe deletion.

    Reference:
        apimachinery apis/meta/v1/validation, ValidateIgnoreStoreReadError.
    """
    excluded = ("propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions")
    return [
        fielderror.invalid(FieldPath((_UNSAFE,)), True, f"cannot be set together with .{name}")  # noqa: FBT003 - the value
        for name in excluded
        if options.get(name) is not None
    ]


def demand_safe(options: DeleteOptions) -> None:
    """
    Refuse an unsafe deletion of a collection.

    Raises:
        ApiError: 422: the deletion is unsafe.
    """
    if options.is_unsafe:
        problem = "is not allowed with DELETECOLLECTION, try again after removing the option"
        error = fielderror.invalid(FieldPath((_UNSAFE,)), True, problem)  # noqa: FBT003 - the value
        raise statuses.invalid_options("DeleteOptions", [error])


def delete(store: Store, type_: ResourceType, entry: StoredObject, options: DeleteOptions) -> JSONValue:
    """
    Delete an object, or mark it as being deleted; return the Status or the object of the response.

    Raises:
        ApiError: 409: a precondition fails.

    Reference:
        apiserver registry/generic/registry/store.go, Delete; registry/rest/delete.go, BeforeDelete.
    """
    if options.is_unsafe:
        return _delete_unsafely(store, type_, entry, dry_run=options.dry_run)
    unreadable.demand_readable(type_, entry)
    demand_conditions(type_, entry, options)
    type_.demand_conversion(type_.api_version, type_.storage_api_version)
    type_.demand_migration(entry)
    marked = type_.mark_deleted(entry.value, _finalizers(entry, options.policy))
    if marked is None:
        last = entry if options.dry_run else store.delete(entry.key)
        if type_.shows_deleted:
            return type_.read(last)
        metadata = entry.value["metadata"]
        return statuses.success(type_.requested, metadata["name"], metadata.get("uid", ""))
    if marked == entry.value:
        return type_.read(entry)
    if options.dry_run:
        return type_.read(StoredObject(entry.key, marked, entry.revision))
    return type_.read(store.put(entry.key, marked))


def _delete_unsafely(store: Store, type_: ResourceType, entry: StoredObject, *, dry_run: bool) -> JSONValue:
    """
    Delete an unreadable object in spite of its finalizers; return the Status of the response.

    Raises:
        ApiError: 409: the object is readable.

    Reference:
        apiserver registry/generic/registry/corrupt_obj_deleter.go.
    """
    name = entry.key.name
    if not unreadable.find_problem(type_, entry):
        problem = "unsafe deletion is not allowed because the object is decodable from storage"
        stored = unreadable.find_target(type_, entry)
        raise statuses.conflict(type_.names.plural, type_.group, name, stored.storage_problem(problem))
    if not dry_run:
        store.delete(entry.key)
    return {**statuses.success("", name, ""), "details": {"name": name, "kind": type_.names.kind}, "code": 200}


def delete_entry(store: Store, entry: StoredObject) -> bool:
    """Delete an object for a controller, or mark it as being deleted if it has finalizers; return whether that changed anything."""
    metadata = entry.value["metadata"]
    if not metadata.get("finalizers"):
        store.delete(entry.key)
        return True
    if metadata.get("deletionTimestamp"):
        return False
    store.put(entry.key, resourcetypes.mark_terminating(entry.value, metadata["finalizers"]))
    return True


def _of_url(request: HTTPRequest) -> Resource:
    query = request.query
    options: dict[str, JSONValue] = {"dryRun": query.all("dryRun")}
    options["gracePeriodSeconds"] = integer(query, "gracePeriodSeconds")
    conditions = {name: query.first(name) for name in ("uid", "resourceVersion") if query.first(name)}
    if conditions:
        options["preconditions"] = conditions
    if query.has(_UNSAFE):
        options[_UNSAFE] = query.is_set(_UNSAFE)
    if query.has("propagationPolicy"):
        options["propagationPolicy"] = query.first("propagationPolicy")
    if query.has("orphanDependents"):
        options["orphanDependents"] = query.is_set("orphanDependents")
    return options


def demand_conditions(type_: ResourceType, entry: StoredObject, options: DeleteOptions) -> None:
    """
    Check the preconditions of a deletion.

    Raises:
        ApiError: 409: one fails.
    """
    uid, name = entry.value["metadata"].get("uid", ""), entry.key.name
    if options.uid is not None and options.uid != uid:
        raise type_.precondition_failure(name, "UID", options.uid, uid)
    version = str(entry.revision)
    if options.resource_version is not None and options.resource_version != version:
        raise type_.precondition_failure(name, "ResourceVersion", options.resource_version, version)


def _finalizers(entry: StoredObject, policy: str) -> list[str]:
    """
    Return the finalizers of an object after its deletion is requested.

    Reference:
        apiserver registry/generic/registry/store.go, deletionFinalizersForGarbageCollection.
    """
    present: list[str] = entry.value["metadata"].get("finalizers") or []
    if entry.key.resource == _EVENTS:  # the garbage collector ignores them
        return [name for name in present if name not in (_ORPHAN, _FOREGROUND)]
    if not policy:
        return present
    retained = [name for name in present if name not in (_ORPHAN, _FOREGROUND)]
    added = {"Orphan": _ORPHAN, "Foreground": _FOREGROUND}.get(policy)
    if added is None or (added in present and len(retained) == len(present) - 1):
        return retained if added is None else present
    return [*retained, added]
