"""Names that several CRDs of a group claim."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine.crds import nameconflicts


def _crd(group: str = "example.com", **names: Any) -> tuple[str, dict[str, Any]]:
    kind = names.setdefault("kind", names["plural"][:-1].capitalize())
    return group, {"singular": kind.lower(), "listKind": f"{kind}List"} | names


def test_crds_without_conflicts_get_all_their_names() -> None:
    crd = _crd(plural="widgets", shortNames=["w"], categories=["all"])
    first, second = nameconflicts.resolve([crd, _crd(plural="gadgets")])
    assert first.is_accepted
    assert first.accepted == crd[1]
    assert (second.reason, second.message) == ("NoConflicts", "no conflicts found")


def test_crds_of_different_groups_have_no_conflicts() -> None:
    assert all(
        naming.is_accepted for naming in nameconflicts.resolve([_crd("a.b", plural="as"), _crd("c.d", plural="as")])
    )


def test_the_last_of_several_conflicts_is_reported() -> None:
    _, second = nameconflicts.resolve(
        [_crd(plural="widgets"), _crd(plural="gadgets", singular="widget", kind="Widget")]
    )
    assert not second.is_accepted
    assert (second.reason, second.message) == ("ListKindConflict", '"WidgetList" is already in use')
    assert second.accepted == {"plural": "gadgets"}


def test_plurals_singulars_and_short_names_are_names_of_one_sort() -> None:
    _, second = nameconflicts.resolve([_crd(plural="as", kind="X", shortNames=["b", "c"]), _crd(plural="b", kind="Y")])
    assert (second.reason, second.message) == ("PluralConflict", '"b" is already in use')


def test_one_short_name_in_use_costs_all_of_them() -> None:
    _, second = nameconflicts.resolve([_crd(plural="as", shortNames=["x"]), _crd(plural="bs", shortNames=["y", "x"])])
    assert (second.reason, second.message) == ("ShortNamesConflict", '"x" is already in use')
    assert "shortNames" not in second.accepted


def test_all_short_names_in_use_are_reported_even_own_names_of_the_crd() -> None:
    _, second = nameconflicts.resolve([_crd(plural="as", shortNames=["x"]), _crd(plural="bs", shortNames=["bs", "x"])])
    assert second.message == '["bs" is already in use, "x" is already in use]'


def test_accepted_short_names_stay_when_another_name_is_refused() -> None:
    _, second = nameconflicts.resolve(
        [_crd(plural="as", kind="A"), _crd(plural="bs", kind="A", singular="b", shortNames=["x"])]
    )
    assert second.accepted["shortNames"] == ["x"]
    assert (second.reason, second.message) == ("ListKindConflict", '"AList" is already in use')


def test_a_refused_crd_is_checked_again_when_a_later_one_gets_names() -> None:
    _, second, _ = nameconflicts.resolve(
        [
            _crd(plural="as", shortNames=["x"]),
            _crd(plural="bs", shortNames=["x", "y"]),
            _crd(plural="cs", shortNames=["y"]),
        ]
    )
    assert second.message == '["x" is already in use, "y" is already in use]'


def test_a_crd_without_names_claims_none() -> None:
    (naming,) = nameconflicts.resolve([("example.com", {})])
    assert naming.accepted == {}
