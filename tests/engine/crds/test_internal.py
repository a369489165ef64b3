"""The one form of CRDs of both API versions."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import internal
from pytest_crd.engine.crds.declared import V1, V1BETA1
from pytest_crd.engine.crds.internal import InternalCrd

NEWEST = profile.named("1.37")
OBJECT = {"openAPIV3Schema": {"type": "object"}}


def _internal(api_version: str = V1, **spec: Any) -> InternalCrd:
    return internal.from_defaulted({"apiVersion": api_version, "spec": spec}, NEWEST)


def test_fields_that_all_versions_share_move_to_the_spec() -> None:
    shared = {"schema": OBJECT, "subresources": {"status": {}}, "additionalPrinterColumns": [{"name": "a"}]}
    crd = _internal(versions=[{"name": "v1", **shared}, {"name": "v2", **shared, "selectableFields": [{}]}])
    assert crd.versions == [{"name": "v1"}, {"name": "v2", "selectableFields": [{}]}]
    assert crd.spec["version"] == "v1"
    assert crd.spec["validation"] == OBJECT
    assert crd.spec["subresources"] == {"status": {}}
    assert "selectableFields" not in crd.spec


def test_a_schema_of_its_own_stays_in_each_version() -> None:
    crd = _internal(versions=[{"name": "v1", "schema": OBJECT}, {"name": "v2", "schema": {}}])
    assert "validation" not in crd.spec
    assert [schema.value for schema in crd.schemas] == [OBJECT["openAPIV3Schema"]]
    assert crd.schema_in(crd.versions[0]["schema"]) is crd.schemas[0]
    assert crd.schema_in(crd.versions[1]["schema"]) is None


def test_the_fields_of_a_v1_webhook_are_inlined() -> None:
    assert _internal(conversion={"webhook": {"clientConfig": {"url": "u"}}}).spec["conversion"] == {
        "strategy": "",
        "webhookClientConfig": {"url": "u"},
        "conversionReviewVersions": None,
    }
    assert _internal().spec["conversion"] is None


def test_v1beta1_has_the_internal_form_except_for_the_paths_of_columns() -> None:
    columns = [{"name": "a", "JSONPath": ".a"}]
    crd = _internal(V1BETA1, additionalPrinterColumns=columns, versions=[{"additionalPrinterColumns": columns}, {}])
    renamed = [{"name": "a", "jsonPath": ".a"}]
    assert crd.spec["additionalPrinterColumns"] == renamed
    assert crd.versions == [{"additionalPrinterColumns": renamed}, {}]
    assert crd.is_v1beta1
    assert _internal(V1BETA1).versions == []


def test_missing_fields_are_empty() -> None:
    crd = internal.from_defaulted({"apiVersion": V1}, NEWEST)
    assert (crd.names, crd.versions, crd.metadata, crd.preserves_unknown_fields) == ({}, [], {}, False)
    assert crd.schemas == ()


@pytest.mark.parametrize(
    ("field", "values", "answer"),
    [
        ("schema", [{}, {}], True),
        ("schema", [None, None], False),
        ("schema", [{}, None], False),
        ("additionalPrinterColumns", [[], []], False),
        ("additionalPrinterColumns", [[{"name": "a"}], [{"name": "a"}]], True),
        ("schema", [], False),
    ],
)
def test_versions_share_fields_with_equal_values(field: internal.Exclusive, values: list[Any], *, answer: bool) -> None:
    crd = _internal(V1BETA1, versions=[{} if value is None else {field: value} for value in values])
    assert internal.is_shared(crd, field, NEWEST) is answer


def test_an_empty_status_subresource_is_enabled() -> None:
    assert internal.has_status({"status": {}})
    assert not internal.has_status({"scale": {}})
    assert not internal.has_status(None)
