"""HTTP requests and responses as data."""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.admission import ADMINISTRATOR, User
from pytest_crd.server.http import requestinfo
from pytest_crd.server.http.requestinfo import IncompletePathError, RequestInfo

IMPERSONATE: Final = "impersonate-"
"""The beginning of the names of headers that name another user, in lower case."""

_BAD_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")


class HTTPRequest(NamedTuple):
    """
    A request.

    Attributes:
        method: `GET`, `POST` …
        target: The path and query as sent.
        headers: The headers, with names in lower case.
        body: The body.
        impersonation: The headers `Impersonate-*` in order, with names in lower case; names may repeat.
        user: The user, once the server has authenticated the request.
        fault: The fault that the request meets, for reports; empty without one.
    """

    method: str
    target: str
    headers: Mapping[str, str] = {}
    body: bytes = b""
    impersonation: tuple[tuple[str, str], ...] = ()
    user: User = ADMINISTRATOR
    fault: str = ""

    @property
    def path(self) -> str:
        """The path, unquoted."""
        return urllib.parse.unquote(self.target.partition("?")[0])

    @property
    def has_bad_escape(self) -> bool:
        """True if the path has a malformed percent escape."""
        return _BAD_ESCAPE.search(self.target.partition("?")[0]) is not None

    @property
    def info(self) -> RequestInfo | None:
        """The parsed path; None if it names no resource."""
        try:
            return requestinfo.parse(self.method, self.path)
        except IncompletePathError:
            return None

    @property
    def verb(self) -> str:
        """
        The verb, as authorization sees it: `list` with the parameter `watch` is `watch`; empty if the path names no resource.

        Reference:
            apiserver endpoints/request/requestinfo.go, NewRequestInfo.
        """
        return self.verb_of(self.info)

    def verb_of(self, info: RequestInfo | None) -> str:
        """Return the verb of a request with a parsed path."""
        verb = "" if info is None else info.verb
        return "watch" if verb == "list" and self.query.is_set("watch") else verb

    @property
    def query(self) -> Query:
        """The parameters of the URL."""
        return Query(self.target.partition("?")[2])


class Query:
    """The parameters of a URL."""

    def __init__(self, text: str) -> None:
        """
        Parse the text behind the question mark.

        Parameters with a semicolon or a malformed escape are dropped.

        Reference:
            Go's net/url, ParseQuery.
        """
        self._values: dict[str, list[str]] = {}
        for pair in filter(None, text.split("&")):
            if ";" in pair or _BAD_ESCAPE.search(pair):
                continue
            name, _, value = (urllib.parse.unquote_plus(part) for part in pair.partition("="))
            self._values.setdefault(name, []).append(value)

    def first(self, name: str) -> str:
        """Return the first value of a parameter; empty if it is absent."""
        return self._values.get(name, [""])[0]

    def all(self, name: str) -> list[str]:
        """Return all values of a parameter."""
        return self._values.get(name, [])

    def has(self, name: str) -> bool:
        """Return whether a parameter is present."""
        return name in self._values

    def is_set(self, name: str) -> bool:
        """Return whether a parameter is present with a value other than `false` and `0`."""
        return self.has(name) and self.first(name).lower() not in ("false", "0")


@dataclass(frozen=True, slots=True)
class HTTPAnswer:
    """
    A complete response.

    Attributes:
        code: The HTTP code.
        body: The encoded body.
        media_type: The Content-Type.
        headers: Further headers, in order; names may repeat.
        value: The body as JSON; None if it is not JSON.
        warnings: The texts of the Warning headers.
        dropped: The fields of the request that were dropped.
        unvalidated: The kind of the written object if it is not validated.
        unenforced: The kind of the written object if it changes the answers of a full cluster, and not of this server.
        unserved: The built-in kind of a 404 that a full cluster would serve.
        forbidden: The request in a few words, if it is not authorized.
        failure: The request with an unexpected error of pytest-crd; empty without one.
    """

    code: int
    body: bytes
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    value: JSONValue = None
    warnings: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    unvalidated: str = ""
    unenforced: str = ""
    unserved: str = ""
    forbidden: str = ""
    failure: str = ""


def compact(value: JSONValue, *, sorts_keys: bool = False) -> str:
    """Return *value* as JSON on one line."""
    return _ENCODE[sorts_keys](value)


_ENCODE: Final = [
    json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), sort_keys=sorts_keys).encode
    for sorts_keys in (False, True)
]
