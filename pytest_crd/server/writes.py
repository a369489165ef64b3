"""Write requests: create, update, patch and apply; the engine decides them, this module stores the results."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import requestoptions
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome
from pytest_crd.engine.registry.requestbody import FIELD_VALIDATIONS, Body
from pytest_crd.server import bodies, reads, unreadable
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest, Query
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

_BASE: Final = 58
_CONFLICT: Final = 409
# Attempts without the lock, before one with it that no other write can overtake.
_ATTEMPTS: Final = 2
# The key prefix in etcd, as in messages.
_STORAGE_PREFIX: Final = "/registry"
# Codes of requests refused before options and namespaces are checked.
_UNREADABLE: Final = frozenset({400, 413, 415})


_Lock: TypeAlias = contextlib.AbstractContextManager[object]
# Called with the name of a new object (empty if generated) and the warnings; raises if the create is not allowed.
Admit: TypeAlias = "Callable[[str, tuple[str, ...]], None]"


class WriteOutcome(NamedTuple):
    """
    Outcome of a write request.

    Attributes:
        code: 200 or 201.
        value: The object of the response.
        warnings: The warnings.
        dropped: The paths of pruned fields, and of fields unknown to the storage version.
    """

    code: int
    value: Resource
    warnings: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def write(store: Store, type_: ResourceType, info: RequestInfo, request: HTTPRequest, admit: Admit) -> WriteOutcome:
    """
    Decide a write request, store its object, and return the outcome.

    The decision needs no lock, so other requests continue; it is repeated if the stored object has changed meanwhile.

    Args:
        store: The store.
        type_: The resource.
        info: The resource that the URL names.
        request: The request.
        admit: Called with the name of a new object and the warnings; raises ApiError if the object may not be created.

    Raises:
        ApiError: The request is refused.

    Reference:
        apiserver endpoints/handlers/create.go, update.go, patch.go; storage/etcd3/store.go, GuaranteedUpdate.
    """
    write_request = _read_options(info, request, type_)
    body = bodies.decode_write(request, info.verb, write_request.media_type, type_, info.subresource)
    if body.duplicates and write_request.media_type == negotiation.JSON:
        body = type_.merge_duplicates(body)
    write_request = write_request._replace(body=body)
    locks: Iterator[_Lock] = itertools.chain(
        itertools.repeat(contextlib.nullcontext(), _ATTEMPTS), itertools.repeat(store.lock)
    )
    while True:
        with next(locks):
            generated, key = _find_key(store, type_, info, body)
            decision = _decide(store, type_, write_request, generated, key)
            if info.verb == "create" and (name := _find_final_name(decision.outcome, key.name)) != key.name:
                decision = _decide_renamed(store, type_, write_request, generated, decision, name)
            with store.lock:
                if store.get(decision.key) is decision.found:
                    decision.outcome.report()
                    _demand_storable(type_, info, decision, admit)
                    return _commit(store, type_, decision)


def _find_key(store: Store, type_: ResourceType, info: RequestInfo, body: Body) -> tuple[GeneratedValues, ObjectKey]:
    """Return the generated values of a request, and the key of its object."""
    generated = generatedvalues.of_request(
        lambda end: store.get(type_.key(info.namespace, _generate_name(body, end))) is None
    )
    name = info.name or _name_in(body) or _generate_name(body, generated.suffix())
    return generated, type_.key(info.namespace, name)


class _Decision(NamedTuple):
    """
    An outcome, before it is stored.

    Attributes:
        key: The key of the object.
        found: What is stored under the key; None if nothing is.
        entry: The stored object that the request meets; None if it meets none.
        request: The request.
        outcome: The outcome.
    """

    key: ObjectKey
    found: StoredObject | None
    entry: StoredObject | None
    request: Request
    outcome: RequestOutcome


def _decide(
    store: Store, type_: ResourceType, request: Request, generated: GeneratedValues, key: ObjectKey
) -> _Decision:
    """Return the decision about a request for the object under a key."""
    stored = store.get(key)
    entry = None if unreadable.is_free(type_, stored, request) else stored
    if entry is not None:
        request = request._replace(
            resource_version=str(entry.revision), stored_name=key.name, reads_as_stored=type_.reads_as_stored(entry)
        )
    outcome = type_.answer(None if entry is None else entry.value, request, generated)
    outcome.objects  # noqa: B018 - computes them before the store is locked
    return _Decision(key, stored, entry, request, outcome)


def _find_final_name(outcome: RequestOutcome, name: str) -> str:
    """Return the name that a new object has after admission; that of the request if it is refused before."""
    if outcome.response.code == _CONFLICT:
        return str(((outcome.response.status or {}).get("details") or {}).get("name", name))
    stored = outcome.objects.stored
    if stored is None or not outcome.response.accepted:
        return name
    return str((stored.get("metadata") or {}).get("name", name))


def _decide_renamed(  # noqa: PLR0913, PLR0917 - a request and the decision about it
    store: Store,
    type_: ResourceType,
    request: Request,
    generated: GeneratedValues,
    decision: _Decision,
    final: str,
) -> _Decision:
    """
    Return the decision about a new object that admission has renamed.

    The server looks for an object of the final name alone. So the request is decided anew if the first decision assumes a
    taken name that is free, or a free one that is taken.
    """
    key = decision.key._replace(name=final)
    stored = store.get(key)
    if (decision.outcome.response.code == _CONFLICT) == (stored is not None):
        return decision._replace(key=key, found=stored, entry=stored)
    return _decide(store, type_, request, generated, key)


def _demand_storable(type_: ResourceType, info: RequestInfo, decision: _Decision, admit: Admit) -> None:
    """
    Check the name and the namespace of a decided request, and the conversions of its object.

    Raises:
        ApiError: The request is refused.
    """
    request, entry, outcome = decision.request, decision.entry, decision.outcome
    if _is_refused_early(outcome):
        return
    if info.name:
        reads.demand_name(info.name)
    by_update = type_.is_created_by_update and request.verb == "update"
    by_other = by_update or requestoptions.is_apply(request.verb, request.media_type)
    if request.verb == "create" or (entry is None and by_other and not request.subresource):
        admit(info.name or _name_in(request.body), outcome.response.warnings)
    _demand_conversions(type_, request, entry, outcome)


def _commit(store: Store, type_: ResourceType, decision: _Decision) -> WriteOutcome:
    """
    Store or delete the object of a request, and return the outcome.

    Raises:
        ApiError: The request is refused, or its object is stored and cannot be read.
    """
    request, entry, outcome = decision.request, decision.entry, decision.outcome
    answer, (stored, value) = outcome.response, outcome.objects
    is_kept = False
    if type_.is_stored and not request.dry_run and (answer.accepted or not outcome.is_read_back):
        if stored is None:
            store.delete(decision.key)
        elif entry is None or outcome.changed:
            entry = store.put(decision.key, stored)
            is_kept = value is stored and type_.keep_read_form(entry)
    if not outcome.is_read_back and entry is not None:
        problem = unreadable.describe(type_, entry, answer.message)
        raise statuses.ApiError(statuses.failure(500, "", problem).status, warnings=answer.warnings)
    if value is None:
        raise statuses.ApiError(answer.status, warnings=answer.warnings)
    # A dry run keeps the resourceVersion that was sent.
    is_dry_create = request.dry_run and request.verb == "create"
    version = outcome.sent_version if entry is None or is_dry_create else str(entry.revision)
    if is_kept and entry is not None:
        value = entry.value
    elif version:
        value = {**value, "metadata": {**value["metadata"], "resourceVersion": version}}
    changes = answer.changes
    return WriteOutcome(answer.code, value, answer.warnings, (*changes.pruned, *changes.lost))


def demand_patch_type(request: HTTPRequest, type_: ResourceType) -> None:
    """
    Raise ApiError if the server does not support the type of a patch.

    Raises:
        ApiError: 415.
    """
    refusal = requestoptions.refuse_media_type(negotiation.media_type_of(request), is_built_in=type_.is_typed)
    if refusal is not None and type_.is_typed:
        raise statuses.failure(refusal.code, refusal.reason, refusal.message, {})
    if refusal is not None:
        raise statuses.of_refusal(refusal)


def _demand_conversions(
    type_: ResourceType, request: Request, entry: StoredObject | None, outcome: RequestOutcome
) -> None:
    """
    Raise ApiError if the request needs a conversion of the stored object, or of its result, by a webhook.

    Raises:
        ApiError: 500.
    """
    if entry is not None and request.verb != "create":
        unreadable.demand_updatable(type_, entry, request, outcome.response.warnings)
    # An object that ends is read in the storage version, which may have changed since it was stored.
    if entry is not None and outcome.response.accepted and outcome.objects.stored is None:
        type_.demand_migration(entry)
    is_stored = outcome.response.accepted or (request.verb == "create" and _is_storable(outcome))
    if is_stored and type_.converts_by_webhook:
        type_.demand_conversion(type_.api_version, type_.storage_api_version)


def _is_storable(outcome: RequestOutcome) -> bool:
    """Return True if a create reaches the store: it is accepted, or refused because its name is in use."""
    return outcome.response.accepted or outcome.response.code == _CONFLICT


def _is_refused_early(outcome: RequestOutcome) -> bool:
    """Return whether a request was refused before its namespace is checked."""
    if outcome.response.code in _UNREADABLE:
        return True
    status = outcome.response.status or {}
    return bool((status.get("details") or {}).get("kind", "").endswith("Options"))


def _read_options(info: RequestInfo, request: HTTPRequest, type_: ResourceType) -> Request:
    """
    Return a request in the form of the engine, without its body.

    Raises:
        ApiError: The options or the media type are invalid.
    """
    query = request.query
    media_type = negotiation.media_type_of(request)
    if info.verb != "patch":
        media_type = media_type or negotiation.JSON
    if info.verb == "create":  # an update looks at its options first
        bodies.demand_form(media_type, type_)
    write = Request(
        info.verb,  # type: ignore[arg-type] # one of three
        Body(None),
        info.name,
        info.namespace,
        subresource=info.subresource,  # type: ignore[arg-type] # one that there is
        field_validation=query.first("fieldValidation") or "Warn",  # type: ignore[arg-type] # one of three
        media_type=media_type,
        field_manager=query.first("fieldManager"),
        force=query.is_set("force") if query.has("force") else None,
        dry_run=query.has("dryRun"),
        user=request.user,
        user_agent=request.headers.get("user-agent", ""),
        names_field_validation=bool(query.first("fieldValidation")),
        storage_prefix="" if query.has("dryRun") else _STORAGE_PREFIX,  # a dry run does not reach etcd
    )
    _demand_options(write, query, type_)
    if info.verb == "update":
        bodies.demand_form(media_type, type_)
    if info.verb == "patch":
        reads.demand_name(info.name)
    return write


def _demand_options(write: Request, query: Query, type_: ResourceType) -> None:
    """
    Check the options of a write.

    Raises:
        ApiError: 422.

    Reference:
        apimachinery apis/meta/v1/validation/validation.go, ValidateCreateOptions, ValidateUpdateOptions, ValidatePatchOptions.
    """
    errors = requestoptions.find_errors(write, type_.profile)
    errors += dry_run_problems(query.all("dryRun"))
    field_validation = query.first("fieldValidation")
    if field_validation and field_validation not in FIELD_VALIDATIONS:
        path = FieldPath(("fieldValidation",))
        errors.append(fielderror.not_supported(path, field_validation, ["", "Ignore", "Strict", "Warn"]))
    if errors:
        raise statuses.invalid_options(requestoptions.KINDS[write.verb], errors)


def dry_run_problems(values: list[str]) -> list[FieldError]:
    """Return the errors of the dryRun option."""
    if set(values) <= {"All"}:
        return []
    return [fielderror.not_supported(FieldPath(("dryRun",)), values, ["All"])]


def _metadata(body: Body) -> dict[str, JSONValue]:
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _name_in(body: Body) -> str:
    name = _metadata(body).get("name")
    return name if isinstance(name, str) else ""


def _generate_name(body: Body, suffix: str) -> str:
    base = _metadata(body).get("generateName")
    return base[:_BASE] + suffix if isinstance(base, str) and base else ""
