"""Server-side applies of CRDs by callers; `conformance` replays the responses of servers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition

WHOLE: dict[str, Any] = {
    "metadata": {"name": "as.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"plural": "as", "kind": "A"},
        "scope": "Namespaced",
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
    },
}
MANIFEST = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **WHOLE}
OWNED = ("spec.group", "spec.names.kind", "spec.names.plural", "spec.scope", "spec.versions")


def test_a_response_can_be_the_stored_crd_of_the_next_apply() -> None:
    first = CustomResourceDefinition.apply(WHOLE, manager="flux")
    again = CustomResourceDefinition.apply(WHOLE, manager="flux", old=first)
    second = CustomResourceDefinition.apply({"spec": {"names": {"kind": "B"}}}, manager="me", old=again)
    assert [(item.code, item.changed) for item in (first, again)] == [(201, True), (200, False)]
    assert first.managers == {"flux": OWNED}
    assert second.code == 409
    assert [(item.manager, str(item.field)) for item in second.conflicts] == [("flux", "spec.names.kind")]


def test_untracked_fields_of_a_crd_get_an_owner_at_the_first_apply() -> None:
    stored = CustomResourceDefinition.from_manifest(MANIFEST)
    answer = CustomResourceDefinition.apply({"metadata": {"labels": {"a": "b"}}}, manager="me", old=stored)
    assert answer.stored["metadata"]["labels"] == {"a": "b"}
    assert answer.managers["me"] == ("metadata.labels.a",)
    assert set(OWNED) < {*answer.managers["before-first-apply"]}


def test_only_changes_of_the_spec_increment_the_generation() -> None:
    first = CustomResourceDefinition.apply(WHOLE, manager="a")
    labels = CustomResourceDefinition.apply({"metadata": {"labels": {"a": "b"}}}, manager="b", old=first)
    names = CustomResourceDefinition.apply({"spec": {"names": {"shortNames": ["s"]}}}, manager="b", old=labels)
    result = [item.whole.value["metadata"]["generation"] for item in (first, labels, names) if item.whole]
    assert result == [1, 1, 2]


def test_a_text_is_sent_unchanged() -> None:
    answer = CustomResourceDefinition.apply("kind: CustomResourceDefinition", manager="a")
    assert (answer.code, answer.message) == (400, "invalid object type: /, Kind=CustomResourceDefinition")


def test_an_apply_without_a_name_is_refused() -> None:
    answer = CustomResourceDefinition.apply(
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}", manager="a"
    )
    assert answer.message.startswith("the name of the object (example based on URL) was undeterminable")
    assert CustomResourceDefinition.apply("[1]", manager="a").code == 400


def test_numbers_beyond_int32_are_truncated() -> None:
    column = {"name": "n", "type": "string", "jsonPath": ".a", "priority": 2**40 + 7}
    version = {**WHOLE["spec"]["versions"][0], "additionalPrinterColumns": [column]}
    applied = CustomResourceDefinition.apply({**WHOLE, "spec": {**WHOLE["spec"], "versions": [version]}}, manager="a")

    (stored,) = applied.stored["spec"]["versions"]
    assert stored["additionalPrinterColumns"][0]["priority"] == 7


def test_the_stored_crd_must_be_a_crd_or_an_accepted_response() -> None:
    old: Any = MANIFEST
    with pytest.raises(TypeError, match="is a CustomResourceDefinition or an answer, not dict"):
        CustomResourceDefinition.apply(WHOLE, manager="a", old=old)
    refused = CustomResourceDefinition.apply({"spec": {}}, manager="")
    assert refused.code == 422
    with pytest.raises(TypeError, match="nothing is known to be stored after"):
        CustomResourceDefinition.apply(WHOLE, manager="a", old=refused)


def test_applies_to_v1beta1_crds_are_not_implemented() -> None:
    old = CustomResourceDefinition.from_manifest({**MANIFEST, "apiVersion": "apiextensions.k8s.io/v1beta1"})
    with pytest.raises(
        NotImplementedError, match=r"the result of this apply is unknown: .* not in v1beta1; write the CRD in v1"
    ):
        CustomResourceDefinition.apply(WHOLE, manager="a", old=old)
