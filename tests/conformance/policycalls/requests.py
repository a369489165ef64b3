"""Requests and objects of recorded calls."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine import profile
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest
from pytest_crd.engine.golang import decoding
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import ADMINISTRATOR, AdmissionRequest, ObjectInterfaces
from pytest_crd.server.builtin import builtintypes
from pytest_crd.server.builtin.builtintypes import BuiltInType

PROFILE: Final[Profile] = profile.named("1.37")
# Upstream's tests create the options of connections, which have no metadata.
_CONNECT: Final = "CONNECT"
_PARTS: Final = ("verb", "path", "group", "resource", "subresource", "namespace", "name")
_SELECTORS: Final = {"fieldSelector": "field_selector", "labelSelector": "label_selector"}


def request_of(fact: Mapping[str, Any], interfaces: ObjectInterfaces | None = None) -> AdmissionRequest:
    """
    Return the request of a call.

    Args:
        fact: The call; `request` describes the request, `answers` the answers of its authorizer.
        interfaces: Functions for its objects; None for objects without conversion and types.
    """
    described = fact["request"]
    group, version, resource = described["resource"]
    kind_group, kind_version, kind = described["kind"]
    return AdmissionRequest(
        operation=_CONNECT if described.get("object") == {} else described["operation"],
        group=group,
        version=version,
        kind=kind,
        resource=resource,
        subresource=described["subresource"],
        name=described["name"],
        namespace=described["namespace"],
        object=described.get("object"),
        old_object=described.get("oldObject"),
        options={},
        dry_run=False,
        user=ADMINISTRATOR,
        interfaces=interfaces or admission.single_version(version),
        authorize=functools.partial(_answer, fact["answers"]) if "answers" in fact else None,
        kind_api_version="" if (kind_group, kind_version) == (group, version) else f"{kind_group}/{kind_version}",
    )


def _answer(answers: list[Any], request: AccessRequest) -> AccessAnswer:
    """Return the recorded answer of the authorizer to a request."""
    for answer in answers:
        selectors = (answer.get(name, "") in ("invalid", getattr(request, ours)) for name, ours in _SELECTORS.items())
        if all(answer[part] == getattr(request, part) for part in _PARTS) and all(selectors):
            return AccessAnswer(answer["allowed"], answer["reason"])
    raise AssertionError(f"upstream does not ask for {request}")


@functools.cache
def built_in(group: str, version: str, kind: str) -> BuiltInType:
    """Return a built-in kind."""
    return next(
        type_
        for type_ in builtintypes.built_in(PROFILE)
        if (type_.group, type_.version, type_.names.kind) == (group, version, kind)
    )


def interfaces_of(fact: Mapping[str, Any]) -> ObjectInterfaces:
    """Return the functions for the objects of a request for a built-in kind, which set no defaults."""
    interfaces = built_in(*fact["request"]["kind"]).interfaces
    assert interfaces.go is not None
    go = interfaces.go._replace(default=lambda value: value)
    return interfaces._replace(default=lambda value: value, go=go)


def typed(resource: Mapping[str, Any] | None, kind: tuple[str, str, str]) -> Any:
    """Return an object of a built-in kind as our server holds it: without empty fields, and with apiVersion and kind."""
    if resource is None:
        return None
    go = built_in(*kind).interfaces.go
    assert go is not None
    type_meta = {"apiVersion": f"{kind[0]}/{kind[1]}".removeprefix("/"), "kind": kind[2]}
    return {**decoding.decode(dict(resource), go.type).value, **type_meta}
