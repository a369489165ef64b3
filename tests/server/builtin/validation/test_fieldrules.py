"""Rules of fields in tables: which values they refuse, in which order and words."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import objectmetarules
from pytest_crd.engine.metadata.objectmetarules import ObjectNaming
from pytest_crd.server.builtin.validation import fieldrules
from pytest_crd.server.builtin.validation.fieldrules import Rows, Site
from pytest_crd.server.builtin.validation.validatedwrites import ValidatedWrite

TYPE = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}


def errors(rows: Rows, new: Any, old: Any = None) -> list[str]:
    """Return the errors of a write, of a NetworkPolicy for rules that need a type."""
    naming = ObjectNaming(objectmetarules.DNS_SUBDOMAIN, namespaced=True)
    write = ValidatedWrite({**TYPE, **new}, old, {}, "", TYPE["apiVersion"], naming, profile.named(profile.DEFAULT))
    return [str(error) for error in fieldrules.table(rows)(write)]


@pytest.mark.parametrize(
    ("rule", "value", "problems"),
    [
        (fieldrules.required("why"), "", ["a: Required value: why"]),
        (fieldrules.required(), False, []),
        (fieldrules.forbidden("why"), None, []),
        (fieldrules.forbidden("why"), "", ["a: Forbidden: why"]),
        (fieldrules.choice("x", "y"), "y", []),
        (fieldrules.choice("x", "<"), None, ['a: Unsupported value: "": supported values: "x", "<"']),
        (fieldrules.choice("x", takes_empty=True), "", []),
        (fieldrules.number(1, 9), 0, ["a: Invalid value: 0: must be between 1 and 9, inclusive"]),
        (fieldrules.number(1, 9), 9, []),
        (fieldrules.number(0), -1, ["a: Invalid value: -1: must be greater than or equal to 0"]),
        (fieldrules.number(1), 0, ["a: Invalid value: 0: must be greater than 0"]),
        (fieldrules.number(3, detail="why"), 2, ["a: Invalid value: 2: why"]),
        (fieldrules.number(3), None, []),
        (fieldrules.unique(), ["x", "y", "x"], ['a[2]: Duplicate value: "x"']),
        (fieldrules.unique("n"), [{"n": 1}, {}, {}, {"n": 1}], ["a[3].n: Duplicate value: 1"]),
        (fieldrules.unique(key=str.lower), ["x", "X"], ['a[1]: Duplicate value: "X"']),
        (fieldrules.text(lambda text: [f"no {text}"]), "x", ['a: Invalid value: "x": no x']),
        (fieldrules.SUBDOMAIN, None, []),
        (fieldrules.LABEL, "a-b", []),
        (fieldrules.selector, {"matchExpressions": [{"key": "a", "operator": "In"}]}, [
            "a.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
        ]),
        (fieldrules.labels, None, []),
        (fieldrules.present(fieldrules.required("why")), None, []),
        (fieldrules.first(fieldrules.required(), fieldrules.choice("x")), "", ["a: Required value"]),
        (fieldrules.first(fieldrules.required(), fieldrules.choice("x")), "x", []),
        (fieldrules.each(fieldrules.required("why")), ["", "x"], ["a[0]: Required value: why"]),
    ],
)  # fmt: skip
def test_a_rule_refuses_some_values_in_the_words_of_the_server(rule: Any, value: Any, problems: list[str]) -> None:
    assert errors({"a": rule}, {"a": value}) == problems


def test_errors_are_in_the_order_of_the_table_and_of_lists() -> None:
    item = fieldrules.fields({"y": fieldrules.required(), "x": (fieldrules.required("1"), fieldrules.forbidden("2"))})
    assert errors({"b.c": fieldrules.each(item), "a": fieldrules.required()}, {"b": {"c": [{"x": ""}, {}]}}) == [
        "b.c[0].y: Required value",
        "b.c[0].x: Required value: 1",
        "b.c[0].x: Forbidden: 2",
        "b.c[1].y: Required value",
        "b.c[1].x: Required value: 1",
        "a: Required value",
    ]


@pytest.mark.parametrize(
    ("path", "new", "old", "problems"),
    [
        ("spec", {"spec": {}}, None, []),
        ("spec.policyTypes", {"spec": {}}, {"spec": {"policyTypes": []}}, []),
        ("spec.policyTypes", {"spec": {"policyTypes": ["A"]}}, {"spec": {}}, [
            'spec.policyTypes: Invalid value: ["A"]: field is immutable'
        ]),
        ("spec.podSelector.matchLabels", {}, {"spec": {"podSelector": {"matchLabels": {"a": "b"}}}}, [
            "spec.podSelector.matchLabels: Invalid value: null: field is immutable"
        ]),
        ("kind", {}, {"kind": "Other"}, ['kind: Invalid value: "NetworkPolicy": field is immutable']),
    ],
)  # fmt: skip
def test_an_immutable_field_stays_as_its_type_counts_equality(
    path: str, new: Any, old: Any, problems: list[str]
) -> None:
    assert errors({path: fieldrules.immutable}, new, old) == problems


def test_a_refused_value_is_printed_by_its_type() -> None:
    def refuse(site: Site) -> list[FieldError]:
        return [fieldrules.refuse_value(site, "why")]

    ports = fieldrules.each(fieldrules.fields({"port": refuse, "protocol": refuse}))
    peers = fieldrules.each(fieldrules.fields({"ipBlock.cidr": refuse}))
    ingress = {
        "spec": {"ingress": [{"ports": [{"port": 5, "protocol": "<"}, {}], "from": [{"ipBlock": {"cidr": "a"}}]}]}
    }
    rule = fieldrules.each(fieldrules.fields({"ports": ports, "from": peers}))
    assert errors({"spec.ingress": rule}, ingress) == [
        "spec.ingress[0].ports[0].port: Invalid value: 5: why",
        r'spec.ingress[0].ports[0].protocol: Invalid value: "\u003c": why',
        "spec.ingress[0].ports[1].port: Invalid value: null: why",
        "spec.ingress[0].ports[1].protocol: Invalid value: null: why",
        'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "a": why',
    ]
