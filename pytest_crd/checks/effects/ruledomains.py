"""Rules with one result for all values of a schema, if the schema allows few values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.checks.effects import effect
from pytest_crd.checks.effects.effect import LostEffect
from pytest_crd.engine.rules.compilation import SELF
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.rulegoals.evaluation import PartEvaluator, VersionRules
from pytest_crd.synthesis.rulegoals.state import Ref, State
from pytest_crd.synthesis.schemavalues import Maker

_MOST_VALUES: Final = 256
_MOST_INTEGERS: Final = 16
_SELF: Final = re.compile(r"\b(?:self|oldSelf)\b(?:\.([A-Za-z]\w*))?")
# The function `has()` in a rule reads the presence of a field alone.
_TEST: Final = re.compile(r"\bhas\(\s*self\.([A-Za-z]\w*)\s*\)")
_SCALARS: Final = frozenset({"boolean", "integer", "number", "string"})
_ABSENT: Final = object()


def find_values(node: SchemaNode, rule: str) -> list[Any] | None:
    """
    Return the values of a node, with all combinations of the fields that a rule reads; None if there are too many to try.

    Args:
        node: The node.
        rule: The text of the rule.
    """
    domains = _find_domains(node, rule)
    if domains is None:
        return None
    combinations = list(itertools.islice(itertools.product(*domains.values()), _MOST_VALUES + 1))
    if not combinations or len(combinations) > _MOST_VALUES:
        return None
    if "" in domains:
        return [value for (value,) in combinations]
    return [
        {name: value for name, value in zip(domains, values, strict=True) if value is not _ABSENT}
        for values in combinations
    ]


def _find_domains(node: SchemaNode, rule: str) -> Mapping[str, list[Any]] | None:
    """Return the values of each field that a rule reads, of the node itself by an empty name; None if they are too many."""
    if "oldSelf" in rule or node.schema.get("nullable"):
        return None
    tested = frozenset(_TEST.findall(rule))
    read = frozenset(match[1] or "" for match in _SELF.finditer(_TEST.sub("", rule)))
    if read == {""} and not tested:
        values = _list_values(node.schema)
        return None if values is None else {"": values}
    domains = {}
    for name in sorted(tested | read):
        child = node.properties.get(name)
        values = None if child is None else _list_values(child.schema)
        if values is None and child is not None and name not in read:
            values = list(itertools.islice(Maker().find_values(Demand((child.schema,))), 1))
        if child is None or not values or child.schema.get("nullable"):
            return None
        is_always_present = name in (node.schema.get("required") or ()) or "default" in child.schema
        domains[name] = values if is_always_present else [_ABSENT, *values]
    return domains or None


def _list_values(schema: Mapping[str, Any]) -> list[Any] | None:
    """Return all values of a scalar; None if they are too many or have several types."""
    type_ = schema.get("type")
    if type_ not in _SCALARS or schema.get("x-kubernetes-int-or-string"):
        return None
    if schema.get("enum"):
        return [*schema["enum"]]
    if type_ == "boolean":
        return [False, True]
    least, most = schema.get("minimum"), schema.get("maximum")
    if type_ != "integer" or not isinstance(least, int) or not isinstance(most, int) or most - least >= _MOST_INTEGERS:
        return None
    return [*range(least, most + 1)]


def _repeats_schema(node: SchemaNode, index: int) -> bool:
    """Return whether a rule compares a single scalar, so that it may repeat an enum or a limit on purpose."""
    rule = str(node.rules[index]["rule"])
    return len({match[1] for match in _SELF.finditer(rule)}) == 1 and not _TEST.search(rule)


def find_effects(node: SchemaNode, index: int, values: list[Any], rules: VersionRules) -> Iterator[LostEffect]:
    """
    Yield the effect of a rule that holds for all *values*, or for none.

    Args:
        node: The schema of the rule; steps begin at the schema.
        index: The index of the rule.
        values: All values of the node, as `find_values` returns them.
        rules: The compiled rules of the version.
    """
    base = effect.find_steps(node.place)
    runnable = rules.at(base, index)
    assert runnable is not None  # noqa: S101 - the server accepts the CRD
    evaluator = PartEvaluator(rules, base, runnable, len(values))
    states = (State(effect.nest(node.place, value), None) for value in values)
    results = [evaluator.value(evaluator.root, state, {SELF: Ref(base)}) is True for state in states]
    steps = (*node.steps, "x-kubernetes-validations", index, "rule")
    name, count = node.path or "the whole object", len(values)
    example = effect.spell(effect.nest(node.place, values[0]))
    if all(results) and not _repeats_schema(node, index):
        text = f"{name}: the rule refuses nothing: it holds for all {count} values that the schema allows, such as {example}; correct the rule or remove it"
        yield LostEffect("alwaystrue", steps, text)
    elif not any(results):
        text = f"{name}: the rule refuses each of the {count} values that the schema allows, such as {example}; correct the rule or the schema"
        yield LostEffect("nevertrue", steps, text)
