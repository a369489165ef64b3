"""Mutations: changes to one part of an object that an error suggests."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.engine.errors.origin import FailedRule
from pytest_crd.synthesis import matchingtexts, objectchanges, objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectchanges import ABSENT, Change, Mutation, value_at
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.rulegoals.rulestates import RuleGoals
from pytest_crd.synthesis.schemavalues import KEYS, Maker

_TEXT: Final = re.compile(r"""r?("(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?)""")
_MATCHES: Final = re.compile(r"""matches\(\s*r?("(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?)""")
_ESCAPED: Final = re.compile(r"\\(['\"\\])")
_MOST_TEXTS: Final = 8
_NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
# A rule about the whole value: `self == oldSelf`.
_WHOLE: Final = re.compile(r"\bself\b\s*+(?![.\[?])")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_MOST_VALUES: Final = 12
# The depth below a rule's value to which its fields are searched.
_DEEPEST: Final = 4
_OF_RESOURCE: Final = frozenset({("apiVersion",), ("kind",), ("metadata",)})
_NAME_OF_RESOURCE: Final = ("metadata", "name")
_A_TEXT: Final = Demand(({"type": "string"},))
# The number of solutions of a rule that are tried before the values in its text.
_MOST_SOLVED: Final = 12


@dataclass(frozen=True, slots=True)
class Mutator:
    """
    A source of mutations.

    Attributes:
        root: The demand on the whole object.
        maker: The source of values.
        goals: The solver of rules; None if no version is known.
    """

    root: Demand
    maker: Maker
    goals: RuleGoals | None = None

    @classmethod
    def of_version(cls, version: engine.CrdVersion, root: Demand, maker: Maker) -> Mutator:
        """Return a mutator for the objects of a version."""
        return cls(root, maker, RuleGoals(version, root, maker))

    def find_changes(self, resource: Any, error: engine.FieldError | None) -> Iterator[Change]:
        """Yield changes that may remove *error*, the likeliest first; nothing without an error."""
        if error is None:
            return
        if error.rule is not None:
            reached, _ = _place(resource, error)
            base = reached[: _depth(error.rule.steps)]
            yield from itertools.islice(self._solve_rule(resource, base, error.rule), _MOST_SOLVED)
            yield from self.vary_rule_values(resource, base, error.rule.text)
            return
        steps, missing = _place(resource, error)
        yield from self._add_field(resource, steps, missing)
        yield from self.vary_value(resource, steps)
        if steps:
            yield from self.vary_value(resource, steps[:-1])

    def _solve_rule(self, resource: Any, base: Steps, rule: FailedRule) -> Iterator[Change]:
        """Yield changes that make a rule true."""
        if self.goals is not None:
            index = int(rule.steps[-1])
            for state in self.goals.find_states(base, index, wanted=True, new=resource, hasty=True):
                yield state.change

    def _add_field(self, resource: Any, steps: Steps, missing: Steps) -> Iterator[Mutation]:
        """Yield mutations that add the first field of *missing*, the unmatched end of a path."""
        if missing and isinstance(objectplaces.get_value(resource, steps), dict):
            values = self.maker.find_values(self.root.at((*steps, missing[0])))
            yield from (Mutation((*steps, missing[0]), value) for value in itertools.islice(values, _MOST_VALUES))

    def vary_value(self, resource: Any, steps: Steps) -> Iterator[Mutation]:
        """Yield mutations of the value at *steps*: other values, one field more or less, and its removal."""
        node, value = self.root.at(steps), value_at(resource, steps)
        if value is ABSENT or steps[:1] in _OF_RESOURCE:
            return
        if isinstance(value, dict):
            yield from self._vary_fields(steps, node, value)
        if steps:
            yield from (
                Mutation(steps, candidate)
                for candidate in itertools.islice(self.maker.find_values(node), 1, _MOST_VALUES)
            )
            yield Mutation(steps)
        if isinstance(value, list):
            yield from self._vary_length(steps, node, value)

    def _vary_fields(self, steps: Steps, node: Demand, value: dict[str, Any]) -> Iterator[Mutation]:
        for name in value:
            if name not in node.structure.get("required", ()) and (*steps, name) not in _OF_RESOURCE:
                yield Mutation((*steps, name))
        for name, child in node.properties.items():
            if name not in value:
                yield Mutation((*steps, name), self.maker.first(child))
        if node.values is not None:
            more = (Mutation((*steps, key), self.maker.first(node.values)) for key in KEYS if key not in value)
            yield from itertools.islice(more, 1)

    def _vary_length(self, steps: Steps, node: Demand, value: list[Any]) -> Iterator[Mutation]:
        if value:
            yield Mutation(steps, [*value, value[-1]])
        for count in (len(value) + 1, len(value) - 1, 1, 2):
            if 0 <= count != len(value) and (items := self.maker.items(node, count)) is not None:
                yield Mutation(steps, items)

    def vary_rule_values(self, resource: Any, base: Steps, text: str) -> Iterator[Mutation]:
        """Yield mutations of the fields in a rule on the value at *base*: values from the rule, then others that the schema allows."""
        names = find_names(text)
        literals = find_literals(text)
        node = self.root.at(base)
        fields = list(self._find_rule_fields(resource, base, node, names))
        values = [value for steps, _ in fields if (value := value_at(resource, steps)) is not ABSENT]
        yield from objectchanges.take_turns(
            self._try_values(resource, steps, child, [*literals, *values]) for steps, child in fields
        )
        if _WHOLE.search(text):
            yield from self.vary_value(resource, base)

    def _find_rule_fields(
        self, resource: Any, base: Steps, node: Demand, names: AbstractSet[str]
    ) -> Iterator[tuple[Steps, Demand]]:
        """Yield the fields below *base* that a rule with the identifiers *names* may use, including absent fields."""
        if not base and "metadata" in names:
            yield _NAME_OF_RESOURCE, _A_TEXT
        level = [(base, node)]
        for _ in range(_DEEPEST):
            inner = [child for steps, parent in level for child in _children(resource, steps, parent)]
            named = [
                (steps, child)
                for steps, child in inner
                if isinstance(steps[-1], int) or is_named(steps[-1], names) or not _is_property(self.root, steps)
            ]
            yield from (field for field in named if field[0][:1] not in _OF_RESOURCE)
            level = named
        if base:
            yield base, node

    def _try_values(self, resource: Any, steps: Steps, node: Demand, candidates: list[Any]) -> Iterator[Mutation]:
        """Yield mutations of the value at *steps*: *candidates* and their neighbours, then other values of its type."""
        value = value_at(resource, steps)
        if value is not ABSENT and isinstance(steps[-1], str):
            yield Mutation(steps)
        for candidate in candidates:
            if node.fits(candidate):
                yield Mutation(steps, candidate)
                if isinstance(candidate, int | float) and not isinstance(candidate, bool):
                    yield Mutation(steps, candidate + 1)
                    yield Mutation(steps, candidate - 1)
            elif node.type == "array" and node.items is not None and node.items.fits(candidate):
                yield Mutation(steps, [candidate])
                if isinstance(value, list):
                    yield Mutation(steps, [*value, candidate])
        yield from (
            Mutation(steps, candidate) for candidate in itertools.islice(self.maker.find_values(node), _MOST_VALUES)
        )
        if isinstance(value, list):
            yield from self._vary_length(steps, node, value)
        if node.values is not None:
            yield from self._add_keys(steps, node, node.values, candidates)

    def _add_keys(self, steps: Steps, node: Demand, values: Demand, candidates: list[Any]) -> Iterator[Mutation]:
        """Yield mutations that add a key from *candidates* to a map, with a value from *candidates*."""
        for key in candidates:
            if isinstance(key, str) and key not in node.properties:
                named = [candidate for candidate in candidates if values.fits(candidate) and candidate != key]
                yield from (Mutation((*steps, key), value) for value in [*named, self.maker.first(values)])


