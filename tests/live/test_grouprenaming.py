"""Names of the server's in place of the project's, and back."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.client import completion
from pytest_crd.engine.golang import printing
from pytest_crd.live.grouprenaming import Renaming

OWN = Renaming("g.example.com", "x.pytest-crd.example.com", "pytest-crd-1")
CLUSTER = OWN._replace(namespace="")
INSTALLED = Renaming("g.example.com", "g.example.com", "")
MANIFEST: Any = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.g.example.com", "annotations": {"cert-manager.io/inject-ca-from": "a/b"}},
    "spec": {
        "group": "g.example.com",
        "names": {"plural": "things"},
        "conversion": {"strategy": "Webhook"},
        "versions": [],
    },
}


def test_a_crd_is_renamed_and_has_no_metadata_for_operators() -> None:
    renamed = OWN.of_crd(MANIFEST)

    assert renamed["metadata"] == {"name": "things.x.pytest-crd.example.com"}
    assert renamed["spec"] == {"group": "x.pytest-crd.example.com", "names": {"plural": "things"}, "versions": []}
    assert INSTALLED.of_crd(MANIFEST)["spec"] == MANIFEST["spec"]


@pytest.mark.parametrize(
    ("given", "renamed"),
    [
        ({"apiVersion": "g.example.com/v1"}, {"apiVersion": "x.pytest-crd.example.com/v1"}),
        ({"apiVersion": "g.example.com.au/v1"}, {"apiVersion": "g.example.com.au/v1"}),
        ({"apiVersion": 1}, {"apiVersion": 1}),
        ({"metadata": {"namespace": "home"}}, {"metadata": {"namespace": "pytest-crd-1"}}),
        ({"metadata": {"namespace": "other"}}, {"metadata": {"namespace": "other"}}),
        ({"metadata": []}, {"metadata": []}),
        ({"spec": {"apiVersion": "g.example.com/v1"}}, {"spec": {"apiVersion": "g.example.com/v1"}}),
        ([], []),
    ],
)
def test_an_object_is_of_the_other_group_and_namespace(given: Any, renamed: Any) -> None:
    assert OWN.of_object(given, "home") == renamed


def test_an_object_in_no_namespace_of_ours_keeps_its_own() -> None:
    assert CLUSTER.of_object({"metadata": {"namespace": "home"}}, "home") == {"metadata": {"namespace": "home"}}


def test_a_text_is_changed_only_at_the_names() -> None:
    text = "apiVersion: g.example.com/v1\nmetadata: {namespace: home, name: home}\nspec: {a: 1.0}\n"

    assert OWN.of_body(completion.read(text), "home").text == (
        "apiVersion: x.pytest-crd.example.com/v1\nmetadata: {namespace: pytest-crd-1, name: home}\nspec: {a: 1.0}\n"
    )
    assert CLUSTER.of_body(completion.read(text), "home").text == (
        "apiVersion: x.pytest-crd.example.com/v1\nmetadata: {namespace: home, name: home}\nspec: {a: 1.0}\n"
    )
    assert INSTALLED.of_body(completion.read(text), "home").text == text


def test_the_marshalled_text_of_an_object_is_marshalled_again() -> None:
    value = {"apiVersion": "g.example.com/v1", "spec": {"namespace": "home"}}

    body = OWN.of_body(completion.read(printing.marshal(value)), "home")

    assert body.text == '{"apiVersion":"x.pytest-crd.example.com/v1","spec":{"namespace":"home"}}'
    assert body.value == {"apiVersion": "x.pytest-crd.example.com/v1", "spec": {"namespace": "home"}}


def test_answers_have_the_names_of_the_project() -> None:
    answer = {"a x.pytest-crd.example.com": ["Thing.x.pytest-crd.example.com in pytest-crd-1", 1, None]}

    assert OWN.restore(answer, "home") == {"a g.example.com": ["Thing.g.example.com in home", 1, None]}
    assert CLUSTER.restore("x.pytest-crd.example.com", "home") == "g.example.com"
    assert INSTALLED.restore(answer, "home") is answer
    made_up = INSTALLED._replace(made_up_name="example-1")
    assert made_up.restore('Thing "example-1"', "home") == 'Thing "example"'
