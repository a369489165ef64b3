"""A search leaves out no listed value of a schema."""

from __future__ import annotations

import pytest

from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.textsearch import Lengths
from pytest_crd.upgrades import listedvalues, witnesses
from upgrades.changes import JSON, NUMBER, OBJECT, TEXT, crd, obj
from upgrades.test_upgrades import judge, list_findings

NAMES = [f"v{index:02}" for index in range(40)]
# Takes too many states to compare with another pattern.
HARD = "^(a|b)*a(a|b){18}$"


def enum(values: list[str] | list[int], schema: JSON = TEXT) -> JSON:
    return {**schema, "enum": values}


def rule(text: str, schema: JSON = TEXT) -> JSON:
    return {**schema, "x-kubernetes-validations": [{"rule": text}]}


def alternatives(names: list[str]) -> JSON:
    return {**TEXT, "pattern": f"^({'|'.join(names)})$"}


def in_rule(names: list[str]) -> JSON:
    return rule(f"self in {names}", {**TEXT, "maxLength": 9})


ALL_BUT_ONE = [name for name in NAMES if name != "v31"]
SOME, FEWER = NAMES[:20], NAMES[:19]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(enum(NAMES), enum(ALL_BUT_ONE), id="enum"),
        pytest.param(enum([*FEWER, "v9"]), enum([*FEWER, "v19"]), id="corrected value"),
        pytest.param(enum(list(range(20)), NUMBER), enum([*range(15), *range(16, 20)], NUMBER), id="numbers"),
        pytest.param({**enum(SOME), "default": "v00"}, {**enum(FEWER), "default": "v00"}, id="default"),
        pytest.param(in_rule(SOME), in_rule(FEWER), id="rule"),
        pytest.param(
            rule(f"!(self in {FEWER})", {**TEXT, "maxLength": 9}),
            rule(f"!(self in {SOME})", {**TEXT, "maxLength": 9}),
            id="exclusion",
        ),
        pytest.param(enum(SOME), rule(f"self in {FEWER}", {**TEXT, "maxLength": 9}), id="enum to rule"),
        pytest.param(in_rule(SOME), enum(FEWER), id="rule to enum"),
        pytest.param(enum(SOME), alternatives(FEWER), id="enum to pattern"),
        pytest.param(alternatives(SOME), enum(FEWER), id="pattern to enum"),
        pytest.param(alternatives(SOME), in_rule(FEWER), id="pattern to rule"),
        pytest.param(
            {**TEXT, "anyOf": [{"pattern": f"^{name}:"} for name in NAMES]},
            {**TEXT, "anyOf": [{"pattern": f"^{name}:"} for name in ALL_BUT_ONE]},
            id="branches",
        ),
        pytest.param({**TEXT, "allOf": [{"enum": SOME}]}, {**TEXT, "allOf": [{"enum": FEWER}]}, id="allOf"),
        pytest.param({**TEXT, "not": {"enum": FEWER}}, {**TEXT, "not": {"enum": SOME}}, id="not"),
    ],
)
def test_each_dropped_value_is_tried(old: JSON, new: JSON) -> None:
    olds, news = (crd({"type": "array", "maxItems": 9, "items": item}) for item in (old, new))

    assert "refused spec.x" in list_findings(judge(crd(old), crd(new)))
    assert "refused spec.x[*]" in list_findings(judge(olds, news))


@pytest.mark.parametrize(
    ("old", "new"),
    [(enum(NAMES), enum(ALL_BUT_ONE)), (in_rule(SOME), in_rule(FEWER)), (alternatives(SOME), enum(FEWER))],
)
def test_each_dropped_value_of_a_map_is_tried(old: JSON, new: JSON) -> None:
    olds, news = (crd({**OBJECT, "maxProperties": 9, "additionalProperties": value}) for value in (old, new))

    assert "refused spec.x[*]" in list_findings(judge(olds, news))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param(obj(a=enum(SOME)), "!has(self.a) || self.a in {}", id="field"),
        pytest.param(
            {**OBJECT, "additionalProperties": TEXT, "maxProperties": 9}, "self.all(key, key in {})", id="keys"
        ),
        pytest.param(
            obj(a={"type": "array", "maxItems": 9, "items": enum(SOME)}),
            "!has(self.a) || self.a.all(item, item in {})",
            id="items",
        ),
    ],
)
def test_each_value_that_a_rule_of_the_parent_drops_is_tried(schema: JSON, text: str) -> None:
    old, new = (rule(text.format(names), schema) for names in (SOME, FEWER))

    assert "refused spec.x" in list_findings(judge(crd(old), crd(new)))


def test_each_dropped_value_is_tried_in_an_object_that_allows_it() -> None:
    # Of six dropped values, the old CRD allows the last, and only together with another field.
    text = "!(self.a in ['v1', 'v2', 'v3', 'v4', 'v5']) && (self.a != 'v6' || (has(self.b) && self.b))"
    old, new = (
        rule(text, obj(("a",), a=enum([f"v{index}" for index in range(count)]), b={"type": "boolean"}))
        for count in (7, 1)
    )

    assert list_findings(judge(crd(old), crd(new))) == ["refused spec.x.a"]


def test_a_search_that_breaks_off_leaves_a_change_undecided_that_widens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "_BUDGET", 1)

    result = judge(crd({**TEXT, "pattern": "^[a-z]+$"}), crd({**TEXT, "pattern": "^[a-z]*$"}))

    assert list_findings(result) == ["widened spec.x"]
    assert result.undecided == ("spec.x pattern (not all candidates were tried)",)
    assert result.unshown[0].startswith(
        "only objects found that are accepted now, although not all candidates were tried: spec.x pattern: "
    )


def test_texts_that_cannot_be_compared_leave_a_change_undecided() -> None:
    result = judge(crd({**TEXT, "pattern": HARD}), crd({**TEXT, "pattern": HARD.replace("b){18}", "b|c){18}")}))

    assert result.undecided == ("spec.x pattern (not all candidates were tried)",)


def test_values_of_both_schemas_are_left_out() -> None:
    assert listedvalues.order_by_difference([1, True, "a"], [1, "b"]) == [True, "a", "b"]


def test_texts_are_compared_only_with_patterns() -> None:
    old, new = (Demand(({**TEXT, "enum": names},)) for names in (SOME, FEWER))

    assert listedvalues.compare_texts(old, new) == ((), True)


@pytest.mark.parametrize(
    ("left", "right", "texts"),
    [
        ("^[a-z]{1,63}$", "^[a-z]{1,62}$", ["a" * 63]),
        ("^(a|b)+$", "^a+$", ["b", "ab", "ba"]),
        (r"^\d+$", "^[0-9]*$", [""]),
        ("(?i)abc", "abc", ["abC", "aBc", "aBC"]),
        ("^[ab]+$", "^[bc]+$", ["a", "aa", "ab", "c", "bc", "cb"]),
        ("^[a-z]+$", "^[a-z][a-z]*$", []),
    ],
)
def test_texts_that_match_only_one_pattern_are_found_for_both(left: str, right: str, texts: list[str]) -> None:
    assert listedvalues.find_distinguishing_texts((left,), (right,)) == (tuple(texts), True)


def test_texts_have_the_lengths_that_other_keywords_allow() -> None:
    assert listedvalues.find_distinguishing_texts(("^[a-z-]+$",), ("^[a-z]+$",), Lengths(4, 4)).texts == ("aaa-",)
