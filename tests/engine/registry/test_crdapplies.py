"""Server-side applies of CRDs as callers ask them; what servers answer is replayed in `conformance`."""

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


def test_an_answer_is_what_the_next_apply_finds() -> None:
    first = CustomResourceDefinition.apply(WHOLE, manager="flux")
    again = CustomResourceDefinition.apply(WHOLE, manager="flux", old=first)
    other = CustomResourceDefinition.apply({"spec": {"names": {"kind": "B"}}}, manager="me", old=again)
    assert [(one.code, one.changed) for one in (first, again)] == [(201, True), (200, False)]
    assert first.managers == {"flux": OWNED}
    assert other.code == 409
    assert [(one.manager, str(one.field)) for one in other.conflicts] == [("flux", "spec.names.kind")]


def test_what_nobody_tracks_is_before_the_first_apply() -> None:
    stored = CustomResourceDefinition.from_manifest(MANIFEST)
    answer = CustomResourceDefinition.apply({"metadata": {"labels": {"a": "b"}}}, manager="me", old=stored)
    assert answer.stored["metadata"]["labels"] == {"a": "b"}
    assert answer.managers["me"] == ("metadata.labels.a",)
    assert set(OWNED) < {*answer.managers["before-first-apply"]}


def test_a_change_of_the_spec_counts_in_the_generation() -> None:
    first = CustomResourceDefinition.apply(WHOLE, manager="a")
    labels = CustomResourceDefinition.apply({"metadata": {"labels": {"a": "b"}}}, manager="b", old=first)
    names = CustomResourceDefinition.apply({"spec": {"names": {"shortNames": ["s"]}}}, manager="b", old=labels)
    found = [one.whole.value["metadata"]["generation"] for one in (first, labels, names) if one.whole]
    assert found == [1, 1, 2]


def test_a_text_is_sent_as_it_is() -> None:
    answer = CustomResourceDefinition.apply("kind: CustomResourceDefinition", manager="a")
    assert (answer.code, answer.message) == (400, "invalid object type: /, Kind=CustomResourceDefinition")


def test_what_has_no_name_is_not_created() -> None:
    answer = CustomResourceDefinition.apply(
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}", manager="a"
    )
    assert answer.message.startswith("the name of the object (example based on URL) was undeterminable")
    assert CustomResourceDefinition.apply("[1]", manager="a").code == 400


def test_a_number_is_cut_off_as_a_server_does_it() -> None:
    column = {"name": "n", "type": "string", "jsonPath": ".a", "priority": 2**40 + 7}
    version = {**WHOLE["spec"]["versions"][0], "additionalPrinterColumns": [column]}
    applied = CustomResourceDefinition.apply({**WHOLE, "spec": {**WHOLE["spec"], "versions": [version]}}, manager="a")

    (stored,) = applied.stored["spec"]["versions"]
    assert stored["additionalPrinterColumns"][0]["priority"] == 7


def test_what_is_stored_is_a_crd_or_an_answer() -> None:
    old: Any = MANIFEST
    with pytest.raises(TypeError, match="is a CustomResourceDefinition or an answer, not dict"):
        CustomResourceDefinition.apply(WHOLE, manager="a", old=old)
    refused = CustomResourceDefinition.apply({"spec": {}}, manager="")
    assert refused.code == 422
    with pytest.raises(TypeError, match="nothing is known to be stored after"):
        CustomResourceDefinition.apply(WHOLE, manager="a", old=refused)


def test_a_crd_of_another_version_has_no_answer() -> None:
    old = CustomResourceDefinition.from_manifest({**MANIFEST, "apiVersion": "apiextensions.k8s.io/v1beta1"})
    with pytest.raises(NotImplementedError, match="to a CRD of v1beta1: owners are followed in"):
        CustomResourceDefinition.apply(WHOLE, manager="a", old=old)
