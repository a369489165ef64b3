"""Cases in which several fields of one object are set together."""

from __future__ import annotations

from typing import Any

from synthesis import versions
from synthesis.versions import fields

from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.fieldcases import FieldCases

TEXT = {"type": "string"}
RULES = "x-kubernetes-validations"
SPEC = ("spec",)


def _propose(spec: dict[str, Any], *known: str) -> dict[str, Any]:
    """Return the fields set together in a spec, by case name; *known* are fields that other cases set."""
    constraints = Constraints(versions.create_version(spec, required=False))
    places = dict(constraints.finder.places())
    proposals = FieldCases(constraints, places).propose(SPEC, places[SPEC], {(*SPEC, name) for name in known})
    return {proposal.name: proposal.input["spec"] for proposal in proposals}


def test_fields_are_set_together() -> None:
    assert _propose(fields(a=TEXT, b={"type": "integer"})) == {"spec: a, b may be set": {"a": "a", "b": 0}}


def test_a_case_sets_as_many_fields_as_fit_on_a_line() -> None:
    names = [f"aFieldWithALongName{index}" for index in range(8)]

    cases = _propose(fields(**dict.fromkeys(names, TEXT)))

    assert [*cases] == [
        "spec: aFieldWithALongName0, aFieldWithALongName1, aFieldWithALongName2 and 1 more may be set",
        "spec: aFieldWithALongName4, aFieldWithALongName5, aFieldWithALongName6 and 1 more may be set",
    ]


def test_fields_set_by_other_cases_are_omitted() -> None:
    spec = fields(a=TEXT, b=TEXT, c={"type": "array", "items": fields(d=TEXT)}, e=fields(f=TEXT), g=fields())

    assert _propose(spec, "a") == {"spec: b, g may be set": {"b": "a", "g": {}}}


def test_fields_with_only_null_are_not_set() -> None:
    assert _propose(fields(a={**TEXT, "nullable": True, "enum": [None]}, b=TEXT)) == {"spec: b may be set": {"b": "a"}}


def test_fields_that_exclude_each_other_are_not_set_together() -> None:
    assert _propose({**fields(a=TEXT, b=TEXT), RULES: [{"rule": "!(has(self.a) && has(self.b))"}]}) == {}


def test_fields_of_an_impossible_object_are_not_set() -> None:
    assert _propose({**fields(a=TEXT), RULES: [{"rule": "false"}]}) == {}
