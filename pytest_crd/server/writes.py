"""Requests that write an object: create, update, patch, apply. The engine decides; here it is found out what is asked, and kept what comes of it."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.request import Request, RequestOutcome
from pytest_crd.engine.registry.requestbody import FIELD_VALIDATIONS, Body
from pytest_crd.server import bodies
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest, Query
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.listoptions import boolean
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Store, StoredObject

_KINDS: Final = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
_BASE: Final = 58
_CONFLICT: Final = 409
# Decisions without the lock before one with it, which no other write can overtake.
_ATTEMPTS: Final = 2
_NUMBER: Final = re.compile(r"[0-9]+\Z")
# Below which clusters keep objects in etcd, as messages tell.
_STORAGE_PREFIX: Final = "/registry"
# What a body that cannot be read at all is refused with, before options and namespaces are looked at.
_UNREADABLE: Final = frozenset({400, 413, 415})


_Lock: TypeAlias = contextlib.AbstractContextManager[object]
# Called with the name of an object that is about to be created, empty where it is generated, and what is warned of.
Admit: TypeAlias = "Callable[[str, tuple[str, ...]], None]"


class WriteOutcome(NamedTuple):
    """
    What came of a request that writes.

    Attributes:
        code: 200 or 201.
        value: The object of the answer.
        warnings: What is warned of.
        dropped: The fields that were dropped on the way, as warnings spell them.
    """

    code: int
    value: Resource
    warnings: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def write(store: Store, type_: ResourceType, info: RequestInfo, request: HTTPRequest, admit: Admit) -> WriteOutcome:
    """
    Decide a request that writes, and store its object.

    The request is decided without the lock, so that others go on meanwhile, and again if the stored object has changed.

    Args:
        store: The store.
        type_: The resource.
        info: The resource that the URL names.
        request: The request.
        admit: Called with the name of an object that is about to be created and the warnings, to raise if it may not be.

    Raises:
        ApiError: The request is refused.

    Reference:
        apiserver endpoints/handlers/create.go, update.go, patch.go; storage/etcd3/store.go, GuaranteedUpdate.
    """
    asked = type_.prepared(_asked(info, request, type_))
    locks: Iterator[_Lock] = itertools.chain(
        itertools.repeat(contextlib.nullcontext(), _ATTEMPTS), itertools.repeat(store.lock)
    )
    return next(filter(None, (_attempt(store, type_, info, asked, admit, lock) for lock in locks)))


def _attempt(  # noqa: PLR0913, PLR0917 - a request and where it is decided
    store: Store,
    type_: ResourceType,
    info: RequestInfo,
    request: Request,
    admit: Admit,
    lock: _Lock,
) -> WriteOutcome | None:
    """Decide a request under *lock*, then store its object; None if the stored object has changed meanwhile."""
    with lock:
        generated = generatedvalues.of_request(
            lambda end: store.get(type_.key(info.namespace, _generated(request.body, end))) is None
        )
        name = info.name or _name_in(request.body) or _generated(request.body, generated.suffix())
        key = type_.key(info.namespace, name)
        entry = store.get(key)
        if entry is not None:
            request = request._replace(resource_version=str(entry.revision))
        outcome = type_.answer(None if entry is None else entry.value, request, generated)
        with store.lock:
            return None if store.get(key) is not entry else _commit(store, type_, info, request, admit, entry, outcome)


def _commit(  # noqa: PLR0913, PLR0917 - a request and its outcome
    store: Store,
    type_: ResourceType,
    info: RequestInfo,
    request: Request,
    admit: Admit,
    entry: StoredObject | None,
    outcome: RequestOutcome,
) -> WriteOutcome:
    """
    Admit and store the object of a decided request.

    Raises:
        ApiError: The request is refused.
    """
    by_update = type_.is_created_by_update and request.verb == "update"
    by_other = by_update or mediatypes.is_apply(request.verb, request.media_type)
    creates = request.verb == "create" or (entry is None and by_other and not request.subresource)
    if creates and not _is_unread(outcome):
        admit(info.name or _name_in(request.body), outcome.response.warnings)
    if request.verb == "create" and not request.dry_run and _is_storable(outcome):
        _demand_no_version(request.body)
    if not _is_unread(outcome):
        _demand_conversions(type_, request, entry, outcome)
    if not outcome.response.accepted:
        raise statuses.ApiError(outcome.response.status, warnings=outcome.response.warnings)
    value = _kept(store, type_, info, request, entry, outcome)
    changes = outcome.response.changes
    dropped = (*changes.pruned, *changes.lost)
    return WriteOutcome(outcome.response.code, value, outcome.response.warnings, dropped)


def demand_patch_type(request: HTTPRequest, type_: ResourceType) -> None:
    """
    Pass when a patch is of a kind that there is.

    Raises:
        ApiError: 415: it is not.
    """
    why = mediatypes.refuse_media_type(negotiation.media_type_of(request), is_built_in=type_.is_typed)
    if why is not None and type_.is_typed:
        raise statuses.failure(why.code, why.reason, why.message, {})
    if why is not None:
        raise statuses.of_refusal(why)


def _kept(  # noqa: PLR0913, PLR0917 - what a request is about
    store: Store,
    type_: ResourceType,
    info: RequestInfo,
    asked: Request,
    entry: StoredObject | None,
    outcome: RequestOutcome,
) -> Resource:
    """Keep what a request makes of an object, and return what is answered."""
    found = outcome.resource
    assert found is not None  # noqa: S101 - it was accepted
    if asked.dry_run:
        # What is not stored keeps what was sent.
        sent = _metadata(asked.body).get("resourceVersion", "") if entry is None else str(entry.revision)
        return _with_version(found, sent) if sent else found
    if outcome.stored is None:
        assert entry is not None  # noqa: S101 - what is gone was there
        store.delete(entry.key)
        return _with_version(found, str(entry.revision))
    if entry is None:
        entry = store.put(type_.key(info.namespace, outcome.stored["metadata"]["name"]), outcome.stored)
    elif outcome.changed:
        entry = store.put(entry.key, outcome.stored)
    return _with_version(found, str(entry.revision))


def _demand_conversions(
    type_: ResourceType, asked: Request, entry: StoredObject | None, outcome: RequestOutcome
) -> None:
    """
    Pass when what is stored can be read as the request has it, and what comes of the request can be stored.

    Raises:
        ApiError: 500: a webhook would have to convert it.
    """
    if entry is not None and asked.verb != "create":
        type_.demand_conversion(entry.value["apiVersion"], type_.api_version)
    if outcome.response.accepted or (asked.verb == "create" and _is_storable(outcome)):
        type_.demand_conversion(type_.api_version, type_.storage_api_version)


def _is_storable(outcome: RequestOutcome) -> bool:
    """Return whether a request comes as far as storing the object of a create: that a name is taken is found out then."""
    return outcome.response.accepted or outcome.response.code == _CONFLICT


def _demand_no_version(body: Body) -> None:
    """
    Pass when what is to be created has no resourceVersion; what is no number or 0 is none.

    Raises:
        ApiError: 500: it has one.

    Reference:
        apiserver storage/etcd3/store.go, Create.
    """
    version = _metadata(body).get("resourceVersion")
    if isinstance(version, str) and _NUMBER.match(version) and 0 < int(version) < 2**64:
        raise statuses.failure(500, "", "resourceVersion should not be set on objects to be created")


def _with_version(value: Resource, version: str) -> Resource:
    metadata = {**value["metadata"], "resourceVersion": version}
    return {**value, "metadata": metadata}


def _is_unread(outcome: RequestOutcome) -> bool:
    """Return whether a request was refused before anybody has looked for its namespace."""
    if outcome.response.code in _UNREADABLE:
        return True
    status = outcome.response.status or {}
    return bool((status.get("details") or {}).get("kind", "").endswith("Options"))


def _asked(info: RequestInfo, request: HTTPRequest, type_: ResourceType) -> Request:
    """Return a request as the engine knows it."""
    query = request.query
    media_type = negotiation.media_type_of(request)
    if info.verb != "patch":
        media_type = media_type or negotiation.JSON
        bodies.demand_form(media_type, type_)
    demand_options(_KINDS[info.verb], query)
    body = bodies.of_write(request, info.verb, media_type, type_, info.subresource)
    return Request(
        info.verb,  # type: ignore[arg-type] # one of three
        body,
        info.name,
        info.namespace,
        subresource=info.subresource,  # type: ignore[arg-type] # one that there is
        field_validation=query.first("fieldValidation") or "Warn",  # type: ignore[arg-type] # one of three
        media_type=media_type,
        field_manager=query.first("fieldManager"),
        force=boolean(query, "force") if query.has("force") else None,
        dry_run=query.has("dryRun"),
        user_agent=request.headers.get("user-agent", ""),
        storage_prefix="" if query.has("dryRun") else _STORAGE_PREFIX,  # of what is not stored nobody asks etcd
    )


def demand_options(kind: str, query: Query) -> None:
    """
    Pass when options of a write are some that there are.

    Raises:
        ApiError: 422: they are not.
    """
    errors = dry_run_problems(query.all("dryRun"))
    given = query.first("fieldValidation")
    if given and given not in FIELD_VALIDATIONS:
        path = FieldPath(("fieldValidation",))
        errors.append(fielderror.not_supported(path, given, ["", "Ignore", "Strict", "Warn"]))
    if errors:
        raise statuses.invalid_options(kind, errors)


def dry_run_problems(given: list[str]) -> list[FieldError]:
    """Return what is wrong with what a request says of a dry run."""
    if set(given) <= {"All"}:
        return []
    return [fielderror.not_supported(FieldPath(("dryRun",)), given, ["All"])]


def _metadata(body: Body) -> dict[str, JSONValue]:
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _name_in(body: Body) -> str:
    name = _metadata(body).get("name")
    return name if isinstance(name, str) else ""


def _generated(body: Body, suffix: str) -> str:
    base = _metadata(body).get("generateName")
    return base[:_BASE] + suffix if isinstance(base, str) and base else ""
