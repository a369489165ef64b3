"""Advice about rules that cost more than their budget: the limits that the schema lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine import CrdVersion, Rule, profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.rule import EXPRESSION_LIMIT
from pytest_crd.engine.rules import costlimits
from pytest_crd.engine.rules.costlimits import LEAST_LENGTH, LEAST_SIZE, Remedy
from pytest_crd.engine.schema.schemamap import SchemaNode

_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")


def explain_rule(version: CrdVersion, rule: Rule) -> tuple[str, ...]:
    """Return the limits that a rule of a version needs; empty if its own cost is within the budget of one rule."""
    if rule.cost <= EXPRESSION_LIMIT:
        return ()
    *steps, _, index = rule.steps
    schema = next(node for node in version.schema_map if node.steps == tuple(steps))
    remedy = costlimits.find_remedy(
        schema,
        profile.named(version.crd.kubernetes_version),
        rule.rule,
        budget=EXPRESSION_LIMIT,
        has_optional_old_self=bool(schema.rules[int(index)].get("optionalOldSelf")),
    )
    return tuple(lines(version, remedy))


def lines(version: CrdVersion, remedy: Remedy) -> Iterator[str]:
    """Yield the limits that the schema lacks, with their lines, and the values that suffice."""
    locate, steps = version.crd.locate, declared.place_of_schema(version.crd.declared, version.name)
    for schema, keyword in remedy.missing:
        place = "" if locate is None else f" ({locate((*steps, *schema.steps), None)})"
        yield f"{schema.path or 'self'}{place} has no {keyword}: the server counts the most that fits into a request"
        if (branch := _find_branch(schema, keyword)) is not None:
            inner = "" if locate is None else f" ({locate((*steps, *branch.steps, keyword), None)})"
            yield f"its {keyword} in {branch.steps[-2]}{inner} does not count for the cost: write it beside type"
    cost = f"{remedy.estimate.cost}{describe_share(remedy.estimate.cost, remedy.estimate.values)}"
    if remedy.limits:
        limits = " and ".join(f"{keyword}: {limit}" for keyword, limit in remedy.limits.items())
        yield f"with {limits} there, it costs at most {cost}"
    elif remedy.missing:
        least = f"{LEAST_SIZE} items and {LEAST_LENGTH} characters"
        yield f"with {least} there, it still costs {cost}: loop less, or over smaller lists"
    else:
        yield "the schema has all limits: lower them, or loop less, or over smaller lists"


def _find_branch(schema: SchemaNode, keyword: str) -> SchemaNode | None:
    """Return the branch of a junctor of *schema* that has a keyword, which cost estimates do not see; None if none has it."""
    branches = (branch for junctor in _JUNCTORS for branch in schema.branches(junctor))
    return next((branch for branch in branches if keyword in branch.schema), None)


def describe_share(estimate: int, values: int) -> str:
    """Return the highest cost of an expression as a rule, for all *values* that an object may have at its place, and its share."""
    cost = estimate * values
    times = f"; {cost} for up to {values} values" if values > 1 else ""
    share = cost / EXPRESSION_LIMIT
    return f"{times}, {f'{share:.2%} of' if share <= 1 else f'{share:.0f} times'} a rule's budget"
