"""Words in a CRD that the server reads as booleans where a text must be meant are named."""

from __future__ import annotations

import pytest

from pytest_crd.engine.loading import bareproperties
from pytest_crd.engine.yaml import manifest

HEAD = "kind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n"


def _said(text: str) -> list[tuple[int, str]]:
    return [said for one in manifest.read(text.encode(), source="a.yaml") for said in bareproperties.find_messages(one)]


def _of_schema(*lines: str) -> list[tuple[int, str]]:
    return [(line - 6, words) for line, words in _said(HEAD + "".join(f"        {line}\n" for line in lines))]


@pytest.mark.parametrize(
    ("lines", "said"),
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
def test_a_word_of_a_schema(lines: list[str], said: list[tuple[int, str]]) -> None:
    assert _of_schema(*lines) == said


@pytest.mark.parametrize(
    "spec", ["[on]", "{versions: {on: 1}}", "{versions: [on, {schema: on}, {schema: {openAPIV3Schema: on}}]}"]
)
def test_what_is_no_crd_has_no_such_word(spec: str) -> None:
    assert not _said(f"kind: CustomResourceDefinition\nspec: {spec}\n")


def test_the_schema_of_v1beta1_is_looked_at_and_each_item_of_a_list() -> None:
    crd = "{kind: CustomResourceDefinition, spec: {on: 1, validation: {openAPIV3Schema: {properties: {KEY: {}}}}}}"
    text = f"kind: List\nitems:\n- {crd.replace('KEY', 'on')}\n- {crd.replace('KEY', 'off')}\n"

    assert _said(text) == [
        (3, 'the server reads the property `on` of the object as "true"; quote it'),
        (4, 'the server reads the property `off` of the object as "false"; quote it'),
    ]
