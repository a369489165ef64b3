"""Kinds of kube-apiserver that this server does not serve."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import lightkube.resources
import pytest
from lightkube.core.resource import ApiInfo, api_info

from pytest_crd.engine import profile
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
        (*group_version, plural, unserved.kind)
        for group_version, plurals in unservedkinds.KINDS.items()
        for plural, unserved in plurals.items()
    }
    assert len(kinds) > 60
    assert {kind for kind in kinds if kind[:3] not in types} <= named
    assert not {kind for kind in named if kind[:3] in types}


@pytest.mark.parametrize(
    ("info", "version", "kind"),
    [
        (RequestInfo("get", "policy", "v1", "poddisruptionbudgets", "default", "a"), "1.37", "PodDisruptionBudget"),
        (RequestInfo("list", "policy", "v1beta1", "poddisruptionbudgets"), "1.37", ""),
        (RequestInfo("list", "policy", "v1", "things"), "1.37", ""),
        (RequestInfo("list", "resource.k8s.io", "v1", "resourceclaims"), "1.35", "ResourceClaim"),
        (RequestInfo("list", "resource.k8s.io", "v1", "resourceclaims"), "1.32", ""),
        (None, "1.37", ""),
    ],
)
def test_kinds_are_named_for_versions_that_serve_them(info: RequestInfo | None, version: str, kind: str) -> None:
    assert unservedkinds.find_kind(info, profile.named(version)) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/apis/policy/v1/namespaces/default/poddisruptionbudgets/a", "PodDisruptionBudget"), ("/apis/a.io/v1/b", "")],
)
def test_a_response_names_the_unserved_kind(path: str, kind: str) -> None:
    answer = Api().answer(HTTPRequest("GET", path))
    assert isinstance(answer, HTTPAnswer)
    assert (answer.code, answer.unserved) == (404, kind)
