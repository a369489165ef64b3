"""Allowances for the effects of an upgrade."""

from __future__ import annotations

import pytest

from pytest_crd.upgrades import allowances
from pytest_crd.upgrades.upgradefindings import Finding, Kind

NAME = "things.example.com"
LOSS = Finding(Kind.DATA_LOSS, "spec.x", "spec.x is dropped")


def refused(*paths: str) -> list[Finding]:
    return [Finding(Kind.REFUSED, path, "") for path in paths]


def test_a_line_names_crd_path_and_kind() -> None:
    allowance = allowances.parse(f" {NAME}  spec.x   data  loss ")

    assert allowance.covers(NAME, LOSS)
    assert not allowance.covers("others.example.com", LOSS)
    assert not allowance.covers(NAME, Finding(Kind.REFUSED, "spec.x", ""))
    assert not allowance.covers(NAME, Finding(Kind.DATA_LOSS, "spec", ""))
    assert str(allowance) == f"{NAME} spec.x data loss"


@pytest.mark.parametrize(
    "line",
    [
        "",
        NAME,
        f"{NAME} spec.x lost",
        f"{NAME} spec.x widened",
        f"{NAME} spec.x * *",
        "rollback",
        f"rollback {NAME}",
        f"{NAME} spec.x refused:",
        f"{NAME} spec.x : a",
    ],
)
def test_malformed_lines_are_refused(line: str) -> None:
    with pytest.raises(
        ValueError, match="is not NAME PATH KIND or rollback NAME PATH KIND, where KIND is one of refused, "
    ):
        allowances.parse(line)


@pytest.mark.parametrize("path", ["spec.over*", "spec.***", "spec.items[**]", "spec.*x.y"])
def test_a_star_inside_a_step_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="stands for a whole step of a path, as in spec"):
        allowances.parse(f"{NAME} {path} refused")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("spec.**", "spec.x"),
        ("spec.**", "spec.x.y[*].z"),
        ("spec.list.**", "spec.list[*]"),
        ("spec.*", "spec.x"),
        ("spec.*.name", "spec.x.name"),
        ("spec.list.*", "spec.list[*]"),
        ("spec.*[*].name", "spec.list[*].name"),
        ("spec.**.name", "spec.name"),
        ("spec.**.name", "spec.a.b[*].name"),
        ("**.name", "spec.name"),
        ("**", "spec"),
        ("**", "."),
        ("*", "v1"),
        ("selectableFields.*", "selectableFields[.spec.x]"),
    ],
)
def test_stars_match_steps(pattern: str, path: str) -> None:
    assert allowances.parse(f"{NAME} {pattern} refused").covers(NAME, *refused(path))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("spec.**", "spec"),
        ("spec.**", "specs.x"),
        ("spec.*", "spec"),
        ("spec.*", "spec.x.y"),
        ("spec.*.name", "spec.x.y.name"),
        ("spec.list[*]", "spec.list.x"),
        ("spec.**.name", "spec.a.names"),
        ("*", "."),
    ],
)
def test_stars_match_no_other_steps(pattern: str, path: str) -> None:
    assert not allowances.parse(f"{NAME} {pattern} refused").covers(NAME, *refused(path))


@pytest.mark.parametrize("kind", ["", " *"])
def test_without_a_kind_all_breaking_kinds_are_allowed(kind: str) -> None:
    allowance = allowances.parse(f"{NAME} spec.x{kind}")

    assert allowance.covers(NAME, LOSS)
    assert allowance.covers(NAME, *refused("spec.x"))
    assert not allowance.covers(NAME, Finding(Kind.WIDENED, "spec.x", ""))
    assert str(allowance) == f"{NAME} spec.x{kind}"


def test_a_star_matches_all_crds() -> None:
    assert allowances.parse("* spec.x").covers(NAME, LOSS)


def test_a_rollback_has_entries_of_its_own() -> None:
    line = f"rollback {NAME} spec.x data loss"
    allowance = allowances.parse(line)

    assert allowance == allowances.Allowance(NAME, "spec.x", "data loss", is_rollback=True)
    assert str(allowance) == line
    assert [str(allowance) for allowance in allowances.suggest(NAME, [LOSS], is_rollback=True)] == [line]


def suggest_lines(*findings: Finding) -> list[str]:
    return [str(allowance).removeprefix(f"{NAME} ") for allowance in allowances.suggest(NAME, findings)]


