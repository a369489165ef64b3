"""Causes with the same origin in a CRD."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import sessionfacts

from pytest_crd.report import causegroups
from pytest_crd.report.causegroups import CauseGroups
from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.testfacts import About, Cause, VerdictKind


def _about(kind: VerdictKind, crd: str = "as.example.com") -> About:
    return About(kind, "x", crd)


UPGRADE = _about(VerdictKind.UPGRADE)
CASE = _about(VerdictKind.CASE)


def _owner(*known: tuple[About, Cause], of: tuple[About, Cause]) -> int | None:
    groups: CauseGroups[int] = CauseGroups()
    for number, pair in enumerate(known):
        groups.add(causegroups.identify(*pair), number)
    return groups.find(causegroups.identify(*of))


def test_causes_with_the_same_key_have_one_owner() -> None:
    cause = Cause("x", "w", key="a.yaml:3 spec.a")

    assert _owner((CASE, cause), (CASE, cause), of=(CASE, cause)) == 0
    assert _owner((CASE, cause), of=(CASE, Cause("x", "w", key="a.yaml:4 spec.a"))) is None


@pytest.mark.parametrize(
    ("field", "crd", "owner"),
    [("spec.a[1]", "as.example.com", 0), ("spec.b", "as.example.com", None), ("spec.a[1]", "bs.example.com", None)],
)
def test_a_change_of_a_field_by_an_upgrade_is_the_cause_of_what_has_no_origin(
    field: str, crd: str, owner: int | None
) -> None:
    change = Cause("x", "w", "spec.a[*]", key="a.yaml:3 spec.a")

    assert _owner((UPGRADE, change), of=(_about(VerdictKind.CASE, crd), Cause("x", "absent", field))) == owner


def test_a_refusal_has_the_owner_of_its_own_keyword_only() -> None:
    change, same, other = (
        Cause("upgrade/refused", "w", "spec.a", key="a.yaml:3 spec.a", decision=keyword)
        for keyword in ("maximum", "maximum", "minimum")
    )

    assert _owner((UPGRADE, change), of=(CASE, same)) == 0
    assert _owner((UPGRADE, change), of=(CASE, other)) is None
    assert _owner((CASE, same), of=(CASE, other)) is None
    assert _owner((UPGRADE, change), of=(CASE, Cause("x", "absent", "spec.a"))) is None


def test_different_changes_of_a_field_are_different_causes() -> None:
    lost, refused = (
        Cause(rule, "w", "spec.a", key="a.yaml:3 spec.a") for rule in ("upgrade/data-loss", "upgrade/refused")
    )

    assert _owner((UPGRADE, lost), of=(UPGRADE, refused)) is None
    assert _owner((UPGRADE, lost), (UPGRADE, refused), of=(UPGRADE, refused)) == 1
    assert _owner((UPGRADE, Cause("x", "w")), of=(UPGRADE, Cause("x", "w"))) is None


def test_the_same_field_of_two_cases_without_an_origin_is_no_cause() -> None:
    cause = Cause("x", "is 1, expected 2", "spec.a")

    assert _owner((CASE, cause), of=(CASE, cause)) is None
    assert _owner((UPGRADE, Cause("x", "the CRD")), of=(CASE, Cause("x", "text"))) is None


def test_findings_by_origin_begin_with_upgrades(tmp_path: Path) -> None:
    facts = sessionfacts.session(
        sessionfacts.verdict(sessionfacts.cause("case", 5, key="k"), sessionfacts.cause("other", 6), name="a"),
        sessionfacts.verdict(sessionfacts.cause("check", 7, key="k"), name="b", kind=VerdictKind.CHECK),
        sessionfacts.verdict(sessionfacts.cause("upgrade", 8, key="k"), name="c", kind=VerdictKind.UPGRADE),
    )

    findings = uniquefindings.errors_by_origin(facts, sessionfacts.roots(tmp_path))

    assert [(item.words, item.place.line, [verdict.name for verdict in item.verdicts]) for item in findings] == [
        ("upgrade", 8, ["c", "b", "a"]),
        ("other", 6, ["a"]),
    ]
