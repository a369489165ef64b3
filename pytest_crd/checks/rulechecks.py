"""Checks of the CEL rules of a version: compilation, and share of the server's budget."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import CrdVersion, Rule
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.rule import CRD_LIMIT, EXPRESSION_LIMIT
from pytest_crd.engine.loading.crdfiles import ReadCrd


def within_budget(read: ReadCrd, version: CrdVersion, *, share: float) -> CheckVerdict:
    """
    Return whether the rules of a version compile and stay within their budget.

    Args:
        read: The CRD.
        version: The version.
        share: The share of the server's budget that they may take.
    """
    rules = version.rules
    # Without lines, which take longer to find than the costs and are of no use for rules that hold.
    notes = [f"{_described(rule)}: {_cost(rule)}" for rule in rules]
    total = sum(rule.cost + rule.message_cost for rule in rules)
    of_all = (
        f"all rules of {version.name} cost at most {total:,} by estimate, {_share(total / CRD_LIMIT)} a schema's budget"
    )
    findings = [CheckFinding(_place(read, version, rule), text) for rule in rules for text in _flaws(rule, share)]
    if total > share * CRD_LIMIT:
        findings.append(CheckFinding(read.crd.source, f"{of_all}, more than {_allowed(share)}"))
    return CheckVerdict("rules that do not compile, or that cost too much", tuple(findings), notes=(*notes, of_all))


def _flaws(rule: Rule, share: float) -> Iterator[str]:
    if rule.problem:
        yield f"{_described(rule)}: {rule.problem}"
    elif rule.budget_share > share:
        yield f"{_described(rule)}: {_cost(rule)}, more than {_allowed(share)}"


def _allowed(share: float) -> str:
    return "the server takes" if share >= 1 else f"the {share * 100:.4g}% of crd_rule_budget"


def _cost(rule: Rule) -> str:
    cost = max(rule.cost, rule.message_cost)
    return f"costs at most {cost:,} by estimate, {_share(cost / EXPRESSION_LIMIT)} a rule's budget"


def _share(share: float) -> str:
    return f"{share:.2%} of" if share <= 1 else f"{share:,.1f} times"


def _described(rule: Rule) -> str:
    return f"{rule.path or 'the whole object'}: {' '.join(rule.rule.split())}"


def _place(read: ReadCrd, version: CrdVersion, rule: Rule) -> str:
    path = (*declared.place_of_schema(read.crd.declared, version.name), *rule.steps, "rule")
    return f"{read.manifest.document.source}:{read.manifest.key_line_of(*path)}"
