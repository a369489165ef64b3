"""Objects of one resource on the server of a test, and the requests that read and write them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import yaml

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry import requestoptions
from pytest_crd.server import controllerstatuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.reaching import ReachedServer
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.simulatedworkloads import Hold
from pytest_crd.server.store.store import ObjectKey

USER_AGENT: Final = "pytest-crd"
# The size of an object in the message of a wait.
_MOST_LINES: Final = 10
_WIDTH: Final = 120


class RequestFailedError(Exception):
    """
    Error response of the server.

    Attributes:
        status: The Status of the response.
    """

    def __init__(self, status: dict[str, JSONValue]) -> None:
        """Create from the Status of the response."""
        super().__init__(status["message"])
        self.status = status

    @property
    def code(self) -> int:
        """The HTTP code."""
        return int(self.status["code"])

    @property
    def reason(self) -> str:
        """The reason of the Status, such as `NotFound`, `Conflict` or `Invalid`."""
        return str(self.status.get("reason", ""))


class Resources:
    """
    The objects of one resource on a server.

    Each method sends a request as a client does, and raises RequestFailedError if the server refuses it. Request bodies
    may omit apiVersion, kind and namespace.
    """

    def __init__(self, reached: ReachedServer, log: RequestLog, type_: ResourceType, namespace: str) -> None:
        """Create for `CrdServer`, which looks resources up by name."""
        self._reached = reached
        self._log = log
        self._type = type_
        self._namespace = namespace

    def create(self, resource: Mapping[str, object], *, namespace: str | None = None, **options: str) -> JSONObject:
        """Create an object and return it as stored; *options* are URL parameters, such as `fieldValidation="Strict"`."""
        value = self._completed(resource)
        namespace_ = self._namespace_of(value, namespace)
        return self._object("POST", self._path(namespace_, "", "", options), value)

    def get(self, name: str, *, namespace: str | None = None, subresource: str = "") -> JSONObject:
        """Return an object, or its status or scale."""
        return self._object("GET", self._path(namespace or self._namespace, name, subresource, {}))

    def list(
        self, *, namespace: str | None = None, label_selector: str = "", field_selector: str = ""
    ) -> list[JSONObject]:
        """Return the objects of a namespace, or of all namespaces if *namespace* is empty."""
        options = {"labelSelector": label_selector, "fieldSelector": field_selector}
        namespace_ = self._namespace if namespace is None else namespace
        answer = self._object(
            "GET", self._path(namespace_, "", "", {key: value for key, value in options.items() if value})
        )
        items: list[JSONObject] = answer["items"]
        return items

    def update(
        self, resource: Mapping[str, object], *, namespace: str | None = None, subresource: str = "", **options: str
    ) -> JSONObject:
        """Replace an object, its status or its scale, and return it; its resourceVersion must equal the stored one."""
        value = self._completed(resource)
        name = str(value["metadata"].get("name", ""))
        return self._object("PUT", self._path(self._namespace_of(value, namespace), name, subresource, options), value)

    def patch(
        self,
        name: str,
        patch: Mapping[str, object] | Sequence[object],
        *,
        namespace: str | None = None,
        subresource: str = "",
        **options: str,
    ) -> JSONObject:
        """Patch an object and return it: a mapping is a merge patch, a list a JSON Patch."""
        media_type = requestoptions.MERGE_PATCH if isinstance(patch, Mapping) else requestoptions.JSON_PATCH
        path = self._path(namespace or self._namespace, name, subresource, options)
        return self._object("PATCH", path, jsonvalue.from_python(patch), media_type)

    def apply(
        self,
        resource: Mapping[str, object],
        *,
        manager: str = USER_AGENT,
        force: bool = False,
        namespace: str | None = None,
        subresource: str = "",
    ) -> JSONObject:
        """Apply an object with server-side apply and return the result."""
        value = self._completed(resource)
        options = {"fieldManager": manager} | ({"force": "true"} if force else {})
        path = self._path(
            self._namespace_of(value, namespace), str(value["metadata"].get("name", "")), subresource, options
        )
        return self._object("PATCH", path, value, requestoptions.APPLY)

    def delete(self, name: str, *, namespace: str | None = None, propagation_policy: str = "") -> JSONObject:
        """Delete an object; return the Status, or the object if finalizers delay its deletion."""
        options = {"propagationPolicy": propagation_policy} if propagation_policy else {}
        return self._object("DELETE", self._path(namespace or self._namespace, name, "", options))

    def ready(self, name: str, *, namespace: str | None = None) -> JSONObject:
        """Write the status of a ready Pod or Node, as a kubelet does, and return the object."""
        return self._write_state("ready", name, namespace)

    def available(self, name: str, *, namespace: str | None = None) -> JSONObject:
        """Write the status of a Deployment, StatefulSet, DaemonSet or ReplicaSet with available replicas, as its controller does."""
        return self._write_state("available", name, namespace)

    def succeed(self, name: str, *, namespace: str | None = None) -> JSONObject:
        """Write the status of a complete Job or a succeeded Pod, as its controller or a kubelet does, and return the object."""
        return self._write_state("succeeded", name, namespace)

    def fail(self, name: str, *, namespace: str | None = None) -> JSONObject:
        """Write the status of a failed Job or Pod, as its controller or a kubelet does, and return the object."""
        return self._write_state("failed", name, namespace)

    def hold(self, name: str, *, namespace: str | None = None) -> Hold:
        """
        Hold back the simulated status of an object, or the deletion of a Namespace; the object may be created later.

        The hold ends with `release()` of the result, with its `with` block, or with the test. It fails the test if it held nothing back.

        Raises:
            NotSimulatedError: Nothing is simulated, or not this resource.
        """
        namespace_ = (namespace or self._namespace) if self._type.is_namespaced else ""
        return self._reached.hold(ObjectKey(self._type.resource, namespace_, name))

    def wait(
        self,
        name: str,
        until: Callable[[JSONObject], object],
        *,
        namespace: str | None = None,
        timeout: float = 10.0,
    ) -> JSONObject:
        """
        Wait until an object fulfils a condition, and return the object.

        Args:
            name: Its name; the object need not exist yet.
            until: The condition; takes the object and returns whether it is fulfilled.
            namespace: Its namespace.
            timeout: The longest wait, in seconds.

        Raises:
            RequestFailedError: The server refuses the watch.
            TimeoutError: The condition is not fulfilled in time; the message shows the last state of the object.
        """
        __tracebackhide__ = True
        path = self._path(
            namespace or self._namespace, "", "", {"watch": "1", "fieldSelector": f"metadata.name={name}"}
        )
        last: JSONObject | None = None
        request = HTTPRequest("GET", path, {"user-agent": USER_AGENT})
        with contextlib.closing(self._reached.states(self._type, request, timeout)) as states:
            try:
                for last in states:
                    if last is not None and until(last):
                        return dict(last)
            except ApiError as error:
                raise RequestFailedError(error.status) from None
        raise TimeoutError(self._describe_timeout(name, timeout, last))

    async def wait_async(
        self,
        name: str,
        until: Callable[[JSONObject], object],
        *,
        namespace: str | None = None,
        timeout: float = 10.0,  # noqa: ASYNC109 - as `wait` has it
    ) -> JSONObject:
        """Wait as `wait` does, without blocking the event loop."""
        return await asyncio.to_thread(self.wait, name, until, namespace=namespace, timeout=timeout)

    def __repr__(self) -> str:
        """Return the resource with its group and version, and the namespace of its requests."""
        within = f" in {self._namespace}" if self._type.is_namespaced else ""
        return f"<Resources {self._type.resource}/{self._type.version}{within}>"

    def _write_state(self, state: str, name: str, namespace: str | None) -> JSONObject:
        """
        Write the status of a state.

        Raises:
            NoSuchStateError: Objects of the resource do not have the state.
            RequestFailedError: There is no such object.
        """
        object_ = self.get(name, namespace=namespace)
        status = controllerstatuses.find_status(state, self._type.resource, object_)
        return self.patch(name, {"status": status}, namespace=namespace, subresource="status")

    def _describe_timeout(self, name: str, timeout: float, last: JSONObject | None) -> str:
        kind = self._type.names.kind
        if last is None:
            return f"{kind} {name} is not there after {timeout} s"
        return f"{kind} {name} is not as it should be after {timeout} s, but:\n{_summarize(last)}"

    def _completed(self, resource: Mapping[str, object]) -> JSONObject:
        value = jsonvalue.from_python(resource)
        names = {"apiVersion": self._type.api_version, "kind": self._type.names.kind}
        return {**names, **value, "metadata": dict(value.get("metadata") or {})}

    def _namespace_of(self, value: JSONObject, namespace: str | None) -> str:
        return namespace or str(value["metadata"].get("namespace") or self._namespace)

    def _path(self, namespace: str, name: str, subresource: str, options: Mapping[str, str]) -> str:
        type_ = self._type
        lead = f"/apis/{type_.group}" if type_.group else "/api"
        within = f"/namespaces/{namespace}" if type_.is_namespaced and namespace else ""
        parts = [type_.names.plural, *(part for part in (name, subresource) if part)]
        query = f"?{urllib.parse.urlencode(options)}" if options else ""
        return f"{lead}/{type_.version}{within}/{'/'.join(parts)}{query}"

    def _object(
        self, method: str, path: str, body: JSONValue = None, media_type: str = "application/json"
    ) -> JSONObject:
        headers = {"user-agent": USER_AGENT, "content-type": media_type}
        sent = b"" if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        request = HTTPRequest(method, path, headers, sent)
        answer = self._reached.answer(request)
        self._log.note(request, answer)
        if answer.code >= 400:
            raise RequestFailedError(answer.value)
        value: JSONObject = jsonvalue.copy(answer.value)
        return value


def _summarize(value: JSONObject) -> str:
    """Return an object as YAML, the status first, in at most `_MOST_LINES` lines."""
    metadata = {key: item for key, item in value.get("metadata", {}).items() if key != "managedFields"}
    ordered = {key: value[key] for key in ("status", "spec") if key in value} | {**value, "metadata": metadata}
    text = yaml.safe_dump(ordered, allow_unicode=True, default_flow_style=None, sort_keys=False, width=_WIDTH)
    lines = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]} …" for line in text.splitlines()]
    more = len(lines) - _MOST_LINES
    return "\n".join(lines if more <= 0 else [*lines[: _MOST_LINES - 1], f"… and {more + 1} more lines"])
