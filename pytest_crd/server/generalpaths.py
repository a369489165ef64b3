"""Responses to requests without a resource: health checks, version, discovery and OpenAPI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server import discovery, encoding, openapipaths
from pytest_crd.server.http import negotiation
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.negotiation import Form
from pytest_crd.server.http.statuses import NotFoundPageError
from pytest_crd.server.resourcecatalog import ServerCatalog
from pytest_crd.server.resourcetypes import ResourceType

_PROBES: Final = ("/healthz", "/livez", "/readyz")
_CHECKS: Final = ("etcd", "log", "ping")
_PROBE_PATHS: Final = frozenset({*_PROBES, *(f"{probe}/{check}" for probe in _PROBES for check in _CHECKS)})


def is_probe(path: str) -> bool:
    """Return whether a path is a health check of the server."""
    return path in _PROBE_PATHS


def answer(request: HTTPRequest, catalog: ServerCatalog, address: str) -> HTTPAnswer:
    """
    Return the response to a request without a resource.

    Args:
        request: The request.
        catalog: The served resources.
        address: The host and port that the server reports as its own.

    Raises:
        NotFoundPageError: The path is unknown.
        ApiError: The client accepts no available form.
    """
    if openapipaths.is_openapi_path(request.path):
        return openapipaths.answer(request, catalog)
    parts = [part for part in request.path.split("/") if part]
    types = catalog.types()
    # The server checks the method only for groups with built-in kinds.
    is_custom = parts[:1] == ["apis"] and not any(
        type_.is_typed for type_ in types if type_.group == "".join(parts[1:2])
    )
    if request.method not in ("GET", "HEAD") and not (is_custom and len(parts) in (2, 3)):
        raise NotFoundPageError
    if parts == ["api"] or any(parts == discovery.path_of(type_) for type_ in types if type_.is_typed):
        negotiation.demand_representation(request)
    if parts in (["api"], ["apis"]):
        return _groups(request, types, address, is_core=parts == ["api"])
    if parts == ["version"]:
        negotiation.demand_representation(request, (negotiation.JSON,))
        return encoding.answer(request, 200, _version(catalog.profile.version), Form(is_pretty=True))
    if not parts:
        return encoding.answer(request, 200, {"paths": _paths(types)}, Form(is_pretty=True))
    document = _discovered(parts, types)
    if document is None:
        raise NotFoundPageError
    return encoding.answer(request, 200, document, negotiation.form_of(request, has_protobuf=True))


def _discovered(parts: Sequence[str], types: Sequence[ResourceType]) -> Resource | None:
    """Return the discovery document of a group or group version, or None if it is not served."""
    match parts:
        case ["apis", group]:
            return discovery.group(group, types)
        case ["api", "v1"]:
            return discovery.resources("", "v1", types)
        case ["apis", group, version]:
            return discovery.resources(group, version, types)
    return None


def _groups(request: HTTPRequest, types: Sequence[ResourceType], address: str, *, is_core: bool) -> HTTPAnswer:
    form = negotiation.form_of_aggregate(request)
    if form is None:
        document = discovery.versions(address) if is_core else discovery.groups(types)
        return encoding.answer(request, 200, document, negotiation.form_of(request, has_protobuf=True))
    value = discovery.aggregated(types, is_core=is_core)
    tag = discovery.etag(value)
    headers = (("Etag", tag), ("Vary", "Accept"))
    media_type = f"{form.media_type};{discovery.AGGREGATED}"
    if request.headers.get("if-none-match") == tag:
        return HTTPAnswer(304, b"", media_type, headers)
    return encoding.answer(request, 200, value, form, headers=headers, media_type=media_type)


def _paths(types: Sequence[ResourceType]) -> list[str]:
    groups = {type_.group for type_ in types if type_.group}
    versions = {f"{type_.group}/{type_.version}" for type_ in types if type_.group}
    fixed_paths = ("/api", "/api/v1", "/apis", "/apis/", *_PROBES, "/openapi/v2", "/openapi/v3", "/version")
    return sorted([*fixed_paths, *(f"/apis/{name}" for name in groups | versions)])


def _version(version: str) -> Resource:
    """Return the `/version` document of a Kubernetes version."""
    major, _, minor = version.partition(".")
    release = f"{version}.0-preview" if version in profile.PREVIEWS else f"{version}.0"
    version_info = {"major": major, "minor": minor, "gitVersion": f"v{release}+pytest-crd"}
    # Clients require these fields.
    empty_fields = dict.fromkeys(("gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"), "")
    return {**version_info, **empty_fields}
