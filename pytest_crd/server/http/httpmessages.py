"""Requests of HTTP as data, and the answers to them."""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http import requestinfo
from pytest_crd.server.http.requestinfo import RequestInfo

_BAD_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")


class HTTPRequest(NamedTuple):
    """
    A request.

    Attributes:
        method: `GET`, `POST` …
        target: The path with its query, as it is sent.
        headers: The headers, their names in lower case.
        body: What is sent.
    """

    method: str
    target: str
    headers: Mapping[str, str] = {}
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path, unquoted."""
        return urllib.parse.unquote(self.target.partition("?")[0])

    @property
    def has_bad_escape(self) -> bool:
        """True if the path has a percent sign that escapes nothing."""
        return _BAD_ESCAPE.search(self.target.partition("?")[0]) is not None

    @property
    def info(self) -> RequestInfo | None:
        """What the path asks for; None where it is about no resource."""
        return requestinfo.parse(self.method, self.path)

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
        """Return the first value of a parameter; empty where it has none."""
        return self._values.get(name, [""])[0]

    def all(self, name: str) -> list[str]:
        """Return all values of a parameter."""
        return self._values.get(name, [])

    def has(self, name: str) -> bool:
        """Return whether there is such a parameter."""
        return name in self._values


@dataclass(frozen=True, slots=True)
class HTTPAnswer:
    """
    An answer that is there as a whole.

    Attributes:
        code: The HTTP code.
        body: What is sent.
        media_type: What it is.
        headers: Further headers, in order; a name may come several times.
        value: What the body says, as JSON; None where it is none.
        warnings: What it warns of.
        dropped: The fields that were dropped of what was sent.
        unvalidated: The kind of what was written, where that is neither validated nor defaulted.
        unserved: The built-in kind of a 404 that a cluster would have answered.
    """

    code: int
    body: bytes
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    value: JSONValue = None
    warnings: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    unvalidated: str = ""
    unserved: str = ""


def compact(value: JSONValue, *, sorts_keys: bool = False) -> str:
    """Return *value* as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sorts_keys)