def _place(resource: Any, error: engine.FieldError) -> tuple[Steps, Steps]:
    """Return the steps of the nearest existing value that an error is about, and the rest of the error's path."""
    return objectplaces.split_path(resource, error.path.steps if error.path is not None else ())


def _depth(rule_steps: Steps) -> int:
    """Return the depth in an object of the values of the rule at *rule_steps* in the schema."""
    depth, steps = 0, iter(rule_steps)
    for step in steps:
        if step == "properties":
            next(steps)
            depth += 1
        elif step in {"items", "additionalProperties"}:
            depth += 1
    return depth


def find_names(text: str) -> set[str]:
    """Return the identifiers in a rule."""
    return set(_NAME.findall(_TEXT.sub(" ", text)))


def is_named(field: str, names: AbstractSet[str]) -> bool:
    """Return True if a rule with the identifiers *names* may use *field*; names that are no CEL identifiers, and CEL keywords, are escaped."""
    escaped = field
    for char, escape in (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")):
        escaped = escaped.replace(char, escape)
    return not names.isdisjoint((field, escaped, f"__{field}__"))


def find_literals(text: str) -> list[Any]:
    """Return the texts and numbers in a rule, without duplicates."""
    values: list[Any] = [_unquoted(match) for match in _TEXT.findall(text)]
    for pattern in map(_unquoted, _MATCHES.findall(text)):
        matching = list(itertools.islice(matchingtexts.texts(pattern), _MOST_TEXTS))
        values += matching if pattern.startswith("^") else [*matching, *(f"a{match}" for match in matching)]
    for number in _NUMBER.findall(_TEXT.sub(" ", text)):
        values.append(float(number) if "." in number else int(number))
    return list(dict.fromkeys(values))


def _unquoted(literal: str) -> str:
    return _ESCAPED.sub(r"\1", literal[1:-1])


def _children(resource: Any, steps: Steps, node: Demand) -> Iterator[tuple[Steps, Demand]]:
    value = value_at(resource, steps)
    for name, child in node.properties.items():
        yield (*steps, name), child
    if isinstance(value, list) and node.items is not None:
        yield from (((*steps, index), node.items) for index in range(len(value)))
    if isinstance(value, dict) and node.values is not None:
        yield from (((*steps, key), node.values) for key in value if key not in node.properties)


def _is_property(root: Demand, steps: Steps) -> bool:
    return steps[-1] in root.at(steps[:-1]).properties
