"""Variants of the rules of a version, and a comparison of their results for a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pytest_crd.engine import CrdVersion
from pytest_crd.engine.cel import variants
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import ruletree
from pytest_crd.engine.rules.compilation import Expression
from pytest_crd.engine.rules.ruletree import RuleNode
from pytest_crd.engine.schema.schemamap import RULES

# The cost of a variant does not count.
_NO_LIMIT: Final = 2**63


class RuleVariant(NamedTuple):
    """
    A variant of a rule.

    Attributes:
        words: The place of the change, for people.
        program: Evaluates the variant.
    """

    words: str
    program: Program


class RuleVariants:
    """
    The variants of all rules of a version.

    Attributes:
        by_rule: The variants of each rule with any, by the steps of the rule in the schema.
    """

    def __init__(self, version: CrdVersion, profile: Profile) -> None:
        schema = version.schema
        root = None if schema is None else ruletree.build_stored(schema, profile, is_resource=True)
        self.by_rule: Mapping[Steps, tuple[RuleVariant, ...]] = {} if root is None else dict(_find(root, ()))

    def words(self, steps: Steps) -> tuple[str, ...]:
        """Return the places of change of the variants of the rule at *steps*."""
        return tuple(variant.words for variant in self.by_rule.get(steps, ()))

    def differing(self, outcome: RuleOutcome) -> Iterator[int]:
        """Yield the indices of the variants with another result for the value of a rule than *outcome*."""
        for index, variant in enumerate(self.by_rule.get(outcome.steps, ())):
            result = _evaluate(variant.program, outcome.variables)
            if result is not outcome.holds:
                yield index


def _evaluate(program: Program, variables: Mapping[str, Any]) -> bool | None:
    """Return the result of a variant; None if it cannot be evaluated."""
    result = program.evaluate(variables, _NO_LIMIT)
    return None if result.error is not None else result.value is True


def _find(node: RuleNode, steps: Steps) -> Iterator[tuple[Steps, tuple[RuleVariant, ...]]]:
    expressions = ((index, rule.expression) for index, rule in enumerate(node.rules))
    yield from (
        ((*steps, RULES, index), tuple(_plan(item))) for index, item in expressions if isinstance(item, Expression)
    )
    for name, child in node.properties.items():
        yield from _find(child, (*steps, "properties", name))
    for key, inner in (("items", node.items), ("additionalProperties", node.values)):
        if inner is not None:
            yield from _find(inner, (*steps, key))


def _plan(expression: Expression) -> Iterator[RuleVariant]:
    checked = expression.checked
    for root, words in variants.find_variants(checked.parsed.root):
        varied = replace(checked, parsed=replace(checked.parsed, root=root))
        yield RuleVariant(words, Program(varied, expression.environment.functions))
