"""
Requests for a kubelet: logs, exec, attach, port forwards and proxies. No kubelet runs, so all are refused.

Reference:
    kubernetes pkg/registry/core/pod/strategy.go, LogLocation and streamLocation; pkg/registry/core/service/proxy.go.
"""

from __future__ import annotations

from typing import Final, NoReturn

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server import reads
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import specialadmission
from pytest_crd.server.special.specialcontext import SpecialContext
from pytest_crd.server.store.store import ObjectKey

_KINDS_OF_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


def read_log(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> str:
    """
    Return the log of a Pod without a Node, which is empty.

    Raises:
        ApiError: The Pod or its container does not exist, or it has a Node.
    """
    pod = reads.get(context.store, type_, info.namespace, info.name).value
    container = request.query.first("container")
    names = [item["name"] for key in _KINDS_OF_CONTAINERS for item in pod["spec"].get(key) or ()]
    if not container and len(names) != 1:
        listed = ", choose one of: [" + " ".join(names) + "]" if names else ""
        raise statuses.bad_request(f"a container name must be specified for pod {info.name}{listed}")
    if container and container not in names:
        raise statuses.bad_request(f"container {container} is not valid for pod {info.name}")
    if pod["spec"].get("nodeName"):
        _refuse(context, pod, "containerLogs")
    return ""


def stream(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> NoReturn:
    """
    Refuse exec, attach and port forwards.

    Raises:
        ApiError: Always.
    """
    specialadmission.admit_connection(context, request, info, type_)
    pod = reads.get(context.store, type_, info.namespace, info.name).value
    if not pod["spec"].get("nodeName"):
        raise statuses.bad_request(f"pod {info.name} does not have a host assigned")
    _refuse(context, pod, info.subresource)


def proxy(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> NoReturn:
    """
    Refuse requests that a server forwards to a Pod, a Service or a Node.

    Raises:
        ApiError: Always.
    """
    specialadmission.admit_connection(context, request, info, type_)
    name = info.name
    if type_.names.plural == "services":
        name = name.removeprefix("https:").removeprefix("http:").partition(":")[0]
    reads.get(context.store, type_, info.namespace, name)
    if type_.names.plural == "services":
        raise statuses.failure(503, "ServiceUnavailable", f'no endpoints available for service "{name}"')
    raise statuses.bad_request("address not allowed")


def _refuse(context: SpecialContext, pod: Resource, action: str) -> NoReturn:
    """
    Refuse a request to the kubelet of a Pod's Node.

    Raises:
        ApiError: 404: the Node does not exist; 500: no kubelet runs on it.
    """
    node = pod["spec"]["nodeName"]
    if context.store.get(ObjectKey("nodes", "", node)) is None:
        raise statuses.not_found("pods", node)
    path = f"https://{node}:10250/{action}/{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    raise statuses.internal_error(f'error dialing backend: Get "{path}": no kubelet runs on a server of tests')
