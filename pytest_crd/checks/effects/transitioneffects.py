"""Rules of changes that users get around: they leave the value out, and add another one later."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.checks.effects import effect
from pytest_crd.checks.effects.effect import LostEffect
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.placement import PlacedValue, Placer
from pytest_crd.synthesis.repair import Resource

_MOST_VALUES: Final = 4
_MOST_STATES: Final = 8
_OLD: Final = re.compile(r"\boldSelf\b")
# A rule that permits an absent value means to let it go.
_LENIENT: Final = re.compile(r"!\s*has\(\s*self\b|:\s*true\b|\?\s*true\b")


class Bypass(NamedTuple):
    """
    The three objects that get around a rule; each update is accepted.

    Attributes:
        old: The object that is stored first.
        without: The object without the value.
        new: The object with another value, which may not replace *old*.
    """

    old: Resource
    without: Resource
    new: Resource


def may_be_bypassed(node: SchemaNode) -> bool:
    """Return whether a rule of a node compares with the old value, and the value may be left out."""
    return any(map(_is_strict, node.rules)) and any(True for _ in _optional_places(node))


def find_effects(node: SchemaNode, placer: Placer) -> Iterator[LostEffect]:
    """Yield the effects of the rules of a node; steps begin at the schema."""
    for index, rule in enumerate(node.rules):
        if not _is_strict(rule):
            continue
        bypass = _find_bypass(placer, node, index)
        if bypass is not None:
            yield LostEffect(
                "bypass", (*node.steps, "x-kubernetes-validations", index, "rule"), _describe(node, *bypass)
            )


def _is_strict(rule: Any) -> bool:
    text = str(rule.get("rule"))
    return bool(_OLD.search(text)) and not rule.get("optionalOldSelf") and not _LENIENT.search(text)


def _optional_places(node: SchemaNode) -> Iterator[Place]:
    """Yield the places that may be left out, from the node outwards, within its item of a list or map."""
    for inner, outer in zip((node, *node.around), node.around, strict=False):
        if isinstance(inner.place[-1], Each):
            return
        name = inner.place[-1]
        if name not in (outer.schema.get("required") or ()) and "default" not in inner.schema:
            yield inner.place


def _find_bypass(placer: Placer, node: SchemaNode, index: int) -> tuple[Place, Bypass] | None:
    """Return the place of the value that is left out, and objects that get around a rule that way; None if none were found."""
    placed = placer.existing(node.place)
    if placed is None:
        return None
    for old, new in _refused_updates(placer, node.place, index, placed):
        for left_out in _optional_places(node):
            without = objectplaces.remove_value(old, placed[1][: len(left_out)])
            removed = placer.judge_of_change(node.place, old)(without)
            if removed.accepted and placer.judge_of_change(node.place, without)(new).accepted:
                return left_out, Bypass(old, without, new)
    return None


def _refused_updates(
    placer: Placer, place: Place, index: int, placed: PlacedValue
) -> Iterator[tuple[Resource, Resource]]:
    """Yield old and new objects of updates that a rule refuses."""
    judge, (stored, steps) = placer.judge(place), placed
    values = itertools.islice(placer.maker.find_values(placer.node(place)), _MOST_VALUES)
    pairs = [
        (stored, objectplaces.replace_value(stored, steps, value) if steps else {**stored, **value}) for value in values
    ]
    states = placer.goals.find_states(steps, index, wanted=False, new=stored, old=stored, hasty=True)
    solved = ((state.old, state.new) for state in itertools.islice(states, _MOST_STATES))
    for old, new in itertools.chain(pairs, solved):
        is_possible = judge(new).accepted and (old is stored or judge(old).accepted)
        if is_possible and not placer.judge_of_change(place, old)(new).accepted:
            yield old, new


def _describe(node: SchemaNode, left_out: Place, bypass: Bypass) -> str:
    name = ".".join(map(str, left_out)) if not any(isinstance(step, Each) for step in left_out) else node.path
    old, without, new = (effect.spell(item) for item in bypass)
    field, outer = left_out[-1], ".".join(str(step) for step in left_out[:-1]) or "the whole object"
    return (
        f"{node.path}: the rule does not run while {name} is left out: {old}, then {without}, then {new} are accepted; "
        f"make {field} required, or add the rule has(oldSelf.{field}) == has(self.{field}) to {outer}"
    )