def test_few_findings_are_suggested_unmerged_and_once() -> None:
    few = refused("spec.a", "spec.a", "spec.b.c", "spec.d", ".")

    assert suggest_lines(*few, LOSS) == [
        ". refused",
        "spec.a refused",
        "spec.b.c refused",
        "spec.d refused",
        "spec.x data loss",
    ]


def test_many_findings_are_merged_at_their_common_place() -> None:
    containers = [f"spec.override.containers[*].{name}" for name in "abcdef"]
    probes = [f"spec.override.init[*].{name}.{field}" for name in "ab" for field in "cdef"]
    others = [f"spec.override.{name}" for name in "abcd"]

    assert suggest_lines(*refused(*containers, *probes, *others, "spec.override", "spec.z", "status")) == [
        "spec.override refused",
        "spec.override.** refused",
        "spec.z refused",
        "status refused",
    ]


def test_a_merged_line_covers_no_more_than_necessary() -> None:
    fields = [f"spec.list[*].{name}" for name in "abcdef"]

    assert suggest_lines(*refused(*fields, "spec.z")) == ["spec.list[*].* refused", "spec.z refused"]
    assert suggest_lines(*refused(*fields), Finding(Kind.CHANGED, "spec.list[*].a", "")) == ["spec.list[*].*"]
    assert suggest_lines(*refused(*fields, "spec.list[*].a.b")) == ["spec.list[*].** refused"]


def test_paths_without_a_common_parent_are_not_merged() -> None:
    paths = [f"v{number}" for number in range(9)]

    assert suggest_lines(*refused(*paths)) == [f"{path} refused" for path in paths]


def test_suggested_lines_allow_all_findings() -> None:
    findings = refused(*(f"spec.a{number}.b[*].c{number}" for number in range(9)), "spec", ".")

    lines = allowances.suggest(NAME, findings)

    assert len(lines) == 3
    assert all(any(line.covers(NAME, finding) for line in lines) for finding in findings)


def ruled(*rules: str, path: str = "spec.x") -> list[Finding]:
    return [Finding(Kind.REFUSED, path, "", name=rule) for rule in rules]


def test_findings_of_one_path_and_kind_are_suggested_with_their_causes() -> None:
    long = "self.all(item, item.size() > 0) && " * 9
    first, second, third = ruled("self.a > 0 ||\n  self.b > 0", f"{long}self.a", f"{long}self.b")

    assert suggest_lines(first, LOSS) == ["spec.x refused", "spec.x data loss"]
    assert suggest_lines(first, second) == [
        "spec.x refused: self.a > 0 || self.b > 0",
        f"spec.x refused: {long[:80]}…",
    ]
    assert suggest_lines(second, third) == [f"spec.x refused: {item.cause}" for item in (second, third)]


def test_a_finding_is_suggested_with_its_cause_if_another_one_is_allowed() -> None:
    first, second = ruled("self.a > 0", "self.b > 0")

    (line,) = allowances.suggest(NAME, [first], others=[second])

    assert str(line) == f"{NAME} spec.x refused: self.a > 0"


@pytest.mark.parametrize(
    ("line", "covered"),
    [
        ("refused", [True, True]),
        ("refused: *", [True, True]),
        ("refused: self.a  >  0", [True, False]),
        ("refused: self.…", [True, True]),
        ("refused: self.a…", [True, False]),
        ("refused: self.a", [False, False]),
        ("data loss: self.a > 0", [False, False]),
    ],
)
def test_a_cause_allows_one_of_several_findings(line: str, covered: list[bool]) -> None:
    allowance = allowances.parse(f"{NAME} spec.x {line}")

    assert [allowance.covers(NAME, item) for item in ruled("self.a > 0", "self.b > 0")] == covered
    assert str(allowance) == f"{NAME} spec.x {' '.join(line.split())}"


@pytest.mark.parametrize(
    ("line", "is_for_one"),
    [
        ("spec.x refused", True),
        ("spec.x", False),
        ("spec.x *", False),
        ("spec.* refused", False),
        ("spec.x refused: *", False),
        ("spec.x refused: self.a", False),
    ],
)
def test_only_a_line_with_path_and_kind_alone_is_for_one_finding(line: str, *, is_for_one: bool) -> None:
    assert allowances.parse(f"{NAME} {line}").is_for_one is is_for_one


def test_many_findings_with_several_causes_are_merged_as_others_are() -> None:
    findings = [item for name in "abcdef" for item in ruled("self > 0", "self < 9", path=f"spec.{name}")]

    assert suggest_lines(*findings) == ["spec.* refused"]
