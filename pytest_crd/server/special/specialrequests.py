"""Functions of special requests by resource and subresource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import kubelets, pods, tokenrequests
from pytest_crd.server.special.specialcontext import SpecialContext

# Returns the object of a response, or its text; raises ApiError if the request is refused.
Special: TypeAlias = Callable[[SpecialContext, HTTPRequest, RequestInfo, ResourceType], Resource | str]

_REQUESTS: Final[Mapping[tuple[str, str], Special]] = {
    ("bindings", ""): pods.bind,
    ("nodes", "proxy"): kubelets.proxy,
    ("pods", "attach"): kubelets.stream,
    ("pods", "binding"): pods.bind,
    ("pods", "eviction"): pods.evict,
    ("pods", "exec"): kubelets.stream,
    ("pods", "log"): kubelets.read_log,
    ("pods", "portforward"): kubelets.stream,
    ("pods", "proxy"): kubelets.proxy,
    ("serviceaccounts", "token"): tokenrequests.create_token,
    ("services", "proxy"): kubelets.proxy,
    ("tokenreviews", ""): tokenrequests.review,
}


def find(type_: ResourceType, info: RequestInfo) -> Special | None:
    """Return the function of a request; None if it reads or writes a stored object."""
    return _REQUESTS.get((info.resource, info.subresource)) if type_.is_typed else None
