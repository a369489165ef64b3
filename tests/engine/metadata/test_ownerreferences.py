from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import ownerreferences
from pytest_crd.engine.metadata.ownerreferences import Reading

PATH = FieldPath(("metadata", "ownerReferences"))
NEW, MIDDLE, OLD, OLDEST = (profile.named(version) for version in ("1.37", "1.36", "1.32", "1.21"))
REFERENCE = {"apiVersion": "a.b/v1", "kind": "A", "name": "a", "uid": "u"}
EMPTY = {"apiVersion": "", "kind": "", "name": "", "uid": ""}
EVENT = {"apiVersion": "v1", "kind": "Event", "name": "<a>", "uid": "u", "controller": True}


def errors_of(references: list[Any], of: profile.Profile = NEW, reading: Reading = Reading.FIRST) -> list[str]:
    return list(map(str, ownerreferences.validate(references, PATH, of, reading)))


@pytest.mark.parametrize(
    "api_version", [pytest.param("v1", id="a version"), pytest.param("a/v1", id="a group and a version")]
)
def test_complete_references_are_accepted(api_version: str) -> None:
    assert errors_of([{**REFERENCE, "apiVersion": api_version, "controller": False}]) == []


def test_empty_fields_are_reported_as_missing() -> None:
    where = "metadata.ownerReferences[1]"
    expected = [f"{where}.{field}: Required value: must not be empty" for field in EMPTY]
    assert errors_of([REFERENCE, EMPTY]) == expected


@pytest.mark.parametrize(
    "api_version",
    [
        pytest.param("a/b/c", id="two slashes"),
        pytest.param("/", id="a slash"),
        pytest.param("a/", id="a group"),
    ],
)
def test_a_malformed_api_version_is_refused(api_version: str) -> None:
    wrong = f'Invalid value: "{api_version}": must be <group>/<version> or <version>'
    assert errors_of([{**REFERENCE, "apiVersion": api_version}]) == [f"metadata.ownerReferences[0].apiVersion: {wrong}"]


@pytest.mark.parametrize(
    ("of", "words"),
    [
        pytest.param(MIDDLE, "must not be empty", id="1.36 does not name the field"),
        pytest.param(OLD, "kind must not be empty", id="1.32 names the field"),
    ],
)
def test_older_versions_do_not_index_references(of: profile.Profile, words: str) -> None:
    errors = errors_of([REFERENCE, EMPTY], of)
    assert errors[0] == 'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty'
    assert errors[1] == f'metadata.ownerReferences.kind: Invalid value: "": {words}'


def test_an_event_owns_nothing() -> None:
    printed = '{"apiVersion":"v1","kind":"Event","name":"\\u003ca\\u003e","uid":"u","controller":true}'
    assert errors_of([EVENT]) == [
        f"metadata.ownerReferences[0]: Invalid value: {printed}: /v1, Kind=Event is disallowed from being an owner"
    ]


def test_older_versions_print_an_event_as_go_does() -> None:
    printed = (
        'v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"<a>", UID:"u", Controller:(*bool)(0xc000000010),'
        " BlockOwnerDeletion:(*bool)(nil)}"
    )
    assert errors_of([EVENT], OLD, Reading.SECOND) == [
        f"metadata.ownerReferences: Invalid value: {printed}: /v1, Kind=Event is disallowed from being an owner"
    ]


@pytest.mark.parametrize(
    ("of", "first", "second"),
    [
        pytest.param(NEW, "A/a", "A/b", id="by kind and name"),
        pytest.param(OLDEST, "a", "b", id="in 1.21 by name"),
    ],
)
def test_a_second_controller_is_refused(of: profile.Profile, first: str, second: str) -> None:
    references = [{**REFERENCE, "controller": True}, {**REFERENCE, "name": "b", "controller": True}]
    (error,) = ownerreferences.validate(references, PATH, of)
    assert error.bad_value == references
    assert error.detail == (
        f'Only one reference can have Controller set to true. Found "true" in references for {first} and {second}'
    )


@pytest.mark.parametrize(
    ("of", "beginning", "end"),
    [
        pytest.param(NEW, 'Invalid value: [{"apiVersion":"a.b/v1",', '"controller":true}]: Only', id="as JSON"),
        pytest.param(OLD, "Invalid value: []v1.OwnerReference{v1.OwnerReference{", "(nil)}}: Only", id="as Go prints"),
    ],
)
def test_two_controllers_are_printed_with_all_references(of: profile.Profile, beginning: str, end: str) -> None:
    (error,) = ownerreferences.validate([{**REFERENCE, "controller": True}] * 2, PATH, of)
    assert error.message.startswith(beginning)
    assert end in error.message


def test_duplicate_references_are_removed_with_a_warning() -> None:
    second = {**REFERENCE, "uid": "v"}
    distinct, warnings = ownerreferences.deduplicate([REFERENCE, second, dict(REFERENCE), second])
    assert distinct == [REFERENCE, second]
    assert [warning.rpartition("observed: ")[2] for warning in warnings] == ["u, v"]


def test_references_with_different_controller_values_are_distinct() -> None:
    references = [REFERENCE, {**REFERENCE, "controller": False}]
    assert ownerreferences.deduplicate(references) == (references, ())
