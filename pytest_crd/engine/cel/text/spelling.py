"""
Expressions and values as CEL text for users.

Expressions are written from their tree, with macro calls recovered.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast

from pytest_crd import lazyre
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

_IDENTIFIER: Final = lazyre.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
# Precedences; binary operators are between _AND and _UNARY.
_CONDITIONAL, _OR, _AND, _UNARY, _MEMBER = -2, -1, 0, 8, 9
_JOINED: Final = {"_||_": ("||", _OR), "_&&_": ("&&", _AND)}
_BINARY: Final = {operator.function: (text, operator.precedence) for text, operator in OPERATORS.items()}
_PREFIXES: Final = {"!_": "!", "-_": "-"}
_INDICES: Final = {"_[_]": "[", "_[?_]": "[?"}


def expression(node: Node) -> str:
    """Return *node* as CEL text."""
    return _written(node)[0]


def flatten_chain(node: ast.Call) -> list[Node]:
    """Return the operands of a chain of `&&` or `||`, which the parser stores as a balanced tree."""
    operands: list[Node] = []
    for operand in node.arguments:
        is_same = isinstance(operand, ast.Call) and operand.function == node.function
        operands += flatten_chain(operand) if is_same and isinstance(operand, ast.Call) else [operand]
    return operands


def _written(node: Node) -> tuple[str, int]:  # noqa: PLR0911 - one for each kind of node
    """Return *node* as CEL text, with its precedence."""
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
            return _macro(macrocalls.recover_from_comprehension(node)), _MEMBER
        case ast.Call():
            return _call(node)
    fields = (
        f"{'?' if field.optional else ''}{_field(field.name)}: {expression(field.value)}" for field in node.fields
    )
    return f"{node.type_name}{{{', '.join(fields)}}}", _MEMBER


def _is_negative(constant: Value) -> bool:
    return isinstance(constant, int | float) and constant < 0


def _within(node: Node, precedence: int) -> str:
    """Return *node* as an operand, in parentheses if its precedence is lower than *precedence*."""
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
    return f" {operator} ".join(_within(operand, precedence + 1) for operand in flatten_chain(node)), precedence


def _binary(node: ast.Call) -> tuple[str, int]:
    operator, precedence = _BINARY[node.function]
    first, second = node.arguments
    return f"{_within(first, precedence)} {operator} {_within(second, precedence + 1)}", precedence


def _prefixed(node: ast.Call) -> tuple[str, int]:
    return f"{_PREFIXES[node.function]}{_within(node.arguments[0], _UNARY)}", _UNARY


def _index(node: ast.Call) -> tuple[str, int]:
    operand, key = node.arguments
    return f"{_within(operand, _MEMBER)}{_INDICES[node.function]}{expression(key)}]", _MEMBER


def _optional_field(node: ast.Call) -> tuple[str, int]:
    operand, name = node.arguments
    return f"{_within(operand, _MEMBER)}.?{_field(cast('ast.Constant', name).value)}", _MEMBER


def _conditional(node: ast.Call) -> tuple[str, int]:
    if (macro := macrocalls.recover_from_conditional(node)) is not None:
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


def value(content: Value, longest: int | None = None) -> str:
    """
    Return a value as CEL text.

    Args:
        content: The value. Parts that raise an error are written as `error: …`.
        longest: Approximate length limit; the text is truncated with an ellipsis.
    """
    text = _cut(_value_parts(content), longest)
    if text.endswith("…") and (is_list(content) or is_map(content)):
        unit = "item" if is_list(content) else "field"
        return f"{text} ({len(content)} {unit if len(content) == 1 else f'{unit}s'})"
    return text


def _cut(parts: Iterable[str], longest: int | None) -> str:
    text = ""
    for part in parts:
        text += part
        if longest is not None and len(text) > longest:
            return f"{text[:longest]}…"
    return text


def _value_parts(content: Value) -> Iterator[str]:
    """Yield the parts of a value's text, so that long lists need not be written in full."""
    if is_list(content):
        yield from _joined(
            "[", (_attempt(functools.partial(content.__getitem__, index)) for index in range(len(content))), "]"
        )
    elif is_map(content):
        # A null key is a field that is unknown to the schema.
        keys = (key for key in content if key is not None)
        entries = ((f"{value(key)}: ", _attempt(functools.partial(find, content, key))) for key in keys)
        yield from _joined("{", (itertools.chain((key,), parts) for key, parts in entries), "}")
    elif isinstance(content, Optional) and content.has_value:
        yield from _joined("optional.of(", [_value_parts(content.value)], ")")
    elif (write := _SCALARS.get(type(content))) is not None:
        yield write(content)
    elif isinstance(content, EvaluationError):
        yield f"error: {content}"
    elif isinstance(content, Opaque):
        yield f"{content.type_name}({printing.quote(str(content))})"
    else:
        yield display.show(content)


def _joined(before: str, elements: Iterable[Iterable[str]], after: str) -> Iterator[str]:
    yield before
    for index, parts in enumerate(elements):
        if index:
            yield ", "
        yield from parts
    yield after


def _attempt(evaluate: Callable[[], Value]) -> Iterator[str]:
    try:
        result = evaluate()
    except EvaluationError as error:
        return iter((f"error: {error}",))
    return _value_parts(result)


def _double(number: float) -> str:
    text = display.show(number)
    return text if re.search(r"[^-\d]", text) else f"{text}.0"


def _bytes(content: bytes) -> str:
    return 'b"' + "".join(chr(byte) if chr(byte) in _READABLE else f"\\x{byte:02x}" for byte in content) + '"'


_READABLE: Final = frozenset(map(chr, range(0x20, 0x7F))) - {"\\", '"'}
_SCALARS: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda _: "null",
    str: printing.quote,
    UInt: lambda content: f"{content.value}u",
    float: _double,
    bytes: _bytes,
    Duration: lambda content: f'duration("{display.show(content)}")',
    Timestamp: lambda content: f'timestamp("{timestamps.text(content)}")',
}
