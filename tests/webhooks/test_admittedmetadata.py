"""Malformed metadata after the mutating webhooks is refused or restored."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.webhooks import admittedmetadata

ENTRIES = [{"manager": "m", "operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1"}]
MALFORMED = [None]


def object_with(metadata: Any) -> Any:
    """Return an object with *metadata*."""
    return {"apiVersion": "example.com/v1", "kind": "Cron", "metadata": metadata}


@pytest.mark.parametrize(
    "after",
    [
        {"apiVersion": "example.com/v1", "kind": "Cron"},
        object_with({"name": "a", "managedFields": ENTRIES}),
        object_with({"name": "a", "labels": {"a": "b"}}),
        object_with({"name": "a", "creationTimestamp": 3, "generation": "x", "uid": 5, "managedFields": ENTRIES}),
    ],
)
def test_well_formed_metadata_stays(after: Any) -> None:
    assert admittedmetadata.settle(object_with({"name": "a", "managedFields": ENTRIES}), after) == (after, ())


@pytest.mark.parametrize(
    "before",
    [
        object_with({"name": "a", "managedFields": ENTRIES}),
        object_with({"name": "a"}),
        {"apiVersion": "v1", "kind": "Cron"},
    ],
)
def test_malformed_managed_fields_are_replaced_by_the_old_ones(before: Any) -> None:
    after, warnings = admittedmetadata.settle(before, object_with({"name": "a", "managedFields": MALFORMED}))

    assert after["metadata"] == {"name": "a", **before.get("metadata", {})}
    assert warnings == (
        (
            ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
            "admission controller; please fix your requests: operation must be `Apply` or `Update`"
        ),
    )


@pytest.mark.parametrize("metadata", [None, "x", []])
def test_metadata_that_is_no_object_is_refused(metadata: Any) -> None:
    with pytest.raises(RefusedError) as raised:
        admittedmetadata.settle(object_with({"name": "a"}), object_with(metadata))

    assert raised.value.refusal.message == "Internal error occurred: system metadata was not initialized"


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"name": "a", "labels": {"a": 1}},
            (
                'Cron.example.com "a" is invalid: metadata: Invalid value: {"labels":{"a":1},"name":"a"}: '
                "cannot convert int64 to string"
            ),
        ),
        (
            {"name": 3},
            'Cron.example.com "" is invalid: metadata: Invalid value: {"name":3}: cannot convert int64 to string',
        ),
    ],
)
def test_metadata_of_wrong_types_is_refused(metadata: Any, message: str) -> None:
    with pytest.raises(RefusedError) as raised:
        admittedmetadata.settle(object_with({"name": "a"}), object_with(metadata))

    assert (raised.value.refusal.code, raised.value.refusal.message) == (422, message)
