"""Malformed metadata after the mutating webhooks is refused, restored or dropped."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.admission import chain
from pytest_crd.engine.registry.requestbody import RefusedError

ENTRIES = [{"manager": "m", "operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1"}]
MALFORMED: list[Any] = [{}]


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
    assert chain.settle_metadata(object_with({"name": "a", "managedFields": ENTRIES}), after) == (after, ())


@pytest.mark.parametrize(
    "before",
    [
        object_with({"name": "a", "managedFields": ENTRIES}),
        object_with({"name": "a"}),
        {"apiVersion": "v1", "kind": "Cron"},
    ],
)
def test_malformed_managed_fields_are_replaced_by_the_old_ones(before: Any) -> None:
    after, warnings = chain.settle_metadata(before, object_with({"name": "a", "managedFields": MALFORMED}))

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
        chain.settle_metadata(object_with({"name": "a"}), object_with(metadata))

    assert raised.value.refusal.message == "Internal error occurred: system metadata was not initialized"


@pytest.mark.parametrize("metadata", [None, "x", []])
def test_metadata_of_an_update_that_is_no_object_counts_as_empty(metadata: Any) -> None:
    after = chain.settle_metadata(object_with({"name": "a"}), object_with(metadata), is_update=True)

    assert after == (object_with({}), ())


@pytest.mark.parametrize("entries", ["x", [{"manager": 3}]])
def test_managed_fields_of_wrong_types_stay_for_validation(entries: Any) -> None:
    after = object_with({"name": "a", "managedFields": entries})

    assert chain.settle_metadata(object_with({"name": "a"}), after) == (after, ())


def test_managed_fields_with_null_stay_for_validation() -> None:
    after = object_with({"name": "a", "managedFields": [None]})

    assert chain.settle_metadata(object_with({"name": "a"}), after) == (after, ())
