"""The server's answer to a request that is not authorized."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError

NO_SNIFF: Final = ("X-Content-Type-Options", "nosniff")
_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


class ForbiddenError(ApiError):
    """
    A request that is not authorized.

    Attributes:
        attributes: The refused request.
    """

    def __init__(self, attributes: AccessAttributes, reason: str) -> None:
        """
        Create with the reason of the authorizer, which may be empty.

        Reference:
            apiserver endpoints/handlers/responsewriters/errors.go, ForbiddenStatusError.
        """
        details = {"name": attributes.name, "group": attributes.group, "kind": attributes.resource}
        qualified = f"{attributes.resource}.{attributes.group}" if attributes.group else attributes.resource
        named = f"{qualified} {printing.quote(attributes.name)}" if attributes.name else qualified
        subject = f"{named} is forbidden" if attributes.resource else "forbidden"
        message = ": ".join(filter(None, (subject, escaped(describe(attributes)), reason)))
        status = statuses.failure(403, "Forbidden", message, {key: value for key, value in details.items() if value})
        super().__init__(status.status, (NO_SNIFF,))
        self.attributes = attributes


def describe(attributes: AccessAttributes) -> str:
    """Return the sentence about a request that a user cannot send."""
    quote = printing.quote
    cannot = f"User {quote(attributes.user.username)} cannot {attributes.verb}"
    if not attributes.is_resource:
        return f"{cannot} path {quote(attributes.path)}"
    resource = f"resource {quote(attributes.combined_resource)} in API group {quote(attributes.group)}"
    place = f"in the namespace {quote(attributes.namespace)}" if attributes.namespace else "at the cluster scope"
    return f"{cannot} {resource} {place}"


def summarize(attributes: AccessAttributes) -> str:
    """Return a refused request in a few words, for reports: `system:serviceaccount:a:b cannot list pods in default`."""
    user = attributes.user.username
    if not attributes.is_resource:
        return f"{user} cannot {attributes.verb} {attributes.path}"
    group = f".{attributes.group}" if attributes.group else ""
    resource = f"{attributes.resource}{group}{f'/{attributes.subresource}' if attributes.subresource else ''}"
    place = f"in {attributes.namespace}" if attributes.namespace else "at the cluster scope"
    return f"{user} cannot {attributes.verb} {resource} {place}"


def escaped(text: str) -> str:
    """Return a text without characters that look like HTML."""
    return "".join(_ESCAPES.get(character, character) for character in text)
