"""The code quality report of GitLab."""

from __future__ import annotations

import json
from pathlib import Path

from support import sessionfacts

from pytest_crd.report.outputs import codequality, uniquefindings
from pytest_crd.report.testfacts import FilePlace, VerdictOutcome


def test_each_cause_is_an_entry_with_all_that_gitlab_asks_for(tmp_path: Path) -> None:
    facts = sessionfacts.session(
        sessionfacts.verdict(sessionfacts.cause("a\nb")),
        sessionfacts.verdict(
            sessionfacts.cause("c", place=FilePlace("crds/a.yaml")), outcome=VerdictOutcome.ERROR, name="e"
        ),
        sessionfacts.verdict(outcome=VerdictOutcome.PASSED, name="w", warnings=(sessionfacts.cause("d"),)),
    )
    roots = sessionfacts.roots(tmp_path)

    entries = json.loads(codequality.render(facts, roots, "pytest.ini"))

    prints = [item.pop("fingerprint") for item in entries]
    assert prints == uniquefindings.fingerprints(
        [*uniquefindings.errors(facts, roots), *uniquefindings.warnings(facts, roots)]
    )
    assert entries == [
        {
            "description": f"{words} (test: test_a.crd.yaml::{name})",
            "check_name": "case/create",
            "severity": severity,
            "location": {"path": "crds/a.yaml", "lines": {"begin": line}},
        }
        for words, name, severity, line in (
            ("a", "a case", "major", 3),
            ("c", "e", "critical", 1),
            ("d", "w", "minor", 3),
        )
    ]


def test_a_run_that_did_not_end_is_no_clean_one(tmp_path: Path) -> None:
    facts = sessionfacts.session(sessionfacts.passed(), problem="the run was interrupted", exit_code=2)

    (entry,) = json.loads(codequality.render(facts, sessionfacts.roots(tmp_path), "pytest.ini"))

    assert (entry["description"], entry["severity"]) == ("the run was interrupted", "blocker")
    assert entry["location"] == {"path": "pytest.ini", "lines": {"begin": 1}}


def test_words_that_are_empty_are_an_entry_too(tmp_path: Path) -> None:
    facts = sessionfacts.session(sessionfacts.verdict(sessionfacts.cause("")))

    (entry,) = json.loads(codequality.render(facts, sessionfacts.roots(tmp_path), "pytest.ini"))

    assert entry["description"] == " (test: test_a.crd.yaml::a case)"
