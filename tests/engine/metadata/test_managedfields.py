from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import managedfields

PATH = FieldPath(("m",))
NEW, MIDDLE, OLD, OLDEST = (profile.named(version) for version in ("1.37", "1.36", "1.32", "1.21"))


def errors_of(entry: Any, of: profile.Profile = NEW) -> list[str]:
    return list(map(str, managedfields.validate([{"operation": "Apply", **entry}], PATH, of)))


def test_a_complete_entry_is_accepted() -> None:
    assert errors_of({"manager": "é" * 64, "fieldsType": "FieldsV1", "subresource": "s" * 256}) == []


@pytest.mark.parametrize(
    ("of", "operation", "error"),
    [
        pytest.param(NEW, "", "Required value: must not be empty", id="none"),
        pytest.param(
            NEW, "<", 'Unsupported value: "\\u003c": supported values: "Apply", "Update"', id="another, printed as JSON"
        ),
        pytest.param(MIDDLE, "", 'Invalid value: "": must be `Apply` or `Update`', id="none in 1.36"),
        pytest.param(MIDDLE, "<", 'Invalid value: "\\u003c": must be `Apply` or `Update`', id="another in 1.36"),
        pytest.param(OLD, "<", 'Invalid value: "<": must be `Apply` or `Update`', id="another in 1.32"),
    ],
)
def test_operations_are_apply_and_update(of: profile.Profile, operation: str, error: str) -> None:
    assert errors_of({"operation": operation}, of) == [f"m[0].operation: {error}"]


def test_other_types_of_fields_are_refused() -> None:
    assert errors_of({"fieldsType": "FieldsV2"}) == ['m[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`']


@pytest.mark.parametrize(
    ("of", "words"),
    [
        pytest.param(NEW, "may not be more than 128 bytes", id="in 1.37"),
        pytest.param(OLDEST, "must have at most 128 bytes", id="in 1.21"),
    ],
)
def test_a_manager_has_at_most_128_bytes(of: profile.Profile, words: str) -> None:
    assert errors_of({"manager": "é" * 65}, of) == [f"m[0].manager: Too long: {words}"]


def test_a_manager_with_unprintable_characters_is_refused() -> None:
    wrong = 'm[0].manager: Invalid value: "é\\a\\u200b": invalid character'
    assert errors_of({"manager": "é\a\u200b"}) == [f"{wrong} U+0007 (at position 2)", f"{wrong} U+200B (at position 3)"]


def test_a_subresource_has_at_most_256_bytes() -> None:
    assert errors_of({"subresource": "s" * 257}) == ["m[0].subresource: Too long: may not be more than 256 bytes"]


def test_the_oldest_version_ignores_subresources() -> None:
    assert errors_of({"subresource": "s" * 257}, OLDEST) == []
