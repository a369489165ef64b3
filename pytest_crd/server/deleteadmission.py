"""Deletions, after their admission: mutating plugins, which cannot change anything, then validating ones."""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry import response
from pytest_crd.engine.registry.admission import AdmissionRequest, User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server import deleting, namespaces, unreadable
from pytest_crd.server.deleting import DeleteOptions
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

_OPTIONS: Final = {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"}


class Deletion(NamedTuple):
    """
    A deletion, or the mark of one that waits for finalizers.

    Attributes:
        value: The Status or the object of the response.
        warnings: The warnings of admission plugins.
    """

    value: Resource
    warnings: tuple[str, ...]


def delete(  # noqa: PLR0913 - a deletion and its user
    store: Store,
    type_: ResourceType,
    key: ObjectKey,
    options: DeleteOptions,
    *,
    user: User,
    is_named: bool = True,
) -> Deletion | None:
    """
    Delete an object; ask the admission plugins again if it changes while they are asked.

    The store's lock must be free, as a webhook may be a client of the server.

    Args:
        store: The stored objects.
        type_: The resource.
        key: The key of the object.
        options: The options of the deletion.
        user: The user.
        is_named: Whether the URL names the object; False in the deletion of a collection.

    Returns:
        The deletion; None if the object does not exist.

    Raises:
        ApiError: A plugin refuses the deletion; or the object is unreadable, or a precondition fails.

    Reference:
        apiserver registry/generic/registry/store.go, Delete and DeleteCollection.
    """
    while (entry := store.get(key)) is not None:
        warnings = _admit(type_, entry, options, user, is_named=is_named)
        with store.lock:
            if store.get(key) is entry:  # unchanged since it was admitted
                return Deletion(deleting.delete(store, type_, entry, options), response.limit_warnings(warnings))
    return None


def _admit(
    type_: ResourceType, entry: StoredObject, options: DeleteOptions, user: User, *, is_named: bool
) -> tuple[str, ...]:
    """
    Ask the admission plugins about a deletion, and return their warnings.

    Raises:
        ApiError: A plugin refuses the deletion; or the object is unreadable, or a precondition fails.

    Reference:
        apiserver registry/rest/delete.go, AdmissionToValidateObjectDeleteFunc.
    """
    if type_.plugins is None or options.is_unsafe:
        return ()
    unreadable.demand_readable(type_, entry)
    deleting.demand_conditions(type_, entry, options)
    request = AdmissionRequest(
        "DELETE",
        type_.group,
        type_.version,
        type_.names.kind,
        type_.names.plural,
        "",
        entry.key.name if is_named else "",
        entry.key.name if type_.resource == namespaces.RESOURCE else entry.key.namespace,
        None,
        type_.read(entry),
        _sent(options),
        options.dry_run,
        user,
        type_.interfaces,
    )
    warnings: tuple[str, ...] = ()
    try:
        for admit in (type_.plugins.mutate, type_.plugins.validate):
            warnings += admit(request).warnings
    except RefusedError as refused:
        raise _error(refused.refusal, (*warnings, *refused.warnings), type_, entry) from None
    return warnings


def _sent(options: DeleteOptions) -> Resource:
    conditions = {"uid": options.uid, "resourceVersion": options.resource_version}
    stated = {key: value for key, value in conditions.items() if value is not None}
    return {
        **_OPTIONS,
        **({} if options.grace_period is None else {"gracePeriodSeconds": options.grace_period}),
        **({"preconditions": stated} if stated else {}),
        **({"propagationPolicy": options.policy} if options.policy else {}),
        **({"dryRun": ["All"]} if options.dry_run else {}),
    }


def _error(refusal: Refusal, warnings: tuple[str, ...], type_: ResourceType, entry: StoredObject) -> ApiError:
    subject = {"name": entry.key.name, "group": type_.group, "kind": type_.names.plural}
    error = statuses.of_refusal(refusal, subject)
    error.warnings = response.limit_warnings(warnings)
    return error
