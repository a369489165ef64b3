"""CRDs as the server writes them."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine.crds import encoded as crdencoding
from pytest_crd.engine.crds.declared import V1, V1BETA1

STATUS = {"acceptedNames": {"kind": "", "plural": ""}, "conditions": None, "storedVersions": None}


def _encoded(api_version: str = V1, **spec: Any) -> Any:
    return crdencoding.encode({"apiVersion": api_version, "spec": spec})


def test_required_fields_are_there_and_empty_ones_are_not() -> None:
    encoded = _encoded(names={"shortNames": [], "singular": ""}, preserveUnknownFields=False)
    assert encoded["spec"] == {"group": "", "names": {"kind": "", "plural": ""}, "scope": "", "versions": None}
    assert encoded["status"] == STATUS


def test_v1beta1_needs_no_versions_and_knows_false_from_nothing() -> None:
    encoded = _encoded(V1BETA1, preserveUnknownFields=False, additionalPrinterColumns=[{"priority": 0}])
    assert "versions" not in encoded["spec"]
    assert encoded["spec"]["preserveUnknownFields"] is False
    assert encoded["spec"]["additionalPrinterColumns"] == [{"JSONPath": "", "name": "", "type": ""}]


def test_schemas_lose_what_is_empty_but_not_what_a_pointer_points_to() -> None:
    schema = {
        "type": "",
        "maximum": 0,
        "properties": {"a": {"nullable": False, "items": {"required": []}}, "b": {"items": [{"enum": []}]}},
        "additionalProperties": False,
        "x-kubernetes-list-type": "",
        "dependencies": {"a": ["b"]},
    }
    version = {"name": "v1", "deprecated": False, "schema": {"openAPIV3Schema": schema}}
    (encoded,) = _encoded(versions=[version])["spec"]["versions"]
    assert encoded == {
        "name": "v1",
        "served": False,
        "storage": False,
        "schema": {
            "openAPIV3Schema": {
                "maximum": 0,
                "properties": {"a": {"items": {}}, "b": {"items": [{}]}},
                "additionalProperties": False,
                "x-kubernetes-list-type": "",
                "dependencies": {"a": ["b"]},
            }
        },
    }


def test_an_empty_webhook_gets_lost() -> None:
    lost = _encoded(conversion={"strategy": "None", "webhook": {}})["spec"]["conversion"]
    assert lost == {"strategy": "None"}
    conversion = _encoded(conversion={"strategy": "None", "webhook": {"clientConfig": {}}})["spec"]["conversion"]
    assert conversion["webhook"] == {"clientConfig": {}, "conversionReviewVersions": None}
    versions: dict[str, Any] = {"conversionReviewVersions": []}
    assert _encoded(conversion={"webhook": versions})["spec"]["conversion"] == {"strategy": "", "webhook": versions}
