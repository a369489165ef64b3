"""Cases in which some fields of one object are set together."""

from __future__ import annotations

from typing import Any

from synthesis import versions
from synthesis.versions import fields

from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.fieldcases import FieldCases

TEXT = {"type": "string"}
RULES = "x-kubernetes-validations"
SPEC = ("spec",)


def _found(spec: dict[str, Any], *known: str) -> dict[str, Any]:
    """Return what is set together in a spec, by the names of cases; *known* are names of fields that others set."""
    constraints = Constraints(versions.of(spec, required=False))
    places = dict(constraints.finder.places())
    found = FieldCases(constraints, places).find(SPEC, places[SPEC], {(*SPEC, name) for name in known})
    return {proposal.name: proposal.input["spec"] for proposal in found}


def test_fields_are_set_together() -> None:
    assert _found(fields(a=TEXT, b={"type": "integer"})) == {"spec: a, b may be set": {"a": "a", "b": 0}}


def test_a_case_sets_what_fits_on_a_line() -> None:
    names = [f"aFieldWithALongName{index}" for index in range(8)]

    found = _found(fields(**dict.fromkeys(names, TEXT)))

    assert [*found] == [
        "spec: aFieldWithALongName0, aFieldWithALongName1, aFieldWithALongName2 and 1 more may be set",
        "spec: aFieldWithALongName4, aFieldWithALongName5, aFieldWithALongName6 and 1 more may be set",
    ]


def test_what_is_set_elsewhere_is_left_to_others() -> None:
    spec = fields(a=TEXT, b=TEXT, c={"type": "array", "items": fields(d=TEXT)}, e=fields(f=TEXT), g=fields())

    assert _found(spec, "a") == {"spec: b, g may be set": {"b": "a", "g": {}}}


def test_what_has_no_value_but_null_is_not_set() -> None:
    assert _found(fields(a={**TEXT, "nullable": True, "enum": [None]}, b=TEXT)) == {"spec: b may be set": {"b": "a"}}


def test_fields_that_exclude_each_other_are_not_set_together() -> None:
    assert _found({**fields(a=TEXT, b=TEXT), RULES: [{"rule": "!(has(self.a) && has(self.b))"}]}) == {}


def test_of_an_object_that_cannot_be_there_no_field_is_set() -> None:
    assert _found({**fields(a=TEXT), RULES: [{"rule": "false"}]}) == {}
