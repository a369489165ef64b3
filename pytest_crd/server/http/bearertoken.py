"""Bearer tokens in the header Authorization, read as apiserver's `request/bearertoken` reads them."""

from __future__ import annotations

from pytest_crd.engine.registry.admission import User
from pytest_crd.server.http import statuses
from pytest_crd.server.http.users import Users

_EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored"


def authenticate(header: str, users: Users) -> User:
    """
    Return the user of a request.

    Args:
        header: The header Authorization; empty if the request has none.
        users: The users of the server.

    Raises:
        ApiError: 401: the header has no token of a user.
    """
    scheme, _, rest = header.strip().partition(" ")
    sent, space, _ = rest.partition(" ")
    is_bearer = scheme.lower() == "bearer"
    user = users.find(sent) if is_bearer else None
    if user is not None:
        return user
    error = statuses.failure(401, "Unauthorized", "Unauthorized")
    if is_bearer and space and not sent:
        error.warnings = (_EXTRA_SPACE,)
    raise error
