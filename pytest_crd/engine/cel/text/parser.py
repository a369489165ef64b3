"""
Parser of expressions.

This parser is fast and accepts well-formed texts only. At the first syntax error, or if the nesting limit may be
exceeded, `syntax` parses the text again, slowly, and reports the server's errors.

Reference:
    cel-go parser/parser.go; parser/gen/CEL.g4, the parser rules.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import CompileError, Problem
from pytest_crd.engine.cel.expressionlimits import MAX_CODE_POINTS, MAX_DEPTH
from pytest_crd.engine.cel.source import NO_LOCATION, Source
from pytest_crd.engine.cel.text import ast, lexer, literals
from pytest_crd.engine.cel.text.ast import Node, ParsedExpression
from pytest_crd.engine.cel.text.building import RESERVED, Builder, MacroTable
from pytest_crd.engine.cel.text.lexer import Tokens
from pytest_crd.engine.cel.text.operators import OPERATORS
from pytest_crd.engine.cel.text.syntax import trees

_DEEPENING: Final = frozenset({*OPERATORS, ".", "?", "[", "{", "("})


def parse(text: str, macros: MacroTable, dialect: Dialect) -> ParsedExpression:
    """
    Parse an expression.

    Args:
        text: The expression.
        macros: The macros to expand.
        dialect: The language of the expression.

    Raises:
        CompileError: It has a syntax error.
    """
    source = Source(text)
    if len(text) > MAX_CODE_POINTS:
        message = f"expression code point size exceeds limit: size: {len(text)}, limit {MAX_CODE_POINTS}"
        raise CompileError(Source(""), [Problem(NO_LOCATION, message)])
    tokens = lexer.tokenize(text, escaped_identifiers=dialect.escaped_identifiers)
    builder = Builder(source, macros, dialect)
    if tokens is None or _may_be_deep(tokens) or _has_refused_escape(tokens, dialect):
        root = trees.read(builder, dialect)
    else:
        try:
            root = _Parser(tokens, builder, dialect).read()
        except _SyntaxError:
            builder = Builder(source, macros, dialect)
            root = trees.read(builder, dialect)
    if builder.problems:
        raise CompileError(source, builder.problems)
    return ParsedExpression(source, root, builder.positions)


def _may_be_deep(tokens: Tokens) -> bool:
    """Return whether *tokens* could exceed the nesting limit; each level takes at least one token of certain kinds."""
    kinds = tokens.kinds
    return len(kinds) > MAX_DEPTH and sum(kind in _DEEPENING for kind in kinds) >= MAX_DEPTH


def _has_refused_escape(tokens: Tokens, dialect: Dialect) -> bool:
    """Return whether there is a name in backquotes that the grammar allows but the server refuses."""
    return not dialect.escapes_allowed and lexer.ESCAPED_IDENTIFIER in tokens.kinds


class _SyntaxError(Exception):
    """Syntax error; the slow parser finds the message."""


class _Parser:
    """Recursive descent parser of one text."""

    def __init__(self, tokens: Tokens, builder: Builder, dialect: Dialect) -> None:
        self._kinds = tokens.kinds
        self._texts = tokens.texts
        self._offsets = tokens.offsets
        self._builder = builder
        self._id_at = builder.id_at
        self._strict = dialect.strict_code_points
        self._at = 0

    def read(self) -> Node:
        """Parse the whole text."""
        root = self._expression()
        self._expect(lexer.EOF)
        return root

    def _expect(self, kind: str) -> int:
        """Consume a token of *kind* and return its offset."""
        at = self._at
        if self._kinds[at] != kind:
            raise _SyntaxError
        self._at = at + 1
        return self._offsets[at]

    def _field_name(self) -> str:
        """Consume a field name and return it without backquotes."""
        at = self._at
        kind, name = self._kinds[at], self._texts[at]
        if kind == lexer.ESCAPED_IDENTIFIER:
            name = name[1:-1]
        elif kind != lexer.IDENTIFIER:
            raise _SyntaxError
        self._at = at + 1
        return name

    def _accept(self, kind: str) -> bool:
        """Consume a token of *kind* if it is next; return whether it was."""
        if self._kinds[self._at] != kind:
            return False
        self._at += 1
        return True

    def _expression(self) -> Node:
        """Parse `a || b` or `a || b ? c || d : e`."""
        condition = self._disjunction()
        if self._kinds[self._at] != "?":
            return condition
        offset = self._expect("?")
        if_true = self._disjunction()
        self._expect(":")
        if_false = self._expression()
        return self._builder.operation(offset, "_?_:_", condition, if_true, if_false)

    def _disjunction(self) -> Node:
        """Parse `a && b || c`."""
        kinds, offsets = self._kinds, self._offsets
        disjuncts: list[Node] = []
        or_offsets: list[int] = []
        while True:
            term = self._operation(1)
            if kinds[self._at] == "&&":
                conjuncts, and_offsets = [term], []
                while kinds[self._at] == "&&":
                    and_offsets.append(offsets[self._at])
                    self._at += 1
                    conjuncts.append(self._operation(1))
                term = self._builder.chain("_&&_", conjuncts, and_offsets)
            if kinds[self._at] != "||":
                if not disjuncts:
                    return term
                return self._builder.chain("_||_", [*disjuncts, term], or_offsets)
            disjuncts.append(term)
            or_offsets.append(offsets[self._at])
            self._at += 1

    def _operation(self, lowest: int) -> Node:
        """Parse operations with at least the precedence *lowest*; operators are left-associative."""
        operand = self._unary()
        while True:
            at = self._at
            operator = OPERATORS.get(self._kinds[at])
            if operator is None or operator[0] < lowest:
                return operand
            self._at = at + 1
            right = self._operation(operator[0] + 1)
            operand = ast.Call(self._id_at(self._offsets[at]), operator[1], None, (operand, right))

    def _unary(self) -> Node:
        """Parse `!a` or `--a`; an even number of signs cancels out."""
        kinds, at = self._kinds, self._at
        sign = kinds[at]
        if sign not in {"!", "-"} or (sign == "-" and kinds[at + 1] in {lexer.INT, lexer.FLOAT}):
            return self._member()
        start = at
        while kinds[at] == sign:
            at += 1
        self._at = at
        operand = self._member()
        if (at - start) % 2 == 0:
            return operand
        return self._builder.operation(self._offsets[start], "!_" if sign == "!" else "-_", operand)

    def _member(self) -> Node:
        """Parse `a.b.c(d)[e]`."""
        node = self._primary()
        kinds, offsets = self._kinds, self._offsets
        while True:
            at = self._at
            kind = kinds[at]
            if kind == ".":
                node = self._select(node)
            elif kind == "[":
                self._at = at + 1
                optional = self._accept("?")
                index = self._expression()
                self._expect("]")
                node = self._builder.operation(offsets[at], "_[?_]" if optional else "_[_]", node, index)
            else:
                return node

    def _select(self, operand: Node) -> Node:
        """Parse `.b`, `.?b` or `.b(c)` after *operand*."""
        dot = self._at
        self._at = dot + 1
        optional = self._accept("?")
        at = self._at
        name = self._field_name()
        if optional:
            field = ast.Constant(self._id_at(self._offsets[at]), name)
            return self._builder.operation(self._offsets[dot], "_?._", operand, field)
        if self._kinds[at + 1] == "(" and self._kinds[at] == lexer.IDENTIFIER:
            offset = self._offsets[at + 1]
            return self._builder.call(offset, name, operand, self._arguments())
        return ast.Select(self._id_at(self._offsets[dot]), operand, name)

    def _arguments(self) -> list[Node]:
        """Parse `(a, b)`."""
        self._expect("(")
        arguments: list[Node] = []
        if self._accept(")"):
            return arguments
        arguments.append(self._expression())
        while self._accept(","):
            arguments.append(self._expression())
        self._expect(")")
        return arguments

    def _primary(self) -> Node:
        """Parse a name, a call, a literal, or an expression in parentheses."""
        at = self._at
        kind = self._kinds[at]
        if kind in {lexer.IDENTIFIER, "."}:
            return self._name()
        if kind == "(":
            self._at = at + 1
            node = self._expression()
            self._expect(")")
            return node
        if kind == "[":
            return self._list()
        if kind == "{":
            return self._map()
        return self._literal()

    def _literal(self) -> Node:
        """Parse a scalar literal, including numbers with a sign."""
        at, builder = self._at, self._builder
        kind, text, offset = self._kinds[at], self._texts[at], self._offsets[at]
        self._at = at + 1
        if kind == lexer.STRING:
            return builder.literal(offset, literals.read_string, text, strict_code_points=self._strict)
        if kind == "-" and self._kinds[at + 1] in {lexer.INT, lexer.FLOAT}:
            kind, text = self._kinds[at + 1], "-" + self._texts[at + 1]
            self._at = at + 2
        if kind in _LITERALS:
            return builder.literal(offset, _LITERALS[kind], text)
        if kind in _CONSTANTS:
            return ast.Constant(self._id_at(offset), _CONSTANTS[kind])
        raise _SyntaxError

    def _name(self) -> Node:
        """Parse `a`, `.a`, `a(b)` or `a.b{c: d}`."""
        start = self._at
        kinds, offsets = self._kinds, self._offsets
        at = start + 1 if kinds[start] == "." else start
        if kinds[at] != lexer.IDENTIFIER:
            raise _SyntaxError
        end = at
        while kinds[end + 1] == "." and kinds[end + 2] == lexer.IDENTIFIER:
            end += 2
        if kinds[end + 1] == "{":
            self._at = end + 1
            return self._struct("".join(self._texts[start : end + 1]))
        self._at = at + 1
        name, called = self._texts[at], kinds[at + 1] == "("
        if name in RESERVED:
            problem_count = len(self._builder.problems)
            if called:
                self._arguments()
            del self._builder.problems[problem_count:]  # cel-go ignores the arguments of such a call
            return self._builder.report(offsets[start], f"reserved identifier: {name}")
        if at != start:
            name = "." + name
        if called:
            offset = offsets[at + 1]
            return self._builder.call(offset, name, None, self._arguments())
        return ast.Identifier(self._id_at(offsets[at]), name)

    def _list(self) -> Node:
        """Parse `[a, ?b]`."""
        node_id = self._id_at(self._expect("["))
        elements: list[Node] = []
        optional: list[int] = []
        while not self._accept("]"):
            if self._accept("?"):
                optional.append(len(elements))
            elements.append(self._expression())
            self._end_item("]")
        return ast.ListLiteral(node_id, tuple(elements), frozenset(optional))

    def _end_item(self, end: str) -> None:
        """Consume the comma after an item, which is optional before *end*."""
        if not self._accept(",") and self._kinds[self._at] != end:
            raise _SyntaxError

    def _map(self) -> Node:
        """Parse `{a: b, ?c: d}`."""
        node_id = self._id_at(self._expect("{"))
        entries: list[ast.Entry] = []
        while not self._accept("}"):
            optional = self._accept("?")
            key = self._expression()
            entry_id = self._id_at(self._expect(":"))
            entries.append(ast.Entry(entry_id, key, self._expression(), optional))
            self._end_item("}")
        return ast.MapLiteral(node_id, tuple(entries))

    def _struct(self, type_name: str) -> Node:
        """Parse `{a: b, ?c: d}` after a type name."""
        node_id = self._id_at(self._expect("{"))
        fields: list[ast.FieldValue] = []
        while not self._accept("}"):
            optional = self._accept("?")
            name = self._field_name()
            field_id = self._id_at(self._expect(":"))
            fields.append(ast.FieldValue(field_id, name, self._expression(), optional))
            self._end_item("}")
        return ast.StructLiteral(node_id, type_name, tuple(fields))


_LITERALS: Final = {
    lexer.INT: literals.read_int,
    lexer.UINT: literals.read_uint,
    lexer.FLOAT: literals.read_double,
    lexer.BYTES: literals.read_bytes,
}
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
