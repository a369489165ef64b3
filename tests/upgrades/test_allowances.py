"""What a project allows an upgrade to do."""

from __future__ import annotations

import pytest

from pytest_crd.upgrades import allowances
from pytest_crd.upgrades.upgradefindings import Finding, Kind

NAME = "things.example.com"
LOSS = Finding(Kind.DATA_LOSS, "spec.x", "spec.x is dropped")


def refused(*paths: str) -> list[Finding]:
    return [Finding(Kind.REFUSED, path, "") for path in paths]


def test_a_line_names_crd_path_and_kind() -> None:
    allowance = allowances.read(f" {NAME}  spec.x   data  loss ")

    assert allowance.covers(NAME, LOSS)
    assert not allowance.covers("others.example.com", LOSS)
    assert not allowance.covers(NAME, Finding(Kind.REFUSED, "spec.x", ""))
    assert not allowance.covers(NAME, Finding(Kind.DATA_LOSS, "spec", ""))
    assert str(allowance) == f"{NAME} spec.x data loss"


@pytest.mark.parametrize(
    "line",
    ["", NAME, f"{NAME} spec.x lost", f"{NAME} spec.x widened", f"{NAME} spec.x * *", "rollback", f"rollback {NAME}"],
)
def test_anything_else_is_a_mistake(line: str) -> None:
    with pytest.raises(
        ValueError, match="is not NAME PATH KIND or rollback NAME PATH KIND, where KIND is one of refused, "
    ):
        allowances.read(line)


@pytest.mark.parametrize("path", ["spec.over*", "spec.***", "spec.items[**]", "spec.*x.y"])
def test_a_star_that_is_no_step_is_a_mistake(path: str) -> None:
    with pytest.raises(ValueError, match="stands for a whole step of a path, as in spec"):
        allowances.read(f"{NAME} {path} refused")


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
def test_stars_stand_for_steps(pattern: str, path: str) -> None:
    assert allowances.read(f"{NAME} {pattern} refused").covers(NAME, *refused(path))


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
def test_stars_stand_for_no_other_steps(pattern: str, path: str) -> None:
    assert not allowances.read(f"{NAME} {pattern} refused").covers(NAME, *refused(path))


@pytest.mark.parametrize("kind", ["", " *"])
def test_without_a_kind_all_that_breaks_is_allowed(kind: str) -> None:
    allowance = allowances.read(f"{NAME} spec.x{kind}")

    assert allowance.covers(NAME, LOSS)
    assert allowance.covers(NAME, *refused("spec.x"))
    assert not allowance.covers(NAME, Finding(Kind.WIDENED, "spec.x", ""))
    assert str(allowance) == f"{NAME} spec.x{kind}"


def test_a_star_stands_for_all_crds() -> None:
    assert allowances.read("* spec.x").covers(NAME, LOSS)


def test_a_rollback_has_entries_of_its_own() -> None:
    line = f"rollback {NAME} spec.x data loss"
    allowance = allowances.read(line)

    assert allowance == allowances.Allowance(NAME, "spec.x", "data loss", is_rollback=True)
    assert str(allowance) == line
    assert [str(one) for one in allowances.suggested(NAME, [LOSS], is_rollback=True)] == [line]


def suggested(*findings: Finding) -> list[str]:
    return [str(one).removeprefix(f"{NAME} ") for one in allowances.suggested(NAME, findings)]


def test_a_few_lines_are_suggested_as_they_are_each_once() -> None:
    few = refused("spec.a", "spec.a", "spec.b.c", "spec.d", ".")

    assert suggested(*few, LOSS) == [
        ". refused",
        "spec.a refused",
        "spec.b.c refused",
        "spec.d refused",
        "spec.x data loss",
    ]


def test_more_are_put_together_at_the_place_that_has_them_all() -> None:
    containers = [f"spec.override.containers[*].{name}" for name in "abcdef"]
    probes = [f"spec.override.init[*].{name}.{field}" for name in "ab" for field in "cdef"]
    others = [f"spec.override.{name}" for name in "abcd"]

    assert suggested(*refused(*containers, *probes, *others, "spec.override", "spec.z", "status")) == [
        "spec.override refused",
        "spec.override.** refused",
        "spec.z refused",
        "status refused",
    ]


def test_what_is_put_together_is_no_more_than_it_must_be() -> None:
    fields = [f"spec.list[*].{name}" for name in "abcdef"]

    assert suggested(*refused(*fields, "spec.z")) == ["spec.list[*].* refused", "spec.z refused"]
    assert suggested(*refused(*fields), Finding(Kind.CHANGED, "spec.list[*].a", "")) == ["spec.list[*].*"]
    assert suggested(*refused(*fields, "spec.list[*].a.b")) == ["spec.list[*].** refused"]


def test_what_has_no_place_in_common_is_not_put_together() -> None:
    paths = [f"v{number}" for number in range(9)]

    assert suggested(*refused(*paths)) == [f"{path} refused" for path in paths]


def test_what_is_suggested_allows_all() -> None:
    findings = refused(*(f"spec.a{number}.b[*].c{number}" for number in range(9)), "spec", ".")

    found = allowances.suggested(NAME, findings)

    assert len(found) == 3
    assert all(any(one.covers(NAME, finding) for one in found) for finding in findings)
