"""Field paths in the two spellings of the server."""

from __future__ import annotations

import pytest

from pytest_crd.engine import fieldpath
from pytest_crd.engine.fieldpath import FieldPath, Key

ROOT = FieldPath()


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        pytest.param(ROOT, "<nil>", id="the empty path"),
        pytest.param(ROOT.child("spec"), "spec", id="one field"),
        pytest.param(ROOT.child("spec", "a").child("b"), "spec.a.b", id="fields are joined by dots"),
        pytest.param(ROOT.child("labels").key("a.b"), "labels[a.b]", id="a map key stands in brackets"),
        pytest.param(ROOT.child("items").index(0).child("a"), "items[0].a", id="an index stands in brackets"),
        pytest.param(ROOT.key("a").index(1), "[a][1]", id="a path may begin with a bracket"),
    ],
)
def test_field_errors_spell_keys_in_brackets(path: FieldPath, spelled: str) -> None:
    assert str(path) == spelled


def test_paths_are_values() -> None:
    """Equal paths are equal keys of a dict, and deriving a path does not change the original."""
    base = ROOT.child("a")
    assert base.key("b") == FieldPath(("a", Key("b")))
    assert base.key("b") != base.child("b")
    assert {base.index(0): 1}[FieldPath(("a", 0))] == 1
    assert base == FieldPath(("a",))


@pytest.mark.parametrize(
    ("segments", "spelled"),
    [
        ((), ""),
        (("spec", "a"), "spec.a"),
        (("spec", 0, "a.b"), "spec[0].a.b"),
        ((0, 1, "a"), "[0][1].a"),
    ],
)
def test_unknown_field_warnings_spell_keys_with_dots(segments: tuple[str | int, ...], spelled: str) -> None:
    assert fieldpath.unknown_field(segments) == spelled


@pytest.mark.parametrize(
    ("path", "is_below"),
    [
        pytest.param("spec.a", True, id="itself"),
        pytest.param("spec.a.b", True, id="a field"),
        pytest.param("spec.a[0]", True, id="an item"),
        pytest.param("spec.a[b.c]", True, id="a map key"),
        pytest.param("spec.ab", False, id="a name that begins so"),
        pytest.param("spec", False, id="what is above"),
        pytest.param("x.spec.a", False, id="the same elsewhere"),
    ],
)
def test_a_path_leads_to_itself_and_to_paths_below(path: str, *, is_below: bool) -> None:
    assert fieldpath.leads_to("spec.a", path) is is_below


def test_paths_and_keys_are_compared_by_their_parts() -> None:
    path = ROOT.child("labels").key("a")

    assert path == FieldPath(("labels", Key("a")))
    assert {path: 1}[FieldPath(("labels", Key("a")))] == 1
    assert path not in (ROOT.child("labels", "a"), ROOT.child("labels").key("b"), ("labels", "a"))
    assert Key("a") != "a"
    assert repr(path) == "FieldPath(('labels', Key('a')))"
