"""
Stored objects that a server cannot read: no webhook converts them to the version of a request.

Reference:
    apiserver storage/etcd3/corrupt_obj_deleter.go; storage/errors/storage.go; registry/generic/registry/dryrun.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.registry.request import Request
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import StoredObject

_PREFIX: Final = "/registry"
# Lists stop after this many unreadable objects.
MAX_LISTED: Final = 100
_TOO_MANY: Final = {"reason": "FieldValueTooMany", "message": "too many errors, the list is truncated"}


class UnreadableObjectError(ApiError):
    """
    A request for one unreadable object.

    Attributes:
        entry: The object.
        problem: Why it is unreadable.
    """

    def __init__(self, type_: ResourceType, entry: StoredObject, problem: str) -> None:
        """Create from an object and the *problem* with it."""
        super().__init__(_status_of_read(type_, entry, problem))
        self.entry = entry
        self.problem = problem


def status_of_event(error: ApiError) -> JSONValue:
    """Return the Status of a watch that ends with *error*; it does not name the storage."""
    if isinstance(error, UnreadableObjectError):
        return statuses.internal_error(error.problem.removeprefix(_decoding(error.entry))).status
    return error.status


def find_problem(type_: ResourceType, entry: StoredObject) -> str:
    """Return why an object is unreadable in the version of *type_*; empty if it is readable."""
    problem = type_.conversion_problem(entry)
    return describe(type_, entry, problem) if problem else ""


def describe(type_: ResourceType, entry: StoredObject, problem: str) -> str:
    """Return why the server cannot decode an object, given the *problem* of its conversion."""
    return f"{_decoding(entry)}{problem}" if type_.profile.knows_unreadable_objects else problem


def _decoding(entry: StoredObject) -> str:
    return f"object not decodable revision={entry.revision}: "


def demand_readable(type_: ResourceType, entry: StoredObject) -> None:
    """
    Refuse to read an unreadable object.

    Raises:
        UnreadableObjectError: 500: it is unreadable.
    """
    if problem := find_problem(type_, entry):
        raise UnreadableObjectError(type_, entry, problem)


def demand_updatable(
    type_: ResourceType, entry: StoredObject, request: Request, warnings: tuple[str, ...] = ()
) -> None:
    """
    Refuse to update an unreadable object; a dry run only reads it.

    Args:
        type_: The type of the object.
        entry: The object.
        request: The request.
        warnings: The warnings about its body.

    Raises:
        ApiError: 500: it is unreadable.
    """
    if problem := find_problem(type_, entry):
        refused = statuses.failure(500, "", problem).status
        status = _status_of_read(type_, entry, problem) if request.dry_run else refused
        raise ApiError(status, warnings=warnings)


def is_free(type_: ResourceType, entry: StoredObject | None, request: Request) -> bool:
    """Return whether a create finds no object of its name: a dry run counts one without a webhook to convert it as none."""
    if entry is None:
        return True
    is_dry = request.verb == "create" and request.dry_run
    return is_dry and type_.needs_webhook(entry.value["apiVersion"], type_.api_version)


def find_limit(type_: ResourceType) -> int:
    """Return the number of unreadable objects after which a list stops; before 1.37 the first one ends it."""
    return MAX_LISTED if type_.profile.knows_unreadable_objects else 1


def refuse_list(type_: ResourceType, errors: Sequence[UnreadableObjectError]) -> ApiError:
    """Return the error for a list with unreadable objects; servers before 1.37 stop at the first one."""
    if not type_.profile.knows_unreadable_objects:
        return errors[0]
    causes: list[JSONValue] = []
    for error in errors:
        target = find_target(type_, error.entry)
        message = target.corruption(error.problem)
        causes.append({"reason": "UnexpectedServerResponse", "message": message, "field": target.key})
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    message = f"failed to read one or more {type_.resource} from the storage: {causes[0]['message']}{more}"
    details = {"name": "list", "group": type_.group, "kind": type_.names.plural}
    cut = [_TOO_MANY] if len(errors) == MAX_LISTED else []
    return statuses.failure(500, "StorageReadError", message, {**details, "causes": [*causes, *cut]})


def find_cleanup_problem(type_: ResourceType, entries: Iterable[StoredObject]) -> str:
    """Return why the objects of a deleted CRD cannot be listed; empty if all are readable."""
    problems = ((entry, find_problem(type_, entry)) for entry in entries)
    errors = [UnreadableObjectError(type_, entry, problem) for entry, problem in problems if problem]
    if not errors:
        return ""
    listed = refuse_list(type_, errors[:MAX_LISTED]).status["message"]
    kind = f"{type_.api_version}, Kind={type_.names.kind}"
    subject = "<unspecified>" if type_.profile.knows_unreadable_objects else kind
    return f"could not list instances: storage is (re)initializing: failed to list {subject}: {listed}"


def find_target(type_: ResourceType, entry: StoredObject, prefix: str = _PREFIX) -> RequestTarget:
    """Return an object as messages about the storage name it."""
    return RequestTarget(type_.group, type_.names.plural, entry.key.namespace or None, entry.key.name, prefix)


def _status_of_read(type_: ResourceType, entry: StoredObject, problem: str) -> JSONValue:
    if not type_.profile.knows_unreadable_objects:
        return statuses.failure(500, "", problem).status
    return statuses.internal_error(find_target(type_, entry, "").corruption(problem)).status
