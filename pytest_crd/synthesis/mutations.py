"""Mutations: the changes of one part of an object that an error suggests."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.engine.errors.failedrule import FailedRule
from pytest_crd.synthesis import matchingtexts, objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectchanges import ABSENT, Change, Mutation, there
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.rulegoals.rulestates import RuleGoals
from pytest_crd.synthesis.schemavalues import KEYS, Maker

_TEXT: Final = re.compile(r"""r?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_MATCHES: Final = re.compile(r"""matches\(\s*r?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_ESCAPED: Final = re.compile(r"\\(['\"\\])")
_MOST_TEXTS: Final = 8
_NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
# A rule that speaks of the value as a whole: `self == oldSelf`.
_WHOLE: Final = re.compile(r"\bself\b(?!\s*[.\[?])")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_MOST_VALUES: Final = 12
# How far below the value that a rule speaks of its fields are looked for.
_DEEPEST: Final = 4
_OF_RESOURCE: Final = frozenset({("apiVersion",), ("kind",), ("metadata",)})
_NAME_OF_RESOURCE: Final = ("metadata", "name")
_A_TEXT: Final = Demand(({"type": "string"},))
# How many ways to make a rule true are tried before its text is read.
_MOST_SOLVED: Final = 12


@dataclass(frozen=True, slots=True)
class Mutator:
    """
    Knows which mutations there are.

    Attributes:
        root: What the schema asks of the whole object.
        maker: Makes values.
        goals: Makes rules true; None where no version is known.
    """

    root: Demand
    maker: Maker
    goals: RuleGoals | None = None

    @classmethod
    def of_version(cls, version: engine.Version, root: Demand, maker: Maker) -> Mutator:
        """Return what knows the mutations in objects of a version."""
        return cls(root, maker, RuleGoals(version, root, maker))

    def find(self, resource: Any, error: engine.FieldError | None) -> Iterator[Change]:
        """Yield mutations that may make *error* go, the likeliest first; none where there is no error."""
        if error is None:
            return
        if error.rule is not None:
            found, _ = _place(resource, error)
            base = found[: _depth(error.rule.steps)]
            yield from itertools.islice(self._solved(resource, base, error.rule), _MOST_SOLVED)
            yield from self.of_rule(resource, base, error.rule.text)
            return
        steps, missing = _place(resource, error)
        yield from self._added(resource, steps, missing)
        yield from self.of_value(resource, steps)
        if steps:
            yield from self.of_value(resource, steps[:-1])

    def _solved(self, resource: Any, base: Steps, rule: FailedRule) -> Iterator[Change]:
        """Yield changes that make a rule true."""
        if self.goals is not None:
            index = int(rule.steps[-1])
            for state in self.goals.find(base, index, wanted=True, new=resource, hasty=True):
                yield state.change

    def _added(self, resource: Any, steps: Steps, missing: Steps) -> Iterator[Mutation]:
        """Yield mutations that add the field that *missing*, the end of a path, begins with."""
        if missing and isinstance(objectplaces.at(resource, steps), dict):
            made = self.maker.find(self.root.at((*steps, missing[0])))
            yield from (Mutation((*steps, missing[0]), one) for one in itertools.islice(made, _MOST_VALUES))

    def of_value(self, resource: Any, steps: Steps) -> Iterator[Mutation]:
        """Yield mutations that change the value at *steps*: another value, one field less or more, none at all."""
        node, value = self.root.at(steps), there(resource, steps)
        if value is ABSENT or steps[:1] in _OF_RESOURCE:
            return
        if isinstance(value, dict):
            yield from self._fewer_or_more(steps, node, value)
        if steps:
            yield from (Mutation(steps, one) for one in itertools.islice(self.maker.find(node), 1, _MOST_VALUES))
            yield Mutation(steps)
        if isinstance(value, list):
            yield from self._longer_or_shorter(steps, node, value)

    def _fewer_or_more(self, steps: Steps, node: Demand, value: dict[str, Any]) -> Iterator[Mutation]:
        for name in value:
            if name not in node.structure.get("required", ()) and (*steps, name) not in _OF_RESOURCE:
                yield Mutation((*steps, name))
        for name, child in node.properties.items():
            if name not in value:
                yield Mutation((*steps, name), self.maker.first(child))
        if node.values is not None:
            more = (Mutation((*steps, key), self.maker.first(node.values)) for key in KEYS if key not in value)
            yield from itertools.islice(more, 1)

    def _longer_or_shorter(self, steps: Steps, node: Demand, value: list[Any]) -> Iterator[Mutation]:
        if value:
            yield Mutation(steps, [*value, value[-1]])
        for count in (len(value) + 1, len(value) - 1, 1, 2):
            if 0 <= count != len(value) and (items := self.maker.items(node, count)) is not None:
                yield Mutation(steps, items)

    def of_rule(self, resource: Any, base: Steps, text: str) -> Iterator[Mutation]:
        """Yield mutations that change what a rule on the value at *base* speaks of: to what it names, or what the schema allows."""
        names = set(_NAME.findall(_TEXT.sub(" ", text)))
        literals = _literals(text)
        node = self.root.at(base)
        spoken = list(self._spoken_of(resource, base, node, names))
        values = [value for steps, _ in spoken if (value := there(resource, steps)) is not ABSENT]
        yield from _in_turn([self._toward(resource, steps, child, [*literals, *values]) for steps, child in spoken])
        if _WHOLE.search(text):
            yield from self.of_value(resource, base)

    def _spoken_of(self, resource: Any, base: Steps, node: Demand, names: set[str]) -> Iterator[tuple[Steps, Demand]]:
        """Yield the fields below *base* that a rule with these *names* may speak of, those that are not there too."""
        if not base and "metadata" in names:
            yield _NAME_OF_RESOURCE, _A_TEXT
        level = [(base, node)]
        for _ in range(_DEEPEST):
            inner = [one for steps, parent in level for one in _children(resource, steps, parent)]
            named = [
                (steps, child)
                for steps, child in inner
                if isinstance(steps[-1], int)
                or not names.isdisjoint(_spellings(steps[-1]))
                or not _is_property(self.root, steps)
            ]
            yield from (one for one in named if one[0][:1] not in _OF_RESOURCE)
            level = named
        if base:
            yield base, node

    def _toward(self, resource: Any, steps: Steps, node: Demand, known: list[Any]) -> Iterator[Mutation]:
        """Yield mutations that change the value at *steps* to one that is *known*, or next to it, and to others of its type."""
        value = there(resource, steps)
        if value is not ABSENT and isinstance(steps[-1], str):
            yield Mutation(steps)
        for one in known:
            if node.fits(one):
                yield Mutation(steps, one)
                if isinstance(one, int | float) and not isinstance(one, bool):
                    yield Mutation(steps, one + 1)
                    yield Mutation(steps, one - 1)
            elif node.type == "array" and node.items is not None and node.items.fits(one):
                yield Mutation(steps, [one])
                if isinstance(value, list):
                    yield Mutation(steps, [*value, one])
        yield from (Mutation(steps, one) for one in itertools.islice(self.maker.find(node), _MOST_VALUES))
        if isinstance(value, list):
            yield from self._longer_or_shorter(steps, node, value)
        if node.values is not None:
            yield from self._keyed(steps, node, node.values, known)

    def _keyed(self, steps: Steps, node: Demand, values: Demand, known: list[Any]) -> Iterator[Mutation]:
        """Yield mutations that put a key into a map that a rule names, with a value that it names too."""
        for key in known:
            if isinstance(key, str) and key not in node.properties:
                named = [one for one in known if values.fits(one) and one != key]
                yield from (Mutation((*steps, key), one) for one in [*named, self.maker.first(values)])


def _place(resource: Any, error: engine.FieldError) -> tuple[Steps, Steps]:
    """Return where the nearest part of *resource* stands that an error is about, and what of its path leads no further."""
    return objectplaces.reached(resource, error.path.steps if error.path is not None else ())


def _depth(rule_steps: Steps) -> int:
    """Return how deep in an object the values are of a schema that *rule_steps* lead to a rule of."""
    depth, steps = 0, iter(rule_steps)
    for step in steps:
        if step == "properties":
            next(steps)
            depth += 1
        elif step in {"items", "additionalProperties"}:
            depth += 1
    return depth


def _literals(text: str) -> list[Any]:
    """Return the texts and numbers that a rule has in it, each once."""
    found: list[Any] = [_unquoted(match) for match in _TEXT.findall(text)]
    for pattern in map(_unquoted, _MATCHES.findall(text)):
        matching = list(itertools.islice(matchingtexts.texts(pattern), _MOST_TEXTS))
        found += matching if pattern.startswith("^") else [*matching, *(f"a{one}" for one in matching)]
    for number in _NUMBER.findall(_TEXT.sub(" ", text)):
        found.append(float(number) if "." in number else int(number))
    return list(dict.fromkeys(found))


def _unquoted(literal: str) -> str:
    return _ESCAPED.sub(r"\1", literal[1:-1])


def _children(resource: Any, steps: Steps, node: Demand) -> Iterator[tuple[Steps, Demand]]:
    value = there(resource, steps)
    for name, child in node.properties.items():
        yield (*steps, name), child
    if isinstance(value, list) and node.items is not None:
        yield from (((*steps, index), node.items) for index in range(len(value)))
    if isinstance(value, dict) and node.values is not None:
        yield from (((*steps, key), node.values) for key in value if key not in node.properties)


def _is_property(root: Demand, steps: Steps) -> bool:
    return steps[-1] in root.at(steps[:-1]).properties


def _spellings(name: str) -> set[str]:
    """Return the ways in which rules may spell a field: one whose name is no identifier, or a word of CEL's, is escaped."""
    escaped = name
    for char, escape in (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")):
        escaped = escaped.replace(char, escape)
    return {name, escaped, f"__{name}__"}


def _in_turn(iterators: list[Iterator[Mutation]]) -> Iterator[Mutation]:
    for mutations in itertools.zip_longest(*iterators):
        yield from (move for move in mutations if move is not None)
