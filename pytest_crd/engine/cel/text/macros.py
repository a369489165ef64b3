"""
Macros: calls that the parser replaces by other expressions.

Reference:
    cel-go parser/macro.go; cel/library.go, optMap, optFlatMap; ext/comprehensions.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node

# Accumulator name up to cel-go 0.23, accessible to expressions; still forbidden as a variable name.
OLD_ACCUMULATOR: Final = "__result__"
UNUSED: Final = "#unused"
"""Name of the variable in a loop over an empty list that only binds a name to a value."""


class MacroError(Exception):
    """Invalid arguments of a macro."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


class Expansion(Protocol):
    """
    Node factory of a macro expansion; all nodes are at the position of the call.

    Attributes:
        accumulator: Name of the accumulator of comprehensions.
    """

    accumulator: str

    def new_id(self) -> int:
        """Return the id of a new node."""

    def copy(self, node: Node) -> Node:
        """Return a deep copy of *node* with new ids."""


Expander: TypeAlias = "Callable[[Expansion, Node | None, Sequence[Node]], Node]"


@dataclass(frozen=True, slots=True, eq=False)
class Macro:
    """
    Macro.

    Attributes:
        name: Name of the calls that it replaces.
        argument_count: Number of arguments.
        is_member: The calls have a target.
        expand: Takes target and arguments and returns the replacement; raises MacroError.
    """

    name: str
    argument_count: int
    is_member: bool
    expand: Expander


def _constant(new: Expansion, *, value: Any) -> ast.Constant:
    return ast.Constant(new.new_id(), value)


def _call(new: Expansion, function: str, *arguments: Node) -> ast.Call:
    return ast.Call(new.new_id(), function, None, arguments)


def _accumulator(new: Expansion) -> ast.Identifier:
    return ast.Identifier(new.new_id(), new.accumulator)


def _has(new: Expansion, _: Node | None, arguments: Sequence[Node]) -> Node:
    """Expand `has(a.b)`."""
    selection = arguments[0]
    if not isinstance(selection, ast.Select):
        raise MacroError(selection, "invalid argument to has() macro")
    return ast.Select(new.new_id(), selection.operand, selection.field, test_only=True)


@dataclass(frozen=True, slots=True)
class _Fold:
    """Parts of a macro's loop: initial value, loop condition, step and result."""

    init: Callable[[Expansion], Node]
    condition: Callable[[Expansion], Node]
    step: Callable[[Expansion, Sequence[str], Sequence[Node]], Node]
    result: Callable[[Expansion], Node] = _accumulator


def _go_on(new: Expansion) -> Node:
    return _constant(new, value=True)


def _step_all(new: Expansion, _: Sequence[str], arguments: Sequence[Node]) -> Node:
    return _call(new, "_&&_", _accumulator(new), arguments[0])


def _step_exists(new: Expansion, _: Sequence[str], arguments: Sequence[Node]) -> Node:
    return _call(new, "_||_", _accumulator(new), arguments[0])


def _step_exists_one(new: Expansion, _: Sequence[str], arguments: Sequence[Node]) -> Node:
    one_more = _call(new, "_+_", _accumulator(new), _constant(new, value=1))
    return _call(new, "_?_:_", arguments[0], one_more, _accumulator(new))


def _where(new: Expansion, arguments: Sequence[Node], step: Callable[[Node], Node]) -> Node:
    """Return the step for the last argument, conditional on the argument before it if there is one."""
    next_value = step(arguments[-1])
    if len(arguments) == 1:
        return next_value
    return _call(new, "_?_:_", arguments[0], next_value, _accumulator(new))


def _step_list(new: Expansion, _: Sequence[str], arguments: Sequence[Node]) -> Node:
    def append(element: Node) -> Node:
        return _call(new, "_+_", _accumulator(new), ast.ListLiteral(new.new_id(), (element,)))

    return _where(new, arguments, append)


def _step_filter(new: Expansion, variables: Sequence[str], arguments: Sequence[Node]) -> Node:
    return _step_list(new, variables, (arguments[0], ast.Identifier(new.new_id(), variables[0])))


def _step_map(new: Expansion, variables: Sequence[str], arguments: Sequence[Node]) -> Node:
    def insert(value: Node) -> Node:
        return _call(new, "cel.@mapInsert", _accumulator(new), ast.Identifier(new.new_id(), variables[0]), value)

    return _where(new, arguments, insert)


def _step_map_entry(new: Expansion, _: Sequence[str], arguments: Sequence[Node]) -> Node:
    return _where(new, arguments, lambda entry: _call(new, "cel.@mapInsert", _accumulator(new), entry))


_ALL = _Fold(
    init=lambda new: _constant(new, value=True),
    condition=lambda new: _call(new, "@not_strictly_false", _accumulator(new)),
    step=_step_all,
)
_EXISTS = _Fold(
    init=lambda new: _constant(new, value=False),
    condition=lambda new: _call(new, "@not_strictly_false", _call(new, "!_", _accumulator(new))),
    step=_step_exists,
)
_EXISTS_ONE = _Fold(
    init=lambda new: _constant(new, value=0),
    condition=_go_on,
    step=_step_exists_one,
    result=lambda new: _call(new, "_==_", _accumulator(new), _constant(new, value=1)),
)


