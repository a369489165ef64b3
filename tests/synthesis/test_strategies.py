"""Custom resources drawn by hypothesis: accepted ones, or ones that are refused for one part."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Any

import pytest
import tiers
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample
from hypothesis.strategies import SearchStrategy
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine, strategies
from pytest_crd.strategies import resources
from pytest_crd.synthesis import NoExampleError, exampleobjects

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
RULE = "x-kubernetes-validations"
SPEC = {
    **fields(
        name_={**TEXT, "minLength": 1, "maxLength": 30},
        host={**TEXT, "format": "hostname"},
        label={**TEXT, "pattern": "^[a-z]{2,5}$"},
        odd={**TEXT, "pattern": r"\Q\E", "minLength": 1},
        mode={**TEXT, "enum": ["a", "b"]},
        count={**NUMBER, "minimum": 3, "maximum": 30, "multipleOf": 3},
        large={**NUMBER, "format": "int32", "minimum": 0, "exclusiveMinimum": True},
        share={"type": "number", "minimum": 0, "maximum": 1, "exclusiveMaximum": True},
        half={"type": "number", "multipleOf": 0.5},
        on={"type": "boolean", "nullable": True},
        port={"x-kubernetes-int-or-string": True},
        any={"x-kubernetes-preserve-unknown-fields": True},
        set={"type": "array", "items": TEXT, "x-kubernetes-list-type": "set", "minItems": 2},
        list={"type": "array", "maxItems": 2, "items": fields(a=NUMBER)},
        map={
            "type": "array",
            "items": fields(key_={**TEXT, "maxLength": 9}, value=NUMBER),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["key"],
        },
        values={"type": "object", "additionalProperties": NUMBER, "minProperties": 1},
        one={**fields(a=NUMBER, b=NUMBER), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    ),
    RULE: [{"rule": "!has(self.count) || has(self.mode)"}],
}
VERSION = versions.create_version(
    SPEC, root={"properties": {"status": fields(phase=TEXT)}}, subresources={"status": {}}
)
# Fields of each kind, but fewer.
SMALL = versions.create_version(
    {
        **fields(
            **{name + "_" * (name == "name"): SPEC["properties"][name] for name in ("name", "count", "mode", "map")}
        ),
        RULE: SPEC[RULE],
    }
)
MANY = tiers.examples(60)
# Without hypothesis's explanations of failures, which would draw a hundred more objects.
FOUND = settings(phases=[Phase.generate, Phase.shrink])


@MANY
@given(resources(VERSION))
def test_drawn_objects_are_accepted_and_stored_whole(resource: dict[str, Any]) -> None:
    answer = VERSION.create(resource, field_validation="Strict")

    assert answer.accepted
    assert not answer.pruned
    assert "status" not in resource


@MANY
@given(resources(VERSION, valid=False))
def test_invalid_objects_are_refused(resource: dict[str, Any]) -> None:
    assert not VERSION.create(resource, field_validation="Strict").accepted


@tiers.examples(20)
@given(resources(versions.create_version(fields(mode_=SPEC["properties"]["mode"]))))
def test_enum_values_are_drawn(resource: dict[str, Any]) -> None:
    assert resource["spec"]["mode"] in {"a", "b"}


def test_every_field_is_drawn() -> None:
    names: set[str] = set()

    def is_all(resource: dict[str, Any]) -> bool:
        names.update(resource["spec"])
        return names == {*SPEC["properties"]}

    with contextlib.suppress(NoSuchExample, Flaky):
        find(resources(VERSION), is_all, settings=settings(max_examples=300, phases=[Phase.generate]))
    assert names == SPEC["properties"].keys()


@pytest.mark.parametrize("version", [SMALL, pytest.param(VERSION, marks=pytest.mark.slow)], ids=["few fields", "many"])
def test_failures_shrink_to_the_failing_fields(version: engine.CrdVersion) -> None:
    many = settings(FOUND, max_examples=500)

    minimal = find(resources(version), lambda resource: resource["spec"].get("count", 0) > 10, settings=many)

    assert minimal["spec"].keys() == {"name", "count", "mode"}
    assert minimal["spec"]["count"] == 12


def test_an_empty_object_is_made_invalid_by_a_value() -> None:
    version = versions.create_version({"type": "object"}, required=False)

    assert find(resources(version, valid=False), lambda _: True, settings=FOUND)["spec"] is not None


def test_without_an_example_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exampleobjects, "_MOST_TRIALS", 50)
    impossible = versions.create_version({**fields(a=NUMBER), RULE: [{"rule": "self.a > 5 && self.a < 5"}]})

    with pytest.raises(NoExampleError, match="no object of Tab v1 was found"):
        resources(impossible)


def test_objects_that_cannot_be_repaired_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategies, "_MOST_TRIALS", 0)

    version = versions.create_version(fields(a_={**NUMBER, "minimum": 0, "maximum": 9, RULE: [{"rule": "self == 7"}]}))

    assert find(resources(version), lambda _: True, settings=FOUND)["spec"] == {"a": 7}


@pytest.mark.counted("pytest_crd.strategies")
@pytest.mark.session
def test_without_hypothesis_the_error_names_the_extra() -> None:
    program = "import sys; sys.modules['hypothesis'] = None; import pytest_crd.strategies"

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert "pytest_crd.strategies needs hypothesis: install pytest-crd[hypothesis]" in result.stderr


def test_a_number_is_a_multiple() -> None:
    version = versions.create_version(
        {**fields(half={"type": "number", "multipleOf": 0.5, "minimum": 1}), "required": ["half"]}
    )

    assert (
        find(resources(version), lambda resource: resource["spec"]["half"] > 1, settings=FOUND)["spec"]["half"] % 0.5
        == 0
    )


def test_a_number_is_within_its_bounds() -> None:
    share = {"type": "number", "minimum": 0, "maximum": 1, "exclusiveMaximum": True}
    version = versions.create_version({**fields(share=share), "required": ["share"]})
    drawn = find(resources(version), lambda resource: resource["spec"]["share"] > 0, settings=FOUND)

    assert 0 < drawn["spec"]["share"] < 1


def test_a_strategy_goes_with_others() -> None:
    drawn = find(st.tuples(resources(VERSION), st.integers()), lambda _: True, settings=FOUND)

    assert drawn[0]["kind"] == "Tab"


def test_a_draw_makes_no_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis inspects each new strategy, which takes longer than a draw."""
    created: list[object] = []
    tuples = st.tuples

    def make(*parts: SearchStrategy[Any]) -> SearchStrategy[Any]:
        created.append(parts)
        return tuples(*parts)

    monkeypatch.setattr(st, "tuples", make)
    items = fields(key=TEXT, value=NUMBER)
    drawn: list[object] = []
    version = versions.create_version(fields(a=NUMBER, b=TEXT, list_={"type": "array", "minItems": 2, "items": items}))

    @settings(max_examples=20, phases=[Phase.generate])
    @given(resources(version))
    def draw(resource: dict[str, Any]) -> None:
        drawn.append(resource)

    draw()
    assert len(drawn) == 20
    assert len(created) < len(drawn)
