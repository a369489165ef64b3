from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names, objectmetarules

PATH = FieldPath(("metadata", "finalizers"))
NEW, OLD, OLDEST = (profile.named(version) for version in ("1.37", "1.32", "1.21"))
AVOID = "to avoid accidental conflicts with other finalizer writers"


def test_finalizers_are_label_keys() -> None:
    (error,) = objectmetarules.validate_finalizers(["a.b/c", "a b"], PATH, NEW)
    assert (error.field, error.bad_value, error.detail) == (
        "metadata.finalizers",
        "a b",
        names.label_key("a b", NEW)[0],
    )


@pytest.mark.parametrize(
    ("of", "printed"),
    [
        pytest.param(NEW, '["orphan","a","foregroundDeletion"]', id="printed as JSON"),
        pytest.param(OLD, '[]string{"orphan", "a", "foregroundDeletion"}', id="printed as Go prints"),
    ],
)
def test_finalizers_for_two_propagation_policies_are_refused(of: profile.Profile, printed: str) -> None:
    (error,) = objectmetarules.validate_finalizers(["orphan", "a", "foregroundDeletion"], PATH, of)
    assert error.message == f"Invalid value: {printed}: finalizer orphan and foregroundDeletion cannot be both set"


def test_finalizers_cannot_be_added_to_a_deleted_object() -> None:
    (error,) = objectmetarules.validate_new_finalizers(["c", "a", "b"], ["a"], PATH)
    assert str(error) == (
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new"
        ' finalizers []string{"b", "c"}'
    )


def test_finalizers_can_be_removed_from_a_deleted_object() -> None:
    assert objectmetarules.validate_new_finalizers(["a"], ["a", "b"], PATH) == []


def test_new_finalizers_without_domain_or_path_are_warned_about() -> None:
    new = ["z", "old", "a.b", "a/b", "kubernetes", "orphan", "foregroundDeletion", "z"]
    assert objectmetarules.finalizer_warnings(new, ["old"], PATH, NEW) == (
        f'metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) {AVOID}',
        f'metadata.finalizers: "z": prefer a domain-qualified finalizer name {AVOID}',
    )


def test_bad_finalizers_are_warned_about_too() -> None:
    """Possible for stored finalizers that validation would refuse now."""
    warnings = objectmetarules.finalizer_warnings(["a b"], [], PATH, NEW)
    assert warnings[0] == f'metadata.finalizers: "a b": {names.label_key("a b", NEW)[0]}'
    assert len(warnings) == 2


def test_the_oldest_version_warns_of_nothing() -> None:
    assert objectmetarules.finalizer_warnings(["a"], [], PATH, OLDEST) == ()
