"""What a URL asks for: of which resource, by which verb."""

from __future__ import annotations

from typing import Final, NamedTuple

_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
# What may stand behind the name of a namespace and is no resource in it.
_OF_NAMESPACES: Final = frozenset({"status", "finalize"})


class RequestInfo(NamedTuple):
    """
    What a URL says.

    Attributes:
        verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; empty for a method that has none.
        group: The API group; empty for the core group.
        version: The version.
        resource: The plural.
        namespace: The namespace; empty where the URL has none.
        name: The name of the object; empty where the URL is that of the collection.
        subresource: What stands behind the name.
    """

    verb: str
    group: str
    version: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def parse(method: str, path: str) -> RequestInfo | None:
    """
    Return what a path asks for; None where it is not about a resource.

    Args:
        method: `GET`, `POST` …
        path: The path without its query, unquoted.

    Reference:
        apiserver endpoints/request/requestinfo.go, NewRequestInfo.
    """
    parts = [part for part in path.split("/") if part]
    prefixes = {"api": 2, "apis": 3}  # how many parts say the group version
    lead = prefixes.get(parts[0], 0) if parts else 0
    if not lead or len(parts) <= lead:
        return None
    group, version = ("" if lead == 2 else parts[1]), parts[lead - 1]
    rest = parts[lead:]
    is_watch = rest[0] == "watch" and len(rest) > 1
    rest = rest[1:] if is_watch else rest
    namespace = ""
    # A namespace is a resource, too, which is in none.
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in _OF_NAMESPACES:
        namespace, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    verb = _verb(method, name, is_watch=is_watch)
    return RequestInfo(verb, group, version, rest[0], namespace, name, "/".join(rest[2:]))


def _verb(method: str, name: str, *, is_watch: bool) -> str:
    verb = _VERBS.get(method, "")
    if is_watch:
        return "watch"
    if verb == "get" and not name:
        return "list"
    return "deletecollection" if verb == "delete" and not name else verb
