"""
Dependent rules: rules and junctors that read a changed place, such as a field with another default.

The rule stays as it is, but its result changes with the value that the server puts there. The solver makes the rule false under the new
CRD while the changed field is absent; the object is then repaired for the old CRD.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine import CrdVersion, Response
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.crds import declared
from pytest_crd.engine.rules.compilation import OLD_SELF
from pytest_crd.engine.rules.escaping import escape
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Each, Place, SchemaNode
from pytest_crd.synthesis import Boundaries, objectplaces, repair
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.repair import Keep, KeepAll, NotFoundError, Search
from pytest_crd.synthesis.rulegoals import ruleparts, rulereads
from pytest_crd.synthesis.rulegoals.ruleproofs import Proof, Side
from pytest_crd.synthesis.rulegoals.rulestates import RuleGoals
from pytest_crd.upgrades import schemadifferences
from pytest_crd.upgrades.objectcandidates import Candidate
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Resource

# Keywords that change the value of an absent field, and of a field with null.
_OF_ABSENT: Final = frozenset({"default", "nullable", schemadifferences.ADDED, schemadifferences.REMOVED})
# Keywords that change another value that a rule reads, or its type.
_OF_PRESENT: Final = frozenset(
    {
        *("type", "format", "x-kubernetes-int-or-string", "x-kubernetes-list-type"),
        *("x-kubernetes-preserve-unknown-fields", "additionalProperties"),
    }
)
# The number of states to try, and of states to repair for the old CRD, with the number of trials for each.
_MOST_STATES: Final = 60
_REPEATED: Final = (2, 3, 4, 6, 10)
_MOST_REPAIRED: Final = 8
_MOST_TRIALS: Final = 40
JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_TRUE: Final = "true"
_COMPARED: Final = {
    "minimum": "{0} >= {1}",
    "maximum": "{0} <= {1}",
    "minLength": "size({0}) >= {1}",
    "maxLength": "size({0}) <= {1}",
    "minItems": "size({0}) >= {1}",
    "maxItems": "size({0}) <= {1}",
    "pattern": "{0}.matches({1})",
}
_NUMBERS: Final = frozenset({"minimum", "maximum"})
# Keywords without an effect on the values of a branch.
_IGNORED: Final = frozenset({"type", "description", "title", "nullable"})


@dataclass(frozen=True, slots=True)
class DependentRule:
    """
    A rule or junctor that reads a changed place.

    Attributes:
        place: The place of the rule.
        index: The index of the rule there, behind all own rules for a junctor.
        keyword: The junctor; `x-kubernetes-validations` for a rule.
        text: The rule.
        uses_old: Whether the rule reads the object that is replaced.
        reads: The reads of the rule.
    """

    place: Place
    index: int
    keyword: str
    text: str
    uses_old: bool
    reads: tuple[rulereads.RuleRead, ...]

    def refuses(self, effect: Effect) -> bool:
        """Return True if the rule causes a refusal."""
        if self.keyword == RULES:
            return (effect.origin, effect.cause) == (self.place, self.text)
        return effect.place == self.place and effect.cause.rpartition("/")[2] == self.keyword


class DependentRules:
    """The dependent rules of an upgrade of one version, and objects that they may refuse."""

    def __init__(self, old: Subject, new: Subject, sides: tuple[Boundaries, Boundaries]) -> None:
        """Create for an upgrade; *sides* make objects that the old and the new CRD accept."""
        self._old, self._new = old, new
        self._sides = sides
        self._rules: dict[Place, tuple[DependentRule, ...]] = {}

    def find(self, difference: Difference) -> Iterator[DependentRule]:
        """Yield the rules and junctors of the new CRD that read the place of a difference, if it changes values."""
        names = (self._old.version.name, self._new.version.name)
        if difference.keyword not in _OF_ABSENT | _OF_PRESENT or difference.versions != names:
            return
        is_added = difference.keyword == schemadifferences.ADDED  # its own rules are new, too
        for depth in range(len(difference.place) + (not is_added)):
            outer, inner = difference.place[:depth], difference.place[depth:]
            yield from (rule for rule in self._rules_at(outer) if any(read.depends_on(inner) for read in rule.reads))

    def find_candidates(self, rule: DependentRule, difference: Difference) -> Iterator[Candidate]:
        """Yield objects that the old CRD accepts and *rule* may refuse because of a difference."""
        for resource, steps in self._starts(difference):
            if rule.uses_old:
                yield Candidate(resource, resource)  # the same manifest is sent again
            fixed = steps if difference.keyword in _OF_ABSENT else None
            yield from self._solve(rule, resource, steps, fixed)
            yield from self._try_defaults(rule, difference, resource, steps)
            yield from _repeat_items(resource, steps)

    def find_accepted(self, difference: Difference) -> Iterator[Candidate]:
        """Yield objects that lack a field with another default, changed elsewhere so that the old CRD accepts them."""
        if difference.keyword == "default" and difference.versions == (self._old.version.name, self._new.version.name):
            for resource, steps in self._starts(difference):
                yield from self._repair(resource, (), steps)

    def find_refused(self, difference: Difference) -> Iterator[Candidate]:
        """Yield objects that the old CRD accepts, changed elsewhere for that, and a new rule of *difference* refuses."""
        if difference.keyword != RULES or difference.versions != (self._old.version.name, self._new.version.name):
            return
        for rule in self._rules_at(difference.place):
            if rule.keyword == RULES and difference.has_rule(rule.text, rule.place):
                for resource, steps in self._starts(difference):
                    yield from self._solve(rule, resource, steps, None)

    def is_harmless(self, rule: DependentRule, difference: Difference, differences: Sequence[Difference]) -> bool:
        """Return True if it is proven that *difference*, alone of all, changes no result of *rule* to false."""
        changed = {item.place for item in differences if rule in self.find(item)}
        if rule.uses_old or difference.keyword not in _OF_ABSENT or changed != {difference.place}:
            return False
        starts = [*self._starts(difference)]
        return bool(starts) and all(self._is_proven(rule, difference, *start) for start in starts)

    def _is_proven(self, rule: DependentRule, difference: Difference, resource: Resource, steps: Steps) -> bool:
        base, depth = steps[: len(rule.place)], len(rule.place)
        before = next((item for item in _find_rules(self._goals[0], rule.place) if item.text == rule.text), None)
        if before is None:
            return False
        first, second = self._goals[0].evaluator(base, before.index), self._goals[1].evaluator(base, rule.index)
        assert first is not None  # noqa: S101 - it was found
        assert second is not None  # noqa: S101 - as above
        sides = Side(first, resource, base), Side(second, resource, base)
        return Proof(sides[0], sides[1], difference.place[depth:], steps[depth:]).holds()

    def _rules_at(self, place: Place) -> tuple[DependentRule, ...]:
        if place not in self._rules:
            node = self._new.version.schema_map.at(place)
            has_some = node is not None and (node.rules or any(map(node.schema.get, JUNCTORS)))
            self._rules[place] = tuple(_find_rules(self._goals[1], place)) if has_some else ()
        return self._rules[place]

    @functools.cached_property
    def _goals(self) -> tuple[RuleGoals, RuleGoals]:
        old, new = (side.placer for side in self._sides)
        return (
            RuleGoals(_with_junctor_rules(old.version), old.root, old.maker),
            RuleGoals(_with_junctor_rules(new.version), new.root, new.maker),
        )

    def _starts(self, difference: Difference) -> Iterator[tuple[Resource, Steps]]:
        """Yield objects with the steps of the changed place, which is absent if a default changes."""
        place = difference.place
        for side in self._sides:
            placed = side.existing(place) or _place_without(side, place)
            if placed is None:
                continue
            resource, steps = placed
            is_kept = difference.keyword in {*_OF_PRESENT, RULES} or not steps or isinstance(steps[-1], int)
            is_absent = bool(objectplaces.split_path(resource, steps)[1])
            yield resource if is_kept or is_absent else objectplaces.remove_value(resource, steps), steps
            if difference.keyword == "nullable" or (difference.keyword == "default" and steps):
                yield objectplaces.replace_value(resource, steps, None), steps

    def _solve(self, rule: DependentRule, resource: Resource, steps: Steps, fixed: Steps | None) -> Iterator[Candidate]:
        """Yield objects for which the solver makes *rule* false under the new CRD; the old CRD accepts them."""
        base = steps[: len(rule.place)]
        first = self._old.write(resource) if rule.uses_old else None
        if first is not None and not first.accepted:
            return
        old, stored = (None, None) if first is None else (first.stored, resource)
        states = self._goals[1].find_states(base, rule.index, wanted=False, new=resource, old=old, fixed=fixed)
        refused = []
        for state in itertools.islice(states, _MOST_STATES):
            answer = self._judge(state.new) if stored is None else self._old.overwrite(state.new, old or {})
            if answer.accepted:
                yield Candidate(state.new, stored)
            else:
                refused.append(state)
        for state in refused[:_MOST_REPAIRED] if stored is None else ():
            yield from self._repair(state.new, [mutation.steps for mutation in state.mutations], fixed)

    def _try_defaults(
        self, rule: DependentRule, difference: Difference, resource: Resource, steps: Steps
    ) -> Iterator[Candidate]:
        """Yield objects in which another field that a rule reads has a value of the old or the new default."""
        depth = len(rule.place)
        fields = {read.steps for read in rule.reads if not read.depends_on(difference.place[depth:])}
        for field in fields:
            path = (*steps[:depth], *(step for step in field if step is not None))
            demand = self._new.root.at(path)
            for value in _find_values(difference):
                if len(path) == depth + len(field) and demand.fits(value):
                    yield Candidate(objectplaces.replace_value(resource, path, value))

    def _judge(self, resource: Resource) -> Response:
        return self._old.write(resource, field_validation="Strict")

    def _repair(self, resource: Resource, kept: Iterable[Steps], fixed: Steps | None) -> Iterator[Candidate]:
        """Yield *resource* with changes beside the *kept* places, so that the old CRD accepts it; nothing if that fails."""
        absent = () if fixed is None else (Keep(fixed, within=True),)
        keep = KeepAll((*map(Keep, kept), *absent))
        search = Search(self._judge, repair.acceptance, self._sides[0].placer.mutator.find_changes, keep=keep)
        with contextlib.suppress(NotFoundError):
            yield Candidate(search.run({**resource}, most=_MOST_TRIALS))


def _place_without(side: Boundaries, place: Place) -> tuple[Resource, Steps] | None:
    """Return an object without the field at *place*, such as a field that no object may have; None if it is no field."""
    *outer, name = place
    placed = None if isinstance(name, Each) else side.existing(tuple(outer))
    return None if placed is None or isinstance(name, Each) else (placed[0], (*placed[1], name))


def _find_values(difference: Difference) -> Iterator[Any]:
    """Yield the values in the old and the new default of a field."""
    for side in (difference.before, difference.after):
        default = side if difference.keyword == "default" else side.get("default") if isinstance(side, dict) else None
        for steps in objectplaces.all_steps(default):
            yield objectplaces.get_value(default, steps)


def _repeat_items(resource: Resource, steps: Steps) -> Iterator[Candidate]:
    """Yield objects in which an item around a changed place is repeated."""
    for depth in (index for index, step in enumerate(steps) if isinstance(step, int)):
        items = objectplaces.get_value(resource, steps[:depth])
        repeated = (items[:1] * count for count in _REPEATED)
        yield from (Candidate(objectplaces.replace_value(resource, steps[:depth], many)) for many in repeated)


def _find_rules(goals: RuleGoals, place: Place) -> Iterator[DependentRule]:
    """Yield the rules and junctors at a place."""
    node = goals.version.schema_map.at(place)
    # A step into any item, or into the value of any key.
    base = tuple("" if step is Each.VALUE else 0 if step is Each.ITEM else step for step in place)
    rules, junctors = ((), []) if node is None else (node.rules, list(_find_junctors(node)))
    count = len(rules) - len(junctors)
    for index, rule in enumerate(rules):
        evaluator = goals.evaluator(base, index)
        if evaluator is not None:
            keyword = RULES if index < count else junctors[index - count][0]
            names = {part.name for part in ruleparts.every(evaluator.root) if isinstance(part, ast.Identifier)}
            reads = tuple(rulereads.find_reads(evaluator.root))
            yield DependentRule(place, index, keyword, rule["rule"], OLD_SELF in names, reads)


def _with_junctor_rules(version: CrdVersion) -> CrdVersion:
    """Return a version in which the junctors of a value are rules, too, behind its own."""
    manifest: Any = version.crd.declared
    schema = declared.place_of_schema(manifest, version.name)
    for node in version.schema_map:
        if node.is_structural and (junctors := list(_find_junctors(node))):
            rules = [*node.rules, *({"rule": text} for _, text in junctors)]
            manifest = objectplaces.replace_value(manifest, (*schema, *schemamap.steps_of(node.place), RULES), rules)
    return version if manifest is version.crd.declared else version.crd.altered(manifest).version(version.name)


def _find_junctors(node: SchemaNode) -> Iterator[tuple[str, str]]:
    """Yield the junctors of a value that can be translated, with their rules."""
    for junctor in JUNCTORS:
        if node.schema.get(junctor) and (text := translate_junctor(junctor, node.schema[junctor], node.schema)):
            yield junctor, text


class _UntranslatableError(Exception):
    """A keyword has no rule."""


def translate_junctor(junctor: str, value: Any, types: Mapping[str, Any]) -> str | None:
    """
    Return a rule that is true for the values that a junctor accepts; None if it has no such rule.

    Args:
        junctor: The junctor.
        value: Its branches; for `not`, its schema.
        types: The structural schema of the values.
    """
    try:
        return _conjunction(_translate({junctor: value}, types, "self"))
    except _UntranslatableError:
        return None


def _conjunction(parts: Iterator[str]) -> str:
    return " && ".join(f"({part})" for part in parts) or _TRUE


def _translate(schema: Mapping[str, Any], types: Mapping[str, Any], value: str) -> Iterator[str]:
    """Yield the conditions of a branch on the value that the expression *value* selects."""
    for keyword, argument in schema.items():
        if keyword == "required":
            yield from (f"has({value}.{_escape(name)})" for name in argument)
        elif keyword == "properties":
            for name, branch in argument.items():
                field = f"{value}.{_escape(name)}"
                inner = _conjunction(_translate(branch, (types.get("properties") or {}).get(name) or {}, field))
                yield f"!has({field}) || {inner}"
        elif keyword in JUNCTORS:
            yield _translate_junctor(keyword, argument, types, value)
        elif keyword == "enum":
            yield f"{value} in [{', '.join(_literal(item, types) for item in argument)}]"
        elif keyword in _COMPARED and types.get("type"):
            yield _COMPARED[keyword].format(value, _literal(argument, types if keyword in _NUMBERS else {}))
        elif keyword not in _IGNORED:
            raise _UntranslatableError(keyword)


def _translate_junctor(junctor: str, argument: Any, types: Mapping[str, Any], value: str) -> str:
    branches = [argument] if junctor == "not" else argument
    conditions = [_conjunction(_translate(branch, types, value)) for branch in branches]
    if junctor == "not":
        return f"!({conditions[0]})"
    if junctor == "oneOf":
        return f"{' + '.join(f'(({condition}) ? 1 : 0)' for condition in conditions)} == 1"
    return (" && " if junctor == "allOf" else " || ").join(f"({condition})" for condition in conditions)


def _escape(name: str) -> str:
    escaped = escape(name)
    if escaped is None:
        raise _UntranslatableError(name)
    return escaped


def _literal(value: Any, types: Mapping[str, Any]) -> str:
    if isinstance(value, dict | list) or value is None:
        raise _UntranslatableError(value)
    if types.get("type") == "number":
        return repr(float(value))
    # CEL reads the escapes of JSON.
    return json.dumps(value, ensure_ascii=False)
