"""A server as a test sees it: its resources by name."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.reaching import ReachedServer
from pytest_crd.server.resourcetypes import ResourceType

USER_AGENT: Final = "pytest-crd"


class RequestFailedError(Exception):
    """
    A request that the server refuses.

    Attributes:
        status: The Status that it answers with.
    """

    def __init__(self, status: JSONValue) -> None:
        """Take the Status."""
        super().__init__(status["message"])
        self.status = status

    @property
    def code(self) -> int:
        """The HTTP code."""
        return int(self.status["code"])

    @property
    def reason(self) -> str:
        """The reason in one word, `NotFound`, `Conflict`, `Invalid` …."""
        return str(self.status.get("reason", ""))


class Resources:
    """
    The objects of one resource on a server.

    The methods are requests as a client makes them, and raise RequestFailedError where the server refuses them. Of what is sent, apiVersion,
    kind and namespace may be left out.
    """

    def __init__(self, reached: ReachedServer, log: RequestLog, type_: ResourceType, namespace: str) -> None:
        """For `CrdServer`, which finds them by name."""
        self._reached = reached
        self._log = log
        self._type = type_
        self._namespace = namespace

    def create(self, resource: Mapping[str, object], *, namespace: str | None = None, **options: str) -> Resource:
        """Create an object and return it as it is stored; *options* are parameters of the URL, such as `fieldValidation="Strict"`."""
        value = self._completed(resource)
        where = self._where(value, namespace)
        return self._object("POST", self._path(where, "", "", options), value)

    def get(self, name: str, *, namespace: str | None = None, subresource: str = "") -> Resource:
        """Return an object, or its status or scale."""
        return self._object("GET", self._path(namespace or self._namespace, name, subresource, {}))

    def list(
        self, *, namespace: str | None = None, label_selector: str = "", field_selector: str = ""
    ) -> list[Resource]:
        """Return the objects of a namespace; of all where it is empty."""
        options = {"labelSelector": label_selector, "fieldSelector": field_selector}
        where = self._namespace if namespace is None else namespace
        answer = self._object("GET", self._path(where, "", "", {key: one for key, one in options.items() if one}))
        items: list[Resource] = answer["items"]
        return items

    def update(
        self, resource: Mapping[str, object], *, namespace: str | None = None, subresource: str = "", **options: str
    ) -> Resource:
        """Replace an object, or its status or scale, and return it; its resourceVersion must be the one that is stored."""
        value = self._completed(resource)
        name = str(value["metadata"].get("name", ""))
        return self._object("PUT", self._path(self._where(value, namespace), name, subresource, options), value)

    def patch(
        self,
        name: str,
        patch: Mapping[str, object] | Sequence[object],
        *,
        namespace: str | None = None,
        subresource: str = "",
        **options: str,
    ) -> Resource:
        """Patch an object and return it: a mapping is a merge patch, a list a JSON Patch."""
        media_type = mediatypes.MERGE_PATCH if isinstance(patch, Mapping) else mediatypes.JSON_PATCH
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
    ) -> Resource:
        """Apply an object, server-side, and return what comes of it."""
        value = self._completed(resource)
        options = {"fieldManager": manager} | ({"force": "true"} if force else {})
        path = self._path(self._where(value, namespace), str(value["metadata"].get("name", "")), subresource, options)
        return self._object("PATCH", path, value, mediatypes.APPLY)

    def delete(self, name: str, *, namespace: str | None = None, propagation_policy: str = "") -> Resource:
        """Delete an object; return the Status, or the object where finalizers hold it."""
        options = {"propagationPolicy": propagation_policy} if propagation_policy else {}
        return self._object("DELETE", self._path(namespace or self._namespace, name, "", options))

    def wait(
        self,
        name: str,
        until: Callable[[Resource], object],
        *,
        namespace: str | None = None,
        timeout: float = 10.0,
    ) -> Resource:
        """
        Wait until an object is as it should be, and return it as it is then.

        Args:
            name: Its name; it need not be there yet.
            until: Returns whether it is.
            namespace: Its namespace.
            timeout: For how many seconds at most.

        Raises:
            RequestFailedError: The server refuses to tell.
            TimeoutError: It is not; the message has the object as it was last.
        """
        path = self._path(
            namespace or self._namespace, "", "", {"watch": "1", "fieldSelector": f"metadata.name={name}"}
        )
        last: Resource | None = None
        request = HTTPRequest("GET", path, {"user-agent": USER_AGENT})
        with contextlib.closing(self._reached.states(self._type, request, timeout)) as states:
            try:
                for last in states:
                    if last is not None and until(last):
                        return dict(last)
            except ApiError as error:
                raise RequestFailedError(error.status) from None
        raise TimeoutError(self._told(name, timeout, last))

    async def wait_async(
        self,
        name: str,
        until: Callable[[Resource], object],
        *,
        namespace: str | None = None,
        timeout: float = 10.0,  # noqa: ASYNC109 - as `wait` has it
    ) -> Resource:
        """Do as `wait`, in a coroutine: what runs in its event loop goes on meanwhile."""
        return await asyncio.to_thread(self.wait, name, until, namespace=namespace, timeout=timeout)

    def _told(self, name: str, timeout: float, last: Resource | None) -> str:
        kind = self._type.names.kind
        if last is None:
            return f"{kind} {name} is not there after {timeout} s"
        shown = json.dumps(last, ensure_ascii=False, indent=2)
        return f"{kind} {name} is not as it should be after {timeout} s, but:\n{shown}"

    def _completed(self, resource: Mapping[str, object]) -> Resource:
        value = jsonvalue.from_python(resource)
        names = {"apiVersion": self._type.api_version, "kind": self._type.names.kind}
        return {**names, **value, "metadata": dict(value.get("metadata") or {})}

    def _where(self, value: Resource, namespace: str | None) -> str:
        return namespace or str(value["metadata"].get("namespace") or self._namespace)

    def _path(self, namespace: str, name: str, subresource: str, options: Mapping[str, str]) -> str:
        type_ = self._type
        lead = f"/apis/{type_.group}" if type_.group else "/api"
        within = f"/namespaces/{namespace}" if type_.is_namespaced and namespace else ""
        parts = [type_.names.plural, *(part for part in (name, subresource) if part)]
        query = f"?{urllib.parse.urlencode(options)}" if options else ""
        return f"{lead}/{type_.version}{within}/{'/'.join(parts)}{query}"

    def _object(self, method: str, path: str, body: JSONValue = None, media_type: str = "application/json") -> Resource:
        headers = {"user-agent": USER_AGENT, "content-type": media_type}
        sent = b"" if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        request = HTTPRequest(method, path, headers, sent)
        answer = self._reached.answer(request)
        self._log.note(request, answer)
        if answer.code >= 400:
            raise RequestFailedError(answer.value)
        value: Resource = jsonvalue.copy(answer.value)
        return value


class CrdServer:
    """
    A server of the project's CRDs, for one test.

    Attributes:
        url: Where it is, `https://127.0.0.1:PORT`; with `--crd-live` where that server is.
        kubeconfig: The path of a kubeconfig that leads there.
        namespace: The namespace in which the test works.
    """

    def __init__(
        self, reached: ReachedServer, log: RequestLog, *, url: str, kubeconfig: str, namespace: str = "default"
    ) -> None:
        """For the fixture."""
        self._reached = reached
        self._log = log
        self.url = url
        self.kubeconfig = kubeconfig
        self.namespace = namespace

    def __getitem__(self, resource: str) -> Resources:
        """
        Return the objects of a resource.

        Args:
            resource: Its plural, singular or short name or its kind, with the group behind it or without: `backups`, `backups.example.com`;
                behind a slash the version, `backups/v1beta1`, else the one that the server prefers.

        Raises:
            LookupError: Nothing of that name is served, or several things are.
        """
        return Resources(self._reached, self._log, self._reached.named(resource), self.namespace)

    @property
    def requests(self) -> tuple[Any, ...]:
        """What was asked and answered, oldest first."""
        return self._log.exchanges

    @property
    def unvalidated(self) -> Mapping[str, int]:
        """How often objects were written that the server neither validates nor defaults, by kind."""
        return self._log.unvalidated

    @property
    def unserved(self) -> Mapping[str, int]:
        """How often requests for a built-in kind were answered with 404, as only a cluster serves it, by kind."""
        return self._log.unserved

    def environ(self) -> dict[str, str]:
        """Return the environment of a process that is to find the server."""
        return {**os.environ, "KUBECONFIG": self.kubeconfig}
