"""Candidate values for goals: values that differ from a given one, its neighbours, and values from the rule."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.cel.values import display, timestamps
from pytest_crd.engine.cel.values.celvalues import Duration, Optional, Timestamp, UInt, Value, find, is_list, is_map
from pytest_crd.engine.rules.natives import JSONView
from pytest_crd.engine.schema.schemamap import Each
from pytest_crd.synthesis import texts
from pytest_crd.synthesis.demands import INT_OR_STRING, Demand
from pytest_crd.synthesis.objectchanges import ABSENT
from pytest_crd.synthesis.schemavalues import Maker

_MOST: Final = 12
_MOST_PARTS: Final = 3
_DEEPEST: Final = 6
_LONGEST: Final = 100_000
_MOST_ITEMS: Final = 5000
_SECOND: Final = 10**9
_DIGITS: Final = re.compile(r"\d+")
# Texts in the formats that functions parse.
_READ_BY: Final = {
    "cidr": (
        "10.0.0.0/8",
        "10.0.0.1/8",
        "10.0.0.0/30",
        "192.168.0.0/24",
        "0.0.0.0/0",
        "2001:db8::/32",
        "2001:db8::1/64",
    ),
    "ip": (
        "10.0.0.1",
        "127.0.0.1",
        "169.254.1.1",
        "224.0.0.1",
        "8.8.8.8",
        "::1",
        "2001:db8::1",
        "2001:DB8::1",
    ),
    "quantity": ("1", "0", "-1", "500m", "1Ki", "1Gi", "1000Ti"),
    "url": ("https://example.com", "http://a.example.com:8080/a?b=c", "ftp://10.0.0.1", "/a", "https://[::1]:443/"),
    "duration": ("1h", "0s", "1ms", "1s", "1m", "1h1ms", "1000h", "-1s"),
    "timestamp": ("2024-01-31T12:00:00Z", "1970-01-01T00:00:00Z", "2100-12-31T23:59:59Z"),
    "semver": ("1.0.0", "0.0.1", "1.2.3-rc.1", "100.0.0"),
    "int": ("1", "0", "-1", "100000"),
    "double": ("1", "0", "-1.5", "100000"),
}
_SAME: Final = {
    "isCIDR": "cidr", "isIP": "ip", "isQuantity": "quantity", "isURL": "url", "isSemver": "semver",
    "ip.isCanonical": "ip",
    "date-time": "timestamp", "isCanonical": "ip",
}  # fmt: skip
# Texts that few formats and patterns accept.
ODD: Final = ("", "!", "A", "a b", "-", "a.b", "a/b", "1", "*")


def to_json(value: Value) -> Any:
    """Return the JSON form of a CEL value; `ABSENT` if it has none."""
    if isinstance(value, JSONView):
        return value.value
    if is_list(value):
        items = [to_json(item) for item in value]
        return ABSENT if ABSENT in items else items
    if is_map(value):
        entries = {key: to_json(find(value, key)) for key in value}
        return ABSENT if ABSENT in entries.values() else entries
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool | int | float | str):
        return value
    write = _WRITERS.get(type(value))
    return ABSENT if write is None else write(value)


_WRITERS: Final[Mapping[type, Callable[[Any], Any]]] = {
    Timestamp: timestamps.text,
    Duration: display.show,
    UInt: lambda value: value.value,
    Optional: lambda value: to_json(value.value) if value.has_value else ABSENT,
}


def related(operator: str, value: Value) -> Iterator[Value]:
    """Yield values that have the relation of *operator*, an order or `==`, to *value*, the nearest first."""
    if operator in {"_==_", "_<=_", "_>=_"}:
        yield value
    sign = -1 if operator in {"_<_", "_<=_"} else 1
    if operator == "_==_" or isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from (value + sign * offset for offset in (1, 2, 10, 0.5) if type(offset) is int or type(value) is float)
    elif isinstance(value, Duration):
        yield from (Duration(value.nanoseconds + sign * offset * _SECOND) for offset in (1, 60, 3600))
    elif isinstance(value, Timestamp):
        yield from (Timestamp(value.seconds + sign * offset) for offset in (1, 86400))
    elif isinstance(value, str):
        yield from (f"{value}a", "z", "~") if sign > 0 else (value[:-1], "", "0")


def _find_parsable_texts(demand: Demand, literals: Iterable[Any], functions: Iterable[str]) -> list[str]:
    """Return texts in the formats that *functions* parse, and in the declared format."""
    kinds = {_SAME.get(name, name) for name in (*functions, demand.text.format)}
    texts_ = [text for kind in sorted(kinds) for text in _READ_BY.get(kind, texts.FORMATS.get(kind, ()))]
    if "url" in kinds:
        parts = [literal for literal in literals if isinstance(literal, str)]
        texts_ += [
            form.format(part) for part in parts for form in ("https://{}", "{}://example.com", "https://example.com{}")
        ]
    return texts_


def find_neighbours(literal: str | float) -> Iterator[Any]:
    """Yield a literal of a rule, and its neighbours."""
    yield literal
    if isinstance(literal, int | float):
        yield from (literal + 1, literal - 1)
    else:
        yield from _renumbered(literal)
        yield from (f"a{literal}", f"{literal}a", f"a{literal}a", literal[:-1], literal[1:])


def _renumbered(text: str) -> Iterator[str]:
    """Yield variants of *text* with greater and lesser numbers in it."""
    for change in (
        lambda number: number + 1,
        lambda number: max(number - 1, 0),
        lambda number: 10 * number,
        lambda number: number // 10,
    ):
        changed = _DIGITS.sub(lambda match, change=change: str(change(int(match[0]))), text)  # type: ignore[misc]
        if changed != text:
            yield changed


def find_other_values(value: Any, demand: Demand, maker: Maker, depth: int = 0) -> Iterator[Any]:
    """Yield values that differ from *value* in one part or entirely."""
    if isinstance(value, dict) and depth < _DEEPEST:
        yield from _vary_object(value, demand, maker, depth)
    if isinstance(value, list) and depth < _DEEPEST:
        yield from _vary_list(value, demand, maker, depth)
    yield from (
        candidate for candidate in itertools.islice(maker.find_values(demand), _MOST) if not _is_same(candidate, value)
    )
    if isinstance(value, str) and demand.enum is None:
        yield from (f"{value}x", f"a{value}", value.swapcase())
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)


def _vary_object(value: dict[str, Any], demand: Demand, maker: Maker, depth: int) -> Iterator[Any]:
    for name, child in demand.properties.items():
        if name not in value:
            # The default is present already.
            additions = itertools.islice((added for added in maker.find_values(child) if added != child.default), 1)
            yield from ({**value, name: added} for added in additions)
    if demand.values is not None:
        name = next(f"key{index or ''}" for index in itertools.count() if f"key{index or ''}" not in value)
        yield {**value, name: maker.first(demand.values)}
    for name, inner in value.items():
        changed = find_other_values(inner, demand.field(name) or Demand(({},)), maker, depth + 1)
        yield from ({**value, name: variant} for variant in itertools.islice(changed, _MOST_PARTS))
    yield from (
        {key: field for key, field in value.items() if key != name} for name in value if name not in demand.required
    )


def _vary_list(value: list[Any], demand: Demand, maker: Maker, depth: int) -> Iterator[Any]:
    longer = maker.items(demand, len(value) + 1)
    yield from () if longer is None else ([*value, longer[-1]], longer)
    for index, inner in enumerate(value[:_MOST_PARTS]):
        changed = find_other_values(inner, demand.items or Demand(({},)), maker, depth + 1)
        yield from (
            [*value[:index], variant, *value[index + 1 :]] for variant in itertools.islice(changed, _MOST_PARTS)
        )
    if value:
        yield value[:-1]
        yield value[::-1]


def resize_value(value: Any, size: int, demand: Demand, maker: Maker) -> Iterator[Any]:
    """Yield texts, lists or maps with *size* characters or items, the most similar to *value* first."""
    if not 0 <= size <= (_LONGEST if isinstance(value, str) else _MOST_ITEMS):
        return
    if isinstance(value, str):
        yield from (
            value[:size].ljust(size, value[-1:] or "a"),
            value[len(value) - size :].rjust(size, value[:1] or "a"),
        )
        yield from itertools.islice(texts.find_texts_of_length(demand.text, size), 4)
    elif isinstance(value, list):
        items = maker.items(demand, size)
        if value and not demand.is_unique:
            yield [*value[:size], *value[-1:] * (size - len(value))]
        if items is not None:
            yield from ([*value[:size], *items[len(value) :]], items)
    elif isinstance(value, dict):
        yield from _resize_map(value, size, demand, maker)


def _resize_map(value: dict[str, Any], size: int, demand: Demand, maker: Maker) -> Iterator[Any]:
    resized = dict(itertools.islice(value.items(), size))
    names = (f"key{index}" for index in itertools.count())
    while len(resized) < size:
        resized.setdefault(next(names), maker.first(demand.inner(Each.VALUE)))
    yield resized


def pool(value: Any, demand: Demand, maker: Maker, literals: Iterable[Any], functions: Iterable[str]) -> Iterator[Any]:
    """Yield candidates for a place that a rule reads: literals of the rule, texts that its functions parse, values of the schema."""
    named = [neighbour for literal in literals for neighbour in find_neighbours(literal)]
    parsable = _find_parsable_texts(demand, literals, functions) if demand.type in {"string", INT_OR_STRING, ""} else []
    usual = [*texts.USUAL, *ODD] if demand.type == "string" else []
    yield from (value_ for value_ in named if not demand.type or demand.fits(value_))
    yield from parsable
    if value is not ABSENT:
        yield from itertools.islice(find_other_values(value, demand, maker), 2 * _MOST)
    yield from itertools.islice(maker.find_values(demand), _MOST)
    yield from usual
    if demand.items is not None:
        yield from ([item] for item in [*named, *parsable] if demand.items.fits(item))


def _is_same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)
