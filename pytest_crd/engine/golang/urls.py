"""
Parser of URLs with the errors of Go's `net/url`.

Go parses bytes. Here, each character of an unparsed text is one byte; only finished parts are decoded.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.engine.golang import netip, printing

_CONTROL: Final = lazyre.compile(r"[\x00-\x1f\x7f]")
_SCHEME: Final = lazyre.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BAD_ESCAPE: Final = lazyre.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPE: Final = lazyre.compile(r"%([0-9A-Fa-f]{2})")
_PORT: Final = lazyre.compile(r"(:[0-9]*)?")
_USER: Final = lazyre.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_ASCII_OF_HOST: Final = r"A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\""
# First error in a host: an invalid escape, an escaped ASCII character, or an invalid character.
_BAD_IN_HOST: Final = lazyre.compile(rf"%(?:(?!25)[0-7][0-9A-Fa-f]|(?![0-9A-Fa-f]{{2}}))|[^%{_ASCII_OF_HOST}\x80-\xff]")
_ALLOWED_IN_ZONE: Final = lazyre.compile(rf"[{_ASCII_OF_HOST} %]")
_ESCAPED_IN_USER: Final = lazyre.compile(r"[^A-Za-z0-9\-_.~$&+,;=]")


class UrlError(ValueError):
    """Text that Go refuses as a URL; the message is Go's without the text."""


class Url(NamedTuple):
    """
    Parsed URL.

    Attributes:
        scheme: In lower case.
        user: User and optional password, escaped; None if the URL has no user.
        host: Host with port.
        query: Raw text after the question mark.
        fragment: Unescaped text after the hash.
        path: Raw path with its escapes.
        opaque: Text after the scheme if it does not begin with a slash.
    """

    scheme: str = ""
    user: str | None = None
    host: str = ""
    query: str = ""
    fragment: str = ""
    path: str = ""
    opaque: str = ""


def parse(text: str, *, strict_colons: bool) -> Url:
    """
    Parse *text* as a URL.

    Args:
        text: Any text.
        strict_colons: Accept a colon in a host of http and https only before its port, as Go 1.26 does.

    Raises:
        UrlError: It is not a URL.

    Reference:
        net/url, Parse.
    """
    before, _, fragment = _bytes(text).partition("#")
    try:
        url = _parse(before, via_request=False, strict_colons=strict_colons)
    except UrlError as error:
        raise UrlError(f"parse {printing.quote(_text(before))}: {error}") from None
    try:
        decoded = _unescaped(fragment)
    except UrlError as error:
        raise UrlError(f"parse {printing.quote(text)}: {error}") from None
    host, query, path, opaque = map(_text, (url.host, url.query, url.path, url.opaque))
    return Url(url.scheme, url.user, host, query, _text(decoded), path, opaque)


def parse_request_uri(text: str, *, strict_colons: bool) -> Url:
    """
    Parse *text* as the URL of a request: absolute, or an absolute path. A hash is an ordinary character.

    Args:
        text: Any text.
        strict_colons: As for `parse`.

    Raises:
        UrlError: It is not such a URL.

    Reference:
        net/url, ParseRequestURI.
    """
    return _parse(_bytes(text), via_request=True, strict_colons=strict_colons)


def split_host(host: str) -> tuple[str, str]:
    """
    Return the name of a host without brackets, and the digits of its port, empty without a port.

    Reference:
        net/url, splitHostPort.
    """
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:
        name, port = host, ""
    return (name[1:-1] if name.startswith("[") else name), port


def _bytes(text: str) -> str:
    return text.encode(errors="replace").decode("latin-1")


def _text(text: str) -> str:
    return text.encode("latin-1").decode(errors="replace")


