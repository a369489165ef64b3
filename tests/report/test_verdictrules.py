"""The table of rules: it is complete, and its pages exist."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from handbook import markdown

from pytest_crd.cases.sections import Section
from pytest_crd.checks.lints import LINTS
from pytest_crd.checks.verdict import CheckKind
from pytest_crd.classes import DivergenceKind
from pytest_crd.report import verdictrules
from pytest_crd.report.verdictrules import RULES, RuleHelp
from pytest_crd.upgrades.upgradefindings import Kind

DOCS = Path(__file__).parents[2] / "docs"


def test_every_section_check_lint_and_effect_has_its_rule() -> None:
    wanted = {verdictrules.name_section_rule(section) for section in Section}
    wanted |= {verdictrules.name_check_rule(kind) for kind in get_args(CheckKind)} | {
        verdictrules.name_lint_rule(name) for name in LINTS
    }
    wanted |= {
        verdictrules.name_upgrade_rule(kind, is_rollback=is_rollback) for kind in Kind for is_rollback in (False, True)
    }
    wanted |= {verdictrules.name_parity_rule(kind.name) for kind in DivergenceKind}
    others = {
        item for name, item in vars(verdictrules).items() if name.isupper() and isinstance(item, str) and name[0] != "_"
    }

    assert RULES.keys() == wanted | others


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_has_a_description_and_a_page(rule: RuleHelp) -> None:
    name, _, anchor = rule.page.partition("#")

    assert not anchor or anchor in markdown.anchors((DOCS / name).read_text(encoding="utf-8"))
    assert (DOCS / name).is_file()
    assert rule.uri == f"https://github.com/pytest-crd/pytest-crd/blob/main/docs/{rule.page}"
    assert not rule.short.endswith(".")
    assert rule.full.endswith(".")
    assert rule.help.endswith(".") or rule.help.endswith("`")


@pytest.mark.parametrize("is_rollback", [False, True])
@pytest.mark.parametrize("kind", Kind)
def test_an_effect_that_is_a_note_needs_no_action(kind: Kind, *, is_rollback: bool) -> None:
    rule = RULES[verdictrules.name_upgrade_rule(kind, is_rollback=is_rollback)]

    assert (rule.help == "Nothing need be done.") == (rule.level == "note")
    assert ("crd_baseline_allow" in rule.help) == (rule.level != "note")


def test_effects_have_several_levels() -> None:
    levels = {RULES[verdictrules.name_upgrade_rule(kind, is_rollback=False)].level for kind in Kind}

    assert {"note", "error"} <= levels
