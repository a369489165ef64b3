"""Merged findings, and their fingerprints."""

from __future__ import annotations

from pathlib import Path

from support import told

from pytest_crd.report.outputs import uniquefindings


def test_a_cause_found_by_several_tests_is_reported_once(tmp_path: Path) -> None:
    facts = told.session(
        told.verdict(told.cause(), told.cause("other"), told.cause(), name="a"),
        told.verdict(told.cause("first of b"), told.cause(), name="b"),
        told.passed(),
    )

    actual = uniquefindings.errors(facts, told.roots(tmp_path))

    assert [(item.words, [verdict.name for verdict in item.verdicts]) for item in actual] == [
        ("it is wrong", ["a", "b"]),
        ("other", ["a"]),
        ("first of b", ["b"]),
    ]
    assert [item.words for item in uniquefindings.sort_by_rank(actual)] == ["it is wrong", "first of b", "other"]


def test_warnings_of_passed_tests_are_reported_too(tmp_path: Path) -> None:
    facts = told.session(
        told.verdict(warnings=(told.cause(),)), told.verdict(told.cause("x"), warnings=(told.cause(),))
    )

    (actual,) = uniquefindings.warnings(facts, told.roots(tmp_path))

    assert actual.words == "it is wrong"


def test_of_many_tests_the_first_are_named(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e")
    roots = told.roots(tmp_path)

    def told_of(count: int) -> str:
        facts = told.session(*(told.verdict(told.cause(), name=name) for name in names[:count]))
        return uniquefindings.list_tests(uniquefindings.errors(facts, roots)[0])

    file = "test_a.crd.yaml"
    assert told_of(1) == f"test: {file}::a"
    assert told_of(3) == f"3 tests: {file}::a, {file}::b, {file}::c"
    assert told_of(5) == f"5 tests: {file}::a, {file}::b, {file}::c and 2 more"


def test_a_fingerprint_stays_where_lines_move(tmp_path: Path) -> None:
    roots = told.roots(tmp_path)

    def prints(*causes: object) -> list[str]:
        facts = told.session(*(told.verdict(item) for item in causes))  # type: ignore[arg-type]
        return uniquefindings.fingerprints(uniquefindings.errors(facts, roots))

    before = prints(told.cause("see crds/b.yaml:7:2", 3), told.cause("two", 4), told.cause("two", 9))
    after = prints(told.cause("see crds/b.yaml:8", 13), told.cause("two", 14), told.cause("two", 19))

    assert before == after
    assert len({*before}) == 3
    assert before[2] == f"{before[1]}:2"
    assert prints(told.cause("two", field="spec.a")) != prints(told.cause("two", field="spec.b"))
