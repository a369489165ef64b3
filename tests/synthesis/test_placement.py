"""Placement: accepted objects with a value at a place that allows any value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd.engine import Response
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis.placement import Placer
from pytest_crd.synthesis.repair import Judge, Search

TEXT = {"type": "string"}


@pytest.mark.parametrize("place", [("spec", "b"), ("spec", "a", "b"), ("spec", "a", "b", "c"), ("b",)])
def test_nothing_is_tried_for_a_field_that_every_object_loses(
    monkeypatch: pytest.MonkeyPatch, place: tuple[str, ...]
) -> None:
    placer = Placer(versions.create_version(fields(a=fields())))
    run, starts = Search.run, []

    def run_and_note(search: Search, start: dict[str, Any], *, most: int) -> dict[str, Any]:
        starts.append(start)
        return run(search, start, most=most)

    monkeypatch.setattr(Search, "run", run_and_note)

    assert placer.existing(place) is None
    assert not [start for start in starts if '"b"' in json.dumps(start)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "additionalProperties": TEXT},
    ],
    ids=["whatever it is", "with a name of its own"],
)
def test_a_preserved_field_is_set_in_an_object(schema: dict[str, Any]) -> None:
    placed = Placer(versions.create_version(fields(a=schema))).existing(("spec", "a", "b"))

    assert placed is not None
    assert "b" in placed[0]["spec"]["a"]


def test_a_value_that_cannot_be_decoded_is_replaced() -> None:
    schema = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    placer = Placer(versions.create_version(fields(a=schema)))

    placed = placer.existing(("spec", "a", "apiVersion"))

    assert placed is not None
    assert isinstance(placed[0]["spec"]["a"]["apiVersion"], str)


def test_a_key_of_a_map_is_one_that_rules_allow() -> None:
    mapping = {"type": "object", "additionalProperties": TEXT, "maxProperties": 4}
    rule = {"x-kubernetes-validations": [{"rule": "self.all(k, k.matches('^x-[a-z]+$')) && size(self) < 3"}]}
    placer = Placer(versions.create_version(fields(a={**mapping, **rule})))

    first, steps = placer.existing(("spec", "a", Each.VALUE)) or ({}, ())
    second, _ = placer.insert_value(("spec", "a", Each.VALUE), "b") or ({}, ())

    assert steps == ("spec", "a", "x-a")
    assert (first["spec"]["a"], second["spec"]["a"]) == ({"x-a": "a"}, {"x-a": "b"})


def count_trials(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return a list that grows by each object that a placer judges."""
    trials: list[dict[str, Any]] = []
    find_judge = Placer.judge

    def find_noting_judge(placer: Placer, place: Place) -> Judge:
        judge = find_judge(placer, place)

        def judge_and_note(resource: dict[str, Any]) -> Response:
            trials.append(resource)
            return judge(resource)

        return judge_and_note

    monkeypatch.setattr(Placer, "judge", find_noting_judge)
    return trials


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("spec", "a"), "long"),
        (("spec", "a"), 1),
        (("spec", "o"), {"unknown": 1}),
        (("spec", "o"), {"l": ["b", "long"]}),
        (("spec", "unknown"), 1),
        ((), {"spec": {"a": 1}}),
        ((), {"unknown": 1}),
    ],
)
def test_a_value_that_no_object_may_have_is_tried_once(
    monkeypatch: pytest.MonkeyPatch, place: Place, value: Any
) -> None:
    short = {**TEXT, "maxLength": 2}
    inner = {"type": "object", "properties": {"l": {"type": "array", "items": short}}}
    placer = Placer(versions.create_version(fields(a=short, b=TEXT, o=inner)))
    placer.existing(place)
    trials = count_trials(monkeypatch)

    assert placer.place_value(place, value) is None
    assert len(trials) == 1


def test_a_value_that_the_rest_of_the_object_decides_about_is_placed() -> None:
    item = {**TEXT, "enum": ["a", "b", "c"]}
    texts = {"type": "array", "minItems": 2, "x-kubernetes-list-type": "set", "items": item}
    with_b = {"properties": {"a": {"enum": ["x"]}}, "required": ["b"]}
    choice = {"oneOf": [with_b, {"properties": {"a": {"enum": ["y"]}}}]}
    placer = Placer(versions.create_version({**fields(a=TEXT, b={"type": "boolean"}, texts=texts), **choice}))

    listed, _ = placer.place_value(("spec", "texts", Each.ITEM), "b") or ({}, ())
    chosen, _ = placer.place_value(("spec", "a"), "x") or ({}, ())

    assert listed["spec"]["texts"] == ["b", "c"]
    assert (chosen["spec"]["a"], "b" in chosen["spec"]) == ("x", True)


def test_a_value_that_cannot_be_decoded_is_placed_nowhere() -> None:
    schema = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}

    assert Placer(versions.create_version(fields(a=schema))).place_value(("spec", "a", "apiVersion"), 1) is None
