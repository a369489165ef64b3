"""Installation of a project's objects on a server, before its clients come."""

from __future__ import annotations

import json

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.resourcetypes import ResourceType

_FIRST_ERROR = 400


def create(api: Api, type_: ResourceType, value: Resource) -> str:
    """
    Create an object, and its namespace if there is none.

    Args:
        api: The server.
        type_: The resource.
        value: The object; a namespaced one has its namespace.

    Returns:
        The server's refusal; empty if the object is stored.
    """
    namespace = value["metadata"].get("namespace", "") if type_.is_namespaced else ""
    create_namespace(api, namespace)
    within = f"/namespaces/{namespace}" if namespace else ""
    prefix = f"/apis/{type_.group}" if type_.group else "/api"
    headers = {"content-type": "application/json"}
    headers |= {"authorization": f"Bearer {api.token}"} if api.token else {}
    path = f"{prefix}/{type_.version}{within}/{type_.names.plural}"
    answer = api.answer(HTTPRequest("POST", path, headers, json.dumps(value).encode()))
    assert isinstance(answer, HTTPAnswer)  # noqa: S101 - the request is no watch
    return str(answer.value["message"]) if answer.code >= _FIRST_ERROR else ""


def create_namespace(api: Api, name: str) -> None:
    """Create a namespace if there is none; do nothing without a name."""
    namespaces = api.catalog.find_type("", "v1", "namespaces")
    if name and namespaces is not None and api.store.get(namespaces.key("", name)) is None:
        api.catalog.namespaces.create(name)
