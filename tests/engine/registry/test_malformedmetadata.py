"""Metadata of wrong types is read without the malformed fields, and its error quotes the changes of the server."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.registry import malformedmetadata

PROFILE = profile.named("1.37")


@pytest.mark.parametrize("metadata", [None, "x", {"name": "a"}, {"uid": 5, "generation": "x", "namespace": {}}])
def test_well_formed_metadata_has_no_error(metadata: Any) -> None:
    assert malformedmetadata.find(metadata, PROFILE) is None


def test_errors_quote_the_prepared_metadata() -> None:
    malformed = malformedmetadata.find({"name": "a", "labels": {"a": 1}, "uid": 5}, PROFILE)

    assert malformed is not None
    assert malformed.read == {"name": "a"}
    assert str(malformed.error({"name": "a", "namespace": "b"}, {"uid": "u"})) == (
        'metadata: Invalid value: {"labels":{"a":1},"name":"a","namespace":"b","uid":"u"}: cannot convert int64 to string'
    )


@pytest.mark.parametrize(
    ("sent", "is_status", "expected"),
    [
        (None, False, None),
        ({"namespace": {}, "uid": 1, "name": "a"}, False, {"name": "a"}),
        ({"namespace": "a", "uid": "u"}, False, {"namespace": "a", "uid": "u"}),
        ({"managedFields": [None]}, False, {"managedFields": [{}]}),
        ({"managedFields": [None], "name": "a"}, True, {"name": "a"}),
        ({"managedFields": None}, True, {"managedFields": None}),
    ],
)
def test_metadata_is_read_without_values_of_wrong_types(sent: Any, is_status: Any, expected: Any) -> None:
    assert malformedmetadata.read(sent, is_status=is_status) == expected
