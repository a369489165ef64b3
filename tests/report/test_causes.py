"""Causes of failures: their places."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pytest_crd.report import causes
from pytest_crd.report.testfacts import FilePlace
from pytest_crd.upgrades.upgradefindings import Finding, Kind, Line, Witness


def test_an_effect_of_an_upgrade_is_related_to_the_old_crd_and_all_objects_that_show_it() -> None:
    answer: Any = SimpleNamespace(accepted=False, code=422, message="no", stored_if_accepted=None)
    witness = Witness({}, answer, answer, source="samples/a.yaml:1")
    lines = ((Line("old.yaml:3", ""), Line("new.yaml:4", "")),)
    finding = Finding(Kind.REFUSED, "spec.a", "no", lines=lines, witness=witness, others=("samples/b.yaml:2", ""))

    (cause,) = causes.explain_upgrade([finding], is_rollback=False)

    assert cause.place == FilePlace("new.yaml", 4)
    assert cause.related == (
        FilePlace("old.yaml", 3),
        FilePlace("samples/a.yaml", 1),
        FilePlace("samples/b.yaml", 2),
    )


def test_an_effect_names_its_field_and_the_line_of_a_declaration_that_is_gone() -> None:
    line = Line("old.yaml:3", "default: 3")
    gone = Finding(Kind.CHANGED, "spec.a", "3 before, absent now", lines=((line, Line("new.yaml:4", "")),))
    refused = Finding(Kind.REFUSED, "spec.a", "spec.a: Required value", lines=((Line("", ""), Line("", "required")),))

    one, other = causes.explain_upgrade([gone, refused], is_rollback=False)

    assert one.words == "spec.a: 3 before, absent now"
    assert one.details == ("- default: 3 (old.yaml:3) + (nothing)",)
    assert other.words == "spec.a: Required value"
    assert other.details == ("- (nothing) + required",)
