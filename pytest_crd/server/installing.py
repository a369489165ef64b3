"""Installation of a project's objects on a server, before its clients come."""

from __future__ import annotations

import json
import urllib.parse
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.resourcetypes import ResourceType

DEFAULT_NAMESPACE: Final = "default"
_FIRST_ERROR = 400


def find_type(api: Api, api_version: str, kind: str) -> ResourceType | None:
    """Return the resource with the objects of a kind; None if it is not served."""
    group, _, version = api_version.rpartition("/")
    return max(api.catalog.find_kinds(group, version, kind), key=lambda type_: type_.is_stored, default=None)


def path_of(type_: ResourceType, namespace: str) -> str:
    """Return the path of a resource, in a namespace if it is not empty."""
    within = f"/namespaces/{namespace}" if namespace else ""
    prefix = f"/apis/{type_.group}" if type_.group else "/api"
    return f"{prefix}/{type_.version}{within}/{type_.names.plural}"


def create(api: Api, type_: ResourceType, value: Resource) -> str:
    """
    Create an object and its namespace, unless the namespace exists; unknown fields are refused, as by kubectl.

    Args:
        api: The server.
        type_: The resource.
        value: The object; without a namespace, a namespaced one is created in `default`.

    Returns:
        The server's refusal; empty if the object is stored.
    """
    metadata = dict(value.get("metadata") or {})
    if type_.is_namespaced:
        metadata["namespace"] = metadata.get("namespace") or DEFAULT_NAMESPACE
    namespace = metadata["namespace"] if type_.is_namespaced else ""
    create_namespace(api, namespace)
    return _send(api, "POST", f"{path_of(type_, namespace)}?fieldValidation=Strict", {**value, "metadata": metadata})


def update_status(api: Api, type_: ResourceType, value: Resource) -> str:
    """
    Update the status of a stored object.

    Args:
        api: The server.
        type_: The resource, which has the subresource.
        value: The object with its name, and its namespace if it has one.

    Returns:
        The server's refusal; empty if the status is stored.
    """
    metadata = value["metadata"]
    namespace = metadata.get("namespace", "") if type_.is_namespaced else ""
    entry = api.store.get(type_.key(namespace, metadata["name"]))
    version = {} if entry is None else {"resourceVersion": str(entry.revision)}
    path = f"{path_of(type_, namespace)}/{urllib.parse.quote(metadata['name'])}/status?fieldValidation=Strict"
    return _send(api, "PUT", path, {**value, "metadata": {**metadata, **version}})


def _send(api: Api, method: str, target: str, value: Resource) -> str:
    """Send an object, and return the server's refusal; empty if it is accepted."""
    headers = {"content-type": "application/json"}
    headers |= {"authorization": f"Bearer {api.token}"} if api.token else {}
    answer = api.answer(HTTPRequest(method, target, headers, json.dumps(value).encode()))
    assert isinstance(answer, HTTPAnswer)  # noqa: S101 - the request is no watch
    return str(answer.value["message"]) if answer.code >= _FIRST_ERROR else ""


def create_namespace(api: Api, name: str) -> None:
    """Create a namespace, unless it exists or the name is empty."""
    namespaces = api.catalog.find_type("", "v1", "namespaces")
    if name and namespaces is not None and api.store.get(namespaces.key("", name)) is None:
        api.catalog.namespaces.create(name)
