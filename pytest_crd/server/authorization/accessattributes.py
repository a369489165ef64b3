"""The facts about a request that authorization decides about."""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import User
from pytest_crd.server import listoptions
from pytest_crd.server.http.httpmessages import HTTPRequest, Query
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.store import selectors
from pytest_crd.server.store.selectors import SelectorError

_PROXY: Final = "proxy"
_NAME: Final = "metadata.name"


class AccessAttributes(NamedTuple):
    """
    A request, as authorization sees it.

    Attributes:
        user: The user.
        verb: The verb, `list` or `watch`; for a path without a resource the HTTP method in lower case.
        group: The API group; empty for the core group.
        resource: The plural of the resource.
        subresource: The subresource; empty for the object itself.
        namespace: The namespace; empty for a resource of the cluster, or for all namespaces.
        name: The name of the object; empty for several.
        path: The path.
        is_resource: True if the path names a resource.
    """

    user: User
    verb: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    is_resource: bool = True

    @property
    def combined_resource(self) -> str:
        """The resource with its subresource, as rules spell it."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def of_request(request: HTTPRequest, info: RequestInfo | None, user: User, profile: Profile) -> AccessAttributes:
    """
    Return the attributes of an HTTP request.

    Args:
        request: The request.
        info: The resource that its path names; None if it names none.
        user: The user.
        profile: The Kubernetes version.

    Reference:
        apiserver endpoints/request/requestinfo.go, NewRequestInfo; endpoints/filters/authorization.go, GetAuthorizerAttributes.
    """
    if info is None:
        return AccessAttributes(user, request.method.lower(), path=request.path, is_resource=False)
    verb, name, namespace = request.verb_of(info), info.name, info.namespace
    if info.verb == "list":
        name = _find_selected_name(request.query, profile)
    if info.resource == "namespaces" and not namespace:
        namespace = info.name  # the path of a namespace is below itself
    subresource = "" if verb == _PROXY else info.subresource
    return AccessAttributes(user, verb, info.group, info.resource, subresource, namespace, name, request.path)


def _find_selected_name(query: Query, profile: Profile) -> str:
    """Return the name that the field selector of a list demands; empty if it demands none, or if an option is malformed."""
    try:
        for option in ("timeoutSeconds", "limit"):
            listoptions.integer(query, option)
        selectors.labels(query.first("labelSelector"), profile)
        terms = selectors.fields(query.first("fieldSelector"))
    except (ApiError, SelectorError):
        return ""
    name = next((term.value for term in terms if term.field == _NAME and term.is_equal), "")
    return "" if names.path_segment(name) else name
