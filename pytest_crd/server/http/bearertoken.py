"""Bearer tokens in the header Authorization, read as apiserver's `request/bearertoken` reads them."""

from __future__ import annotations

import hmac

from pytest_crd.server.http import statuses

_EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored"


def require(header: str, token: str) -> None:
    """
    Check the header Authorization of a request.

    Args:
        header: Its value; empty if the request has no such header.
        token: The token of the server.

    Raises:
        ApiError: The header has another token, or none.
    """
    scheme, _, rest = header.strip().partition(" ")
    sent, space, _ = rest.partition(" ")
    is_bearer = scheme.lower() == "bearer"
    if is_bearer and hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), token.encode()):
        return
    error = statuses.failure(401, "Unauthorized", "Unauthorized")
    if is_bearer and space and not sent:
        error.warnings = (_EXTRA_SPACE,)
    raise error
