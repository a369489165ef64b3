"""The built-in kinds of each Kubernetes version, their resources and merge rules agree with the documents of its servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracle.recorders import builtintypes as builtintypes_recorder

from pytest_crd.engine import profile
from pytest_crd.engine.openapi import commontypes, kubernetesdocuments
from pytest_crd.engine.profile import Profile
from pytest_crd.server import discovery
from pytest_crd.server.builtin import builtinkinds, builtintypes

pytestmark = pytest.mark.replay
GVK = "x-kubernetes-group-version-kind"
PROFILES = [release for name, release in profile.KNOWN.items() if release.publishes_v3 and name not in profile.PREVIEWS]


@pytest.fixture(params=PROFILES, ids=lambda release: release.version)
def version(request: pytest.FixtureRequest) -> Profile:
    release: Profile = request.param
    return release


def test_each_served_kind_is_published(version: Profile) -> None:
    """A kind of a later version is not served by an earlier one."""
    documents = kubernetesdocuments.of_version(version)
    for type_ in builtintypes.built_in(version):
        path = "/".join(discovery.path_of(type_))
        within = "/namespaces/{namespace}" if type_.is_namespaced else ""
        assert f"/{path}{within}/{type_.names.plural}" in documents[path]["paths"]


def test_types_of_custom_resources_are_those_of_the_documents(version: Profile) -> None:
    """The table of types is read faster than the documents, which have the same types."""
    documents = kubernetesdocuments.of_version(version)
    published = {
        **documents["apis/apps/v1"]["components"]["schemas"],
        **documents["apis/apiextensions.k8s.io/v1"]["components"]["schemas"],
    }
    schemas = commontypes.load(version, 3, scales=True).schemas
    # These list the groups of their server.
    listing: dict[str, Any] = {f"{commontypes.META}.DeleteOptions": {GVK: []}}
    for name, schema in schemas.items():
        assert {**schema, **listing.get(name, {})} == {**published[name], **listing.get(name, {})}
    assert len(schemas) > 10


def test_merge_rules_of_built_in_kinds_are_those_of_the_documents() -> None:
    recorded = Path(builtinkinds.__file__).with_name("builtintypes.json").read_text(encoding="utf-8")
    assert builtintypes_recorder.table() == recorded
