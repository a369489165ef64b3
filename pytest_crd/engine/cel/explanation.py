"""
Explanations of an expression's result: the values of the parts that decided it.

They resemble pytest's explanations of a failed `assert`: both numbers of `self.replicas <= self.max`, the false operand
of a chain of `&&`, the first failing element of `all`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.expressionlimits import deep_recursion
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT, Program
from pytest_crd.engine.cel.text import ast, macrocalls, spelling
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import QUANTIFIERS, MacroCall
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.functions import Function
from pytest_crd.engine.cel.values.celvalues import Value, find, is_list, is_map

Variables = Mapping[str, Value]

_LONGEST_VALUE: Final = 72
_MOST_PARTS: Final = 12
_TOO_COSTLY: Final = "explaining the rest would cost more than a rule may"
_JUNCTIONS: Final = frozenset({"_&&_", "_||_"})
_INDICES: Final = frozenset({"_[_]", "_?._", "_[?_]"})


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """
    Part of an expression with its value.

    Attributes:
        text: The part in CEL syntax.
        value: Its value in CEL syntax, or `error: …`.
        origin: Path of the element if the part is a loop variable, else empty.
    """

    text: str
    value: str
    origin: str = ""

    def __str__(self) -> str:
        """Return text, origin and value: `self.replicas = 11`, `item (self.items[2]) = "a"`."""
        return f"{self.text}{f' ({self.origin})' if self.origin else ''} = {self.value}"


@dataclass(frozen=True, slots=True)
class Reasons:
    """
    Explanation of a result.

    Attributes:
        parts: The parts in the order of the expression.
        left_out: Why parts are missing; empty if the explanation is complete.
    """

    parts: tuple[ExplainedPart, ...]
    left_out: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines of the explanation."""
        return (*map(str, self.parts), *([f"… {self.left_out}"] if self.left_out else []))


class _EnoughError(Exception):
    """Stop of an explanation at its limit of parts or cost; the only argument names the limit."""


def find_reasons(
    checked: CheckedExpression, functions: Mapping[str, Function], variables: Variables, *, most: int = _MOST_PARTS
) -> Reasons:
    """
    Return the parts that decided the result, in the order of the expression.

    Args:
        checked: The expression.
        functions: The functions of the environment in which it was checked.
        variables: The values of the variables by name.
        most: Maximum number of parts. If this number or the cost limit of one evaluation is exceeded, the result is
            truncated and `left_out` says so.
    """
    return _collect_reasons(
        _Explanation(checked, functions, most), lambda explanation: explanation.decide(checked.parsed.root, variables)
    )


def find_parts(
    checked: CheckedExpression, functions: Mapping[str, Function], variables: Variables, *, most: int
) -> Reasons:
    """Return all parts with their own value except the whole, then the deciding parts; otherwise as `find_reasons`."""

    def collect(explanation: _Explanation) -> None:
        explanation.describe_inside(checked.parsed.root, variables)
        explanation.decide(checked.parsed.root, variables)

    return _collect_reasons(_Explanation(checked, functions, most), collect)


def _collect_reasons(explanation: _Explanation, collect: Callable[[_Explanation], None]) -> Reasons:
    try:
        with deep_recursion():
            collect(explanation)
    except _EnoughError as error:
        return Reasons(explanation.parts, str(error))
    return Reasons(explanation.parts)


