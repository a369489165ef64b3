"""
Kubernetes' library for URLs.

Reference:
    k8s.io/apiserver pkg/cel/library/urls.go; pkg/cel/url.go; Go net/url.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import BOOL, STRING, Type, list_of, map_of, struct
from pytest_crd.engine.cel.types.costs import Argument, CallEstimate, EstimateContext, SizeEstimate
from pytest_crd.engine.cel.types.functions import Function, Implementation, Library, Overload
from pytest_crd.engine.cel.values.celvalues import Opaque, Value
from pytest_crd.engine.golang import printing, urls
from pytest_crd.engine.golang.release import GoRelease

TYPE: Final = struct("kubernetes.URL")
_PORT: Final = lazyre.compile(r":[0-9]*\Z")
# Characters of a path that needs no escaping, and characters that escaping keeps.
_VALID_PATH: Final = lazyre.compile(r"[A-Za-z0-9\-_.~!$&'()*+,;=:@\[\]/%]*")
_VALID_FRAGMENT: Final = lazyre.compile(r"[A-Za-z0-9\-_.~!$&'()*+,;=:@\[\]/?%]*")
_UNESCAPED: Final = "-_.~$&+,/:;=@"
_BAD_ESCAPE: Final = lazyre.compile(r"%(?![0-9A-Fa-f]{2})")


class URL(Opaque):
    """URL as a CEL value; equal if the texts are equal."""

    __slots__ = ("parts", "text")

    type_name = TYPE.name

    def __init__(self, parts: urls.Url, source: str) -> None:
        self.parts = parts
        self.text = _written(parts, source)

    def equal(self, other: Value) -> bool:
        """Return whether *other* is the same URL; raise EvaluationError for other types."""
        if not isinstance(other, URL):
            raise EvaluationError("no such overload")
        return self.text == other.text

    def __str__(self) -> str:
        return self.text


def _written(parts: urls.Url, source: str) -> str:
    """Return a URL as Go writes it."""
    text = f"{parts.scheme}:" if parts.scheme else ""
    if parts.opaque:
        text += parts.opaque
    else:
        rest = source.partition(":")[2] if parts.scheme else source
        if rest.startswith("//") and (parts.scheme or parts.host or parts.user is not None):
            user = "" if parts.user is None else f"{parts.user}@"
            text += f"//{user}{_escaped_host(parts.host)}"
        text += escaped_path(parts)
    if parts.query or source.partition("#")[0].endswith("?"):
        text += f"?{parts.query}"
    return f"{text}#{_fragment(parts, source)}" if parts.fragment else text


def _fragment(parts: urls.Url, source: str) -> str:
    """Return the raw fragment if it needs no escaping, else escape it again."""
    written = source.partition("#")[2]
    return (
        written if _VALID_FRAGMENT.fullmatch(written) else urllib.parse.quote(parts.fragment, safe=f"{_UNESCAPED}?!()*")
    )


def _escaped_host(host: str) -> str:
    return urllib.parse.quote(host, safe="-_.~!$&'()*+,;=:[]<>\"")


def escaped_path(parts: urls.Url) -> str:
    """Return the raw path if it needs no escaping, else escape it again."""
    if parts.path == "*" or _VALID_PATH.fullmatch(parts.path):
        return parts.path
    return urllib.parse.quote(urllib.parse.unquote_to_bytes(parts.path), safe=_UNESCAPED)


def _split_host(host: str) -> tuple[str, str]:
    """Return a host without port and brackets, and the port."""
    match = _PORT.search(host)
    name, port = (host[: match.start()], match[0][1:]) if match else (host, "")
    return (name[1:-1] if name.startswith("[") and name.endswith("]") else name), port


def _query(url: URL) -> dict[str, list[str]]:
    """Return the values of each key of the query; malformed pairs are omitted."""
    values: dict[str, list[str]] = {}
    for pair in url.parts.query.split("&"):
        if not pair or ";" in pair:
            continue
        key, _, value = pair.partition("=")
        if _BAD_ESCAPE.search(pair):
            continue
        values.setdefault(urllib.parse.unquote_plus(key), []).append(urllib.parse.unquote_plus(value))
    return values


def library(dialect: Dialect, go: GoRelease) -> Library:
    """Return the URL library; *go* decides the syntax of hosts."""

    def parse(text: str) -> URL:
        try:
            urls.parse_request_uri(text, strict_colons=go.has_strict_colons)
        except urls.UrlError as error:
            raise _parse_error(f"parse {printing.quote(text)}: {error}") from None
        try:
            return URL(urls.parse(text, strict_colons=go.has_strict_colons), text)
        except urls.UrlError as error:
            raise _parse_error(str(error)) from None

    def is_url(text: str) -> bool:
        try:
            urls.parse_request_uri(text, strict_colons=go.has_strict_colons)
        except urls.UrlError:
            return False
        return True

    constructor = Overload(
        "string_to_url",
        (STRING,),
        TYPE,
        parse,
        cost=costing.traversal(),
        estimate=costing.estimate_traversal(keeps_size=True),
    )
    check = Overload("is_url_string", (STRING,), BOOL, is_url)
    getters = _BOUNDED_GETTERS if dialect.bounds_results else _GETTERS
    return Library("kubernetes.urls", (Function("url", (constructor,)), *getters, Function("isURL", (check,))))


def _parse_error(problem: str) -> EvaluationError:
    return EvaluationError(f"URL parse error during conversion from string: {problem}")


def _estimate_part(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    return CallEstimate(costing.ONE, context.size(arguments[0]))


def _estimate_escaped(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate a part of a URL that escapes each byte in up to three characters."""
    return CallEstimate(costing.ONE, context.size(arguments[0]) * SizeEstimate(1, 3))


def _getter(name: str, word: str, get: Callable[[URL], Any], result: Type = STRING) -> Function:
    call: Implementation = get
    overload = Overload(
        f"url_get_{word}", (TYPE,), result, call, is_member=True, cost=costing.unit_cost, estimate=costing.estimate_one
    )
    return Function(name, (overload,))


def _bound(getter: Function) -> Function:
    """Return a getter with an estimate of the size of its result."""
    estimate = _estimate_escaped if getter.name == "getEscapedPath" else _estimate_part
    return Function(getter.name, tuple(replace(overload, estimate=estimate) for overload in getter.overloads))


_GETTERS: Final = (
    _getter("getScheme", "scheme", lambda url: url.parts.scheme),
    _getter("getHost", "host", lambda url: url.parts.host),
    _getter("getHostname", "hostname", lambda url: _split_host(url.parts.host)[0]),
    _getter("getPort", "port", lambda url: _split_host(url.parts.host)[1]),
    _getter("getEscapedPath", "escaped_path", lambda url: escaped_path(url.parts)),
    _getter("getQuery", "query", _query, map_of(STRING, list_of(STRING))),
)
_BOUNDED_GETTERS: Final = tuple(map(_bound, _GETTERS))
