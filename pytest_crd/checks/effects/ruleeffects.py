"""Rules and message expressions that fail with an evaluation error for objects that the schema allows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from pytest_crd.checks.effects import effect, ruledomains, transitioneffects
from pytest_crd.checks.effects.effect import LostEffect
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.rules.compilation import SELF, Expression
from pytest_crd.engine.schema.schemamap import Place, SchemaNode
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.exampleobjects import NoExampleError
from pytest_crd.synthesis.placement import PlacedValue, Placer
from pytest_crd.synthesis.repair import Resource
from pytest_crd.synthesis.rulegoals.evaluation import PartEvaluator, RunnableRule, VersionRules
from pytest_crd.synthesis.rulegoals.state import Ref, State
from pytest_crd.synthesis.schemavalues import Maker

_MOST_FIELDS: Final = 6
_MOST_VALUES: Final = 2
_MOST_STATES: Final = 4
_NAME: Final = re.compile(r"\.([A-Za-z_]\w*)")
# The test of a field, which cannot fail.
_TEST: Final = re.compile(r"\bhas\(\s*self\.\w+\s*\)")
_FAILURES: Final = ("no such key", "no such overload", "index out of bounds")


def find_warnings(read: ReadCrd) -> tuple[CheckFinding, ...]:
    """Return the warnings about the rules of a CRD; empty if the server refuses it."""
    return effect.find_warnings(read, _find_in_version)


def _find_in_version(read: ReadCrd, version: CrdVersion) -> Iterator[LostEffect]:
    around = declared.place_of_schema(read.crd.declared, version.name)
    trials = _Trials(version)
    for node in version.schema_map:
        if node.rules and node.meta_of is None:
            for item in _find_in_node(node, trials):
                yield item._replace(steps=(*around, *item.steps))


def _find_in_node(node: SchemaNode, trials: _Trials) -> Iterator[LostEffect]:
    if any(_may_fail(node, rule) for rule in node.rules):
        yield from _find_effects(node, trials.rules, lambda: trials.placer)
    for index, rule in enumerate(node.rules):
        if (values := ruledomains.find_values(node, str(rule.get("rule")))) is not None:
            yield from ruledomains.find_effects(node, index, values, trials.rules)
        if _may_fail(node, rule, "messageExpression") and trials.placer is not None:
            yield from _find_failed_message(node, index, trials.rules, trials.placer)
    if transitioneffects.may_be_bypassed(node) and trials.placer is not None:
        yield from transitioneffects.find_effects(node, trials.placer)


class _Trials:
    """Objects and compiled rules of a version, made when the first rule needs them."""

    def __init__(self, version: CrdVersion) -> None:
        self._version = version

    @cached_property
    def rules(self) -> VersionRules:
        """The compiled rules."""
        return VersionRules(self._version)

    @cached_property
    def placer(self) -> Placer | None:
        """The source of objects; None if no accepted object is known."""
        try:
            return Placer(self._version)
        except NoExampleError:
            return None


def _may_fail(node: SchemaNode, rule: Any, key: str = "rule") -> bool:
    """Return whether an expression of a rule for creates reads an optional field, or an item by its index."""
    text = str(rule.get(key) or "")
    if "oldSelf" in f"{text}{rule.get('rule')}":
        return False
    return "[" in text or bool(_optional_fields(node, _TEST.sub("", text)))


def _find_effects(
    node: SchemaNode, rules: VersionRules, find_placer: Callable[[], Placer | None]
) -> Iterator[LostEffect]:
    """Yield the effects of the rules of a node; steps begin at the schema."""
    demand, base = Demand.of_version(rules.version).at(node.place), effect.find_steps(node.place)
    for index, rule in enumerate(node.rules):
        if not _may_fail(node, rule) or (runnable := rules.at(base, index)) is None:
            continue
        for value in _find_values(demand, _optional_fields(node, str(rule["rule"]))):
            failure = _failure(runnable, rules, node.place, base, value)
            if (
                failure
                and (placer := find_placer()) is not None
                and (example := _confirm(placer, node.place, index, value))
            ):
                yield LostEffect(
                    "evaluationerror",
                    (*node.steps, "x-kubernetes-validations", index, "rule"),
                    _describe(node, *example),
                )
                break


def _find_failed_message(node: SchemaNode, index: int, rules: VersionRules, placer: Placer) -> Iterator[LostEffect]:
    """Yield the effect of a message expression that fails for an object that its rule refuses; steps begin at the schema."""
    base, rule = effect.find_steps(node.place), node.rules[index]
    runnable = rules.at(base, index)
    assert runnable is not None  # noqa: S101 - the server accepts the CRD
    expression = runnable.rule.message_expression
    assert isinstance(expression, Expression)  # noqa: S101 - as above
    if (placed := placer.existing(node.place)) is None:
        return
    demand = Demand.of_version(rules.version).at(node.place)
    fields = _optional_fields(node, f"{rule['rule']} {rule['messageExpression']}")
    values = (_insert(placer, node.place, value) for value in _find_values(demand, fields))
    states = placer.goals.find_states(placed[1], index, wanted=False, new=placed[0], hasty=True)
    solved = ((state.new, placed[1]) for state in itertools.islice(states, _MOST_STATES))
    for resource, steps in filter(None, itertools.chain(values, solved)):
        evaluator = PartEvaluator(rules, steps, replace(runnable, expression=expression), 1)
        failure = evaluator.value(evaluator.root, State(resource, None), {SELF: Ref(steps)})
        errors = placer.judge(node.place)(resource).errors
        own = [error for error in errors if error.origin is not None and error.origin.inner == (index,)]
        is_refused = any(error.rule is not None and error.rule.was_evaluated for error in own)
        if isinstance(failure, EvaluationError) and is_refused:
            yield LostEffect(
                "messageerror",
                (*node.steps, "x-kubernetes-validations", index, "messageExpression"),
                f"{node.path or 'the whole object'}: the messageExpression cannot be evaluated for {effect.spell(resource)}, which the rule refuses: "
                f"{failure}; the server prints {own[0].detail!r} instead; test the field with has() in the messageExpression",
            )
            return


def _optional_fields(node: SchemaNode, text: str) -> tuple[str, ...]:
    """Return the names in a rule of fields of its value that may be absent."""
    names = dict.fromkeys(_NAME.findall(text))
    required = node.schema.get("required") or ()
    fields = (name for name in names if name in node.properties or _is_nested(node, name))
    return tuple(
        itertools.islice((name for name in fields if name not in required or _is_nested(node, name)), _MOST_FIELDS)
    )


def _is_nested(node: SchemaNode, name: str) -> bool:
    """Return whether a field has an optional field with the name."""
    return any(
        name in child.properties and name not in (child.schema.get("required") or ())
        for field in node.properties.values()
        for child in (field, field.items)
        if child is not None
    ) or (
        node.items is not None
        and name in node.items.properties
        and name not in (node.items.schema.get("required") or ())
    )


def _find_values(demand: Demand, fields: tuple[str, ...]) -> Iterator[Any]:
    """Yield the smallest value, then values with some of the optional *fields*."""
    maker = Maker()
    values = list(itertools.islice(maker.find_values(demand), _MOST_VALUES))
    yield from values
    smallest = values[0] if values else None
    if not isinstance(smallest, dict):
        return
    choices = {
        name: list(itertools.islice(maker.find_values(child), _MOST_VALUES))
        for name in fields
        if (child := demand.field(name)) is not None and name not in smallest
    }
    for name, values_of_field in choices.items():
        yield from ({**smallest, name: value} for value in values_of_field)
    if len(choices) > 1:
        everything = {
            **smallest,
            **{name: values_of_field[-1] for name, values_of_field in choices.items() if values_of_field},
        }
        yield everything
        for name in choices:
            yield {key: value for key, value in everything.items() if key != name}


def _failure(runnable: RunnableRule, rules: VersionRules, place: Place, base: tuple[str | int, ...], value: Any) -> str:
    """Return the evaluation error of a rule for a value; empty for other errors, and without an error."""
    evaluator = PartEvaluator(rules, base, runnable, 1)
    result = evaluator.value(evaluator.root, State(effect.nest(place, value), None), {SELF: Ref(base)})
    failure = str(result) if isinstance(result, EvaluationError) else ""
    return failure if failure.startswith(_FAILURES) else ""


def _insert(placer: Placer, place: Place, value: Any) -> PlacedValue | None:
    return placer.insert_value(place, value) if place else ({**placer.start, **value}, ())


def _confirm(placer: Placer, place: Place, index: int, value: Any) -> tuple[Resource, FieldError] | None:
    """Return a refused object with the value, and its error; None if the object has other errors."""
    placed = _insert(placer, place, value)
    if placed is None:
        return None
    errors = placer.judge(place)(placed[0]).errors
    is_alone = all(error.rule is not None and not error.rule.was_evaluated for error in errors)
    own = [error for error in errors if error.origin is not None and error.origin.inner == (index,)]
    return (placed[0], own[0]) if own and is_alone else None


def _describe(node: SchemaNode, resource: Resource, error: FieldError) -> str:
    reason = str(error.rule.lines[0]) if error.rule is not None and error.rule.lines else ""
    return f"{node.path or 'the whole object'}: the rule cannot be evaluated for {effect.spell(resource)}, which the schema allows: {error.detail or reason}; test the field with has() before the rule reads it"