def _empty_list(new: Expansion) -> Node:
    return ast.ListLiteral(new.new_id(), ())


def _empty_map(new: Expansion) -> Node:
    return ast.MapLiteral(new.new_id(), ())


_LIST = _Fold(init=_empty_list, condition=_go_on, step=_step_list)
_FILTER = _Fold(init=_empty_list, condition=_go_on, step=_step_filter)
_MAP = _Fold(init=_empty_map, condition=_go_on, step=_step_map)
_MAP_ENTRY = _Fold(init=_empty_map, condition=_go_on, step=_step_map_entry)


def _loop(name: str, argument_count: int, fold: _Fold, not_a_name: str = "argument must be a simple name") -> Macro:
    """Return a macro with one variable; the other arguments form the step."""

    def expand(new: Expansion, target: Node | None, arguments: Sequence[Node]) -> Node:
        variable = arguments[0]
        if not isinstance(variable, ast.Identifier):
            raise MacroError(variable, not_a_name)
        if new.accumulator != OLD_ACCUMULATOR:
            _refuse_accumulator(new, variable)
        return _comprehension(new, target, (variable.name,), fold, arguments[1:])

    return Macro(name, argument_count, is_member=True, expand=expand)


def _loop_of_two(name: str, argument_count: int, fold: _Fold) -> Macro:
    """Return a macro with two variables; the other arguments form the step."""

    def expand(new: Expansion, target: Node | None, arguments: Sequence[Node]) -> Node:
        first, second = arguments[:2]
        if not isinstance(first, ast.Identifier):
            raise MacroError(first, "argument must be a simple name")
        if not isinstance(second, ast.Identifier):
            raise MacroError(second, "argument must be a simple name")
        if first.name == second.name:
            raise MacroError(second, f"duplicate variable name: {first.name}")
        _refuse_accumulator(new, first)
        _refuse_accumulator(new, second)
        return _comprehension(new, target, (first.name, second.name), fold, arguments[2:])

    return Macro(name, argument_count, is_member=True, expand=expand)


def _refuse_accumulator(new: Expansion, variable: ast.Identifier) -> None:
    if variable.name in {new.accumulator, OLD_ACCUMULATOR}:
        raise MacroError(variable, "iteration variable overwrites accumulator variable")


def _comprehension(
    new: Expansion, target: Node | None, variables: Sequence[str], fold: _Fold, arguments: Sequence[Node]
) -> ast.Comprehension:
    assert target is not None  # noqa: S101 - macros with a range are member calls
    return ast.Comprehension(
        new.new_id(),
        target,
        variables[0],
        variables[1] if len(variables) > 1 else None,
        new.accumulator,
        fold.init(new),
        fold.condition(new),
        fold.step(new, variables, arguments),
        fold.result(new),
    )


def _optional_map(name: str, wrap: Callable[[Expansion, Node], Node]) -> Macro:
    """Return a macro that binds an optional's value to a variable; *wrap* converts the result to an optional."""

    def expand(new: Expansion, target: Node | None, arguments: Sequence[Node]) -> Node:
        variable, value = arguments
        if not isinstance(variable, ast.Identifier):
            raise MacroError(variable, f"{name}() variable name must be a simple identifier")
        assert target is not None  # noqa: S101 - a member call
        binding = ast.Comprehension(
            new.new_id(),
            _empty_list(new),
            UNUSED,
            None,
            variable.name,
            ast.Call(new.new_id(), "value", new.copy(target), ()),
            _constant(new, value=False),
            ast.Identifier(new.new_id(), variable.name),
            value,
        )
        present = ast.Call(new.new_id(), "hasValue", target, ())
        return _call(new, "_?_:_", present, wrap(new, binding), _call(new, "optional.none"))

    return Macro(name, 2, is_member=True, expand=expand)


HAS: Final = Macro("has", 1, is_member=False, expand=_has)

STANDARD: Final = (
    HAS,
    _loop("all", 2, _ALL),
    _loop("exists", 2, _EXISTS),
    _loop("exists_one", 2, _EXISTS_ONE),
    _loop("map", 2, _LIST, "argument is not an identifier"),
    _loop("map", 3, _LIST, "argument is not an identifier"),
    _loop("filter", 2, _FILTER, "argument is not an identifier"),
)
"""Macros of the language."""

OPTIONAL_MAP: Final = (_optional_map("optMap", lambda new, value: _call(new, "optional.of", value)),)
OPTIONAL_FLAT_MAP: Final = (_optional_map("optFlatMap", lambda _, value: value),)

TWO_VARIABLES: Final = (
    _loop_of_two("all", 3, _ALL),
    _loop_of_two("exists", 3, _EXISTS),
    _loop_of_two("existsOne", 3, _EXISTS_ONE),
    _loop_of_two("exists_one", 3, _EXISTS_ONE),
    _loop_of_two("transformList", 3, _LIST),
    _loop_of_two("transformList", 4, _LIST),
    _loop_of_two("transformMap", 3, _MAP),
    _loop_of_two("transformMap", 4, _MAP),
    _loop_of_two("transformMapEntry", 3, _MAP_ENTRY),
    _loop_of_two("transformMapEntry", 4, _MAP_ENTRY),
)
"""Macros with two variables: index and element, or key and value."""
