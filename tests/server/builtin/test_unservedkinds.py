"""Kinds of kube-apiserver that this server does not serve."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import lightkube.resources
import pytest
from lightkube.core.resource import ApiInfo, api_info

from pytest_crd.server.api import Api
from pytest_crd.server.builtin import unservedkinds
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo

STABLE = ("v1", "v2")


def _kinds() -> Iterator[tuple[str, str, str, str]]:
    """Yield group, version, plural and kind of the stable kinds of 1.37 in lightkube."""
    for module in pkgutil.iter_modules(lightkube.resources.__path__, "lightkube.resources."):
        for value in vars(importlib.import_module(module.name)).values():
            info = getattr(value, "_api_info", None)
            if isinstance(info, ApiInfo) and info.parent is None and info.resource.version in STABLE:
                resource = api_info(value).resource
                yield resource.group, resource.version, info.plural, resource.kind


def test_each_stable_kind_of_a_cluster_is_served_or_named() -> None:
    kinds = {*_kinds()}
    types = {(item.group, item.version, item.names.plural) for item in Api().catalog.types()}
    named = {
        (*group_version, plural, kind)
        for group_version, plurals in unservedkinds.KINDS.items()
        for plural, kind in plurals.items()
    }
    assert len(kinds) > 60
    assert {kind for kind in kinds if kind[:3] not in types} <= named
    assert not {kind for kind in named if kind[:3] in types}


@pytest.mark.parametrize(
    ("info", "kind"),
    [
        (RequestInfo("get", "", "v1", "componentstatuses", "", "a"), "ComponentStatus"),
        (RequestInfo("list", "policy", "v1beta1", "poddisruptionbudgets"), ""),
        (RequestInfo("list", "policy", "v1", "things"), ""),
        (None, ""),
    ],
)
def test_kinds_that_a_cluster_serves_are_named(info: RequestInfo | None, kind: str) -> None:
    assert unservedkinds.find_kind(info) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/api/v1/componentstatuses/a", "ComponentStatus"), ("/apis/a.io/v1/b", "")],
)
def test_a_response_names_the_unserved_kind(path: str, kind: str) -> None:
    answer = Api().answer(HTTPRequest("GET", path))
    assert isinstance(answer, HTTPAnswer)
    assert (answer.code, answer.unserved) == (404, kind)
