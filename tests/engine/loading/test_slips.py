"""Unquoted words in a CRD that the server reads as booleans where a text is meant."""

from __future__ import annotations

import pytest

from pytest_crd.engine.loading import slips
from pytest_crd.engine.yaml import manifest

HEAD = "kind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n"


def _messages(text: str) -> list[tuple[int, str]]:
    manifests = manifest.read(text.encode(), source="a.yaml")
    return [message for item in manifests for message in slips.find_messages(item)]


def _of_schema(*lines: str) -> list[tuple[int, str]]:
    return [(line - 6, words) for line, words in _messages(HEAD + "".join(f"        {line}\n" for line in lines))]


@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        pytest.param(
            ["properties:", "  on: {type: boolean}"],
            [(2, 'the server reads the property `on` of the object as "true"; quote it')],
            id="a property of the object",
        ),
        pytest.param(
            ["properties: {spec: {properties: {list: {items: {properties: {N: {type: string}}}}}}}"],
            [(1, 'the server reads the property `N` of spec.list[*] as "false"; quote it')],
            id="a property of an item",
        ),
        pytest.param(
            ["additionalProperties:", "  type: string", "  enum: [on, 'off', auto]", "  default: No"],
            [
                (3, "the server reads `on` in the enum of [*] as true; quote it"),
                (4, "the server reads `No` in the default of [*] as false; quote it"),
            ],
            id="values of a text",
        ),
        pytest.param(
            ["properties: {mode: {type: string, enum: ['off', auto], default: off}}"],
            [(1, "the server reads `off` in the default of mode as false; quote it")],
            id="the default of a text alone",
        ),
        pytest.param(
            ["properties: {y: {type: boolean, default: no, enum: [no]}}"],
            [(1, 'the server reads the property `y` of the object as "true"; quote it')],
            id="values of a boolean are meant as such",
        ),
        pytest.param(
            ["properties: {a: {properties: {'on': {}, \"n\": {}, true: {}, 'false': {}}}}"],
            [],
            id="quoted, or no such word",
        ),
        pytest.param(
            ["properties: {on: {type: object, default: {n: on}}, b: {type: string, nullable: yes}}"],
            [(1, 'the server reads the property `on` of the object as "true"; quote it')],
            id="what is no property, nor a value of a text",
        ),
        pytest.param(
            ["properties: {on: {}}", "items: {properties: on}", "additionalProperties: off"],
            [(1, 'the server reads the property `on` of the object as "true"; quote it')],
            id="schemas that are none",
        ),
        pytest.param(["type: object", "description: on"], [], id="nothing of either kind"),
        pytest.param(["properties: [on]", "items: on"], [], id="no schema"),
    ],
)
def test_boolean_words_in_schemas_are_reported(lines: list[str], messages: list[tuple[int, str]]) -> None:
    assert _of_schema(*lines) == messages


@pytest.mark.parametrize(
    "spec", ["[on]", "{versions: {on: 1}}", "{versions: [on, {schema: on}, {schema: {openAPIV3Schema: on}}]}"]
)
def test_malformed_crds_have_no_messages(spec: str) -> None:
    assert not _messages(f"kind: CustomResourceDefinition\nspec: {spec}\n")


def test_schemas_of_v1beta1_and_items_of_lists_are_searched() -> None:
    crd = "{kind: CustomResourceDefinition, spec: {on: 1, validation: {openAPIV3Schema: {properties: {KEY: {}}}}}}"
    text = f"kind: List\nitems:\n- {crd.replace('KEY', 'on')}\n- {crd.replace('KEY', 'off')}\n"

    assert _messages(text) == [
        (3, 'the server reads the property `on` of the object as "true"; quote it'),
        (4, 'the server reads the property `off` of the object as "false"; quote it'),
    ]
