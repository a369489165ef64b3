"""
Points of validation keywords, and the probes that detect them in values.

A keyword is held if the engine's own check accepts the value. It is broken if an error of the answer has the keyword as its origin; if the
server stops at another error, or an update leaves the value unchanged, nothing is recorded.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.coverage.look import Look
from pytest_crd.coverage.points import Point, PointKind
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.schemamap import Each, SchemaNode
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import keywords, numberkeywords, valuevalidation
from pytest_crd.engine.values.keywords import TypeCheck
from pytest_crd.engine.values.numberkeywords import ServerPanicError
from pytest_crd.engine.values.validationresult import KeywordCheck
from pytest_crd.synthesis import patternvariants
from pytest_crd.synthesis.textsearch import Lengths

_LONGEST: Final = 60
_SIZES: Final = {
    "minLength": (str, keywords.string_checks),
    "maxLength": (str, keywords.string_checks),
    "minItems": (list, keywords.item_checks),
    "maxItems": (list, keywords.item_checks),
    "minProperties": (dict, keywords.property_checks),
    "maxProperties": (dict, keywords.property_checks),
}
_LIMITS: Final = {"minimum": -1, "maximum": 1}
# A format that accepts every text.
_OPEN_FORMAT: Final = "password"
UNLIKE: Final = "unlike "
"""The beginning of the side of a variant of a pattern."""
NULL_REFUSED: Final = "null-refused"
"""The side of null as an item."""
TYPE_REFUSED: Final = "type-refused"
"""The side of an integer as a text, or of a text as an integer."""
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"


class _OtherType(NamedTuple):
    """
    The type that an int-or-string accepts besides the declared one.

    Attributes:
        noun: Its name in words.
        python_type: The Python type of its values.
    """

    noun: str
    python_type: type


_OTHER_TYPES: Final = {"string": _OtherType("integer", int), "integer": _OtherType("text", str)}


# A function that looks at a value.
Probe: TypeAlias = Callable[[JSONValue, Look], None]


@dataclass(frozen=True, slots=True)
class Probed:
    """
    A probe with its points.

    Attributes:
        points: The points that the probe can detect.
        probe: The probe; None if only errors reach the points.
    """

    points: tuple[Point, ...]
    probe: Probe | None = None


@dataclass(frozen=True, slots=True)
class Keywords:
    """
    The keywords of a schema.

    Attributes:
        node: The schema node, structural or from an `allOf`.
        profile: The Kubernetes version.
    """

    node: SchemaNode
    profile: Profile

    @property
    def schema(self) -> Schema:
        """The schema with the keywords."""
        return self.node.schema

    @property
    def structure(self) -> Schema:
        """The structural schema at the same place; empty if there is no such schema."""
        return {} if self.node.structure is None else self.node.structure.schema

    def point(self, kind: PointKind, steps: Steps, side: str, words: str) -> Point:
        """Return a point at *steps* below the schema."""
        return Point(kind, self.node.place, (*self.node.steps, *steps), side, words)


def find_probes(own: Keywords) -> Iterator[Probed]:
    """Yield the probes of a schema, in the order of reports."""
    yield from _type(own)
    yield from _null(own)
    yield from _enum(own)
    yield from _sizes(own)
    yield from _numbers(own)
    yield from _texts(own)
    yield from _required(own)
    yield from _list_type(own)
    yield from _junctors(own)


def format_value(value: JSONValue) -> str:
    """Return *value* in words: on one line, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _holds(check: KeywordCheck, value: JSONValue) -> bool | None:
    try:
        return check.holds(value)
    except ServerPanicError:
        return None  # the server panics


def _two_sided(
    held_point: Point,
    broken: Point,
    checks: dict[type, KeywordCheck],
    is_at_boundary: Callable[[Any], bool] = lambda _: True,
) -> Probed:
    """Return a probe for the held and the broken side of a keyword; *checks* are by the Python type of values."""
    held_id = held_point.id

    def probe(value: JSONValue, look: Look) -> None:
        check = checks.get(type(value))
        if check is not None and _holds(check, value) and is_at_boundary(value):
            look.keep(held_id)

    return Probed((held_point, broken), probe)


def _null(own: Keywords) -> Iterator[Probed]:
    """Yield the probe of an item that is refused because it is null."""
    node = own.node
    keyword = next((name for name in ("type", _INT_OR_STRING) if own.schema.get(name)), "")
    if not node.is_structural or node.place[-1:] != (Each.ITEM,) or not keyword or own.schema.get("nullable"):
        return
    point = own.point("null", (keyword,), NULL_REFUSED, "no item that is null is refused")
    steps = (*node.steps, keyword)

    def probe(value: JSONValue, look: Look) -> None:
        if value is None:
            look.expect_refusal(point.id, steps)

    yield Probed((point,), probe)


