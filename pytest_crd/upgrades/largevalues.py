"""
Large values: values as large as a schema allows, for rules that may cost too much.

The server estimates the cost of a rule when it takes the CRD. At run time the limits are lower, and a rule that exceeds them refuses the
object.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine import CrdVersion
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT
from pytest_crd.engine.rules.evaluation import BUDGET
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.synthesis import mutations, texts
from pytest_crd.synthesis.demands import ANYTHING, Demand
from pytest_crd.synthesis.schemavalues import Maker
from pytest_crd.upgrades.schemadifferences import Difference

# The size of an object in characters; etcd stores no objects of more than 1.5 MiB.
_ROOM: Final = 1_000_000
# Longer texts for a pattern take long to make.
_LONGEST_MATCHING: Final = 10_000
_MOST_ITEMS: Final = 10_000


def find_costly_values(
    old: Demand, new: CrdVersion, difference: Difference, differences: Iterable[Difference]
) -> Iterator[tuple[Place, Any]]:
    """
    Yield large values with their places, if a new rule, or all rules together, may cost too much.

    Args:
        old: The demand of the old CRD on the whole object.
        new: The version of the new CRD.
        difference: The difference of a rule.
        differences: All differences between the schemas; one object for all new rules in a list or map is enough.
    """
    place, rules = difference.place, new.rules
    if difference.after is None:
        return
    text = difference.after["rule"]
    costs = [rule.cost for rule in rules if (rule.path, rule.rule) == (schemamap.spelled(place), text)]
    if max(costs, default=0) > COST_LIMIT:
        yield from ((place, value) for value in find_large_values(old.at(place), mutations.find_names(text)))
    outermost = tuple(itertools.takewhile(lambda step: not isinstance(step, Each), place))
    others = [item for item in differences if _is_new_rule(item, outermost)]
    if sum(rule.cost for rule in rules) > BUDGET and difference == others[0]:
        names = {step for item in others for step in item.place if isinstance(step, str)}
        names.update(*(mutations.find_names(item.after["rule"]) for item in others))
        yield from ((outermost, value) for value in find_large_values(old.at(outermost), names))


def _is_new_rule(difference: Difference, outermost: Place) -> bool:
    is_below = difference.place[: len(outermost)] == outermost
    return difference.keyword == RULES and difference.after is not None and is_below


def find_large_values(demand: Demand, names: AbstractSet[str]) -> list[Any]:
    """
    Return large values, with different and with equal items.

    Args:
        demand: The demand on the value.
        names: The identifiers of the rules; fields that they do not name are left out.
    """
    different, equal = (_Large(names, is_distinct).make(demand, _ROOM) for is_distinct in (True, False))
    return [different] if different == equal else [different, equal]


@dataclass(frozen=True, slots=True)
class _Large:
    """
    A maker of large values.

    Attributes:
        names: The identifiers of the rule.
        is_distinct: Whether the items of lists differ.
    """

    names: AbstractSet[str]
    is_distinct: bool

    def make(self, demand: Demand, room: int, index: int = 0) -> Any:
        """Return a value with about *room* characters at most; values with different *index* differ if possible."""
        node = next(demand.alternatives())
        if node.enum:
            return node.enum[index % len(node.enum)]
        if node.type == "object":
            return self._make_object(node, room, index)
        if node.type == "array":
            return self._make_list(node, room)
        if node.type == "string":
            return _make_text(node, room, index)
        values = [*itertools.islice(Maker(full=True).find_values(node), 2)]
        number = values[0] + index if node.type in {"integer", "number"} else None
        return number if number is not None and node.number.fits(number) else values[index % len(values)]

    def _make_object(self, node: Demand, room: int, index: int) -> dict[str, Any]:
        fields = {
            name: child
            for name, child in node.properties.items()
            if name in node.required or mutations.is_named(name, self.names)
        }
        made = {name: self.make(child, room // len(fields), index) for name, child in fields.items()}
        if node.values is None:
            return made
        count = self._count(node.values, room, node.most("maxProperties"))
        return made | {f"key{i}": self.make(node.values, room // count, i) for i in range(count - len(made))}

    def _make_list(self, node: Demand, room: int) -> list[Any]:
        items = node.items or ANYTHING
        count = self._count(items, room, node.most("maxItems"))
        is_distinct = self.is_distinct or node.is_unique
        return [self.make(items, room // count, number if is_distinct else 0) for number in range(count)]

    def _count(self, demand: Demand, room: int, most: int | None) -> int:
        """Return the number of values of *demand* that fit in *room*; at least 1."""
        wanted = max(1, _MOST_ITEMS if most is None else min(most, _MOST_ITEMS))
        size = len(json.dumps(self.make(demand, room // wanted)))
        return min(wanted, max(1, room // size))


def _make_text(node: Demand, room: int, index: int) -> str:
    most = node.text.most
    length = max(node.text.least, room if most is None else min(most, room))
    if node.text.patterns or node.text.format:
        made = texts.find_texts_of_length(node.text, min(length, _LONGEST_MATCHING))
        found = [*dict.fromkeys(text for text in (*made, *texts.find_texts(node.text)) if node.text.matches(text))]
        return found[index % len(found)] if found else ""
    return str(index).rjust(length, "a")[-length:] if length else ""
