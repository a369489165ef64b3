"""Merged findings, and their fingerprints."""

from __future__ import annotations

from pathlib import Path

from support import sessionfacts

from pytest_crd.report.outputs import uniquefindings


def test_a_cause_found_by_several_tests_is_reported_once(tmp_path: Path) -> None:
    facts = sessionfacts.session(
        sessionfacts.verdict(sessionfacts.cause(), sessionfacts.cause("other"), sessionfacts.cause(), name="a"),
        sessionfacts.verdict(sessionfacts.cause("first of b"), sessionfacts.cause(), name="b"),
        sessionfacts.passed(),
    )

    actual = uniquefindings.errors(facts, sessionfacts.roots(tmp_path))

    assert [(item.words, [verdict.name for verdict in item.verdicts]) for item in actual] == [
        ("it is wrong", ["a", "b"]),
        ("other", ["a"]),
        ("first of b", ["b"]),
    ]
    assert [item.words for item in uniquefindings.sort_by_rank(actual)] == ["it is wrong", "first of b", "other"]


def test_warnings_of_passed_tests_are_reported_too(tmp_path: Path) -> None:
    facts = sessionfacts.session(
        sessionfacts.verdict(warnings=(sessionfacts.cause(),)),
        sessionfacts.verdict(sessionfacts.cause("x"), warnings=(sessionfacts.cause(),)),
    )

    (actual,) = uniquefindings.warnings(facts, sessionfacts.roots(tmp_path))

    assert actual.words == "it is wrong"


def test_of_many_tests_the_first_are_named(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e")
    roots = sessionfacts.roots(tmp_path)

    def told_of(count: int) -> str:
        facts = sessionfacts.session(*(sessionfacts.verdict(sessionfacts.cause(), name=name) for name in names[:count]))
        return uniquefindings.list_tests(uniquefindings.errors(facts, roots)[0])

    file = "test_a.crd.yaml"
    assert told_of(1) == f"test: {file}::a"
    assert told_of(3) == f"3 tests: {file}::a, {file}::b, {file}::c"
    assert told_of(5) == f"5 tests: {file}::a, {file}::b, {file}::c and 2 more"


def test_a_fingerprint_stays_where_lines_move(tmp_path: Path) -> None:
    roots = sessionfacts.roots(tmp_path)

    def prints(*causes: object) -> list[str]:
        facts = sessionfacts.session(*(sessionfacts.verdict(item) for item in causes))  # type: ignore[arg-type]
        return uniquefindings.fingerprints(uniquefindings.errors(facts, roots))

    before = prints(
        sessionfacts.cause("see crds/b.yaml:7:2", 3), sessionfacts.cause("two", 4), sessionfacts.cause("two", 9)
    )
    after = prints(
        sessionfacts.cause("see crds/b.yaml:8", 13), sessionfacts.cause("two", 14), sessionfacts.cause("two", 19)
    )

    assert before == after
    assert len({*before}) == 3
    assert before[2] == f"{before[1]}:2"
    assert prints(sessionfacts.cause("two", field="spec.a")) != prints(sessionfacts.cause("two", field="spec.b"))
