"""What a URL asks for: of which resource, by which verb."""

from __future__ import annotations

from typing import Final, NamedTuple

_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_SPECIAL_VERBS: Final = frozenset({"watch", "proxy"})
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
        subresource: The part behind the name.
        has_more: True if the path goes on behind that: a server ignores it for custom resources.
    """

    verb: str
    group: str
    version: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    has_more: bool = False


class IncompletePathError(Exception):
    """A path of a watch or a proxy that names no resource."""


def parse(method: str, path: str) -> RequestInfo | None:
    """
    Return what a path asks for; None where it is not about a resource.

    Args:
        method: `GET`, `POST` …
        path: The path without its query, unquoted.

    Raises:
        IncompletePathError: The path ends behind `watch` or `proxy`.

    Reference:
        apiserver endpoints/request/requestinfo.go, NewRequestInfo.
    """
    parts = path.strip("/").split("/")
    prefixes = {"api": 2, "apis": 3}  # how many parts say the group version
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
    # A namespace is a resource, too, which is in none.
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in _OF_NAMESPACES:
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
