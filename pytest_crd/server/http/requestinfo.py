"""Verb and resource of a request by its URL."""

from __future__ import annotations

from typing import Final, NamedTuple

_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_SPECIAL_VERBS: Final = frozenset({"watch", "proxy"})
VERBS: Final = (*dict.fromkeys(_VERBS.values()), "list", "deletecollection", *sorted(_SPECIAL_VERBS))
"""The verbs of requests for resources."""

# Subresources of a namespace, not resources in it.
_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})


class RequestInfo(NamedTuple):
    """
    Verb and resource of a URL.

    Attributes:
        verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; empty for an unknown method.
        group: The API group; empty for the core group.
        version: The version.
        resource: The plural.
        namespace: The namespace; empty if the URL has none.
        name: The name of the object; empty for the collection.
        subresource: The segment after the name.
        has_more: True if further segments follow; a server ignores them for custom resources.
    """

    verb: str
    group: str
    version: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    has_more: bool = False


def resource_names(resource: str, group: str, subresource: str = "") -> tuple[str, str]:
    """Return the names of a resource without and with its group, followed by `/` and the subresource if there is one."""
    suffix = f"/{subresource}" if subresource else ""
    return f"{resource}{suffix}", f"{resource}{f'.{group}' if group else ''}{suffix}"


class IncompletePathError(Exception):
    """A path of a watch or a proxy that names no resource."""


def parse(method: str, path: str) -> RequestInfo | None:
    """
    Return the verb and resource of a path, or None if it names no resource.

    Args:
        method: `GET`, `POST` …
        path: The path without its query, unquoted.

    Raises:
        IncompletePathError: The path ends after `watch` or `proxy`.

    Reference:
        apiserver endpoints/request/requestinfo.go, NewRequestInfo.
    """
    parts = path.strip("/").split("/")
    prefixes = {"api": 2, "apis": 3}  # the number of segments up to the version
    lead = prefixes.get(parts[0], 0)
    if not lead or len(parts) <= lead:
        return None
    group, version = ("" if lead == 2 else parts[1]), parts[lead - 1]
    rest = parts[lead:]
    special = rest[0] if rest[0] in _SPECIAL_VERBS else ""
    if special and len(rest) == 1:
        raise IncompletePathError
    rest = rest[1:] if special else rest
    namespace = ""
    # A namespace itself is a resource outside of namespaces.
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES:
        namespace, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    verb = special or _verb(method, name)
    subresource = rest[2] if len(rest) > 2 else ""
    return RequestInfo(verb, group, version, rest[0], namespace, name, subresource, len(rest) > 3)


def _verb(method: str, name: str) -> str:
    verb = _VERBS.get(method, "")
    if verb == "get" and not name:
        return "list"
    return "deletecollection" if verb == "delete" and not name else verb
