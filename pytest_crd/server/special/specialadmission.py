"""
Admission of special requests: objects of subresources, and connections.

Reference:
    apiserver endpoints/handlers, create.go and rest.go, ConnectResource; apimachinery runtime/conversion.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.gotypes import BOOL, INT32, STRING, GoType, List, Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import admission, response
from pytest_crd.engine.registry.admission import AdmissionRequest, GoObjects, ObjectInterfaces, Operation
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.builtintypes import built_in
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import sentobjects
from pytest_crd.server.special.specialcontext import SpecialContext

if TYPE_CHECKING:
    from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType

CONNECTIONS: Final[Mapping[tuple[str, str], str]] = {
    ("pods", "exec"): "Exec",
    ("pods", "attach"): "Attach",
    ("pods", "portforward"): "PortForward",
    ("pods", "proxy"): "Proxy",
    ("services", "proxy"): "Proxy",
    ("nodes", "proxy"): "Proxy",
}
"""The subresources that connect to an object, with the names of their options."""

_OPTIONS: Final = {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
_BINDING: Final = "Binding"
_FALSE: Final = frozenset({"false", "0"})
_PORT: Final = re.compile(r"[0-9]+")
_LARGEST_PORT: Final = 2**16 - 1


def admit_create(
    context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType, sent: Resource
) -> dict[str, Any]:
    """
    Return the object of a subresource after the admission plugins.

    The store's lock must be free, as a webhook may be a client of the server.

    Args:
        context: The parts of the server, which take the warnings.
        request: The request.
        info: Its parsed path.
        type_: The resource of the URL.
        sent: The decoded object.

    Raises:
        ApiError: A plugin refuses the request.
    """
    api_version, kind = type_.kind_of(info.subresource)
    metadata = {**sent["metadata"], "namespace": info.namespace}
    whole = {**sent, "apiVersion": api_version, "kind": kind, "metadata": metadata}
    query = request.query
    options_sent = {key: value for key in ("fieldManager", "fieldValidation") if (value := query.first(key))}
    dry_run = sentobjects.is_dry_run(request)
    options = {**_OPTIONS, **({"dryRun": ["All"]} if dry_run else {}), **options_sent}
    name = info.name or metadata.get("name") or ""
    admitted = _request("CREATE", info, type_, whole)._replace(
        name=name, options=options, dry_run=dry_run, user=request.user
    )
    return {**(_admit(context, type_, admitted) or whole)}


def admit_connection(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> None:
    """
    Ask the admission plugins about a connection; its options are the object.

    Raises:
        ApiError: A plugin refuses the connection, or an option is malformed, or a dry run is asked for.
    """
    if request.query.has("dryRun"):
        raise statuses.bad_request("dryRun is not supported")
    kind = find_kind(type_, info.subresource)
    options: dict[str, JSONValue] = {"kind": kind, "apiVersion": "v1"}
    if info.subresource == "proxy":
        path = _find_path(request, info)
        options |= {"path": path} if path else {}
    for field, convert in _FIELDS.get(kind, {}).items():
        value = convert(request.query.all(field))
        if value or field == "command":
            options[field] = value or None
    connection = _request("CONNECT", info, type_, options)
    _admit(context, type_, connection._replace(user=request.user))


def _request(operation: Operation, info: RequestInfo, type_: ResourceType, object_: Resource) -> AdmissionRequest:
    """Return a request with the parts that the path and the object give."""
    api_version, kind = object_["apiVersion"], object_["kind"]
    where = (type_.names.plural, info.subresource, info.name, info.namespace)
    request = AdmissionRequest(
        operation,
        type_.group,
        type_.version,
        kind,
        *where,
        object_,
        None,
        {},
        dry_run=False,
        user=admission.ADMINISTRATOR,
        interfaces=_find_interfaces(api_version, kind, type_.profile),
    )
    return request if api_version == type_.api_version else request._replace(kind_api_version=api_version)


def _find_interfaces(api_version: str, kind: str, profile: Profile) -> ObjectInterfaces:
    """Return the functions for the object of a special request; servers know the merge type of a Binding alone."""
    fields = _OPTION_FIELDS.get(kind)
    options = None if fields is None else Struct(f"v1.{kind}", {**metav1types.TYPE_META, **fields})
    go_type = options or builtingotypes.of_kind(api_version, kind, profile)

    def find_merge_type(resource: Resource) -> MergeType | None:
        bindings = next(served for served in built_in(profile) if served.names.kind == _BINDING)
        find = bindings.interfaces.merge_type
        return find(resource) if find is not None and kind == _BINDING else None

    functions = admission.single_version(api_version)
    return functions._replace(merge_type=find_merge_type, go=GoObjects(go_type, lambda object_: object_))


def _admit(context: SpecialContext, type_: ResourceType, request: AdmissionRequest) -> Resource | None:
    """
    Return the object after the admission plugins.

    Raises:
        ApiError: A plugin refuses the request.
    """
    if type_.plugins is None:
        return request.object
    warnings: list[str] = []
    try:
        mutated = type_.plugins.mutate(request)
        warnings += mutated.warnings
        warnings += type_.plugins.validate(request._replace(object=mutated.object)).warnings
    except RefusedError as refused:
        subject = {"name": request.name, "group": type_.group, "kind": type_.names.plural}
        error = statuses.of_refusal(refused.refusal, subject)
        error.warnings = response.limit_warnings((*warnings, *refused.warnings))
        raise error from None
    context.warnings.extend(response.limit_warnings(warnings))
    return mutated.object


def find_kind(type_: ResourceType, subresource: str) -> str:
    """Return the kind of the options of a connection."""
    return f"{type_.names.kind}{CONNECTIONS[type_.names.plural, subresource]}Options"


def _find_path(request: HTTPRequest, info: RequestInfo) -> str:
    """Return the path behind `proxy`; empty without one."""
    return request.path.partition(f"/{info.name}/proxy")[2]


_Convert: TypeAlias = Callable[[Sequence[str]], JSONValue]


def _to_bool(values: Sequence[str]) -> bool:
    return bool(values) and values[0].lower() not in _FALSE


def _to_text(values: Sequence[str]) -> str:
    return values[0] if values else ""


def _to_texts(values: Sequence[str]) -> list[JSONValue]:
    return [*values]


def _to_ports(values: Sequence[str]) -> list[JSONValue]:
    """
    Return the ports of a query.

    Raises:
        ApiError: 400: one is no number of a port.
    """
    for value in values:
        problem = "" if _PORT.fullmatch(value) else "invalid syntax"
        if not problem and int(value) > _LARGEST_PORT:
            problem = "value out of range"
        if problem:
            parsed = f"strconv.ParseUint: parsing {printing.quote(value)}: {problem}"
            raise statuses.bad_request(f"cannot convert to []int32: {parsed}")
    return [int(value) for value in values]


_STREAM_FIELDS: Final = dict.fromkeys(("stdin", "stdout", "stderr", "tty"), BOOL)
_PROXY_FIELDS: Final = {"path": STRING}
# The Go types of options, besides apiVersion and kind.
_OPTION_FIELDS: Final[Mapping[str, Mapping[str, GoType]]] = {
    "PodExecOptions": {**_STREAM_FIELDS, "container": STRING, "command": List(STRING)},
    "PodAttachOptions": {**_STREAM_FIELDS, "container": STRING},
    "PodPortForwardOptions": {"ports": List(INT32)},
    **dict.fromkeys(("PodProxyOptions", "ServiceProxyOptions", "NodeProxyOptions"), _PROXY_FIELDS),
}
_STREAMS: Final = dict.fromkeys(("stdin", "stdout", "stderr", "tty"), _to_bool)
_FIELDS: Final[Mapping[str, Mapping[str, _Convert]]] = {
    "PodExecOptions": {**_STREAMS, "container": _to_text, "command": _to_texts},
    "PodAttachOptions": {**_STREAMS, "container": _to_text},
    "PodPortForwardOptions": {"ports": _to_ports},
}
