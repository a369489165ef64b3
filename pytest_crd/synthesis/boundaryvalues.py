"""
Values on both sides of a keyword's boundary, the nearest first.

Each side is a list of candidates, because other keywords may refuse the nearest one; the engine decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.synthesis import numbervalues, texts
from pytest_crd.synthesis.demands import ANYTHING, INT_OR_STRING, Demand
from pytest_crd.synthesis.schemavalues import Maker

# One value of each type; at least one does not have the declared type.
_OF_ALL_TYPES: Final[tuple[Any, ...]] = ("a", 1, True, {}, [], 1.5)
# Insertions into a text that make a pattern fail.
_ODD: Final = (" ", "!", "-", "_", "A", "é", "\n", "..", "0", "a")
_INT64: Final = 2**63
_BEYOND_FLOAT32: Final = 1e39
_LONGEST: Final = 200_000
_ANOTHER: Final = "another"
# The number of violating values of a field for each keyword of a junctor's branch.
_MOST_BROKEN: Final = 3
# Valid as a finalizer and as the key of a label.
_QUALIFIED: Final = "example.com/another"


@dataclass(frozen=True, slots=True)
class Sides:
    """
    The values on both sides of a boundary.

    Attributes:
        inside: Values that satisfy the keyword, the nearest first.
        outside: Values that violate it, the nearest first.
    """

    inside: tuple[Any, ...]
    outside: tuple[Any, ...]


def keywords(node: Demand) -> Iterator[str]:
    """Yield the keywords of *node* that limit values."""
    for keyword in _SIDES:
        if keyword == "type":
            is_set = bool(node.type)
        elif keyword == "nullable":
            is_set = node.type != ""
        elif keyword == "x-kubernetes-list-type":
            is_set = node.is_unique
        else:
            is_set = any(schema.get(keyword) is not None for schema in node.schemas)
        if is_set:
            yield keyword


def find_sides(node: Demand, keyword: str, maker: Maker) -> Sides:
    """Return the values on both sides of the boundary of *keyword*, which `keywords` yields."""
    return _SIDES[keyword](node, keyword, maker)


def _type(node: Demand, _keyword: str, maker: Maker) -> Sides:
    return Sides(
        tuple(itertools.islice(maker.find_values(node), 3)),
        tuple(value for value in _OF_ALL_TYPES if not _has_type(node, value)),
    )


def _has_type(node: Demand, value: Any) -> bool:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
    name = names[type(value)]
    if node.type == INT_OR_STRING:
        return name in {"integer", "string"}
    return name == node.type or (name == "integer" and node.type == "number")


def _nullable(node: Demand, _keyword: str, maker: Maker) -> Sides:
    non_null = tuple(itertools.islice((value for value in maker.find_values(node) if value is not None), 3))
    return Sides((None, *non_null), ()) if node.is_nullable else Sides(non_null, (None,))


def _enum(node: Demand, _keyword: str, _maker: Maker) -> Sides:
    values = tuple(node.enum or ())
    outside: list[Any] = []
    for value in values:
        if isinstance(value, str):
            outside += [f"{value}x", value.swapcase(), _ANOTHER]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            outside += [value + 1, value - 1]
        elif isinstance(value, dict | list):
            outside += [{_ANOTHER: 1}, [_ANOTHER]]
    outside += [_QUALIFIED] if any(isinstance(value, str) for value in values) else []
    return Sides(values, tuple(value for value in outside if value not in values))


def _bound(node: Demand, keyword: str, _maker: Maker) -> Sides:
    """Return the numbers around `minimum` or `maximum`; exclusive bounds are respected."""
    demand = node.number
    bound = demand.least if keyword == "minimum" else demand.most
    sign = 1 if keyword == "minimum" else -1
    start = Decimal(repr(bound))
    steps = [demand.step * sign * offset for offset in (0, 1, 2)]
    on_grid = (start / demand.step).to_integral_value() * demand.step
    around = [
        numbervalues.to_number(base + step, is_integer=demand.is_integer) for base in (on_grid, start) for step in steps
    ]
    below = [
        numbervalues.to_number(base - step, is_integer=demand.is_integer) for base in (on_grid, start) for step in steps
    ]
    is_excluded = demand.excludes_least if keyword == "minimum" else demand.excludes_most
    inside = dict.fromkeys(value for value in around if demand.fits(value))
    outside = dict.fromkeys(value for value in below if (is_excluded or value != bound) and not demand.fits(value))
    return Sides(tuple(inside), tuple(outside))


def _multiple(node: Demand, keyword: str, maker: Maker) -> Sides:
    inside = tuple(itertools.islice(maker.find_values(node), 5))
    step = Decimal(repr(min(abs(schema[keyword]) for schema in node.schemas if schema.get(keyword))))
    is_integer = node.type == "integer"
    offset = Decimal(1) if is_integer else step / 2
    moved = (
        numbervalues.to_number(Decimal(repr(value)) + offset, is_integer=is_integer)
        for value in inside
        if _is_number(value)
    )
    return Sides(inside, () if is_integer and step == 1 else tuple(moved))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _length(node: Demand, keyword: str, _maker: Maker) -> Sides:
    limit, step = _limit(node, keyword)
    return Sides(
        tuple(
            _take_texts(
                texts.find_texts_of_length(node.text, size)
                for size in (limit, limit + step, limit + 2 * step)
                if size >= 0
            )
        ),
        tuple(
            _take_texts(
                texts.find_texts_of_length(node.text, size) for size in (limit - step,) if 0 <= size <= texts.LONGEST
            )
        ),
    )


def _take_texts(candidates: Iterable[Iterator[str]]) -> Iterator[str]:
    for texts_ in candidates:
        yield from itertools.islice(texts_, 5)


def _limit(node: Demand, keyword: str) -> tuple[int, int]:
    """Return the limit of a size, and the direction to the inside: 1 or -1."""
    if keyword.startswith("min"):
        return node.least(keyword), 1
    return node.most(keyword) or 0, -1


def _pattern(node: Demand, _keyword: str, maker: Maker) -> Sides:
    inside = tuple(value for value in itertools.islice(maker.find_values(node), 8) if isinstance(value, str))
    outside: list[str] = []
    for text in inside[:3]:
        for odd in _ODD:
            outside += [f"{text}{odd}", f"{odd}{text}", f"{text[:1]}{odd}{text[1:]}", odd]
    outside.append("")
    fitting = (value for value in outside if node.text.fits(value) and value not in inside)
    return Sides(inside, tuple(dict.fromkeys(fitting)))


def _format(node: Demand, _keyword: str, maker: Maker) -> Sides:
    demand = node.number
    if node.type == "number" and node.structure.get("format") == "float":
        inside = tuple(itertools.islice(maker.find_values(node), 3))
        return Sides(inside, tuple(value for value in (_BEYOND_FLOAT32, -_BEYOND_FLOAT32) if demand.fits(value)))
    if node.type in {"integer", "number"}:
        low, high = numbervalues.limits(node.structure.get("format", ""))
        bounds: tuple[Any, ...] = tuple(value for value in (high, low) if demand.fits(value))
        # The server cannot read integers beyond int64.
        beyond = tuple(value for value in (high + 1, low - 1) if abs(value) < _INT64)
        return Sides(bounds or tuple(itertools.islice(maker.find_values(node), 3)), beyond)
    inside = tuple(value for value in itertools.islice(maker.find_values(node), 8) if isinstance(value, str))
    broken = (f"{value}{odd}" for value in inside[:2] for odd in ("!", "x", "-", " "))
    return Sides(inside, tuple(value for value in (*broken, "a!", "-", "") if node.text.fits(value)))


def _items(node: Demand, keyword: str, maker: Maker) -> Sides:
    limit, step = _limit(node, keyword)
    inside = [maker.items(node, size) for size in (limit, limit + step) if 0 <= size <= _LONGEST]
    beyond = [maker.items(node, size) for size in (limit - step,) if 0 <= size <= _LONGEST]
    return Sides(
        tuple(value for value in inside if value is not None), tuple(value for value in beyond if value is not None)
    )


def _properties(node: Demand, keyword: str, maker: Maker) -> Sides:
    limit, step = _limit(node, keyword)
    inside = [_make_object(node, size, maker) for size in (limit, limit + step) if 0 <= size <= _LONGEST]
    beyond = [
        value
        for size in (limit - step,)
        if 0 <= size <= _LONGEST
        for value in (_make_object(node, size, maker), _make_object(node, size, maker, named=False))
    ]
    return Sides(
        tuple(value for value in inside if value is not None), tuple(value for value in beyond if value is not None)
    )


def _make_object(node: Demand, size: int, maker: Maker, *, named: bool = True) -> dict[str, Any] | None:
    """Return an object with *size* fields, declared ones if *named*; None if the schema does not allow it."""
    first, needed = maker.first(node), {*node.required, *(META_FIELDS if node.is_embedded_resource else ())}
    fields = {name: value for name, value in first.items() if name in needed} if isinstance(first, dict) else {}
    for name, child in node.properties.items() if named else ():
        if len(fields) < size and (value := _first_non_null(child, maker)) is not None:
            fields.setdefault(name, value)
    values = node.values or (ANYTHING if node.keeps_unknown_fields else None)
    if values is not None:
        value = maker.first(values)
        fields |= {f"key{index}": value for index in range(size - len(fields))}
    return fields if len(fields) == size else None


def _first_non_null(node: Demand, maker: Maker) -> Any:
    return next((value for value in maker.find_values(node) if value is not None), None)


def _list_type(node: Demand, _keyword: str, maker: Maker) -> Sides:
    inside = tuple(value for count in (2, 1) if (value := maker.items(node, count)))
    return Sides(inside, tuple([*value, value[0]] for value in reversed(inside)))


def find_junctor_values(node: Demand, keyword: str, maker: Maker) -> Iterator[Any]:
    """Yield values that may violate the junctor *keyword* of *node*: values on both sides of the boundaries of its branches."""
    plain = {key: value for key, value in node.structure.items() if key != keyword}
    branches = node.structure[keyword]
    for branch in [branches] if isinstance(branches, Mapping) else branches:
        both = Demand((plain, branch))
        for inner in keywords(Demand((branch,))):
            sides = find_sides(both, inner, maker)
            yield from (*sides.outside, *sides.inside)
        yield from itertools.islice(maker.find_values(both), 5)
        yield from _break_fields(both, branch, maker)
    yield from maker.find_values(Demand((plain,)))


def _break_fields(both: Demand, branch: Mapping[str, Any], maker: Maker) -> Iterator[dict[str, Any]]:
    """Yield objects that violate a branch of a junctor by one field, which is missing or has another value."""
    base = maker.first(both)
    if not isinstance(base, dict):
        return
    for name in branch.get("required") or ():
        yield {key: value for key, value in base.items() if key != name}
    for name, child in (branch.get("properties") or {}).items():
        field, demand = both.field(name), Demand((child,))
        for keyword in () if field is None else keywords(demand):
            yield from (
                {**base, name: value} for value in find_sides(field or demand, keyword, maker).outside[:_MOST_BROKEN]
            )


_SIDES: Final[dict[str, Callable[[Demand, str, Maker], Sides]]] = {
    "type": _type,
    "nullable": _nullable,
    "enum": _enum,
    "minimum": _bound,
    "maximum": _bound,
    "multipleOf": _multiple,
    "minLength": _length,
    "maxLength": _length,
    "pattern": _pattern,
    "format": _format,
    "minItems": _items,
    "maxItems": _items,
    "minProperties": _properties,
    "maxProperties": _properties,
    "x-kubernetes-list-type": _list_type,
}