def _type(own: Keywords) -> Iterator[Probed]:
    """Yield the probe of an integer that a text refuses, or of a text that an integer refuses: both fit an int-or-string."""
    node = own.node
    other = _OTHER_TYPES.get(own.schema.get("type", ""))
    if not node.is_structural or not node.place or node.meta_of is not None or other is None:
        return
    point = own.point("type", ("type",), TYPE_REFUSED, f"no {other.noun} is refused")
    steps = (*node.steps, "type")

    def probe(value: JSONValue, look: Look) -> None:
        if type(value) is other.python_type:
            look.expect_refusal(point.id, steps)

    yield Probed((point,), probe)


def _enum(own: Keywords) -> Iterator[Probed]:
    if not own.schema.get("enum"):
        return
    # Null never matches a listed value, even if it is listed.
    values = [(index, value) for index, value in enumerate(own.schema["enum"]) if value is not None]
    used = [
        own.point("enum", ("enum", index), "used", f"the value {format_value(value)} of enum is never used")
        for index, value in values
    ]
    broken = own.point("enum", ("enum",), "broken", "no value is refused that enum does not list")
    ids = [(value, point.id) for (_, value), point in zip(values, used, strict=True)]

    def probe(value: JSONValue, look: Look) -> None:
        for listed, id_ in ids:
            if jsonvalue.equal(listed, value):
                look.keep(id_)

    yield Probed((*used, broken), probe)


def _sizes(own: Keywords) -> Iterator[Probed]:
    for keyword, (kind, checks) in _SIZES.items():
        limit = own.schema.get(keyword)
        if limit is None or (limit <= 0 and keyword.startswith("min")):
            continue  # no value is shorter than 0
        [check] = checks({keyword: limit}, own.profile)
        sides = _sides(own, "bound", keyword)
        yield _two_sided(*sides, {kind: check}, functools.partial(_is_of_size, limit))


def _is_of_size(size: int, value: Any) -> bool:
    return len(value) == size


def _sides(own: Keywords, kind: PointKind, keyword: str, *, has_boundary: bool = True) -> tuple[Point, Point]:
    declaration = f"{keyword} {format_value(own.schema[keyword])}"
    value = "value at the boundary of" if has_boundary else "value that meets"
    return (
        own.point(kind, (keyword,), "held", f"no {value} {declaration}"),
        own.point(kind, (keyword,), "broken", f"no value is refused by {declaration}"),
    )


def _numbers(own: Keywords) -> Iterator[Probed]:
    schema, profile = own.schema, own.profile
    declared = keywords.type_check(schema, profile)
    types = declared.types or keywords.type_check(own.structure, profile).types
    for keyword, direction in _LIMITS.items():
        if schema.get(keyword) is None:
            continue
        exclusive = f"exclusive{keyword.capitalize()}"
        alone = {keyword: schema[keyword], exclusive: schema.get(exclusive, False)}
        by_kind = _checks_by_kind(alone, declared)
        step = schema.get("multipleOf") or (1 if types and "number" not in types else None)
        is_at_boundary = _boundary(
            schema[keyword], by_kind, step and step * direction, is_open=bool(schema.get(exclusive))
        )
        yield _two_sided(*_sides(own, "bound", keyword), by_kind, is_at_boundary)
    if schema.get("multipleOf") is not None:
        alone = {"multipleOf": schema["multipleOf"]}
        by_kind = _checks_by_kind(alone, declared)
        yield _two_sided(*_sides(own, "bound", "multipleOf", has_boundary=False), by_kind)


def _checks_by_kind(alone: Schema, declared: TypeCheck) -> dict[type, KeywordCheck]:
    """Return the check of one keyword by the Python type of numbers, without the checks of type and format before it."""
    types, number_format, profile = declared.types, declared.format, declared.profile
    return {
        kind: numberkeywords.compile_checks(alone, types, number_format, profile, kind=kind)[-1]
        for kind in (int, float)
    }


def _boundary(
    limit: float, checks: dict[type, KeywordCheck], step: float | None, *, is_open: bool
) -> Callable[[JSONValue], bool]:
    """
    Return a predicate that is true for valid numbers at the boundary.

    Args:
        limit: The limit.
        checks: The check of the limit, by the type of number.
        step: The step to the next possible number beyond the limit; None if numbers are dense.
        is_open: Whether the limit itself is excluded.
    """
    if step is not None:
        return lambda value: not _holds(checks[type(value + step)], value + step)
    return (lambda _: True) if is_open else (lambda value: bool(value == limit))


