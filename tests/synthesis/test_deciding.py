"""Objects for which single operands and quantifiers of a rule decide."""

from __future__ import annotations

from typing import Any

import pytest
from synthesis.versions import create_version, fields

from pytest_crd.engine import CrdVersion
from pytest_crd.engine.schema.schemamap import RULES
from pytest_crd.synthesis.boundaries import Boundaries
from pytest_crd.synthesis.repair import Search
from pytest_crd.synthesis.rulesearch import RuleWrite

NUMBER: dict[str, Any] = {"type": "integer"}


def _version(*rules: str, **properties: Any) -> CrdVersion:
    return create_version({**fields(**properties), RULES: [{"rule": rule} for rule in rules]})


def _find(version: CrdVersion, variant: int) -> RuleWrite | None:
    return Boundaries(version).find_deciding_write(("spec",), 0, variant)


@pytest.mark.parametrize("variant", [0, 1])
def test_a_write_shows_each_operand(variant: int) -> None:
    version = _version("has(self.a) || has(self.b)", a=NUMBER, b=NUMBER)

    write = _find(version, variant)

    assert write is not None
    assert [*write.new["spec"]] == ["ab"[variant]]
    assert version.create(write.new).accepted


def test_a_refused_object_shows_an_operand() -> None:
    version = _version("self.a < 3 && self.b < 3", a_=NUMBER, b_=NUMBER)

    write = _find(version, 0)

    assert write is not None
    assert not version.create(write.new).accepted
    assert write.new["spec"]["a"] >= 3 > write.new["spec"]["b"]


def test_errors_of_other_rules_are_repaired() -> None:
    version = _version("has(self.a) || has(self.b)", "!has(self.b) || has(self.c)", a=NUMBER, b=NUMBER, c=NUMBER)

    write = _find(version, 1)

    assert write is not None
    assert {*write.new["spec"]} == {"b", "c"}


def test_refusals_by_other_rules_are_repaired() -> None:
    version = _version("self.a < 3 && self.b < 3", "self.a < 3 || self.c > 5", a_=NUMBER, b_=NUMBER, c_=NUMBER)

    write = _find(version, 0)

    assert write is not None
    assert len(version.create(write.new).errors) == 1
    assert write.new["spec"]["c"] > 5


@pytest.mark.parametrize(
    ("rules", "variant"),
    [
        (["has(self.a) || has(self.b)"], 1),  # a is always there
        (["self.a < 3 && self.b < 3", "self.a == self.b"], 0),
        (["has(self.b) || has(self.a)", "!has(self.b)"], 0),
    ],
)
def test_an_operand_that_cannot_decide_has_no_write(rules: list[str], variant: int) -> None:
    assert _find(_version(*rules, a_=NUMBER, b=NUMBER), variant) is None


def test_an_update_shows_an_operand_of_a_transition_rule() -> None:
    version = _version("self.a == oldSelf.a || self.b > oldSelf.b", a_=NUMBER, b_=NUMBER)

    write = _find(version, 1)

    assert write is not None
    assert write.old is not None
    assert version.update(write.new, old=write.old).accepted
    assert write.new["spec"]["b"] > write.old["spec"]["b"]


def test_refused_old_objects_show_nothing() -> None:
    version = _version("oldSelf.a > 3 || self.b > 3", a_={**NUMBER, "maximum": 3}, b_=NUMBER)

    assert _find(version, 0) is None


def test_a_place_without_an_object_shows_nothing() -> None:
    never = {**fields(a=NUMBER), RULES: [{"rule": "has(self.a) && false"}]}
    finder = Boundaries(create_version(fields(never=never)))

    assert finder.find_deciding_write(("spec", "never"), 0, 0) is None
    assert [*finder.find_deciding(("spec", "never"), 0, finder.find_boundary(("spec", "never"), f"{RULES}[0]"))] == []


def test_the_search_ends_after_a_few_repairs_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {name: " || ".join(f"has(self.{other})" for other in "abcd" if other != name) for name in "abcd"}
    rules = [f"!has(self.{name}) || (has(self.{name}) && !({text}))" for name, text in others.items()]
    finder = Boundaries(_version(*rules, a=NUMBER, b=NUMBER, c=NUMBER, d=NUMBER))
    finder.existing(("spec",))
    run, starts = Search.run, []

    def run_and_note(search: Search, start: dict[str, Any], *, most: int) -> dict[str, Any]:
        starts.append(start)
        return run(search, start, most=most)

    monkeypatch.setattr(Search, "run", run_and_note)

    assert finder.find_deciding_write(("spec",), 0, 2) is None
    assert len(starts) == 4
