"""Changed branches of junctors."""

from __future__ import annotations

import pytest

from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.upgrades import schemadifferences
from upgrades.changes import JSON, TEXT, crd, obj
from upgrades.test_upgrades import judge, list_findings

FIELDS = [f"f{index}" for index in range(70)]


def need(*names: str) -> JSON:
    return {"required": list(names)}


def junctor(keyword: str, branches: list[JSON], names: list[str] | None = None) -> JSON:
    value = {"anyOf": branches} if keyword == "not" else branches
    return {"type": "object", "properties": dict.fromkeys(names or ["a", "b", "c"], TEXT), keyword: value}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            junctor("anyOf", [need("a"), need("b")]), junctor("oneOf", [need("a"), need("b")]), id="anyOf to oneOf"
        ),
        pytest.param(junctor("oneOf", [need("a")]), junctor("oneOf", [need("a"), need("b")]), id="more of oneOf"),
        pytest.param(
            junctor("not", [need("a", "b")]), junctor("not", [need("a", "b"), need("b", "c")]), id="more of not"
        ),
        pytest.param(obj(a=TEXT), {**obj(a=TEXT), "not": need("a")}, id="first not"),
        pytest.param(
            junctor("anyOf", list(map(need, FIELDS)), FIELDS),
            junctor("anyOf", list(map(need, FIELDS[:-1])), FIELDS),
            id="less of anyOf",
        ),
        pytest.param(junctor("allOf", [need("a")]), junctor("allOf", [need("a"), need("b")]), id="more of allOf"),
    ],
)
def test_a_changed_branch_is_shown(old: JSON, new: JSON) -> None:
    assert any(words.startswith("refused spec.x") for words in list_findings(judge(crd(old), crd(new))))


@pytest.mark.parametrize(
    ("old", "new", "keyword", "expected"),
    [
        pytest.param([need("a")], [need("a"), need("b")], "anyOf", False, id="more of anyOf"),
        pytest.param([need("a"), need("b")], [need("b")], "anyOf", True, id="less of anyOf"),
        pytest.param([need("a"), need("b")], [need("b")], "not", False, id="less of not"),
        pytest.param([need("a")], [need("a"), need("b")], "not", True, id="more of not"),
        pytest.param([need("a")], [need("a"), need("b")], "oneOf", True, id="more of oneOf"),
    ],
)
def test_a_junctor_that_only_allows_more_refuses_nothing(
    old: list[JSON], new: list[JSON], keyword: str, *, expected: bool
) -> None:
    schemas = (SchemaNode(junctor(keyword, branches)) for branches in (old, new))
    (difference,) = schemadifferences.find_differences(*schemas)

    assert difference.can_refuse is expected


def test_a_junctor_that_comes_may_refuse_and_one_that_goes_may_not() -> None:
    without, with_ = SchemaNode(obj(a=TEXT)), SchemaNode({**obj(a=TEXT), "not": need("a")})

    assert [item.can_refuse for item in schemadifferences.find_differences(without, with_)] == [True]
    assert [item.can_refuse for item in schemadifferences.find_differences(with_, without)] == [False]
