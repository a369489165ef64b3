"""Names of a CRD."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.crds.internalspec import InternalNames
from pytest_crd.engine.crds.validation import specfields
from pytest_crd.engine.fieldpath import FieldPath

PATH = FieldPath(("n",))
VALID: InternalNames = {
    "plural": "as",
    "singular": "a",
    "kind": "A",
    "listKind": "AList",
    "shortNames": ["x"],
    "categories": ["all"],
}


def _fields(errors: Any) -> list[str]:
    return [f"{error.field}: {error.type}" for error in errors]


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ("a.b", ""),
        ("", "Required value"),
        ("a", 'Invalid value: "a": should be a domain with at least one dot'),
        ("A.b", 'Invalid value: "A.b": a lowercase RFC 1123 subdomain must consist of'),
    ],
)
def test_a_group_is_a_domain_with_a_dot(group: str, message: str) -> None:
    assert "".join(error.message for error in specfields.group(group, PATH)).startswith(message)
    assert bool(message) is any(True for _ in specfields.group(group, PATH))


@pytest.mark.parametrize(
    ("scope", "messages"),
    [
        ("Cluster", []),
        ("Namespaced", []),
        ("", ["Required value"]),
        ("cluster", ['Unsupported value: "cluster": supported values: "Cluster", "Namespaced"']),
    ],
)
def test_a_scope_is_one_of_two(scope: str, messages: list[str]) -> None:
    assert [error.message for error in specfields.scope(scope, PATH)] == messages


def test_valid_names_are_accepted() -> None:
    assert [*specfields.required(VALID, PATH), *specfields.malformed(VALID, PATH)] == []


def test_four_names_are_required_and_missing_names_are_not_malformed() -> None:
    missing = [f"n.{name}: Required" for name in ("plural", "singular", "kind", "listKind")]
    assert _fields(specfields.required({}, PATH)) == missing
    assert _fields(specfields.malformed({}, PATH)) == []


def test_every_malformed_name_is_an_error_of_its_own() -> None:
    names: InternalNames = {
        "plural": "As",
        "singular": "-",
        "kind": "A_",
        "listKind": "1",
        "shortNames": ["x", "X"],
        "categories": [""],
    }
    assert _fields(specfields.malformed(names, PATH)) == [
        "n.plural: Invalid",
        "n.singular: Invalid",
        "n.kind: Invalid",
        "n.listKind: Invalid",
        "n.shortNames[1]: Invalid",
        "n.categories[0]: Invalid",
    ]


def test_kinds_may_have_mixed_case_and_must_differ() -> None:
    (error,) = specfields.malformed({**VALID, "listKind": "A"}, PATH)
    assert str(error) == 'n.listKind: Invalid value: "A": kind and listKind may not be the same'
    mixed = next(specfields.malformed({**VALID, "kind": "A b"}, PATH))
    assert mixed.message.startswith('Invalid value: "A b": may have mixed case, but should otherwise match: ')


def test_several_problems_of_a_label_make_one_error() -> None:
    (error,) = specfields.label("A" * 64, PATH)
    assert error.detail.startswith("must be no more than 63 characters,a DNS-1035 label")
    assert list(specfields.label("a", PATH)) == []
