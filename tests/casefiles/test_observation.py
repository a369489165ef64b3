"""A written case states the observations, in its own form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_crd.casefiles import observation
from pytest_crd.casefiles.observation import Mode, Observed
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition

PROPERTIES = {
    "size": {"type": "integer", "default": 3, "maximum": 10},
    "name": {"type": "string", "maxLength": 3},
    "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}
NAMES = {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"}
SCHEMA = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": PROPERTIES}}}}
CRD = CustomResourceDefinition.from_manifest(
    {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gardens.stories.example.com"},
        "spec": {
            "group": "stories.example.com",
            "scope": "Namespaced",
            "names": NAMES,
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": SCHEMA}],
        },
    }
)


def load(section: str, declared: str) -> tuple[AnyCase, Callable[[AnyCase], CaseResult]]:
    """Return a case, and a function that runs it."""
    text = f"crd: gardens.stories.example.com\n{section}:\n- {{name: a, {declared}}}\n"
    (file,) = loader.load(text, source="f", fills=True)
    subject = CaseSubject(CRD.version("v1"))
    return file.cases[0], lambda case: caserunner.run(case, subject)


def observe(section: str, declared: str, mode: Mode = Mode.UPDATE) -> Observed:
    return observation.observe(*load(section, declared), mode)


TOO_BIG = {
    "field": "spec.size",
    "type": "Invalid",
    "message": "Invalid value: 11: spec.size in body should be less than or equal to 10",
}
TOO_LONG = {"field": "spec.name", "type": "TooLong", "message": "Too long: may not be more than 3 bytes"}


@pytest.mark.parametrize(
    ("section", "declared", "expected"),
    [
        pytest.param("create", "input: {spec: {}}", {"spec": {"size": 3}}, id="what the case states"),
        pytest.param(
            "create",
            "input: {apiVersion: stories.example.com/v1, spec: {size: 1}}",
            {"apiVersion": "stories.example.com/v1", "spec": {"size": 1}},
            id="the apiVersion that it states",
        ),
        pytest.param(
            "create", "input: {metadata: {name: b, uid: c}}", {"metadata": {"name": "b"}}, id="a name, no uid"
        ),
        pytest.param(
            "create",
            "input: {metadata: {namespace: b, labels: {c: d}}}",
            {"metadata": {"namespace": "b", "labels": {"c": "d"}}},
            id="a namespace, and no name that is made up",
        ),
        pytest.param("create", "input: {metadata: {}}", {}, id="no metadata where none is stated"),
        pytest.param(
            "create",
            "input: {metadata: {generateName: b-}}",
            {"metadata": {"generateName": "b-"}},
            id="no generated name",
        ),
        pytest.param(
            "create",
            "input: {metadata: {name: b, labels: {}}}",
            {"metadata": {"name": "b"}},
            id="no labels where none stay",
        ),
        pytest.param("create", "input: {metadata: {labels: {}}}", {"metadata": {}}, id="that no labels stay"),
        pytest.param(
            "update",
            "old: {metadata: {name: b}, spec: {size: 1}}, input: {spec: {size: 2}}",
            {"metadata": {"name": "b"}, "spec": {"size": 2}},
            id="the name of the old object",
        ),
        pytest.param(
            "pruning", "input: {kind: Garden, spec: {b: 1}}", {"kind": "Garden", "spec": {}}, id="what pruning leaves"
        ),
        pytest.param(
            "defaulting", "input: {spec: {b: 1}}", {"spec": {"b": 1, "size": 3}}, id="what defaults make of it"
        ),
        pytest.param("create", "input: 'spec: {size: 1}'", None, id="nothing of a text without a type"),
    ],
)
def test_the_object_is_written_as_far_as_the_case_states_it(section: str, declared: str, expected: Any) -> None:
    observed = observe(section, declared, Mode.FILL)

    assert observed.values.get("expected") == expected
    assert observed.result.holds
    assert not observed.problem
    assert set(observed.filled) == set(observed.values)


def test_other_parts_of_the_expected_object_stay() -> None:
    declared = "expected: {kind: Garden, metadata: {name: example, namespace: default}, spec: {size: 2}}"

    observed = observe("create", f"input: {{spec: {{size: 1}}}}, {declared}")

    metadata = {"name": "example", "namespace": "default"}
    assert observed.values == {"expected": {"kind": "Garden", "metadata": metadata, "spec": {"size": 1}}}


@pytest.mark.parametrize(
    ("section", "declared", "values"),
    [
        ("create", "input: {spec: {size: null, b: 1, name: x}}", {"pruned": ["spec.b"], "defaulted": ["spec.size"]}),
        ("create", "input: {spec: {size: 1, name: null}}", {"nullsDropped": ["spec.name"]}),
        ("pruning", "input: {spec: {b: 1}}", {"pruned": ["spec.b"]}),
        ("defaulting", "input: {spec: {name: null}}", {"nullsDropped": ["spec.name"], "defaulted": ["spec.size"]}),
    ],
)
def test_lists_that_are_not_empty_are_written(section: str, declared: str, values: Any) -> None:
    observed = observe(section, declared, Mode.FILL)

    assert {key: value for key, value in observed.values.items() if key != "expected"} == values


@pytest.mark.parametrize(
    ("declared", "values"),
    [
        pytest.param("input: {spec: {size: 11}}", {"errors": [TOO_BIG]}, id="errors"),
        pytest.param(
            "input: {kind: Other}",
            {
                "errors": [
                    {"field": "kind", "type": "Invalid", "message": 'Invalid value: "Other": must be Garden'},
                ]
            },
            id="another kind",
        ),
        pytest.param(
            "input: {apiVersion: other/v1}",
            {
                "errors": [
                    {
                        "type": "Request",
                        "message": "the API version in the data (other/v1) does not match the expected API version"
                        " (stories.example.com/v1)",
                    }
                ]
            },
            id="a request that is refused as a whole",
        ),
    ],
)
def test_errors_are_written_with_field_type_and_message(declared: str, values: Any) -> None:
    observed = observe("create", declared, Mode.FILL)

    assert {key: observed.values[key] for key in values} == values


@pytest.mark.parametrize(
    ("stated", "errors"),
    [
        pytest.param("{field: spec.other}", [TOO_LONG, TOO_BIG], id="none is near"),
        pytest.param(
            "{field: spec.size, type: Required}", [{"field": "spec.size", "type": "Invalid"}, TOO_LONG], id="the type"
        ),
        pytest.param(
            "{field: spec.size, detail: spec.size in body should be less than or equal to 9}",
            [{"field": "spec.size", "detail": "spec.size in body should be less than or equal to 10"}, TOO_LONG],
            id="the last part",
        ),
        pytest.param("{field: spec.size, matches: to 9$}", [TOO_BIG, TOO_LONG], id="a pattern becomes the message"),
        pytest.param(
            "{field: spec.size, matches: to 10$}, {field: spec.name, type: Invalid}",
            [{"field": "spec.size", "matches": "to 10$"}, {"field": "spec.name", "type": "TooLong"}],
            id="one is met",
        ),
        pytest.param(
            "{field: spec.size, type: Required}, {field: spec.size, type: TooMany}",
            [{"field": "spec.size", "type": "Invalid"}, TOO_LONG],
            id="two are near the same",
        ),
    ],
)
def test_errors_that_are_not_met_are_corrected_in_their_own_form(stated: str, errors: Any) -> None:
    observed = observe("create", f"input: {{spec: {{size: 11, name: abcd}}}}, errors: [{stated}]")

    assert observed.values == {"errors": errors}
    assert observed.result.holds


@pytest.mark.parametrize(
    ("stated", "errors"),
    [
        pytest.param("{field: spec.size, type: Required}", [{"field": "spec.size", "type": "Invalid"}], id="one"),
        pytest.param(
            "{field: spec.size, matches: to 10$}, {field: spec.name, type: Invalid}",
            [{"field": "spec.size", "matches": "to 10$"}, {"field": "spec.name", "type": "TooLong"}],
            id="one of two",
        ),
    ],
)
def test_some_of_the_errors_are_corrected_where_each_has_a_near_one(stated: str, errors: Any) -> None:
    observed = observe("create", f"input: {{spec: {{size: 11, name: abcd}}}}, containsErrors: [{stated}]")

    assert observed.values == {"containsErrors": errors}
    assert observed.result.holds


def test_a_refusal_as_a_whole_takes_the_place_of_errors() -> None:
    observed = observe("create", "input: {apiVersion: other/v1}, errors: [{field: spec.a}]")

    assert [error["type"] for error in observed.values["errors"]] == ["Request"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("{spec: {list: [{a: 2}]}}", {"spec": {"list": [{"a": 1}, {"a": 1}]}}, id="items"),
        pytest.param("{spec: {size: 4}}", {"spec": {"size": 3}}, id="a field"),
    ],
)
def test_a_part_of_the_object_is_corrected_where_it_says_as_much_as_before(before: str, after: Any) -> None:
    observed = observe("create", f"input: {{spec: {{list: [{{a: 1}}, {{a: 1}}]}}}}, contains: {before}")

    assert observed.values == {"contains": after}


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param("input: {spec: {list: [{a: 1}]}}, contains: {spec: {list: [{a: 1}, {a: 2}]}}", id="an item less"),
        pytest.param("input: {spec: {}}, contains: {spec: {name: x}}", id="a field less"),
        pytest.param("input: {spec: {size: 11}}, containsErrors: [{field: spec.name}]", id="some of the errors"),
        pytest.param("input: {spec: {size: 11}}, error: other", id="a part of the message"),
        pytest.param("input: {spec: {b: 1}}, accepted: true", id="a field that is dropped"),
        pytest.param(
            "input: {spec: {b: 1, size: 1}}, contains: {spec: {size: 2}}", id="a field that is dropped, and another"
        ),
    ],
)
@pytest.mark.parametrize("mode", Mode)
def test_expectations_are_not_weakened(declared: str, mode: Mode) -> None:
    case, run = load("create", declared)

    observed = observation.observe(case, run, mode)

    assert not observed.values
    assert observed.result.mismatches == run(case).mismatches
    assert bool(observed.problem) == (mode > Mode.FILL)


@pytest.mark.parametrize("mode", Mode)
def test_cases_without_an_object_are_never_written(mode: Mode) -> None:
    observed = observe("pruning", "input: {metadata: {labels: 1}}", mode)

    assert not observed.result.holds
    assert (dict(observed.values), observed.problem) == ({}, "to be corrected by hand: the server's answer")


def test_a_blank_beside_a_failed_expectation_is_not_filled_in() -> None:
    observed = observe("create", "input: {spec: {}}, absent: [spec.size], defaulted: TODO", Mode.FILL)

    assert not observed.values
    assert not observed.result.holds
    assert observed.problem == "to be corrected by hand: absent"


def test_a_case_that_holds_is_left_as_it_is() -> None:
    for mode in Mode:
        observed = observe("create", "input: {spec: {}}, accepted: true", mode)

        assert (dict(observed.values), observed.removed, observed.problem) == ({}, (), "")


ONE = "{manager: a, input: {spec: {size: 1}}}"
SHARED = f"steps: [{ONE}, {{manager: b, input: {{spec: {{size: 1, name: b}}}}}}]"
CONFLICT = f"steps: [{ONE}, {{manager: b, input: {{spec: {{size: 2}}}}}}]"
OWNED = {"a": ["spec.size"], "b": ["spec.name", "spec.size"]}
CONFLICTS = [{"manager": "a", "field": "spec.size"}]
STORED = {"spec": {"size": 1, "name": "b"}}


@pytest.mark.parametrize(
    ("declared", "mode", "values", "removed"),
    [
        pytest.param(SHARED, Mode.FILL, {"expected": STORED, "managers": OWNED}, (), id="all of an apply"),
        pytest.param(CONFLICT, Mode.FILL, {"conflicts": CONFLICTS}, (), id="conflicts"),
        pytest.param(f"{CONFLICT}, errors: TODO", Mode.FILL, {"errors": [1]}, (), id="conflicts as errors"),
        pytest.param(f"{CONFLICT}, conflicts: TODO", Mode.FILL, {"conflicts": CONFLICTS}, (), id="conflicts alone"),
        pytest.param(f"{SHARED}, accepted: true, managers: TODO", Mode.FILL, {"managers": OWNED}, (), id="managers"),
        pytest.param(
            f"{SHARED}, managers: {{a: [], b: [spec.size]}}", Mode.UPDATE, {"managers": OWNED}, (), id="other owners"
        ),
        pytest.param(
            f"{CONFLICT}, managers: {{a: []}}",
            Mode.UPDATE_VERDICTS,
            {"conflicts": CONFLICTS},
            ("managers",),
            id="owners of what is refused",
        ),
        pytest.param(
            f"{CONFLICT}, conflicts: [{{manager: a, field: spec.name}}]",
            Mode.UPDATE,
            {"conflicts": CONFLICTS},
            (),
            id="other conflicts",
        ),
        pytest.param(
            f"{SHARED}, conflicts: [{{manager: a, field: spec.size}}]",
            Mode.UPDATE_VERDICTS,
            {"expected": STORED},
            ("conflicts",),
            id="no conflict",
        ),
    ],
)
def test_observed_owners_are_written(declared: str, mode: Mode, values: Any, removed: Any) -> None:
    observed = observe("apply", declared, mode)

    actual = {key: [1] if key == "errors" else value for key, value in observed.values.items()}
    assert (actual, observed.removed, observed.problem) == (values, removed, "")
    assert observed.result.holds


@pytest.mark.parametrize(
    ("declared", "mode", "problem"),
    [
        pytest.param(
            f"steps: [{ONE}, {{manager: b, input: {{spec: {{size: 2}}}}}}, {ONE}]",
            Mode.FILL,
            "to be corrected by hand: the server's answer",
            id="a step before the last is refused",
        ),
        pytest.param(
            "steps: [{manager: a, input: {spec: {size: 11}}}], conflicts: TODO",
            Mode.FILL,
            "to be corrected by hand: the server's answer",
            id="another reason than conflicts",
        ),
        pytest.param(
            "steps: [{manager: a, input: {spec: {size: 11}}}], conflicts: [{manager: a, field: spec.size}]",
            Mode.UPDATE,
            "to be corrected by hand: conflicts",
            id="other words than conflicts",
        ),
        pytest.param(
            "steps: [{manager: a, input: {}}], accepted: true, managers: TODO",
            Mode.FILL,
            "there is nothing to write for managers",
            id="nobody owns anything",
        ),
        pytest.param(
            f"{SHARED}, conflicts: TODO",
            Mode.FILL,
            "refused -> accepted: only --crd-update-verdicts turns a verdict around",
            id="no conflict",
        ),
    ],
)
def test_empty_conflicts_and_managers_are_not_written(declared: str, mode: Mode, problem: str) -> None:
    observed = observe("apply", declared, mode)

    assert (dict(observed.values), observed.problem) == ({}, problem)


def test_the_conflicts_of_an_apply_that_is_accepted_fail_even_where_they_are_left_open() -> None:
    assert not observe("apply", f"{SHARED}, conflicts: TODO", Mode.FILL).result.holds
