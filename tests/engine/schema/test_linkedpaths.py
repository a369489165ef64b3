"""Where a schema stands, spelled when an error needs it."""

from __future__ import annotations

from pytest_crd.engine import fieldpath
from pytest_crd.engine.fieldpath import FieldPath


def test_a_place_is_spelled_from_the_root_on() -> None:
    root = FieldPath(("spec", "validation", "openAPIV3Schema"))
    assert fieldpath.resolve(root) == root
    place = ((((root, "properties", "a.b"), "items", None), "allOf", 0), "not", None)
    assert str(fieldpath.resolve(place)) == "spec.validation.openAPIV3Schema.properties[a.b].items.allOf[0].not"
