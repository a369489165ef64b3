"""Effects of the new CRD's conversion webhook on objects, also on objects of an old storage version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.webhooks import FixedWebhooks, FunctionAdmission, FunctionConverter

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.admission import Admitted
from pytest_crd.upgrades import convertedobjects
from pytest_crd.webhooks.transport import WebhookError
from upgrades.changes import JSON, NUMBER, TEXT, crd_with_versions, obj
from upgrades.test_upgrades import judge, list_findings

WEBHOOK: JSON = {
    "strategy": "Webhook",
    "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}},
}
FIELDS = obj(name=TEXT, size=NUMBER)
Convert = Callable[[JSONObject, str], JSONObject]


def _version(name: str, spec: JSON = FIELDS, *, storage: bool = False) -> JSON:
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": obj(spec=spec)}}


def _old(*versions: JSON) -> CustomResourceDefinition:
    return crd_with_versions(*(versions or (_version("v1", storage=True),)))


def _new(convert: Convert | None, *versions: JSON) -> CustomResourceDefinition:
    crd = crd_with_versions(*(versions or (_version("v1"), _version("v2", storage=True))), conversion=WEBHOOK)
    webhooks = FixedWebhooks(
        None if convert is None else FunctionConverter(convert), FunctionAdmission(validate=_refuse)
    )
    return convertedobjects.prepare(crd.with_webhooks(webhooks))


def _refuse(_request: Any) -> Admitted:
    raise AssertionError("admission is no part of an upgrade")


def _keep(resource: JSONObject, _api_version: str) -> JSONObject:
    return resource


def _without_name(resource: JSONObject, _api_version: str) -> JSONObject:
    spec = {key: value for key, value in (resource.get("spec") or {}).items() if key != "name"}
    return {**resource, "spec": spec}


def _fail_with_a_size(resource: JSONObject, _api_version: str) -> JSONObject:
    if "size" in (resource.get("spec") or {}):
        raise WebhookError.at("conftest.py", "the function fails:\nTraceback\n  KeyError: 'size'")
    return resource


def test_a_webhook_without_losses_has_no_effect() -> None:
    result = judge(_old(), _new(_keep))

    assert (list_findings(result), result.warnings) == ([], ())


def test_a_webhook_that_cannot_be_called_leaves_the_effects_unknown() -> None:
    result = judge(_old(), _new(None))

    assert list_findings(result) == []
    assert "a webhook converts v1 to v2" in result.warnings[0]


def test_a_field_that_the_webhook_loses_is_a_loss_of_data() -> None:
    result = judge(_old(), _new(_without_name))

    assert list_findings(result) == ["data loss spec.name"]
    (finding,) = result.findings
    assert finding.words == "spec.name is lost: the webhook does not convert it to the storage version and back"
    assert finding.witness is not None
    assert finding.witness.resource["spec"].keys() == {"name"}
    assert finding.witness.note == "an object that is stored changes with its next write"


def test_a_default_that_is_gone_is_no_loss_by_the_webhook() -> None:
    old = _old(_version("v1", obj(name={**TEXT, "default": "a"}), storage=True))

    result = judge(old, _new(_keep, _version("v1", obj(name=TEXT)), _version("v2", obj(name=TEXT), storage=True)))

    assert list_findings(result) == ["changed spec.name"]


def test_objects_of_the_old_storage_version_that_the_webhook_refuses_are_told() -> None:
    result = judge(_old(), _new(_fail_with_a_size))

    assert list_findings(result) == ["refused .", "refused ."]
    created, stored = sorted(result.findings, key=lambda finding: "stored as" in finding.words)
    assert created.words == "conftest.py: the function fails: KeyError: 'size'"
    assert stored.words == "stored as v1, it cannot be read as v2: conftest.py: the function fails: KeyError: 'size'"
    assert stored.witness is not None
    assert stored.witness.resource["spec"] == {"size": 0}


def test_a_project_s_object_shows_a_refused_read_first() -> None:
    def refuse_nine(resource: JSONObject, _api_version: str) -> JSONObject:
        return _fail_with_a_size(resource, "") if (resource.get("spec") or {}).get("size") == 9 else resource

    own = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": 9, "name": "b"}}
    versions = _version("v1", storage=True), _version("v2")

    result = judge(_old(), _new(refuse_nine, *versions), own)

    assert list_findings(result) == ["refused ."]
    assert result.findings[0].witness is not None
    assert result.findings[0].witness.resource["spec"] == {"size": 9}


def test_reads_that_a_webhook_converted_before_are_left_to_round_trips() -> None:
    old = crd_with_versions(_version("v1", storage=True), _version("v2"), conversion=WEBHOOK)

    result = judge(old, _new(_fail_with_a_size, _version("v1", storage=True), _version("v2"), _version("v3")))

    assert [finding.words.partition(":")[0] for finding in result.findings] == ["stored as v1, it cannot be read as v3"]


def test_versions_that_are_not_served_are_not_read() -> None:
    hidden = {**_version("v3"), "served": False}

    result = judge(_old(), _new(_fail_with_a_size, _version("v1", storage=True), hidden))

    assert list_findings(result) == []


def test_a_webhook_in_place_of_another_one_loses_nothing_known() -> None:
    old = crd_with_versions(_version("v1"), _version("v2", storage=True), conversion=WEBHOOK)

    result = judge(old, _new(_without_name, _version("v1"), _version("v2", storage=True), _version("v3")))

    assert "no webhook converts it any more" not in " ".join(finding.words for finding in result.findings)
    assert "a webhook converts v1 to v2" in result.warnings[0]


def test_values_that_structs_of_go_add_or_leave_out_have_no_effect() -> None:
    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        spec = {key: value for key, value in (resource.get("spec") or {}).items() if value}
        return {**resource, "spec": spec}

    assert list_findings(judge(_old(), _new(convert))) == []


def test_a_lost_zero_with_a_default_is_a_loss() -> None:
    fields = obj(size={**NUMBER, "default": 3})

    def convert(resource: JSONObject, api_version: str) -> JSONObject:
        is_stored = api_version.endswith("v2")
        return {**resource, "spec": {}} if (resource.get("spec") or {}).get("size") == 0 and is_stored else resource

    result = judge(
        _old(_version("v1", fields, storage=True)), _new(convert, _version("v1", fields), _version("v2", storage=True))
    )

    assert "data loss spec.size" in list_findings(result)


def test_a_loss_at_the_place_of_a_difference_is_found_with_the_difference() -> None:
    versions = _version("v1", obj(name={**TEXT, "maxLength": 3}, size=NUMBER)), _version("v2", storage=True)

    result = judge(_old(), _new(_without_name, *versions))

    assert sorted(list_findings(result)) == ["data loss spec.name", "refused spec.name"]


def test_a_version_that_was_not_stored_is_not_read_in_others() -> None:
    old = crd_with_versions(_version("v1"), _version("v2", storage=True), conversion={"strategy": "None"})

    result = judge(old, _new(_without_name))

    assert list_findings(result) == ["data loss spec.name"]


def test_objects_that_only_the_new_crd_accepts_are_not_read() -> None:
    fields = obj(name=TEXT, size=NUMBER, more=TEXT)
    versions = _version("v1", fields, storage=True), _version("v2", fields)

    result = judge(_old(), _new(_fail_with_a_size, *versions))

    refused = [finding for finding in result.findings if finding.path == "."]
    assert [finding.words.partition(":")[0] for finding in refused] == ["stored as v1, it cannot be read as v2"]


def test_a_crd_without_webhooks_stays_as_it_is() -> None:
    crd = _old()

    assert convertedobjects.prepare(crd) is crd


@pytest.mark.parametrize("convert", [None, _keep])
def test_a_prepared_crd_calls_no_admission(convert: Convert | None) -> None:
    crd = _new(convert)

    assert crd.version("v1").admission is None
    assert crd.version("v2").create({"spec": {"name": "a"}}).accepted
