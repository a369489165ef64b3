"""
Why an expression has its value: the values of those parts of it that decided.

As a failed `assert` of pytest shows them: of `self.replicas <= self.max` the two numbers, of a chain of `&&` the operand that is
false, of `all` the first element that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError, InternalError
from pytest_crd.engine.cel.expressionlimits import deep_recursion
from pytest_crd.engine.cel.run.frames import Frame
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT
from pytest_crd.engine.cel.run.planner import Planner
from pytest_crd.engine.cel.text import ast, macrocalls, spelling
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import QUANTIFIERS, MacroCall
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.functions import Function
from pytest_crd.engine.cel.values.celvalues import Value, find, is_list, is_map

Variables = Mapping[str, Value]

_LONGEST_VALUE: Final = 72
_MOST_PARTS: Final = 12
_TOO_COSTLY: Final = "the rest costs more to find out than a rule may"
_JUNCTIONS: Final = frozenset({"_&&_", "_||_"})
_INDICES: Final = frozenset({"_[_]", "_?._", "_[?_]"})


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """
    A part of an expression, and what it is.

    Attributes:
        text: The part.
        value: Its value as one would write it, or `error: …`.
        origin: Of an element that a loop looks at: where it comes from; empty for all else.
    """

    text: str
    value: str
    origin: str = ""

    def __str__(self) -> str:
        """Return both: `self.replicas = 11`, `item (self.items[2]) = "a"`."""
        return f"{self.text}{f' ({self.origin})' if self.origin else ''} = {self.value}"


@dataclass(frozen=True, slots=True)
class Reasons:
    """
    The parts that were found.

    Attributes:
        parts: In the order of the expression.
        left_out: Why there are no more, where there could be; empty where these are all.
    """

    parts: tuple[ExplainedPart, ...]
    left_out: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """What there is to say, line by line."""
        return (*map(str, self.parts), *([f"… {self.left_out}"] if self.left_out else []))


class _EnoughError(Exception):
    """There are as many parts as may be, or finding more would cost too much; its only argument says which."""


def find_reasons(
    checked: CheckedExpression, functions: Mapping[str, Function], variables: Variables, *, most: int = _MOST_PARTS
) -> Reasons:
    """
    Return the parts that decided, in the order of the expression.

    Args:
        checked: An expression that can be run.
        functions: The functions of the environment that it was checked in.
        variables: The variables' values by name.
        most: How many parts there may be; where there are more, or where it costs more than one evaluation may, the rest is
            left out, which is said.
    """
    return _collected(_Explanation(checked, functions, most), lambda one: one.decide(checked.parsed.root, variables))


def find_parts(
    checked: CheckedExpression, functions: Mapping[str, Function], variables: Variables, *, most: int
) -> Reasons:
    """Return every part that has a value of its own, the whole left out, then what decided; else as `find_reasons`."""

    def ask(explanation: _Explanation) -> None:
        explanation.describe_inside(checked.parsed.root, variables)
        explanation.decide(checked.parsed.root, variables)

    return _collected(_Explanation(checked, functions, most), ask)


def _collected(explanation: _Explanation, ask: Callable[[_Explanation], None]) -> Reasons:
    try:
        with deep_recursion():
            ask(explanation)
    except _EnoughError as error:
        return Reasons(explanation.parts, str(error))
    return Reasons(explanation.parts)


class _Explanation:
    """What was found out about one expression."""

    def __init__(self, checked: CheckedExpression, functions: Mapping[str, Function], most: int) -> None:
        self._parts: dict[tuple[str, str], ExplainedPart] = {}
        self._checked = checked
        self._functions = functions
        self._most = most
        self._left = COST_LIMIT

    @property
    def parts(self) -> tuple[ExplainedPart, ...]:
        """The parts, each once, in the order in which they were found."""
        return tuple(self._parts.values())

    def decide(self, node: Node, variables: Variables) -> None:
        """Find what makes the value of *node* what it is."""
        match node:
            case ast.Call(function="_&&_" | "_||_"):
                self._junction(node, variables)
            case ast.Call(function="!_"):
                self.decide(node.arguments[0], variables)
            case ast.Call(function="_?_:_") if macrocalls.of_conditional(node) is None:
                self._conditional(node, variables)
            case ast.Comprehension():
                self._loop(macrocalls.of_comprehension(node), variables)
            case ast.Call() if node.function not in _INDICES:
                self.describe_inside(node, variables)
            case _:
                self._describe(node, variables)

    def describe_inside(self, node: Node, variables: Variables) -> None:
        """Find the values of what *node* is made of."""
        for inner in self._inside(node):
            self._describe(inner, variables)

    def _describe(self, node: Node, variables: Variables) -> None:
        """Find the value of *node*, and of what it is computed from; what is the same in every evaluation says nothing."""
        if not self._has_variables(node):
            return
        if not isinstance(node, ast.ListLiteral | ast.MapLiteral):
            self._add(spelling.expression(node), self._outcome(node)(variables))
        self.describe_inside(node, variables)

    def _inside(self, node: Node) -> Iterable[Node]:
        """Return the parts of *node* that have values of their own, outside of loops; a path is one part."""
        match node:
            case ast.Select():
                return self._inside(node.operand)
            case ast.ListLiteral():
                return node.elements
            case ast.MapLiteral():
                return [part for entry in node.entries for part in (entry.key, entry.value)]
            case ast.Comprehension():
                return [node.range]
            case ast.Call():
                return self._inside_call(node)
        return []

    def _inside_call(self, node: ast.Call) -> Iterable[Node]:
        if node.function in _JUNCTIONS:
            return spelling.flattened(node)
        if node.function in _INDICES:
            operand, key = node.arguments
            return [*self._inside(operand), key]
        if node.function == "_?_:_" and (macro := macrocalls.of_conditional(node)) is not None:
            return [macro.target]
        # The first part of a function's name with dots is no value.
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
        """Find the operand that decided; where none did, those that failed, or else all."""
        decisive = node.function == "_||_"
        failed: list[Node] = []
        others: list[Node] = []
        for operand in spelling.flattened(node):
            outcome = self._outcome(operand)(variables)
            if outcome is decisive:
                self.decide(operand, variables)
                return
            (failed if isinstance(outcome, EvaluationError) else others).append(operand)
        for operand in failed or others:
            self.decide(operand, variables)

    def _conditional(self, node: ast.Call, variables: Variables) -> None:
        condition, truthy, falsy = node.arguments
        self.decide(condition, variables)
        outcome = self._outcome(condition)(variables)
        if isinstance(outcome, bool):
            self.decide(truthy if outcome else falsy, variables)

    def _loop(self, macro: MacroCall, variables: Variables) -> None:
        """Find the element that decided, and why; where none did, what was looped over."""
        found = self._deciding(macro, variables) if macro.name in QUANTIFIERS.values() else None
        if found is None:
            self._describe(macro.target, variables)
            return
        for name, (value, origin) in found.items():
            self._add(name, value, origin)
        self.decide(macro.arguments[0], {**variables, **{name: value for name, (value, _) in found.items()}})

    def _deciding(self, macro: MacroCall, variables: Variables) -> dict[str, tuple[Value, str]] | None:
        """Return the loop's variables, each with its origin, at the element that decided, or else at the first that failed."""
        decisive = macro.name == "exists"
        ask = self._outcome(macro.arguments[0])
        failed = None
        for bound in _elements(macro, self._outcome(macro.target)(variables)):
            outcome = ask({**variables, **{name: value for name, (value, _) in bound.items()}})
            if outcome is decisive:
                return bound
            if failed is None and isinstance(outcome, EvaluationError):
                failed = bound
        return failed

    def _outcome(self, node: Node) -> Callable[[Variables], Value]:
        """Return what gives the value of *node*, or the error that there is instead of one."""
        planner = Planner(self._checked, self._functions)
        evaluate = planner.plan(node).evaluate

        def run(variables: Variables) -> Value:
            frame = Frame(variables, planner.slots, self._left)
            try:
                outcome = evaluate(frame)
            except CostLimitError:
                raise _EnoughError(_TOO_COSTLY) from None
            except (EvaluationError, InternalError) as error:
                outcome = EvaluationError(*error.args)
            self._left -= frame.cost
            if self._left < 0:
                raise _EnoughError(_TOO_COSTLY)
            return outcome

        return run

    def _add(self, text: str, value: Value, origin: str = "") -> None:
        failed = isinstance(value, EvaluationError)
        shown = f"error: {value}" if failed else spelling.value(value, _LONGEST_VALUE)
        if (text, shown) not in self._parts and len(self._parts) == self._most:
            raise _EnoughError(f"and more, of which the first {self._most} are shown")
        self._parts.setdefault((text, shown), ExplainedPart(text, shown, origin))


def _elements(macro: MacroCall, looped: Value) -> Iterator[dict[str, tuple[Value, str]]]:
    """Yield the variables of a loop at each element, with the place of the element in what is looped over."""
    text = spelling.expression(macro.target)
    first, *rest = macro.variables
    if is_list(looped):
        for index in range(len(looped)):
            element = {(rest or [first])[0]: (looped[index], f"{text}[{index}]")}
            yield {first: (index, ""), **element} if rest else element
    elif is_map(looped):
        for key in looped:
            value = {name: (find(looped, key), f"{text}[{spelling.value(key)}]") for name in rest}
            yield {first: (key, "" if rest else f"a key of {text}"), **value}
