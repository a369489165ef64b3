"""Options of list and watch requests: selectors, resourceVersion, paging and timeout."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata.labelselectors import Requirement
from pytest_crd.engine.profile import Profile
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import Query
from pytest_crd.server.store import selectors
from pytest_crd.server.store.selectors import FieldTerm, SelectorError

_EXACT, _NOT_OLDER_THAN = "Exact", "NotOlderThan"
_INTEGER: Final = re.compile(r"[+-]?[0-9]+\Z")
_MATCH: Final = FieldPath(("resourceVersionMatch",))


class ListOptions(NamedTuple):
    """
    Options of a list or a watch.

    Attributes:
        labels: The label selector.
        fields: The field selector.
        is_watch: Whether the request is a watch.
        wants_bookmarks: Whether the client accepts bookmarks.
        resource_version: The resourceVersion of a list, or the start of a watch.
        resource_version_match: The resourceVersionMatch.
        timeout: The seconds until a watch ends; None for the server's default.
        limit: The page size; 0 for all objects.
        continuing: The continue token of the requested page.
        sends_initial_events: Whether a watch begins with the existing objects; None if unset.
    """

    labels: tuple[Requirement, ...] = ()
    fields: tuple[FieldTerm, ...] = ()
    is_watch: bool = False
    wants_bookmarks: bool = False
    resource_version: str = ""
    resource_version_match: str = ""
    timeout: int | None = None
    limit: int = 0
    continuing: str = ""
    sends_initial_events: bool | None = None


def read(query: Query, profile: Profile, *, is_watch: bool = False) -> ListOptions:
    """
    Return the options of a list or watch.

    Args:
        query: The parameters of the URL.
        profile: The reproduced Kubernetes version.
        is_watch: Whether the path makes the request a watch.

    Raises:
        ApiError: 400 for an unreadable option, 422 for contradictory options.

    Reference:
        apiserver endpoints/handlers/get.go, ListResource; apimachinery apis/meta/internalversion/validation.
    """
    timeout, limit = integer(query, "timeoutSeconds"), integer(query, "limit")
    try:
        options = ListOptions(
            selectors.labels(query.first("labelSelector"), profile),
            selectors.fields(query.first("fieldSelector")),
            is_watch or query.is_set("watch"),
            query.is_set("allowWatchBookmarks"),
            query.first("resourceVersion"),
            query.first("resourceVersionMatch"),
            timeout,
            limit or 0,
            query.first("continue"),
            query.is_set("sendInitialEvents") if query.has("sendInitialEvents") else None,
        )
    except SelectorError as error:
        raise statuses.bad_request(str(error)) from None
    is_legacy = options.sends_initial_events is None and not options.resource_version_match
    if options.is_watch and is_legacy and options.resource_version in ("", "0"):
        # apimachinery apis/meta/internalversion/defaults.go, SetListOptionsDefaults
        options = options._replace(sends_initial_events=True, resource_version_match=_NOT_OLDER_THAN)
    if errors := _problems(options):
        raise statuses.invalid_options("ListOptions", errors)
    return options


def name_term(name: str) -> FieldTerm:
    """Return the field selector term for the object with a *name*."""
    return FieldTerm("metadata.name", name, is_equal=True)


def integer(query: Query, name: str) -> int | None:
    """
    Return an integer parameter, or None if it is absent.

    Raises:
        ApiError: The value is not an int64.
    """
    text = query.first(name)
    if not query.has(name):
        return None
    if not _INTEGER.match(text):
        raise statuses.bad_request(f"strconv.ParseInt: parsing {printing.quote(text)}: invalid syntax")
    if not -(2**63) <= int(text) < 2**63:
        raise statuses.bad_request(f"strconv.ParseInt: parsing {printing.quote(text)}: value out of range")
    return int(text)


def _problems(options: ListOptions) -> list[FieldError]:
    match = options.resource_version_match
    if options.is_watch:
        return _watch_problems(options)
    errors = _match_problems(options, match) if match else []
    if options.sends_initial_events is not None:
        path = FieldPath(("sendInitialEvents",))
        errors.append(fielderror.forbidden(path, "sendInitialEvents is forbidden for list"))
    return errors


def _match_problems(options: ListOptions, match: str) -> list[FieldError]:
    errors = []
    if not options.resource_version:
        errors.append(
            fielderror.forbidden(_MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided")
        )
    if options.continuing:
        errors.append(fielderror.forbidden(_MATCH, "resourceVersionMatch is forbidden when continue is provided"))
    if match not in (_EXACT, _NOT_OLDER_THAN):
        errors.append(fielderror.not_supported(_MATCH, match, [_EXACT, _NOT_OLDER_THAN, ""]))
    if match == _EXACT and options.resource_version == "0":
        errors.append(fielderror.forbidden(_MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    return errors


def _watch_problems(options: ListOptions) -> list[FieldError]:
    match = options.resource_version_match
    errors = []
    if options.sends_initial_events is not None and match != _NOT_OLDER_THAN:
        problem = f"sendInitialEvents requires setting resourceVersionMatch to {_NOT_OLDER_THAN}"
        errors.append(fielderror.forbidden(_MATCH, problem))
    if match and options.sends_initial_events is None:
        problem = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        errors.append(fielderror.forbidden(_MATCH, problem))
    if match not in ("", _NOT_OLDER_THAN):
        errors.append(fielderror.not_supported(_MATCH, match, [_NOT_OLDER_THAN]))
    if match and options.continuing:
        errors.append(fielderror.forbidden(_MATCH, "resourceVersionMatch is forbidden when continue is provided"))
    return errors
