"""Defaults of a CRD."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import defaulted as crddefaults
from pytest_crd.engine.crds.declared import V1, V1BETA1

NEWEST = profile.named("1.37")
OLDEST = profile.named("1.21")
VERSION = {"name": "v1", "served": True, "storage": True}


def _applied(api_version: str = V1, kubernetes: profile.Profile = NEWEST, **spec: Any) -> Any:
    crd = {"apiVersion": api_version, "kind": "CustomResourceDefinition", "spec": spec}
    before = copy.deepcopy(crd)
    applied = crddefaults.apply(crd, kubernetes)
    assert crd == before
    return applied


@pytest.mark.parametrize(
    ("given", "singular", "list_kind"),
    [
        ({"kind": "Widget"}, "widget", "WidgetList"),
        ({"kind": "Widget", "singular": "", "listKind": ""}, "widget", "WidgetList"),
        ({"kind": "Widget", "singular": "w", "listKind": "Widgets"}, "w", "Widgets"),
        ({}, "", None),
    ],
)
def test_singular_and_list_kind_follow_from_the_kind(given: Any, singular: str, list_kind: str | None) -> None:
    names = _applied(names=given)["spec"]["names"]
    assert names["singular"] == singular
    assert names.get("listKind") == list_kind


def test_an_empty_crd_is_defaulted() -> None:
    applied = crddefaults.apply({"apiVersion": V1}, NEWEST)
    assert applied["spec"] == {"names": {"singular": ""}, "conversion": {"strategy": "None"}}
    assert applied["status"] == {}


def test_the_default_conversion_strategy_is_none() -> None:
    assert _applied()["spec"]["conversion"] == {"strategy": "None"}
    assert _applied(conversion={})["spec"]["conversion"] == {}
    webhook: dict[str, Any] = {"strategy": "Webhook", "webhook": {}}
    assert _applied(conversion=webhook)["spec"]["conversion"] == webhook


def test_the_service_of_a_webhook_gets_a_port() -> None:
    service = {"namespace": "n", "name": "s"}
    v1 = _applied(conversion={"webhook": {"clientConfig": {"service": service}}})["spec"]["conversion"]
    assert v1["webhook"]["clientConfig"]["service"] == {"port": 443, **service}
    v1beta1 = _applied(V1BETA1, conversion={"webhookClientConfig": {"service": {"port": 0}}})["spec"]["conversion"]
    assert v1beta1["webhookClientConfig"]["service"] == {"port": 0}
    url = {"webhook": {"clientConfig": {"url": "https://a"}}}
    assert _applied(conversion=url)["spec"]["conversion"] == url


def test_v1beta1_defaults_the_fields_that_v1_requires() -> None:
    spec = _applied(V1BETA1, version="v1")["spec"]
    assert spec["scope"] == "Namespaced"
    assert spec["versions"] == [VERSION]
    assert spec["preserveUnknownFields"] is True


def test_v1beta1_takes_the_version_from_the_first_of_the_versions() -> None:
    spec = _applied(V1BETA1, versions=[VERSION, {"name": "v2"}], scope="Cluster", preserveUnknownFields=False)["spec"]
    assert (spec["version"], spec["scope"], spec["preserveUnknownFields"]) == ("v1", "Cluster", False)


def test_the_review_version_of_a_v1beta1_webhook_defaults_to_v1beta1() -> None:
    conversion = _applied(V1BETA1, conversion={"strategy": "Webhook"})["spec"]["conversion"]
    assert conversion["conversionReviewVersions"] == ["v1beta1"]
    declared = {"strategy": "Webhook", "conversionReviewVersions": ["v1"]}
    assert _applied(V1BETA1, conversion=declared)["spec"]["conversion"] == declared


def test_the_storage_version_is_a_stored_version() -> None:
    versions = [{"name": "v1"}, {"name": "v2", "storage": True}, {"name": "v3", "storage": True}]
    assert _applied(versions=versions)["status"] == {"storedVersions": ["v2"]}
    assert _applied(versions=[{"name": "v1"}])["status"] == {}


def test_the_status_of_a_created_crd_is_ignored() -> None:
    crd = {"apiVersion": V1, "spec": {"versions": [VERSION]}, "status": {"storedVersions": ["v0"]}}
    defaulted = crddefaults.apply(crd, NEWEST)
    assert defaulted["status"] == {"storedVersions": ["v0"]}
    assert crddefaults.created_status(defaulted) == {"storedVersions": ["v1"]}
    assert crddefaults.created_status(crddefaults.apply({"apiVersion": V1}, NEWEST)) == {}


@pytest.mark.parametrize(
    ("stored", "after"), [(["v0"], ["v0", "v1"]), (["v1"], ["v1"]), ([], ["v1"])], ids=["new", "known", "none yet"]
)
def test_an_update_keeps_the_old_status_and_adds_the_storage_version(stored: list[str], after: list[str]) -> None:
    old = {"status": {"storedVersions": stored, "acceptedNames": {"kind": "A"}}}
    assert crddefaults.updated_status(_applied(versions=[VERSION]), old) == {
        "acceptedNames": {"kind": "A"},
        "storedVersions": after,
    }
    assert crddefaults.updated_status(_applied(), old)["storedVersions"] == stored


def test_an_old_server_does_not_see_fields_of_newer_ones() -> None:
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "true"}]}
    version = {**VERSION, "schema": {"openAPIV3Schema": schema}, "selectableFields": [{"jsonPath": ".a"}]}
    spec = _applied(kubernetes=OLDEST, versions=[version, VERSION], selectableFields=[])["spec"]
    assert spec["versions"] == [{**VERSION, "schema": {"openAPIV3Schema": {"type": "object"}}}, VERSION]
    assert "selectableFields" not in spec