class _Explanation:
    """Explanation of one expression during its construction."""

    def __init__(self, checked: CheckedExpression, functions: Mapping[str, Function], most: int) -> None:
        self._parts: dict[tuple[str, str], ExplainedPart] = {}
        self._checked = checked
        self._functions = functions
        self._most = most
        self._left = COST_LIMIT

    @property
    def parts(self) -> tuple[ExplainedPart, ...]:
        """Parts without repetitions, in the order of discovery."""
        return tuple(self._parts.values())

    def decide(self, node: Node, variables: Variables) -> None:
        """Add the parts that decided the value of *node*."""
        match node:
            case ast.Call(function="_&&_" | "_||_"):
                self._junction(node, variables)
            case ast.Call(function="!_"):
                self.decide(node.arguments[0], variables)
            case ast.Call(function="_?_:_") if macrocalls.recover_from_conditional(node) is None:
                self._conditional(node, variables)
            case ast.Comprehension():
                self._loop(macrocalls.recover_from_comprehension(node), variables)
            case ast.Call() if node.function not in _INDICES:
                self.describe_inside(node, variables)
            case _:
                self._describe(node, variables)

    def describe_inside(self, node: Node, variables: Variables) -> None:
        """Add the values of the direct parts of *node*."""
        for inner in self._inside(node):
            self._describe(inner, variables)

    def _describe(self, node: Node, variables: Variables) -> None:
        """Add the values of *node* and its parts; skip constant expressions, which explain nothing."""
        if not self._has_variables(node):
            return
        if not isinstance(node, ast.ListLiteral | ast.MapLiteral | ast.StructLiteral):
            self._add(spelling.expression(node), self._outcome(node)(variables))
        self.describe_inside(node, variables)

    def _inside(self, node: Node) -> Iterable[Node]:
        """Return the parts of *node* that have their own values outside of loops; a path counts as one part."""
        match node:
            case ast.Select():
                return self._inside(node.operand)
            case ast.ListLiteral() | ast.MapLiteral() | ast.StructLiteral():
                return _items(node)
            case ast.Comprehension():
                return [node.range]
            case ast.Call():
                return self._inside_call(node)
        return []

    def _inside_call(self, node: ast.Call) -> Iterable[Node]:
        if node.function in _JUNCTIONS:
            return spelling.flatten_chain(node)
        if node.function in _INDICES:
            operand, key = node.arguments
            return [*self._inside(operand), key]
        if node.function == "_?_:_" and (macro := macrocalls.recover_from_conditional(node)) is not None:
            return [macro.target]
        # The first segment of a dotted function name is not an operand.
        is_operand = node.target is not None and self._checked.references[node.id].name == node.function
        return [cast("Node", node.target), *node.arguments] if is_operand else node.arguments

    def _has_variables(self, node: Node) -> bool:
        if isinstance(node, ast.Identifier):
            return True
        if isinstance(node, ast.Select):
            return self._has_variables(node.operand)
        if isinstance(node, ast.Call) and node.function in _INDICES:
            return any(map(self._has_variables, node.arguments))
        return any(map(self._has_variables, self._inside(node)))

    def _junction(self, node: ast.Call, variables: Variables) -> None:
        """Add the deciding operand; without one, the failing operands, or else all operands."""
        decisive = node.function == "_||_"
        failed: list[Node] = []
        undecided: list[Node] = []
        for operand in spelling.flatten_chain(node):
            outcome = self._outcome(operand)(variables)
            if outcome is decisive:
                self.decide(operand, variables)
                return
            (failed if isinstance(outcome, EvaluationError) else undecided).append(operand)
        for operand in failed or undecided:
            self.decide(operand, variables)

    def _conditional(self, node: ast.Call, variables: Variables) -> None:
        condition, truthy, falsy = node.arguments
        self.decide(condition, variables)
        outcome = self._outcome(condition)(variables)
        if isinstance(outcome, bool):
            self.decide(truthy if outcome else falsy, variables)

    def _loop(self, macro: MacroCall, variables: Variables) -> None:
        """Add the element that decided and its reasons; without one, the loop's range."""
        bindings = self._deciding(macro, variables) if macro.name in QUANTIFIERS.values() else None
        if bindings is None:
            self._describe(macro.target, variables)
            return
        for name, (value, origin) in bindings.items():
            self._add(name, value, origin)
        self.decide(macro.arguments[0], {**variables, **{name: value for name, (value, _) in bindings.items()}})

    def _deciding(self, macro: MacroCall, variables: Variables) -> dict[str, tuple[Value, str]] | None:
        """Return loop variables and origins at the deciding element, else at the first failing element, else None."""
        decisive = macro.name == "exists"
        evaluate = self._outcome(macro.arguments[0])
        failed = None
        for bindings in _elements(macro, self._outcome(macro.target)(variables)):
            outcome = evaluate({**variables, **{name: value for name, (value, _) in bindings.items()}})
            if outcome is decisive:
                return bindings
            if failed is None and isinstance(outcome, EvaluationError):
                failed = bindings
        return failed

    def _outcome(self, node: Node) -> Callable[[Variables], Value]:
        """Return a function that evaluates *node* and returns its value or its error."""
        program = Program(self._checked, self._functions, part=node)

        def run(variables: Variables) -> Value:
            try:
                result = program.evaluate(variables, self._left)
            except (CostLimitError, UnsupportedExpressionError):
                raise _EnoughError(_TOO_COSTLY) from None
            self._left -= result.cost
            return result.value if result.error is None else result.error

        return run

    def _add(self, text: str, value: Value, origin: str = "") -> None:
        failed = isinstance(value, EvaluationError)
        value_text = f"error: {value}" if failed else spelling.value(value, _LONGEST_VALUE)
        if (text, value_text) not in self._parts and len(self._parts) == self._most:
            raise _EnoughError(f"and more; only the first {self._most} are shown")
        self._parts.setdefault((text, value_text), ExplainedPart(text, value_text, origin))


def _items(node: ast.ListLiteral | ast.MapLiteral | ast.StructLiteral) -> Sequence[Node]:
    """Return the parts of a literal."""
    if isinstance(node, ast.ListLiteral):
        return node.elements
    if isinstance(node, ast.MapLiteral):
        return [part for entry in node.entries for part in (entry.key, entry.value)]
    return [field.value for field in node.fields]


def _elements(macro: MacroCall, range_: Value) -> Iterator[dict[str, tuple[Value, str]]]:
    """Yield for each element of the range the loop variables with their values and origins."""
    text = spelling.expression(macro.target)
    first, *others = macro.variables
    if is_list(range_):
        for index in range(len(range_)):
            element = {(others or [first])[0]: (range_[index], f"{text}[{index}]")}
            yield {first: (index, ""), **element} if others else element
    elif is_map(range_):
        for key in range_:
            value = {name: (find(range_, key), f"{text}[{spelling.value(key)}]") for name in others}
            yield {first: (key, "" if others else f"a key of {text}"), **value}
