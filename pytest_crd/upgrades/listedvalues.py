"""
Listed values: the values that a schema names in its enums, patterns and rules.

Values and texts that only one of two schemas allows are the likeliest to show their difference.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine.schema.schemamap import RULES
from pytest_crd.synthesis import mutations, textsearch
from pytest_crd.synthesis.demands import Demand, Schema
from pytest_crd.synthesis.textsearch import Lengths, Outcome

_CHOICES: Final = ("anyOf", "oneOf")
_MOST_TEXTS: Final = 3
_IS_LISTED: Final = re.compile(r"\s*self\s+in\s+\[[^\[\]]*\]\s*")
_ANY_LENGTH: Final = Lengths()


class TextComparison(NamedTuple):
    """
    Texts of one of two schemas only.

    Attributes:
        texts: A few texts, those of the old schema first.
        is_complete: Whether the search found texts or proved that there are none, in each direction.
    """

    texts: tuple[str, ...] = ()
    is_complete: bool = True


def list_values(demand: Demand) -> list[Any]:
    """Return the values in the enums and rules of *demand* and of its junctors, without duplicates."""
    values: list[Any] = []
    for schema in _with_branches(demand.schemas):
        values += schema.get("enum") or ()
        for rule in schema.get(RULES) or ():
            values += mutations.find_literals(rule["rule"])
    return remove_duplicates(values)


def remove_duplicates(values: Iterable[Any]) -> list[Any]:
    """Return *values* without equal ones; an integer and a float differ."""
    return [*{json.dumps(value, sort_keys=True): value for value in values}.values()]


def order_by_difference(old: Iterable[Any], new: Iterable[Any]) -> list[Any]:
    """Return the values of *old* alone, then the values of *new* alone."""
    return [*find_missing(old, new), *find_missing(new, old)]


def find_missing(values: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """Return the *values* missing in *others*."""
    keys = {json.dumps(value, sort_keys=True) for value in others}
    return [value for value in remove_duplicates(values) if json.dumps(value, sort_keys=True) not in keys]


def compare_texts(old: Demand, new: Demand) -> TextComparison:
    """Return texts within both length limits that only one schema allows; nothing without a pattern."""
    sides = [(*_find_patterns(demand.schemas),) for demand in (old, new)]
    if sides[0] == sides[1] or not any(_has_pattern(demand.schemas) for demand in (old, new)):
        return TextComparison()
    most = min((demand.text.most for demand in (old, new) if demand.text.most is not None), default=None)
    return find_distinguishing_texts(*sides, Lengths(max(old.text.least, new.text.least), most))


@functools.lru_cache(maxsize=64)
def find_distinguishing_texts(
    left: tuple[str, ...], right: tuple[str, ...], lengths: Lengths = _ANY_LENGTH
) -> TextComparison:
    """
    Return a few texts that match all patterns of one side and fail a pattern of the other; left side first, short texts first.

    Args:
        left: Valid patterns; may be empty.
        right: The patterns of the other schema.
        lengths: The allowed lengths of a text, in characters.
    """
    texts: list[str] = []
    is_complete = True
    for matched, opposing in ((left, right), (right, left)):
        for unmatched in opposing:
            if unmatched not in matched:
                answer = textsearch.find_texts(matched, [unmatched], lengths=lengths, wanted=_MOST_TEXTS)
                texts += answer.texts
                is_complete &= answer.outcome is not Outcome.BUDGET_SPENT
    return TextComparison(tuple(dict.fromkeys(texts)), is_complete)


def _find_patterns(schemas: Iterable[Schema]) -> Iterator[str]:
    """Yield patterns that all texts of the schemas match; an enum, and a choice of patterns, become one pattern each."""
    for schema in schemas:
        if schema.get("pattern"):
            yield schema["pattern"]
        if schema.get("enum"):
            yield _join_texts(schema["enum"])
        for rule in schema.get(RULES) or ():
            if _IS_LISTED.fullmatch(rule["rule"]):
                yield _join_texts(mutations.find_literals(rule["rule"]))
        yield from _find_patterns(schema.get("allOf") or ())
        for junctor in _CHOICES:
            branches = [[*_find_patterns((branch,))] for branch in schema.get(junctor) or ()]
            if branches and all(len(branch) == 1 for branch in branches):
                yield "|".join(f"(?:{pattern})" for (pattern,) in branches)


def _join_texts(values: Iterable[Any]) -> str:
    return f"^(?:{'|'.join(re.escape(value) for value in values if isinstance(value, str))})$"


def _has_pattern(schemas: Iterable[Schema]) -> bool:
    return any(schema.get("pattern") for schema in _with_branches(schemas))


def _with_branches(schemas: Iterable[Schema]) -> Iterator[Schema]:
    """Yield schemas and all branches of their junctors."""
    for schema in schemas:
        yield schema
        for junctor in ("allOf", *_CHOICES):
            yield from _with_branches(schema.get(junctor) or ())
        if isinstance(schema.get("not"), Mapping):
            yield from _with_branches((schema["not"],))
