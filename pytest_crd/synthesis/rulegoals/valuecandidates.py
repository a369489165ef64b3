"""Values that may make a rule what is wanted: other values than one, values beside one, and those that a rule has in it."""

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
# What texts look like that functions read.
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
# Texts that are of hardly any form.
ODD: Final = ("", "!", "A", "a b", "-", "a.b", "a/b", "1", "*")


def to_json(value: Value) -> Any:
    """Return what stands in an object for a value of an expression; `ABSENT` where nothing does."""
    if isinstance(value, JSONView):
        return value.value
    if is_list(value):
        items = [to_json(one) for one in value]
        return ABSENT if ABSENT in items else items
    if is_map(value):
        entries = {key: to_json(find(value, key)) for key in value}
        return ABSENT if ABSENT in entries.values() else entries
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool | int | float | str):
        return value
    write = _WRITTEN.get(type(value))
    return ABSENT if write is None else write(value)


_WRITTEN: Final[Mapping[type, Callable[[Any], Any]]] = {
    Timestamp: timestamps.text,
    Duration: display.show,
    UInt: lambda value: value.value,
    Optional: lambda value: to_json(value.value) if value.has_value else ABSENT,
}


def related(operator: str, value: Value) -> Iterator[Value]:
    """Yield values that stand to *value* as an operator of order, or `==`, asks for, the nearest first."""
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


def _read(demand: Demand, literals: Iterable[Any], functions: Iterable[str]) -> list[str]:
    """Return texts that *functions*, or those that know the format of a text, read."""
    kinds = {_SAME.get(name, name) for name in (*functions, demand.text.format)}
    found = [text for kind in sorted(kinds) for text in _READ_BY.get(kind, texts.FORMATS.get(kind, ()))]
    if "url" in kinds:
        parts = [one for one in literals if isinstance(one, str)]
        found += [
            form.format(part) for part in parts for form in ("https://{}", "{}://example.com", "https://example.com{}")
        ]
    return found


def beside(literal: str | float) -> Iterator[Any]:
    """Yield a value that a rule has in it, and those next to it."""
    yield literal
    if isinstance(literal, int | float):
        yield from (literal + 1, literal - 1)
    else:
        yield from _renumbered(literal)
        yield from (f"a{literal}", f"{literal}a", f"a{literal}a", literal[:-1], literal[1:])


def _renumbered(text: str) -> Iterator[str]:
    """Yield *text* with greater and lesser numbers in it."""
    for change in (lambda one: one + 1, lambda one: max(one - 1, 0), lambda one: 10 * one, lambda one: one // 10):
        changed = _DIGITS.sub(lambda match, change=change: str(change(int(match[0]))), text)  # type: ignore[misc]
        if changed != text:
            yield changed


def others(value: Any, demand: Demand, maker: Maker, depth: int = 0) -> Iterator[Any]:
    """Yield values that differ from *value* in a part, or altogether."""
    if isinstance(value, dict) and depth < _DEEPEST:
        yield from _other_objects(value, demand, maker, depth)
    if isinstance(value, list) and depth < _DEEPEST:
        yield from _other_lists(value, demand, maker, depth)
    yield from (one for one in itertools.islice(maker.find(demand), _MOST) if not _is_same(one, value))
    if isinstance(value, str) and demand.enum is None:
        yield from (f"{value}x", f"a{value}", value.swapcase())
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)


def _other_objects(value: dict[str, Any], demand: Demand, maker: Maker, depth: int) -> Iterator[Any]:
    for name, child in demand.properties.items():
        if name not in value:
            # The default is there already.
            made = itertools.islice((one for one in maker.find(child) if one != child.default), 1)
            yield from ({**value, name: one} for one in made)
    if demand.values is not None:
        name = next(f"key{index or ''}" for index in itertools.count() if f"key{index or ''}" not in value)
        yield {**value, name: maker.first(demand.values)}
    for name, inner in value.items():
        changed = others(inner, demand.field(name) or Demand(({},)), maker, depth + 1)
        yield from ({**value, name: one} for one in itertools.islice(changed, _MOST_PARTS))
    yield from (
        {key: one for key, one in value.items() if key != name} for name in value if name not in demand.required
    )


def _other_lists(value: list[Any], demand: Demand, maker: Maker, depth: int) -> Iterator[Any]:
    made = maker.items(demand, len(value) + 1)
    yield from () if made is None else ([*value, made[-1]], made)
    for index, inner in enumerate(value[:_MOST_PARTS]):
        changed = others(inner, demand.items or Demand(({},)), maker, depth + 1)
        yield from ([*value[:index], one, *value[index + 1 :]] for one in itertools.islice(changed, _MOST_PARTS))
    if value:
        yield value[:-1]
        yield value[::-1]


def of_size(value: Any, size: int, demand: Demand, maker: Maker) -> Iterator[Any]:
    """Yield texts, lists or maps of a size, the likest to *value* first."""
    if not 0 <= size <= (_LONGEST if isinstance(value, str) else _MOST_ITEMS):
        return
    if isinstance(value, str):
        yield from (
            value[:size].ljust(size, value[-1:] or "a"),
            value[len(value) - size :].rjust(size, value[:1] or "a"),
        )
        yield from itertools.islice(texts.of_length(demand.text, size), 4)
    elif isinstance(value, list):
        made = maker.items(demand, size)
        if value and not demand.is_unique:
            yield [*value[:size], *value[-1:] * (size - len(value))]
        if made is not None:
            yield from ([*value[:size], *made[len(value) :]], made)
    elif isinstance(value, dict):
        yield from _maps_of_size(value, size, demand, maker)


def _maps_of_size(value: dict[str, Any], size: int, demand: Demand, maker: Maker) -> Iterator[Any]:
    made = dict(itertools.islice(value.items(), size))
    names = (f"key{index}" for index in itertools.count())
    while len(made) < size:
        made.setdefault(next(names), maker.first(demand.inner(Each.VALUE)))
    yield made


def pool(value: Any, demand: Demand, maker: Maker, literals: Iterable[Any], functions: Iterable[str]) -> Iterator[Any]:
    """Yield what may stand at a place that a rule speaks of: what the rule names, what its functions read, what the schema asks for."""
    known = [one for literal in literals for one in beside(literal)]
    read = _read(demand, literals, functions) if demand.type in {"string", INT_OR_STRING, ""} else []
    usual = [*texts.USUAL, *ODD] if demand.type == "string" else []
    yield from (one for one in known if not demand.type or demand.fits(one))
    yield from read
    if value is not ABSENT:
        yield from itertools.islice(others(value, demand, maker), 2 * _MOST)
    yield from itertools.islice(maker.find(demand), _MOST)
    yield from usual
    if demand.items is not None:
        yield from ([one] for one in [*known, *read] if demand.items.fits(one))


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