def _parse(text: str, *, via_request: bool, strict_colons: bool) -> Url:
    if _CONTROL.search(text):
        raise UrlError("net/url: invalid control character in URL")
    if not text and via_request:
        raise UrlError("empty url")
    if text == "*":
        return Url(path=text)
    scheme, rest = _scheme(text)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if not scheme:
            _refuse_relative(rest, via_request=via_request)
        else:
            return Url(scheme, query=query, opaque=rest)
    user, host = None, ""
    if rest.startswith("//") and (scheme or not (via_request or rest.startswith("///"))):
        authority, slash, path = rest[2:].partition("/")
        user, host = _authority(authority, strict_colons=strict_colons and scheme in {"http", "https"})
        rest = slash + path
    _unescaped(rest)
    return Url(scheme, user, host, query, path=rest)


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise UrlError("missing protocol scheme")
    match = _SCHEME.match(text)
    return (match[0][:-1].lower(), text[match.end() :]) if match else ("", text)


def _refuse_relative(rest: str, *, via_request: bool) -> None:
    if via_request:
        raise UrlError("invalid URI for request")
    if ":" in rest.partition("/")[0]:
        raise UrlError("first path segment in URL cannot contain colon")


def _authority(authority: str, *, strict_colons: bool) -> tuple[str | None, str]:
    user, at, host = authority.rpartition("@")
    host = _host(host, strict_colons=strict_colons)
    if not at:
        return None, host
    if not _USER.fullmatch(user):
        raise UrlError("net/url: invalid userinfo")
    return ":".join(_escaped_user(_unescaped(part)) for part in user.split(":", 1)), host


def _host(host: str, *, strict_colons: bool) -> str:
    opening = host.rfind("[")
    if opening > 0:
        raise UrlError("invalid IP-literal")
    if opening == 0:
        return _ip_literal(host)
    colon = host.find(":") if strict_colons else host.rfind(":")
    if colon >= 0:
        _check_port(host[colon:])
    return _unescaped_host(host)


def _ip_literal(host: str) -> str:
    closing = host.rfind("]")
    if closing < 0:
        raise UrlError("missing ']' in host")
    name, port = host[1:closing], host[closing + 1 :]
    _check_port(port)
    before, percent, zone = name.partition("%25")
    name = _unescaped_host(before) + (_unescaped_zone(percent + zone) if percent else "")
    try:
        is_ipv4 = netip.version(_text(name)) == 4
    except netip.AddressError as error:
        raise UrlError(f"invalid host: {error}") from None
    if is_ipv4:
        raise UrlError("invalid IP-literal")
    return f"[{name}]{port}"


def _check_port(port: str) -> None:
    if not _PORT.fullmatch(port):
        raise UrlError(f"invalid port {printing.quote(_text(port))} after host")


def _unescaped(text: str) -> str:
    if bad := _BAD_ESCAPE.search(text):
        raise UrlError(f"invalid URL escape {printing.quote(_text(text[bad.start() : bad.start() + 3]))}")
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)


def _unescaped_host(host: str) -> str:
    if bad := _BAD_IN_HOST.search(host):
        rejected = host[bad.start() : bad.start() + 3]
        if rejected.startswith("%"):
            raise UrlError(f"invalid URL escape {printing.quote(_text(rejected))}")
        raise UrlError(f"invalid character {printing.quote(rejected[0])} in host name")
    return _unescaped(host)


def _unescaped_zone(zone: str) -> str:
    unescaped = _unescaped(zone)
    for escape in _ESCAPE.finditer(zone):
        if not _ALLOWED_IN_ZONE.fullmatch(chr(int(escape[1], 16))):
            raise UrlError(f"invalid URL escape {printing.quote(escape[0])}")
    if bad := re.search(rf"[^%{_ASCII_OF_HOST}\x80-\xff]", zone):
        raise UrlError(f"invalid character {printing.quote(bad[0])} in host name")
    return unescaped


def _escaped_user(text: str) -> str:
    return _ESCAPED_IN_USER.sub(lambda char: f"%{ord(char[0]):02X}", text)