def _texts(own: Keywords) -> Iterator[Probed]:
    schema, profile = own.schema, own.profile
    if schema.get("pattern"):
        [check] = keywords.string_checks({"pattern": schema["pattern"]}, profile)
        yield _two_sided(*_sides(own, "pattern", "pattern", has_boundary=False), {str: check})
        if not own.schema.get("enum"):  # listed values decide alone
            yield from _pattern_variants(own, check)
    declared = keywords.type_check(schema, profile)
    if not declared.format or declared.format == _OPEN_FORMAT:
        return
    checks: dict[type, KeywordCheck] = {}
    if (text_check := keywords.format_check(declared)) is not None:
        checks = {str: text_check}
    elif number_checks := numberkeywords.compile_checks({}, declared.types, declared.format, profile, kind=int):
        checks = {int: number_checks[0]}
    if checks:
        yield _two_sided(*_sides(own, "format", "format", has_boundary=False), checks)


def _pattern_variants(own: Keywords, check: KeywordCheck) -> Iterator[Probed]:
    """Yield the probe of texts that tell a pattern from its variants."""
    pattern = own.schema["pattern"]
    lengths = Lengths(own.schema.get("minLength") or 0, own.schema.get("maxLength"))
    varied = [
        (
            own.point(
                "pattern", ("pattern",), f"{UNLIKE}{variant}", f"no value tells pattern {pattern} from {variant}"
            ),
            keywords.string_checks({"pattern": variant}, own.profile)[0],
        )
        for variant in patternvariants.find_variants(pattern, lengths)
    ]
    if not varied:
        return
    steps = (*own.node.steps, "pattern")

    def probe(value: JSONValue, look: Look) -> None:
        if type(value) is not str:
            return
        holds = _holds(check, value)
        for point, other in varied:
            if _holds(other, value) is not holds:
                if holds:
                    look.keep(point.id)
                else:
                    look.expect_refusal(point.id, steps)

    yield Probed(tuple(point for point, _ in varied), probe)


def _required(own: Keywords) -> Iterator[Probed]:
    properties = own.structure.get("properties") or {}
    for index, name in enumerate(own.schema.get("required") or ()):
        if (properties.get(name) or {}).get("default") is not None:
            continue  # the default is set before validation
        if not own.node.place and name in {"apiVersion", "kind", "metadata"}:
            continue  # such a request has no object of the version
        yield _missing(own, index, name)


def _missing(own: Keywords, index: int, field: str) -> Probed:
    missed = own.point("required", ("required", index), "missing", f"the required field {field} is never missing")
    return Probed((missed,))


def _list_type(own: Keywords) -> Iterator[Probed]:
    kind = own.schema.get("x-kubernetes-list-type")
    if kind not in {"set", "map"}:
        return
    noun = "item" if kind == "set" else "item with the same keys"
    broken = own.point("list", ("x-kubernetes-list-type",), "broken", f"no {noun} is refused for being there twice")
    yield Probed((broken,))


def _junctors(own: Keywords) -> Iterator[Probed]:
    schema = own.schema
    for junctor in ("anyOf", "oneOf"):
        if schema.get(junctor):
            yield _alternatives(own, junctor)
    if schema.get("not") is not None:
        yield _negation(own)


def _alternatives(own: Keywords, junctor: str) -> Probed:
    branches = own.schema[junctor]
    branch_points = [
        own.point("junctor", (junctor, index), "taken", f"{junctor}[{index}] is never the one that holds")
        for index in range(len(branches))
    ]
    broken = own.point("junctor", (junctor,), "broken", f"no value is refused by {junctor}")
    validators = [valuevalidation.compile(branch, own.profile) for branch in branches]
    # The declaration of an integer or a text counts as the type.
    is_type_declaration = bool(own.structure.get(_INT_OR_STRING))

    def probe(value: JSONValue, look: Look) -> None:
        if value is None:
            return
        holding = [
            point.id for point, validator in zip(branch_points, validators, strict=True) if validator.accepts(value)
        ]
        if junctor == "anyOf" or len(holding) == 1:
            for id_ in holding:
                look.keep(id_)

    return Probed(tuple(branch_points) if is_type_declaration else (*branch_points, broken), probe)


def _negation(own: Keywords) -> Probed:
    held_point = own.point("junctor", ("not",), "held", "no value that meets not")
    broken = own.point("junctor", ("not",), "broken", "no value is refused by not")
    validator = valuevalidation.compile(own.schema["not"], own.profile)

    def probe(value: JSONValue, look: Look) -> None:
        if value is not None and not validator.accepts(value):
            look.keep(held_point.id)

    return Probed((held_point, broken), probe)
