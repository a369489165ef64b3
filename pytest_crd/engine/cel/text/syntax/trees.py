"""
Conversion of parse trees to expressions.

Problems of well-formed parts are reported even if other parts have syntax errors.

Reference:
    cel-go parser/parser.go, the Visit functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import Problem
from pytest_crd.engine.cel.expressionlimits import MAX_DEPTH
from pytest_crd.engine.cel.source import NO_LOCATION, NO_OFFSET
from pytest_crd.engine.cel.text import ast, literals
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.building import RESERVED, Builder
from pytest_crd.engine.cel.text.operators import OPERATORS
from pytest_crd.engine.cel.text.syntax import grammar
from pytest_crd.engine.cel.text.syntax.parsetree import ParseTree
from pytest_crd.engine.cel.text.syntax.prediction import Predictor
from pytest_crd.engine.cel.text.syntax.reader import SyntaxReader
from pytest_crd.engine.cel.text.syntax.recovery import HopelessError, ReadingLimitError
from pytest_crd.engine.cel.text.syntax.tokenstream import Token, TokenStream

_MOST_ERRORS: Final = 100
_HAVE_DEPTH: Final = frozenset({"expr", "Relation", "Calc", "Select", "MemberCall", "Index"})
# Rules without a node of their own if they have a single part.
_WRAPPERS: Final = frozenset(
    {"member", "relation", "calc", "conditionalOr", "conditionalAnd", "expr", "MemberExpr", "Nested", "ConstantLiteral"}
)
# A clause of a format. An index that nothing closes extends to the end of the text.
_INDEX: Final = r"\[[^\]]*+\]?+"
_FORM: Final = r"""
    %[+\-#\ 0]*+
    (?P<index>INDEX)?
    (?P<width>\*|[0-9]*+)
    (?:\.(?P<precision>\*|[0-9]*+))?
    (?P<verb>.?)
    """
_CLAUSE: Final = lazyre.compile(_FORM.replace("INDEX", _INDEX), re.VERBOSE | re.DOTALL)
_CLAUSE_WITHOUT_INDEX: Final = lazyre.compile(_FORM.replace("INDEX", "(?!)"), re.VERBOSE | re.DOTALL)


def read(builder: Builder, dialect: Dialect) -> Node:
    """
    Parse the source of *builder* and return its expression; *builder* collects the problems.

    Args:
        builder: Builder of the nodes.
        dialect: The language of the expression.
    """
    reader = _Reader(builder, dialect)
    try:
        return reader.read()
    except ReadingLimitError as error:
        builder.problems.append(Problem(NO_LOCATION, str(error)))
    except HopelessError:
        pass
    return reader.nothing()


@cache
def _predictor(*, escaped_identifiers: bool) -> Predictor:  # noqa: ARG001 - one cached predictor per grammar
    return Predictor()


class _Reader:
    """Converter of one text's parse tree."""

    def __init__(self, builder: Builder, dialect: Dialect) -> None:
        self._builder = builder
        self._dialect = dialect
        self._reported = 0
        self._depth = 0
        self._visits: dict[str, Callable[[ParseTree], Node]] = {
            "expr": self._conditional,
            "conditionalOr": self._chain,
            "conditionalAnd": self._chain,
            "Relation": self._operation,
            "Calc": self._operation,
            "unary": self._unreadable,
            "LogicalNot": self._sign,
            "Negate": self._sign,
            "Select": self._select,
            "MemberCall": self._member_call,
            "Index": self._index,
            "Ident": self._name,
            "GlobalCall": self._name,
            "CreateList": self._list,
            "CreateStruct": self._map,
            "CreateMessage": self._message,
            **dict.fromkeys([*_LITERALS, "String"], self._literal),
        }

    def read(self) -> Node:
        """Parse the whole text and return its expression."""
        escaped = self._dialect.escaped_identifiers
        tokens = TokenStream(self._builder.source.text, self._report_syntax, escaped_identifiers=escaped)
        network = grammar.network(escaped_identifiers=escaped)
        predictor = _predictor(escaped_identifiers=escaped)
        tree = SyntaxReader(network, predictor, tokens, self._report_syntax).read("start")
        return self._visit(tree.get("e"))

    def nothing(self, offset: int = NO_OFFSET) -> Node:
        """Return a placeholder for an expression that cannot be built."""
        return ast.Constant(self._builder.id_at(offset), None)

    def _report_syntax(self, offset: int, message: str) -> None:
        """Record a syntax error; raise HopelessError if there are too many."""
        for keyword in ("true", "false", "null"):
            if message.startswith("no viable alternative at input '") and message[33:] == f"{keyword}'":
                message = f"mismatched input '{keyword}' expecting IDENTIFIER"
        if self._dialect.misformats:
            message = misformat(message)
        location = self._builder.source.location(offset)
        if self._reported == _MOST_ERRORS:
            self._builder.problems.append(Problem(location, f"Syntax error: More than {_MOST_ERRORS} syntax errors"))
            raise HopelessError
        self._reported += 1
        self._builder.problems.append(Problem(location, f"Syntax error: {message}"))

    def _visit(self, tree: ParseTree | None) -> Node:
        """Return the node of *tree*."""
        while tree is not None and tree.name in _WRAPPERS and not tree.get("op") and not tree.get("ops"):
            tree = tree.get("e")
        if tree is None or tree.name not in self._visits:
            return self.nothing()
        if tree.name not in _HAVE_DEPTH:
            return self._visits[tree.name](tree)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ReadingLimitError("max recursion depth exceeded")
        node = self._visits[tree.name](tree)
        self._depth -= 1
        return node

    def _conditional(self, tree: ParseTree) -> Node:
        condition = self._visit(tree.get("e"))
        offset = _offset(tree.get("op"))
        if_true = self._visit(tree.get("e1"))
        return self._builder.operation(offset, "_?_:_", condition, if_true, self._visit(tree.get("e2")))

    def _chain(self, tree: ParseTree) -> Node:
        function = "_||_" if tree.rule == "conditionalOr" else "_&&_"
        terms = [self._visit(term) for term in (tree.get("e"), *tree.all("e1"))]
        return self._builder.chain(function, terms, [operator.offset for operator in tree.all("ops")])

    def _operation(self, tree: ParseTree) -> Node:
        operator = tree.parts["op"]
        operand = self._visit(tree.get("left"))
        right = self._visit(tree.get("right"))
        return self._builder.operation(operator.offset, OPERATORS[operator.text].function, operand, right)

    def _unreadable(self, tree: ParseTree) -> Node:
        return ast.Constant(self._builder.id_at(tree.start.offset), "<<error>>")

    def _sign(self, tree: ParseTree) -> Node:
        signs = tree.all("ops")
        operand = self._visit(tree.get("e"))
        if len(signs) % 2 == 0:
            return operand
        return self._builder.operation(signs[0].offset, "!_" if tree.name == "LogicalNot" else "-_", operand)

    def _select(self, tree: ParseTree) -> Node:
        operand = self._visit(tree.get("left"))
        field, dot = tree.get("id"), tree.parts["op"]
        if field is None:
            return self.nothing(tree.start.offset)
        name = self._field_name(field, _start(field)) or ""
        if tree.get("opt"):
            constant = ast.Constant(self._builder.id_at(_start(field)), name)
            return self._builder.operation(dot.offset, "_?._", operand, constant)
        return ast.Select(self._builder.id_at(dot.offset), operand, name)

    def _field_name(self, field: ParseTree | Token | None, offset: int) -> str | None:
        """Return a field name, or report an error at *offset* and return None."""
        if isinstance(field, Token):
            return field.text
        if field is None or field.name == "escapeIdent":
            self._builder.report(offset, "unsupported ident kind")
            return None
        text: str = field.parts["id"].text
        if field.name == "SimpleIdentifier":
            return text
        if not self._dialect.escapes_allowed:
            self._builder.report(offset, "unsupported syntax: '`'")
            return None
        return text[1:-1]

    def _member_call(self, tree: ParseTree) -> Node:
        target = self._visit(tree.get("left"))
        return self._builder.call(tree.parts["open"].offset, tree.parts["id"].text, target, self._arguments(tree))

    def _arguments(self, tree: ParseTree) -> list[Node]:
        arguments = tree.get("args")
        return [self._visit(argument) for argument in arguments.all("e")] if arguments else []

    def _index(self, tree: ParseTree) -> Node:
        target = self._visit(tree.get("left"))
        function = "_[?_]" if tree.get("opt") else "_[_]"
        return self._builder.operation(tree.parts["op"].offset, function, target, self._visit(tree.get("index")))

    def _name(self, tree: ParseTree) -> Node:
        name = tree.parts["id"]
        if name.text in RESERVED:
            return self._builder.report(tree.start.offset, f"reserved identifier: {name.text}")
        text = f".{name.text}" if tree.get("leadingDot") else name.text
        if tree.get("op"):
            return self._builder.call(tree.parts["op"].offset, text, None, self._arguments(tree))
        return ast.Identifier(self._builder.id_at(name.offset), text)

    def _list(self, tree: ParseTree) -> Node:
        node_id = self._builder.id_at(_offset(tree.get("op")))
        items = tree.get("elems")
        trees = items.all("elems") if items else []
        elements = [self._visit(item.get("e")) for item in trees]
        optional = frozenset(index for index, item in enumerate(trees) if item.get("opt"))
        return ast.ListLiteral(node_id, tuple(elements), optional)

    def _map(self, tree: ParseTree) -> Node:
        node_id = self._builder.id_at(_offset(tree.get("op")))
        entries: list[ast.Entry] = []
        for key, colon, value in _pairs(tree.get("entries"), "keys"):
            entry_id = self._builder.id_at(colon.offset)
            key_node = self._visit(key.get("e"))
            entries.append(ast.Entry(entry_id, key_node, self._visit(value), bool(key.get("opt"))))
        return ast.MapLiteral(node_id, tuple(entries))

    def _message(self, tree: ParseTree) -> Node:
        name = ".".join([part.text for part in tree.all("ids")])
        if tree.get("leadingDot"):
            name = "." + name
        node_id = self._builder.id_at(_offset(tree.get("op")))
        entries = tree.get("entries")
        fields: list[ast.FieldValue] = []
        for field, colon, value in _pairs(entries, "fields"):
            field_id = self._builder.id_at(colon.offset)
            field_name = self._field_name(field.get("id") or field.get("name"), entries.start.offset)
            if field_name is not None:
                fields.append(ast.FieldValue(field_id, field_name, self._visit(value), bool(field.get("opt"))))
        return ast.StructLiteral(node_id, name, tuple(fields))

    def _literal(self, tree: ParseTree) -> Node:
        sign = tree.get("sign")
        text = (sign.text if sign else "") + tree.parts["tok"].text
        if tree.name == "String":
            strict = self._dialect.strict_code_points
            return self._builder.literal(tree.start.offset, literals.read_string, text, strict_code_points=strict)
        return self._builder.literal(tree.start.offset, _LITERALS[tree.name], text)


def _offset(token: Token | None) -> int:
    return NO_OFFSET if token is None else token.offset


def _start(part: ParseTree | Token) -> int:
    return part.offset if isinstance(part, Token) else part.start.offset


def _pairs(tree: ParseTree | None, left: str) -> list[tuple[ParseTree, Token, ParseTree]]:
    """Return the keys, colons and values of *tree*, up to the first missing part."""
    if tree is None:
        return []
    return list(zip(tree.all(left), tree.all("cols"), tree.all("values"), strict=False))


_LITERALS: Final[Mapping[str, Callable[[str], Any]]] = {
    "Int": literals.read_int,
    "Uint": literals.read_uint,
    "Double": literals.read_double,
    "Bytes": literals.read_bytes,
    "BoolTrue": lambda _: True,
    "BoolFalse": lambda _: False,
    "Null": lambda _: None,
}


def misformat(text: str) -> str:
    """
    Return *text* as Go's Sprintf prints a format without arguments: all that resembles a clause becomes an error notation.

    Up to cel-go 0.22, messages of syntax errors pass through Sprintf with excerpts of the expression.

    Reference:
        Go fmt/print.go, doPrintf.
    """
    return _CLAUSE.sub(_complain, text)


def _complain(clause: re.Match[str]) -> str:
    index = clause["index"] or ""
    if index and not index.endswith("]"):
        return f"%![(MISSING){_CLAUSE_WITHOUT_INDEX.sub(_complain, index[1:])}"
    bad = ("%!(BADWIDTH)" if clause["width"] == "*" else "") + ("%!(BADPREC)" if clause["precision"] == "*" else "")
    verb = clause["verb"]
    if not verb:
        return f"{bad}%!(NOVERB)"
    if verb == "%":
        return f"{bad}%"
    return f"{bad}%!{verb}({'BADINDEX' if index else 'MISSING'})"
