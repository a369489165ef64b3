"""Read requests: one object, or a list."""

from __future__ import annotations

import base64
import binascii
import bisect
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.golang import jsonsyntax, printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import names
from pytest_crd.engine.metadata.labelselectors import Requirement
from pytest_crd.server import unreadable
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.listoptions import ListOptions
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.selectors import FieldTerm
from pytest_crd.server.store.store import CompactedError, Store, StoredObject
from pytest_crd.server.unreadable import UnreadableObjectError

_DIGITS: Final = re.compile(r"[0-9]+\Z")
_UINT64: Final = 2**64
_NAME: Final = "metadata.name"
_FORMAT: Final = "meta.k8s.io/v1"
_TOO_OLD: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue "
    "parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and "
    "now may show up in the list."
)
# The revision of a token that continues an expired list from the current state.
_LATEST: Final = -1


class Page(NamedTuple):
    """
    A list, or a page from it.

    Attributes:
        items: The objects in the version of the resource.
        revision: The resourceVersion of the list.
        continuing: The continue token of the next page; empty on the last page.
        remaining: The number of objects on later pages; None if not counted.
    """

    items: list[Resource]
    revision: int
    continuing: str = ""
    remaining: int | None = None


class _Token(NamedTuple):
    revision: int
    start: str


def demand_name(name: str) -> None:
    """
    Check that a name can be a part of a path in the store.

    Raises:
        ApiError: 400.

    Reference:
        apiserver registry/generic/registry/store.go, NamespaceKeyFunc.
    """
    if problems := names.path_segment(name):
        raise statuses.bad_request(f"Name parameter invalid: {printing.quote(name)}: {';'.join(problems)}")


def get(store: Store, type_: ResourceType, namespace: str, name: str, resource_version: str = "") -> StoredObject:
    """
    Return a stored object.

    Raises:
        ApiError: 404: the object does not exist; 504: *resource_version* is in the future.
    """
    demand_name(name)
    if resource_version:
        demand_version(store, version_of(resource_version))
    entry = store.get(type_.key(namespace, name))
    if entry is None:
        raise statuses.not_found(type_.requested, name)
    return entry


def page(store: Store, type_: ResourceType, namespace: str, options: ListOptions) -> Page:
    """
    Return a list of objects, or its requested page.

    Raises:
        ApiError: 400: an option is invalid; 410: the requested revision is no longer stored; 504: it is in the future.

    Reference:
        apiserver storage/etcd3/store.go, GetList; storage/continue.go.
    """
    matches = filter_of(type_, options)
    token = _read_token(options.continuing) if options.continuing else None
    if token is not None and options.resource_version not in ("", "0"):
        raise statuses.bad_request("specifying resource version is not allowed when using continue")
    with store.lock:
        revision = store.revision if token is None else token.revision
        if token is None and options.resource_version:
            revision = _revision_of(store, options)
        elif revision == _LATEST:
            revision = store.revision
        name = next((term.value for term in options.fields if term.field == _NAME and term.is_equal), "")
        entries = _entries(store, type_, namespace, revision, token, name)
    start = 0 if token is None else _place_after(entries, namespace, token.start)
    return _cut(entries[start:], type_, namespace, options, matches, revision)


def filter_of(type_: ResourceType, options: ListOptions) -> Callable[[Resource], bool]:
    """
    Return a predicate for the selectors; it takes an object in the version of the resource.

    Raises:
        ApiError: 400: a field is not selectable.
    """
    selectable = type_.selectable_fields()
    for path, _, _ in options.fields:
        if path not in selectable:
            raise statuses.bad_request(f"field label not supported: {path}")
    if not options.labels and not options.fields:
        return lambda _shown: True
    return lambda object_: _has_labels(object_, options.labels) and _has_fields(type_, object_, options.fields)


def version_of(text: str) -> int:
    """
    Return a resourceVersion as a number.

    Raises:
        ApiError: 500: it is not a uint64.
    """
    if not _DIGITS.match(text) or int(text) >= _UINT64:
        raise ApiError(_failed_version(text))
    return int(text)


def demand_version(store: Store, revision: int) -> None:
    """
    Raise ApiError if a revision is in the future.

    Raises:
        ApiError: 504.
    """
    if revision > store.revision:
        message = f"Timeout: Too large resource version: {revision}, current: {store.revision}"
        causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
        failure = statuses.failure(504, "Timeout", message, {"causes": causes, "retryAfterSeconds": 1})
        raise ApiError(failure.status, (("Retry-After", "1"),))


def _failed_version(text: str) -> JSONValue:
    problem = "value out of range" if _DIGITS.match(text) else "invalid syntax"
    parsing = f"strconv.ParseUint: parsing {printing.quote(text)}: {problem}"
    problem = f"resourceVersion: Invalid value: {printing.quote(text)}: {parsing}"
    return statuses.failure(500, "", problem).status


