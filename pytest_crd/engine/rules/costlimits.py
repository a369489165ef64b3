"""Limits that a schema lacks: without them, the estimated cost of an expression is above the budget of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import trial
from pytest_crd.engine.rules.trial import Estimate
from pytest_crd.engine.schema.schemamap import RULES, SchemaNode

# Limits to propose: of lists and maps, and of strings. The largest pair that suffices is proposed.
_SIZES: Final = (1_000, 500, 200, 100, 50, 20, 10)
_LENGTHS: Final = (253, 63)
LEAST_SIZE: Final = _SIZES[-1]
LEAST_LENGTH: Final = _LENGTHS[-1]
_ITEMS: Final = {"array": "maxItems", "string": "maxLength"}
# With more places without a limit, only those whose fields the expression names are tried.
_FEW: Final = 30


class MissingLimit(NamedTuple):
    """
    A keyword that would lower the cost of an expression.

    Attributes:
        schema: The schema without it.
        keyword: `maxItems`, `maxProperties` or `maxLength`.
    """

    schema: SchemaNode
    keyword: str


class Remedy(NamedTuple):
    """
    Limits for an expression above its budget.

    Attributes:
        missing: The missing limits, each of which lowers the cost.
        limits: The value to write for each keyword; empty if no usual value suffices.
        estimate: The estimate with these limits; with the lowest values if none suffices.
    """

    missing: tuple[MissingLimit, ...]
    limits: dict[str, int]
    estimate: Estimate


class _Rule(NamedTuple):
    """An expression for the values of a schema, under a Kubernetes version."""

    schema: SchemaNode
    profile: Profile
    text: str
    has_optional_old_self: bool

    def estimate(self, limits: Sequence[MissingLimit], size: int, length: int) -> Estimate:
        """Return the estimate with *limits* in the schema: *size* of lists and maps, *length* of strings."""
        *_, root = (self.schema, *self.schema.around)
        limited = root.schema
        for limit in limits:
            value = length if limit.keyword == "maxLength" else size
            limited = _with_keyword(limited, limit.schema.steps, limit.keyword, value)
        node = cast("SchemaNode", SchemaNode(limited).at(self.schema.place))  # the same structure
        return trial.estimate(node, self.profile, self.text, optional=self.has_optional_old_self)


def find_remedy(
    schema: SchemaNode, profile: Profile, text: str, *, budget: int, has_optional_old_self: bool = False
) -> Remedy:
    """
    Return the limits that would lower the cost of an expression.

    Args:
        schema: The schema of `self`, in the schema map of a version.
        profile: The Kubernetes version.
        text: The expression, which compiles.
        budget: The cost that the limits should not exceed.
        has_optional_old_self: Whether `oldSelf` is an optional value, as with `optionalOldSelf`.
    """
    schema = _alone(schema)
    rule = _Rule(schema, profile, text, has_optional_old_self)
    candidates = [*_unlimited(schema, text)]
    lowest = rule.estimate(candidates, 1, 1).total
    missing = tuple(
        candidate
        for candidate in candidates
        if rule.estimate([limit for limit in candidates if limit is not candidate], 1, 1).total > lowest
    )
    for length in _LENGTHS:
        for size in _SIZES:
            estimate = rule.estimate(missing, size, length)
            if estimate.total <= budget:
                limits = {limit.keyword: length if limit.keyword == "maxLength" else size for limit in missing}
                return Remedy(missing, limits, estimate)
    return Remedy(missing, {}, estimate)


def _alone(schema: SchemaNode) -> SchemaNode:
    """Return *schema* without the fields beside it and beside the schemas around it, which cost time and change no estimate."""
    value: JSONValue = schema.schema
    for node, outer in zip((schema, *schema.around), schema.around, strict=False):
        step = node.place[-1]
        keywords = {key: item for key, item in outer.schema.items() if key not in {"properties", RULES}}
        value = {**keywords, "properties": {step: value}} if isinstance(step, str) else {**keywords, step.value: value}
    return cast("SchemaNode", SchemaNode(value).at(schema.place))  # the same steps


def _unlimited(schema: SchemaNode, text: str) -> Iterator[MissingLimit]:
    """Yield the limits that the schemas around, at and below *schema* lack, outer ones first."""
    below = [*schema]
    if len(below) > _FEW:
        names = {*re.findall(r"\w+", text)}
        below = [node for node in below if names.issuperset(_fields(node)[len(_fields(schema)) :])]
    for node in (*reversed([*schema.around]), *below):
        keyword = "maxProperties" if node.is_map else _ITEMS.get(node.schema.get("type", ""), "")
        if keyword and keyword not in node.schema:
            yield MissingLimit(node, keyword)


def _fields(node: SchemaNode) -> list[str]:
    return [step for step in node.place if isinstance(step, str)]


def _with_keyword(value: JSONValue, steps: Steps, keyword: str, limit: int) -> JSONValue:
    if not steps:
        return {**value, keyword: limit}
    return {**value, steps[0]: _with_keyword(value[steps[0]], steps[1:], keyword, limit)}
