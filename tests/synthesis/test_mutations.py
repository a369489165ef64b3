"""Changes of an object that an error suggests."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.origin import FailedRule
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.mutations import Mutator
from pytest_crd.synthesis.objectchanges import Mutation, take_turns
from pytest_crd.synthesis.repair import Keep, NotFoundError, Search, acceptance
from pytest_crd.synthesis.schemavalues import Maker

TEXT = {"type": "string"}
SPEC = fields(
    a_={**TEXT, "enum": ["x", "y"]},
    list={"type": "array", "items": TEXT},
    map={"type": "object", "additionalProperties": fields(b_=TEXT)},
    any={"type": "object", "x-kubernetes-preserve-unknown-fields": True, "required": ["c"]},
)
ROOT = Demand((fields(spec_=SPEC),))
OBJECT = {"apiVersion": "v1", "kind": "Tab", "metadata": {}, "spec": {"a": "z", "list": ["a"]}}


def _moves(field: str, resource: Any = None, *, full: bool = False) -> list[Any]:
    """Return the `spec` after each change that an error on *field* suggests."""
    steps = [int(step) if step.isdigit() else step for step in field.split(".") if step]
    error = fielderror.required(FieldPath(tuple(steps)), "")
    start = resource or OBJECT
    return [move.applied(start).get("spec") for move in Mutator(ROOT, Maker(full=full)).find_changes(start, error)]


def test_missing_fields_are_added_first() -> None:
    assert _moves("spec.map.k.b", resource={"spec": {"map": {"k": {}}}})[0] == {"map": {"k": {"b": "a"}}}
    assert _moves("spec.any.c", resource={"spec": {"any": {}}})[0] == {"any": {"c": {}}}
    assert _moves("spec.a", resource={"spec": {}})[:2] == [{"a": "x"}, {"a": "y"}]


def test_changes_for_later_errors_are_not_searched_for_before_their_turn() -> None:
    log: list[str] = []

    def find_changes(name: str) -> Iterator[Mutation]:
        for number in range(2):
            log.append(f"{name}{number}")
            yield Mutation((name,), number)

    changes = take_turns([find_changes("a"), iter(()), find_changes("b")])

    assert (next(changes).value, log) == (0, ["a0"])
    assert [(move.steps, move.value) for move in changes] == [(("b",), 0), (("a",), 1), (("b",), 1)]


def test_an_error_about_the_whole_object_suggests_its_fields() -> None:
    assert {"a": "x"} in _moves("", resource={"apiVersion": "v1"})


def test_a_missing_list_is_made_of_literals_in_the_rule() -> None:
    changes = [
        move.value
        for move in Mutator(ROOT, Maker()).vary_rule_values({"spec": {}}, ("spec",), "self.list == ['q', 'r']")
    ]

    assert [value for value in changes if value in (["q"], ["r"])] == [["q"], ["r"]]


def test_a_value_is_changed_then_removed_then_its_parent_is_changed() -> None:
    changes = _moves("spec.a")

    assert changes[:2] == [{"a": "y", "list": ["a"]}, {"list": ["a"]}]
    assert {"a": "z"} in changes


def test_a_list_is_made_longer_and_shorter() -> None:
    changes = _moves("spec.list")

    assert {"a": "z", "list": ["a", "a"]} in changes
    assert {"a": "z", "list": []} in changes
    assert {"a": "z", "list": ["b"]} in _moves("spec.list.0")


def test_an_error_without_a_path_is_about_the_whole_object() -> None:
    mutator = Mutator(ROOT, Maker())

    assert list(mutator.find_changes(OBJECT, fielderror.request("no"))) == list(mutator.vary_value(OBJECT, ()))


def test_nothing_is_changed_without_an_error_or_in_metadata() -> None:
    mutator = Mutator(ROOT, Maker())

    assert list(mutator.find_changes(OBJECT, None)) == []
    assert list(mutator.vary_value(OBJECT, ("metadata",))) == []
    assert list(mutator.vary_value(OBJECT, ("spec", "map", "gone"))) == []
    assert all(move.applied(OBJECT)["kind"] == "Tab" for move in mutator.vary_value(OBJECT, ()))


@pytest.mark.parametrize(
    ("rule", "changed"),
    [
        ("self.a == 'w'", {"a": "w", "list": ["a"]}),
        ("self.list.size() == 1 && !has(self.a)", {"list": ["a"]}),
        ("self.list == ['q']", {"a": "z", "list": ["q"]}),
        ("self.list.exists(x, x == 'q')", {"a": "z", "list": ["a", "q"]}),
        ("self.list[0] == self.a", {"a": "z", "list": ["z"]}),
        (r"self.a.matches('^\\d$')", {"a": "0", "list": ["a"]}),
        ('self.a == "it\'s"', {"a": "it's", "list": ["a"]}),
    ],
)
def test_a_rule_suggests_values_for_its_fields(rule: str, changed: Any) -> None:
    changes = [
        move.applied(OBJECT).get("spec") for move in Mutator(ROOT, Maker()).vary_rule_values(OBJECT, ("spec",), rule)
    ]

    assert changed in changes


def test_numbers_in_a_rule_and_those_next_to_them_are_tried() -> None:
    root = Demand((fields(n={"type": "number"}, i={"x-kubernetes-int-or-string": True}, b={"type": "boolean"}),))
    rule = "self.n > 2.5 && self.i == 10 && self.b"

    changes = [
        move.value
        for move in Mutator(root, Maker()).vary_rule_values({"n": 0, "b": False}, (), rule)
        if move.steps == ("n",)
    ]

    assert {2.5, 3.5, 1.5, 10, 11, 9} <= {value for value in changes if isinstance(value, int | float)}


def test_kept_parts_are_not_changed() -> None:
    unchanged, present = Keep(("spec", "a"), within=True), Keep(("spec", "map"))

    assert not unchanged.allows(Mutation(("spec",)))
    assert not unchanged.allows(Mutation(("spec", "a")))
    assert not unchanged.allows(Mutation(("spec", "a", "b"), 1))
    assert unchanged.allows(Mutation(("spec", "ab"), 1))
    assert not present.allows(Mutation(("spec", "map")))
    assert present.allows(Mutation(("spec", "map", "k"), 1))


def _judge(resource: Any) -> engine.Response:
    """Answer like a server that accepts only `a: y` together with a `map`."""
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "tabs", "kind": "Tab"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": fields(
                            spec_=fields(
                                a_={**TEXT, "enum": ["y"]}, map_={"type": "object", "additionalProperties": TEXT}
                            )
                        )
                    },
                }
            ],
        },
    }
    return engine.CustomResourceDefinition.from_manifest(manifest).versions[0].create(resource)


def test_a_failed_search_raises_the_nearest_answer() -> None:
    start = {"metadata": {"name": "a"}, "spec": {"a": "z"}}

    with pytest.raises(NotFoundError, match=r"spec\.map: Required value") as raised:
        Search(_judge, acceptance, lambda *_: iter([Mutation(("spec", "a"), "y")])).run(start, most=7)
    assert [error.field for error in raised.value.nearest.errors] == ["spec.map"]


def test_a_search_ends_after_so_many_objects() -> None:
    tried: list[Any] = []

    def mutations(_resource: Any, _error: Any) -> Any:
        for number in range(1000):
            tried.append(number)
            yield Mutation(("spec", "a"), f"z{number}")

    with pytest.raises(NotFoundError):
        Search(_judge, acceptance, mutations).run({"spec": {"a": "z"}}, most=7)
    assert len(tried) < 20


def test_an_accepted_start_is_returned() -> None:
    start = {"metadata": {"name": "a"}, "spec": {"a": "y", "map": {}}}

    assert Search(_judge, acceptance, lambda *_: iter([])).run(start, most=7) is start


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("spec.list[0]", (("spec", "list", 0), "")),
        ("spec.list[1]", (("spec", "list"), "[1]")),
        ("spec.ab", (("spec",), "ab")),
        ("spec.map[a.b].c", (("spec", "map", "a.b"), "c")),
        ("spec.map.a.b.c", (("spec", "map", "a.b"), "c")),
        ("spec.map.a", (("spec", "map", "a"), "")),
        ("spec.a.b", (("spec", "a"), "b")),
        ("spec.list[0].b", (("spec", "list", 0), "b")),
        ("[key]", ((), "[key]")),
        ("", ((), "")),
    ],
)
def test_a_field_is_found_however_it_is_spelt(field: str, expected: Any) -> None:
    resource: dict[str, Any] = {"spec": {"a": 1, "list": [1], "map": {"a": {"b": 1}, "a.b": {}}}}
    many = {f"z{index}": 1 for index in range(100)}
    wide = {"spec": {**resource["spec"], "map": {**resource["spec"]["map"], **many}, **many}}

    assert objectplaces.find_steps(resource, field) == expected
    assert objectplaces.find_steps(wide, field) == expected


def test_a_rule_suggests_the_name_and_keys_that_it_names() -> None:
    resource = {"metadata": {"name": "a"}, "spec": {}}
    root = Demand((fields(spec_=fields(map={"type": "object", "additionalProperties": TEXT})),))

    changes = list(
        Mutator(root, Maker()).vary_rule_values(resource, (), "self.metadata.name == 'b' || self.spec.map['k'] == 'v'")
    )

    assert Mutation(("metadata", "name"), "b") in changes
    assert Mutation(("spec", "map", "k"), "v") in changes


def test_without_a_version_a_rule_is_only_read_as_text() -> None:
    rule = FailedRule("self.a == 'w'", ("properties", "spec", "x-kubernetes-validations", 0), lambda: ())
    error = dataclasses.replace(fielderror.invalid(FieldPath(("spec",)), "", "no"), rule=rule)

    changes = list(Mutator(ROOT, Maker()).find_changes(OBJECT, error))

    assert Mutation(("spec", "a"), "w") in changes