def _revision_of(store: Store, options: ListOptions) -> int:
    """
    Return the revision of a list: the requested one for an exact match or for pages, else the current one.

    Raises:
        ApiError: 400: the resourceVersion is malformed; 504: it is in the future.

    Reference:
        apiserver storage/util.go, ValidateListOptions.
    """
    text = options.resource_version
    if not _DIGITS.match(text) or int(text) >= _UINT64:
        raise statuses.bad_request(f"invalid resource version: {_failed_version(text)['message']}")
    demand_version(store, int(text))
    match = options.resource_version_match
    is_exact = match == "Exact" or (not match and options.limit > 0 and int(text) > 0)
    return int(text) if is_exact else store.revision


def _entries(  # noqa: PLR0913, PLR0917 - the parameters of a list
    store: Store, type_: ResourceType, namespace: str, revision: int, token: _Token | None, name: str
) -> Sequence[StoredObject]:
    scope = namespace if type_.is_namespaced else ""
    try:
        entries = store.entries(type_.resource, scope, at=revision)
    except CompactedError:
        if token is None:
            raise statuses.failure(410, "Expired", "The resourceVersion for the provided list is too old.") from None
        failure = statuses.failure(410, "Expired", _TOO_OLD)
        failure.status["metadata"]["continue"] = _token(_LATEST, token.start)
        raise failure from None
    # A selector for one name in one namespace reads a single key.
    is_one = bool(name) and (bool(namespace) or not type_.is_namespaced)
    return [entry for entry in entries if entry.key.name == name] if is_one else entries


def _place_after(entries: Sequence[StoredObject], namespace: str, start: str) -> int:
    return bisect.bisect_left(entries, start, key=lambda entry: _within(entry, namespace))


def _within(entry: StoredObject, namespace: str) -> str:
    """Return the path of an object below the listed path, as in continue tokens."""
    path = entry.key.path
    return f"/{path.removeprefix(f'{namespace}/') if namespace else path}"


def _cut(  # noqa: PLR0913, PLR0917 - the parameters of a page
    entries: Sequence[StoredObject],
    type_: ResourceType,
    namespace: str,
    options: ListOptions,
    matches: Callable[[Resource], bool],
    revision: int,
) -> Page:
    """Return one page of the matching objects."""
    items: list[Resource] = []
    errors: list[UnreadableObjectError] = []
    # Lists at resourceVersion 0 come from the watch cache, without pages.
    is_whole = options.limit <= 0 or options.resource_version == "0"
    limit = len(entries) if is_whole else options.limit
    is_unfiltered = not options.labels and not options.fields
    for place, entry in enumerate(entries):
        is_full = len(items) == limit or (is_unfiltered and place == limit)
        if errors and (is_full or len(errors) == unreadable.find_limit(type_)):
            break
        if is_full:
            token = _token(revision, _within(entries[place - 1], namespace) + "\0")
            return Page(items, revision, token, len(entries) - place if is_unfiltered else None)
        try:
            object_ = type_.read(entry)
        except UnreadableObjectError as error:
            errors.append(error)
        else:
            if is_unfiltered or matches(object_):
                items.append(object_)
    if errors:
        raise unreadable.refuse_list(type_, errors)
    return Page(items, revision)


def _has_labels(object_: Resource, requirements: Iterable[Requirement]) -> bool:
    labels = object_["metadata"].get("labels") or {}
    return all(requirement.matches(labels) for requirement in requirements)


def _has_fields(type_: ResourceType, object_: Resource, terms: Iterable[FieldTerm]) -> bool:
    fields = type_.selectable(object_)
    return all((fields[term.field] == term.value) == term.is_equal for term in terms)


def _token(revision: int, start: str) -> str:
    content = json.dumps({"v": _FORMAT, "rv": revision, "start": start}, separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def _read_token(text: str) -> _Token:
    """
    Return the content of a continue token.

    Raises:
        ApiError: 400: the token is malformed.
    """
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except binascii.Error:
        raise _bad_token(f"illegal base64 data at input byte {_illegal_byte(text)}") from None
    if problem := jsonsyntax.find_problem(content.decode(errors="surrogateescape")):
        raise _bad_token(problem)
    value: Any = json.loads(content.decode(errors="replace"))
    if not isinstance(value, dict):
        kind = {list: "array", str: "string", bool: "bool"}.get(type(value), "number")
        raise _bad_token(f"json: cannot unmarshal {kind} into Go value of type storage.continueToken")
    if value.get("v") != _FORMAT:
        raise _bad_token(f"server does not recognize this encoded version {value.get('v', '')}")
    if not value.get("rv"):
        raise _bad_token(f"incorrect encoded start resourceVersion (version {_FORMAT})")
    start = value.get("start") or ""
    if not start:
        raise _bad_token(f"encoded start key empty (version {_FORMAT})")
    return _Token(value["rv"], start if start.startswith("/") else f"/{start}")


def _bad_token(problem: str) -> ApiError:
    return statuses.bad_request(f"invalid continue token: continue key is not valid: {problem}")


def _illegal_byte(text: str) -> int:
    """Return the position of the first invalid base64 character, or of the incomplete last group."""
    invalid = re.search(r"[^A-Za-z0-9_-]", text)
    return invalid.start() if invalid else len(text) - len(text) % 4
