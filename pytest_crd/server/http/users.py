"""The users of a server, by their bearer tokens."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable

from pytest_crd.engine.registry.admission import ADMINISTRATOR, User
from pytest_crd.server.http import statuses

_EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored"


class Users:
    """
    The users of a server; safe to use from several threads.

    Without the token of an administrator, each request is one of the administrator.
    """

    def __init__(self, token: str, find_issued: Callable[[str], User | None] = lambda _: None) -> None:
        """
        Create with an administrator.

        Args:
            token: The administrator's token; empty if requests need none.
            find_issued: Returns the ServiceAccount of a token that the server has issued; None without one.
        """
        self._by_token = {token: ADMINISTRATOR} if token else {}
        self._find_issued = find_issued
        self._lock = threading.Lock()

    @property
    def are_known(self) -> bool:
        """True if requests need a token."""
        return bool(self._by_token)

    def authenticate(self, header: str) -> User:
        """
        Return the user of a request.

        Args:
            header: The header Authorization; empty if the request has none.

        Raises:
            ApiError: 401: the header has no token of a user.

        Reference:
            apiserver authentication/request/bearertoken/bearertoken.go.
        """
        scheme, _, rest = header.strip().partition(" ")
        sent, space, _ = rest.partition(" ")
        is_bearer = scheme.lower() == "bearer"
        user = self.find(sent) if is_bearer else None
        if user is not None:
            return user
        error = statuses.failure(401, "Unauthorized", "Unauthorized")
        if is_bearer and space and not sent:
            error.warnings = (_EXTRA_SPACE,)
        raise error

    def add(self, user: User) -> str:
        """Add a user, and return the token of the user's requests."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._by_token[token] = user
        return token

    def find(self, token: str) -> User | None:
        """Return the user with a token, also of one that the server has issued; None without one."""
        return self.find_added(token) or self._find_issued(token)

    def find_added(self, token: str) -> User | None:
        """Return the administrator or an added user with a token; None without one. The time does not depend on the token."""
        with self._lock:
            items = [*self._by_token.items()]
        sent = token.encode("utf-8", "surrogateescape")
        matches = [user for own, user in items if hmac.compare_digest(sent, own.encode())]
        return matches[0] if matches else None
