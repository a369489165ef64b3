"""The summary of a job in Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import sessionfacts

from pytest_crd.report.outputs import jobsummary
from pytest_crd.report.testfacts import VerdictKind, VerdictOutcome

ANSWER = {"accepted": True, "code": 201, "message": "", "stored": {"spec": {"a": 1}}}
REFUSAL = {"accepted": False, "code": 422, "message": "spec.a: Required value", "stored": None}
WITNESS: dict[str, Any] = {
    "object": {"spec": {"a": "```"}},
    "stored": None,
    "applied": [],
    "before": ANSWER,
    "after": REFUSAL,
    "note": "",
    "source": "",
}


def _summary(tmp_path: Path, *verdicts: object, exit_code: int = 1, **more: object) -> str:
    facts = sessionfacts.session(*verdicts, exit_code=exit_code, **more)  # type: ignore[arg-type]
    return jobsummary.render(facts, sessionfacts.roots(tmp_path), None)


def test_a_green_run_is_one_line_with_skipped_tests(tmp_path: Path) -> None:
    skipped = [
        sessionfacts.verdict(name=name, outcome=VerdictOutcome.SKIPPED, summary="not yet", kind=VerdictKind.UPGRADE)
        for name in "ab"
    ]
    unexplained = sessionfacts.verdict(name="c", outcome=VerdictOutcome.SKIPPED)

    assert _summary(tmp_path, sessionfacts.passed(), *skipped, unexplained, exit_code=0) == (
        "**pytest-crd**: 1 passed, 3 skipped (2 upgrades, 2 cases)\n\nSkipped:\n\n- 2: not yet\n- 1: without a reason\n"
    )


def test_failures_are_in_a_section_for_their_kind(tmp_path: Path) -> None:
    summary = _summary(
        tmp_path,
        sessionfacts.verdict(sessionfacts.cause("it is <b>|wrong\nvery", details=("rule: x",))),
        sessionfacts.verdict(sessionfacts.cause("breaks"), kind=VerdictKind.CHECK, name="check"),
        sessionfacts.verdict(warnings=(sessionfacts.cause("deprecated"),), name="w", outcome=VerdictOutcome.PASSED),
    )

    assert summary.startswith("### pytest-crd: 1 passed, 2 failed (1 check, 2 cases)\n")
    assert "| Checks | 0 | 1 |\n| Cases | 1 | 1 |\n" in summary
    assert "#### Cases\n\n- crds/a.yaml:3: it is &#60;b&#62;&#124;wrong<br>very\n" in summary
    assert "  <br>test: test&#95;a.crd.yaml::a case\n  <br>rule: x\n" in summary
    assert "#### Warnings of the server\n\n- crds/a.yaml:3: deprecated\n" in summary
    assert "Upgrades" not in summary


def test_an_upgrade_is_reported_with_its_witness(tmp_path: Path) -> None:
    stored = {**WITNESS, "stored": {"spec": {}}, "note": "an update passes", "after": ANSWER}
    applied = {**WITNESS, "applied": [{"manager": "one", "object": {"spec": {"list": ["x" * 3000]}}}]}
    summary = _summary(
        tmp_path,
        *(
            sessionfacts.verdict(
                sessionfacts.cause(f"words {index}", rule="upgrade/refused", field="spec.a", witness=witness),
                kind=VerdictKind.UPGRADE,
                name=f"upgrade {index}",
            )
            for index, witness in enumerate((WITNESS, stored, applied))
        ),
    )

    assert "- crds/a.yaml:3: words 0\n" in summary
    assert (
        '````````text\nobject: {"spec": {"a": "```"}}\nbefore: {"spec": {"a": 1}}\nnow: "spec.a: Required value"\n````````'.replace(
            "````````", "``````"
        )
        in summary
    )
    assert 'stored: {"spec": {}}\n' in summary
    assert "\nan update passes\n" in summary
    assert 'applied: [{"manager": "one", ' in summary
    assert "…\n" in summary


def test_problems_without_a_verdict_are_reported(tmp_path: Path) -> None:
    stopped = _summary(tmp_path, problem="the run was *interrupted*", exit_code=2)
    others = _summary(tmp_path, sessionfacts.passed(), others={VerdictOutcome.FAILED: 2, VerdictOutcome.ERROR: 1})

    assert stopped == "### pytest-crd: nothing was judged\n\n**the run was &#42;interrupted&#42;**\n"
    assert others.startswith("### pytest-crd: 1 passed (1 case); 3 of the tests that are not about CRDs failed\n")


def test_blocks_beyond_the_limit_are_left_out_with_a_note(tmp_path: Path) -> None:
    facts = sessionfacts.session(
        *(sessionfacts.verdict(sessionfacts.cause(f"{number} " + "é" * 500)) for number in range(50)), exit_code=1
    )
    roots = sessionfacts.roots(tmp_path)
    cut = "The rest is left out, as a summary may have 1 MiB: the log of the run has all of it.\n"

    for room in (5000, 20_000, 200, 100):
        summary = jobsummary.render(facts, roots, None, room=room)
        assert summary.endswith(cut)
        assert len(summary.encode()) <= room
    assert jobsummary.render(facts, roots, None, room=10) == ""
    assert cut not in jobsummary.render(facts, roots, None)


@pytest.mark.parametrize("text", ["[a](b)", "<img>", "a|b", "`a`", "*a*", "_a_", "@team", "#1", "&lt;", "$a$", "~~a~~"])
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    escaped = jobsummary.escape(text)

    assert not {*"[]<>|`*_@$~"} & {*escaped}
