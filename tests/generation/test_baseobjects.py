"""Base objects of case files that a changed CRD refuses."""

from __future__ import annotations

from typing import Any

import pytest
from support.crds import manifest

from pytest_crd.cases import loader
from pytest_crd.cases.model import CaseFile
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.generation import baseobjects

HEAD = "crd: x\n"
TAIL = "\ncreate:\n- {name: a, input: *smallest, accepted: true}\n"
SPEC = {
    "type": "object",
    "required": ["a", "b"],
    "properties": {
        "a": {"type": "integer", "minimum": 5},
        "b": {"type": "string"},
        "c": {"type": "integer"},
        "d": {"type": "object", "properties": {"e": {"type": "integer"}}},
    },
}


def repaired(text: str, spec: dict[str, Any] = SPEC) -> baseobjects.RepairedText | None:
    crd = CustomResourceDefinition.from_manifest(
        manifest({"type": "object", "required": ["spec"], "properties": {"spec": spec}})
    )
    parts = loader.load_any(text, source="a.yaml")
    assert isinstance(parts, tuple)

    def find_version(_: CaseFile) -> CrdVersion:
        return crd.versions[0]

    return baseobjects.repair(text.encode(), parts, find_version, source="a.yaml")


@pytest.mark.parametrize("crd", ["x", "x\\/y"])
def test_a_file_that_is_partly_json_is_left(crd: str) -> None:
    case = f'{{"crd": "{crd}", "create": [{{"name": "a", "input": {{}}, "accepted": true}}]}}'

    assert repaired(f"{case}\ncrd: x\ncreate: [{{name: b, input: {{}}, accepted: true}}]\n") is None


@pytest.mark.parametrize(
    ("base", "mended", "fields"),
    [
        ("{spec: {a: 1, b: mine}}", "{spec: {a: 5, b: mine}}", ("spec.a",)),
        ("{spec: {a: 7, b: mine, c: no}}", "{spec: {a: 7, b: mine}}", ("spec.c",)),
        ("{spec: {a: 7, b: mine, d: {e: no}}}", "{spec: {a: 7, b: mine}}", ("spec.d.e",)),
        ("{spec: {a: 7}}", "{spec: {a: 7, b: a}}", ("spec.b",)),
        ("{spec: {a: {c: 1}, b: mine}}", "{spec: {a: 5, b: mine}}", ("spec.a",)),
        ("{spec: [1]}", "{spec: {a: 5, b: a}}", ("spec",)),
        ("{}", "{spec: {a: 5, b: a}}", ("spec",)),
        (
            "{metadata: {labels: {a: b}}, spec: {a: 1, b: mine}}",
            "{metadata: {labels: {a: b}}, spec: {a: 5, b: mine}}",
            ("spec.a",),
        ),
    ],
)
def test_values_with_errors_are_replaced(base: str, mended: str, fields: tuple[str, ...]) -> None:
    actual = repaired(f"{HEAD}x-smallest: &smallest {base}{TAIL}")

    assert actual is not None
    assert actual.content.decode() == f"{HEAD}x-smallest: &smallest {mended}{TAIL}"
    assert actual.fields == fields


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}x-smallest: &smallest {{spec: {{a: 5, b: mine}}}}{TAIL}",
        f"{HEAD}create:\n- {{name: a, input: {{}}, accepted: true}}\n",
        f"{HEAD}x-smallest: 1\ncreate:\n- {{name: a, input: {{}}, accepted: true}}\n",
    ],
)
def test_other_files_stay(text: str) -> None:
    assert repaired(text) is None


def test_a_field_of_several_documents_is_named_once() -> None:
    document = f"{HEAD}x-smallest: &smallest {{spec: {{a: 1, b: mine}}}} # base\r\n{TAIL}"

    actual = repaired(f"{document}---\n{document.replace('name: a', 'name: b')}")

    assert actual is not None
    assert actual.content.decode().count("{spec: {a: 5, b: mine}} # base\r\n") == 2
    assert actual.fields == ("spec.a",)


def test_a_byte_order_mark_stays() -> None:
    actual = repaired(f"\ufeff{HEAD}x-smallest: &smallest {{spec: {{a: 1, b: mine}}}}{TAIL}")

    assert actual is not None
    assert actual.content.decode().startswith(f"\ufeff{HEAD}x-smallest: &smallest {{spec: {{a: 5")


def test_a_file_whose_documents_are_not_known_stays() -> None:
    text = f"{HEAD}x-smallest: &smallest {{spec: {{a: 1}}}}{TAIL}"

    assert baseobjects.repair(text.encode(), (), None, source="a.yaml") is None  # type: ignore[arg-type]


def test_a_wrong_item_of_a_list_is_replaced() -> None:
    items = {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 3}}
    spec = {"type": "object", "required": ["a"], "properties": {"a": items}}

    actual = repaired(f"{HEAD}x-smallest: &smallest {{spec: {{a: [b, abc]}}}}{TAIL}", spec)

    assert actual is not None
    assert actual.content.decode() == f"{HEAD}x-smallest: &smallest {{spec: {{a: [aaa, abc]}}}}{TAIL}"


def test_a_rule_that_other_errors_hide_makes_way_for_the_smallest_object() -> None:
    spec = {**SPEC, "x-kubernetes-validations": [{"rule": "self.b != 'mine'"}]}

    actual = repaired(f"{HEAD}x-smallest: &smallest {{spec: {{a: 1, b: mine}}}}{TAIL}", spec)

    assert actual is not None
    assert actual.content.decode() == f"{HEAD}x-smallest: &smallest {{spec: {{a: 5, b: a}}}}{TAIL}"


@pytest.mark.long
def test_without_a_known_object_nothing_is_repaired() -> None:
    rules = [{"rule": "self.a == 1"}, {"rule": "self.a == 2"}]

    text = f"{HEAD}x-smallest: &smallest {{spec: {{a: 1}}}}{TAIL}"
    assert (
        repaired(
            text,
            {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "integer"}},
                "x-kubernetes-validations": rules,
            },
        )
        is None
    )
