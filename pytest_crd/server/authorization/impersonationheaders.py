"""The headers `Impersonate-*` of a request."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization.refusals import NO_SNIFF
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import IMPERSONATE, HTTPRequest
from pytest_crd.server.http.statuses import ApiError, PageError

_EXTRA: Final = f"{IMPERSONATE}extra-"
_AUTHENTICATION: Final = "authentication.k8s.io"
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")


def read(request: HTTPRequest, profile: Profile) -> User | None:
    """
    Return the user in the headers of a request; None without impersonation.

    Args:
        request: The request.
        profile: The Kubernetes version.

    Raises:
        ApiError: 400: the headers name groups, a uid or extra values, but no user.
        PageError: 500: the same before 1.35.
    """
    headers = request.impersonation
    extra: dict[str, tuple[str, ...]] = {}
    for name, value in sorted(headers, key=lambda header: header[0]):
        if name.startswith(_EXTRA):
            key = _unescaped(name.removeprefix(_EXTRA))
            extra[key] = (*extra.get(key, ()), value)
    groups = tuple(value for name, value in headers if name == f"{IMPERSONATE}group")
    wanted = User(_first(headers, "user"), _first(headers, "uid"), groups, extra)
    if wanted.username:
        return wanted
    if not (wanted.uid or groups or extra):
        return None
    raise _without_user(wanted, request, profile)


def _first(headers: Sequence[tuple[str, str]], field: str) -> str:
    return next((value for name, value in headers if name == IMPERSONATE + field), "")


def _without_user(wanted: User, request: HTTPRequest, profile: Profile) -> ApiError | PageError:
    """Return the error for headers without a user."""
    if profile.constrains_impersonation:
        message = f"requested {_print_user(wanted)} without impersonating a user name"
    else:
        message = f"requested [{' '.join(_references(wanted))}] without impersonating a user"
    if not profile.blames_clients_for_impersonation:
        return PageError(500, f"Internal Server Error: {printing.quote(request.target)}: {message}\n")
    error = statuses.bad_request(message)
    error.headers = (NO_SNIFF,)
    return error


def _print_user(user: User) -> str:
    """Return a user as Go prints the struct with `%#v`."""
    quote = printing.quote

    def listed(values: Sequence[str]) -> str:
        return f"[]string{{{', '.join(map(quote, values))}}}"

    groups = listed(user.groups) if user.groups else "[]string(nil)"
    pairs = ", ".join(f"{quote(key)}:{listed(user.extra[key])}" for key in sorted(user.extra))
    extra = f"map[string][]string{{{pairs}}}" if user.extra else "map[string][]string(nil)"
    return f"&user.DefaultInfo{{Name:{quote(user.username)}, UID:{quote(user.uid)}, Groups:{groups}, Extra:{extra}}}"


def _references(user: User) -> Iterator[str]:
    """Yield the parts of a user as Go prints object references."""
    yield from (f"{{Group  {group}    }}" for group in user.groups)
    for key, values in user.extra.items():
        yield from (f"{{UserExtra  {value}  {_AUTHENTICATION}/v1  {key}}}" for value in values)
    if user.uid:
        yield f"{{UID  {user.uid}  {_AUTHENTICATION}/v1  }}"


def _unescaped(key: str) -> str:
    """Return a key of extra values without percent escapes; unchanged if one is malformed."""
    return key if _BAD_ESCAPE.search(key) else urllib.parse.unquote(key)
