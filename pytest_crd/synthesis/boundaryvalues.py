"""
Limits: the values at a boundary that a keyword draws, on both sides of it, the nearest first.

Each side is a list of candidates, for other keywords may refuse the nearest one; the engine decides which holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.synthesis import numbervalues, texts
from pytest_crd.synthesis.demands import ANYTHING, INT_OR_STRING, Demand
from pytest_crd.synthesis.schemavalues import Maker

# Values of every type, one of which is of none that a schema asks for.
_OF_ALL_TYPES: Final[tuple[Any, ...]] = ("a", 1, True, {}, [], 1.5)
# What is put into a text so that a pattern no longer matches.
_ODD: Final = (" ", "!", "-", "_", "A", "é", "\n", "..", "0", "a")
_INT64: Final = 2**63
_BEYOND_FLOAT32: Final = 1e39
_LONGEST: Final = 200_000
_ANOTHER: Final = "another"
# How many values of a field break a branch of a junctor, by each of its keywords.
_MOST_BROKEN: Final = 3
# What a finalizer and the key of a label may be.
_QUALIFIED: Final = "example.com/another"


@dataclass(frozen=True, slots=True)
class Sides:
    """
    The values beside a boundary.

    Attributes:
        inside: Those that hold, the nearest first.
        outside: Those that break it.
    """

    inside: tuple[Any, ...]
    outside: tuple[Any, ...]


def keywords(node: Demand) -> Iterator[str]:
    """Yield the keywords of *node* that draw a boundary around values."""
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


def find(node: Demand, keyword: str, maker: Maker) -> Sides:
    """Return the values at the boundary that *keyword*, one of `keywords`, draws."""
    return _SIDES[keyword](node, keyword, maker)


def _type(node: Demand, _keyword: str, maker: Maker) -> Sides:
    return Sides(
        tuple(itertools.islice(maker.find(node), 3)), tuple(one for one in _OF_ALL_TYPES if not _is_of(node, one))
    )


def _is_of(node: Demand, value: Any) -> bool:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
    name = names[type(value)]
    if node.type == INT_OR_STRING:
        return name in {"integer", "string"}
    return name == node.type or (name == "integer" and node.type == "number")


def _nullable(node: Demand, _keyword: str, maker: Maker) -> Sides:
    known = tuple(itertools.islice((one for one in maker.find(node) if one is not None), 3))
    return Sides((None, *known), ()) if node.is_nullable else Sides(known, (None,))


def _enum(node: Demand, _keyword: str, _maker: Maker) -> Sides:
    values = tuple(node.enum or ())
    others: list[Any] = []
    for value in values:
        if isinstance(value, str):
            others += [f"{value}x", value.swapcase(), _ANOTHER]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            others += [value + 1, value - 1]
        elif isinstance(value, dict | list):
            others += [{_ANOTHER: 1}, [_ANOTHER]]
    others += [_QUALIFIED] if any(isinstance(value, str) for value in values) else []
    return Sides(values, tuple(one for one in others if one not in values))


def _bound(node: Demand, keyword: str, _maker: Maker) -> Sides:
    """Return the numbers around `minimum` or `maximum`, which may exclude the bound itself."""
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
    inside = dict.fromkeys(one for one in around if demand.fits(one))
    outside = dict.fromkeys(one for one in below if (is_excluded or one != bound) and not demand.fits(one))
    return Sides(tuple(inside), tuple(outside))


def _multiple(node: Demand, keyword: str, maker: Maker) -> Sides:
    inside = tuple(itertools.islice(maker.find(node), 5))
    step = Decimal(repr(min(abs(schema[keyword]) for schema in node.schemas if schema.get(keyword))))
    is_integer = node.type == "integer"
    offset = Decimal(1) if is_integer else step / 2
    moved = (
        numbervalues.to_number(Decimal(repr(one)) + offset, is_integer=is_integer) for one in inside if _is_number(one)
    )
    return Sides(inside, () if is_integer and step == 1 else tuple(moved))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _length(node: Demand, keyword: str, _maker: Maker) -> Sides:
    limit, step = _limit(node, keyword)
    return Sides(
        tuple(
            _taken(texts.of_length(node.text, size) for size in (limit, limit + step, limit + 2 * step) if size >= 0)
        ),
        tuple(_taken(texts.of_length(node.text, size) for size in (limit - step,) if 0 <= size <= _LONGEST)),
    )


def _taken(found: Iterable[Iterator[str]]) -> Iterator[str]:
    for one in found:
        yield from itertools.islice(one, 5)


def _limit(node: Demand, keyword: str) -> tuple[int, int]:
    """Return the limit of a size, and which way leads inside: 1 or -1."""
    if keyword.startswith("min"):
        return node.least(keyword), 1
    return node.most(keyword) or 0, -1


def _pattern(node: Demand, _keyword: str, maker: Maker) -> Sides:
    inside = tuple(one for one in itertools.islice(maker.find(node), 8) if isinstance(one, str))
    outside: list[str] = []
    for text in inside[:3]:
        for odd in _ODD:
            outside += [f"{text}{odd}", f"{odd}{text}", f"{text[:1]}{odd}{text[1:]}", odd]
    outside.append("")
    fitting = (one for one in outside if node.text.fits(one) and one not in inside)
    return Sides(inside, tuple(dict.fromkeys(fitting)))


def _format(node: Demand, _keyword: str, maker: Maker) -> Sides:
    demand = node.number
    if node.type == "number" and node.structure.get("format") == "float":
        known = tuple(itertools.islice(maker.find(node), 3))
        return Sides(known, tuple(one for one in (_BEYOND_FLOAT32, -_BEYOND_FLOAT32) if demand.fits(one)))
    if node.type in {"integer", "number"}:
        low, high = numbervalues.limits(node.structure.get("format", ""))
        bounds: tuple[Any, ...] = tuple(one for one in (high, low) if demand.fits(one))
        # Beyond int64 a server reads no integers.
        beyond = tuple(one for one in (high + 1, low - 1) if abs(one) < _INT64)
        return Sides(bounds or tuple(itertools.islice(maker.find(node), 3)), beyond)
    inside = tuple(one for one in itertools.islice(maker.find(node), 8) if isinstance(one, str))
    broken = (f"{one}{odd}" for one in inside[:2] for odd in ("!", "x", "-", " "))
    return Sides(inside, tuple(one for one in (*broken, "a!", "-", "") if node.text.fits(one)))


def _items(node: Demand, keyword: str, maker: Maker) -> Sides:
    limit, step = _limit(node, keyword)
    made = [maker.items(node, size) for size in (limit, limit + step) if 0 <= size <= _LONGEST]
    beyond = [maker.items(node, size) for size in (limit - step,) if 0 <= size <= _LONGEST]
    return Sides(tuple(one for one in made if one is not None), tuple(one for one in beyond if one is not None))


def _properties(node: Demand, keyword: str, maker: Maker) -> Sides:
    limit, step = _limit(node, keyword)
    made = [_of_size(node, size, maker) for size in (limit, limit + step) if 0 <= size <= _LONGEST]
    beyond = [
        one
        for size in (limit - step,)
        if 0 <= size <= _LONGEST
        for one in (_of_size(node, size, maker), _of_size(node, size, maker, named=False))
    ]
    return Sides(tuple(one for one in made if one is not None), tuple(one for one in beyond if one is not None))


def _of_size(node: Demand, size: int, maker: Maker, *, named: bool = True) -> dict[str, Any] | None:
    """Return an object with *size* fields, if *named* of those that have a name; None where the schema lets there be no such one."""
    first, needed = maker.first(node), {*node.required, *(META_FIELDS if node.is_embedded_resource else ())}
    made = {name: value for name, value in first.items() if name in needed} if isinstance(first, dict) else {}
    for name, child in node.properties.items() if named else ():
        if len(made) < size and (value := _not_null(child, maker)) is not None:
            made.setdefault(name, value)
    values = node.values or (ANYTHING if node.keeps_unknown_fields else None)
    if values is not None:
        value = maker.first(values)
        made |= {f"key{index}": value for index in range(size - len(made))}
    return made if len(made) == size else None


def _not_null(node: Demand, maker: Maker) -> Any:
    return next((value for value in maker.find(node) if value is not None), None)


def _list_type(node: Demand, _keyword: str, maker: Maker) -> Sides:
    inside = tuple(one for count in (2, 1) if (one := maker.items(node, count)))
    return Sides(inside, tuple([*one, one[0]] for one in reversed(inside)))


def of_junctor(node: Demand, keyword: str, maker: Maker) -> Iterator[Any]:
    """Yield values that may break `allOf`, `anyOf`, `oneOf` or `not` of *node*: on both sides of what its branches ask for."""
    plain = {key: value for key, value in node.structure.items() if key != keyword}
    branches = node.structure[keyword]
    for branch in [branches] if isinstance(branches, Mapping) else branches:
        both = Demand((plain, branch))
        for inner in keywords(Demand((branch,))):
            sides = find(both, inner, maker)
            yield from (*sides.outside, *sides.inside)
        yield from itertools.islice(maker.find(both), 5)
        yield from _of_fields(both, branch, maker)
    yield from maker.find(Demand((plain,)))


def _of_fields(both: Demand, branch: Mapping[str, Any], maker: Maker) -> Iterator[dict[str, Any]]:
    """Yield objects that break what a *branch* of a junctor asks of one field: it is not there, or has another value."""
    base = maker.first(both)
    if not isinstance(base, dict):
        return
    for name in branch.get("required") or ():
        yield {key: value for key, value in base.items() if key != name}
    for name, child in (branch.get("properties") or {}).items():
        field, asked = both.field(name), Demand((child,))
        for keyword in () if field is None else keywords(asked):
            yield from ({**base, name: value} for value in find(field or asked, keyword, maker).outside[:_MOST_BROKEN])


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
