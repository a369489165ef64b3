"""
Expressions and values written out for people, as one would write them in a rule.

An expression is written from its tree: the text of a part of it, with the macros as they were.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import ast, macrocalls
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import MacroCall
from pytest_crd.engine.cel.text.operators import OPERATORS
from pytest_crd.engine.cel.values import display, timestamps
from pytest_crd.engine.cel.values.celvalues import (
    Duration,
    Opaque,
    Optional,
    Timestamp,
    UInt,
    Value,
    find,
    is_list,
    is_map,
)
from pytest_crd.engine.golang import printing

_IDENTIFIER: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
# How strongly what is written binds: operators of two operands by their table, between these.
_CONDITIONAL, _OR, _AND, _UNARY, _MEMBER = -2, -1, 0, 8, 9
_JOINED: Final = {"_||_": ("||", _OR), "_&&_": ("&&", _AND)}
_BINARY: Final = {operator.function: (text, operator.precedence) for text, operator in OPERATORS.items()}
_PREFIXES: Final = {"!_": "!", "-_": "-"}
_INDICES: Final = {"_[_]": "[", "_[?_]": "[?"}


def expression(node: Node) -> str:
    """Return the text of *node*."""
    return _written(node)[0]


def flattened(node: ast.Call) -> list[Node]:
    """Return the operands of a chain of one of `&&` and `||`, which the parser makes a balanced tree of."""
    operands: list[Node] = []
    for operand in node.arguments:
        is_same = isinstance(operand, ast.Call) and operand.function == node.function
        operands += flattened(operand) if is_same and isinstance(operand, ast.Call) else [operand]
    return operands


def _written(node: Node) -> tuple[str, int]:  # noqa: PLR0911 - one for each kind of node
    """Return the text of *node*, and how strongly it binds."""
    match node:
        case ast.Constant():
            return value(node.value), _UNARY if _is_negative(node.value) else _MEMBER
        case ast.Identifier():
            return node.name, _MEMBER
        case ast.Select():
            selected = f"{_within(node.operand, _MEMBER)}.{_field(node.field)}"
            return f"has({selected})" if node.test_only else selected, _MEMBER
        case ast.ListLiteral():
            elements = enumerate(map(expression, node.elements))
            listed = (f"?{text}" if index in node.optional_indices else text for index, text in elements)
            return f"[{', '.join(listed)}]", _MEMBER
        case ast.MapLiteral():
            entries = (
                f"{'?' if entry.optional else ''}{expression(entry.key)}: {expression(entry.value)}"
                for entry in node.entries
            )
            return f"{{{', '.join(entries)}}}", _MEMBER
        case ast.Comprehension():
            return _macro(macrocalls.of_comprehension(node)), _MEMBER
        case ast.Call():
            return _call(node)
    fields = (
        f"{'?' if field.optional else ''}{_field(field.name)}: {expression(field.value)}" for field in node.fields
    )
    return f"{node.type_name}{{{', '.join(fields)}}}", _MEMBER


def _is_negative(constant: Value) -> bool:
    return isinstance(constant, int | float) and constant < 0


def _within(node: Node, precedence: int) -> str:
    """Return the text of an operand, in parentheses where it binds less than *precedence*."""
    text, own = _written(node)
    return text if own >= precedence else f"({text})"


def _field(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else f"`{name}`"


def _call(node: ast.Call) -> tuple[str, int]:
    if (write := _OPERATORS.get(node.function)) is not None:
        return write(node)
    target = f"{_within(node.target, _MEMBER)}." if node.target is not None else ""
    return f"{target}{node.function}({', '.join(map(expression, node.arguments))})", _MEMBER


def _junction(node: ast.Call) -> tuple[str, int]:
    operator, precedence = _JOINED[node.function]
    return f" {operator} ".join(_within(operand, precedence + 1) for operand in flattened(node)), precedence


def _binary(node: ast.Call) -> tuple[str, int]:
    operator, precedence = _BINARY[node.function]
    left, right = node.arguments
    return f"{_within(left, precedence)} {operator} {_within(right, precedence + 1)}", precedence


def _prefixed(node: ast.Call) -> tuple[str, int]:
    return f"{_PREFIXES[node.function]}{_within(node.arguments[0], _UNARY)}", _UNARY


def _index(node: ast.Call) -> tuple[str, int]:
    operand, key = node.arguments
    return f"{_within(operand, _MEMBER)}{_INDICES[node.function]}{expression(key)}]", _MEMBER


def _optional_field(node: ast.Call) -> tuple[str, int]:
    operand, name = node.arguments
    return f"{_within(operand, _MEMBER)}.?{_field(cast('ast.Constant', name).value)}", _MEMBER


def _conditional(node: ast.Call) -> tuple[str, int]:
    if (macro := macrocalls.of_conditional(node)) is not None:
        return _macro(macro), _MEMBER
    condition, truthy, falsy = node.arguments
    text = f"{_within(condition, _OR)} ? {_within(truthy, _OR)} : {_within(falsy, _CONDITIONAL)}"
    return text, _CONDITIONAL


_OPERATORS: Final[Mapping[str, Callable[[ast.Call], tuple[str, int]]]] = {
    **dict.fromkeys(_JOINED, _junction),
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_PREFIXES, _prefixed),
    **dict.fromkeys(_INDICES, _index),
    "_?._": _optional_field,
    "_?_:_": _conditional,
}


def _macro(macro: MacroCall) -> str:
    arguments = (*macro.variables, *map(expression, macro.arguments))
    return f"{_within(macro.target, _MEMBER)}.{macro.name}({', '.join(arguments)})"


# Values


def value(given: Value, longest: int | None = None) -> str:
    """
    Return the text of a value.

    Args:
        given: The value; what fails in it when it is asked for is written as `error: …`.
        longest: About how long the text may be: of what is longer, only the beginning is written.
    """
    text = _cut(_of_value(given), longest)
    if text.endswith("…") and (is_list(given) or is_map(given)):
        unit = "item" if is_list(given) else "field"
        return f"{text} ({len(given)} {unit if len(given) == 1 else f'{unit}s'})"
    return text


def _cut(parts: Iterable[str], longest: int | None) -> str:
    text = ""
    for part in parts:
        text += part
        if longest is not None and len(text) > longest:
            return f"{text[:longest]}…"
    return text


def _of_value(given: Value) -> Iterator[str]:
    """Yield the parts of the text one by one, so that a long list need not be written whole."""
    if is_list(given):
        yield from _joined(
            "[", (_attempt(functools.partial(given.__getitem__, index)) for index in range(len(given))), "]"
        )
    elif is_map(given):
        # Null stands for a field that the schema does not know.
        known = (key for key in given if key is not None)
        entries = ((f"{value(key)}: ", _attempt(functools.partial(find, given, key))) for key in known)
        yield from _joined("{", (itertools.chain((key,), parts) for key, parts in entries), "}")
    elif (write := _SCALARS.get(type(given))) is not None:
        yield write(given)
    elif isinstance(given, EvaluationError):
        yield f"error: {given}"
    elif isinstance(given, Opaque):
        yield f"{given.type_name}({printing.quote(str(given))})"
    else:
        yield display.show(given)


def _joined(before: str, elements: Iterable[Iterable[str]], after: str) -> Iterator[str]:
    yield before
    for index, parts in enumerate(elements):
        if index:
            yield ", "
        yield from parts
    yield after


def _attempt(ask: Callable[[], Value]) -> Iterator[str]:
    try:
        found = ask()
    except EvaluationError as error:
        return iter((f"error: {error}",))
    return _of_value(found)


def _double(number: float) -> str:
    text = display.show(number)
    return text if re.search(r"[^-\d]", text) else f"{text}.0"


def _bytes(content: bytes) -> str:
    return 'b"' + "".join(chr(byte) if chr(byte) in _READABLE else f"\\x{byte:02x}" for byte in content) + '"'


_READABLE: Final = frozenset(map(chr, range(0x20, 0x7F))) - {"\\", '"'}
_SCALARS: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda _: "null",
    str: printing.quote,
    UInt: lambda given: f"{given.value}u",
    float: _double,
    bytes: _bytes,
    Duration: lambda given: f'duration("{display.show(given)}")',
    Timestamp: lambda given: f'timestamp("{timestamps.text(given)}")',
    Optional: lambda given: f"optional.of({value(given.value)})" if given.has_value else "optional.none()",
}
