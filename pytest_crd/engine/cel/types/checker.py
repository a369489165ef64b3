"""
Type checker: types of all nodes, and overloads of all calls.

Reference:
    cel-go checker/checker.go; checker/env.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import CompileError, Problem
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node, ParsedExpression
from pytest_crd.engine.cel.types import celtypes, protomessages, suggestions, unification
from pytest_crd.engine.cel.types.aggregates import Aggregates
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression, Reference
from pytest_crd.engine.cel.types.declarations import Declarations
from pytest_crd.engine.cel.types.functions import Function, Overload
from pytest_crd.engine.cel.types.unification import Unifier
from pytest_crd.engine.cel.values.celvalues import TypeValue, UInt
from pytest_crd.engine.golang.release import GoRelease

_LOGICAL: Final = frozenset({"_&&_", "_||_"})
_CONSTANT_TYPES: Final = {
    type(None): celtypes.NULL,
    bool: celtypes.BOOL,
    bytes: celtypes.BYTES,
    float: celtypes.DOUBLE,
    int: celtypes.INT,
    str: celtypes.STRING,
    UInt: celtypes.UINT,
}

# Parametrized type names with unresolved parameters.
_UNSETTLED: Final = {"list": "type(list(A))", "map": "type(map(A, B))", "optional_type": "type(optional_type)"}
_CACHE_SIZE: Final = 20_000


def check(parsed: ParsedExpression, declarations: Declarations, dialect: Dialect, go: GoRelease) -> CheckedExpression:
    """
    Return *parsed* with the types and references of its nodes.

    Args:
        parsed: The syntax tree.
        declarations: The declared names.
        dialect: The language of the expression.
        go: The Go release, which decides the syntax of regular expressions.

    Raises:
        CompileError: Types do not agree, or names are undeclared.
    """
    checker = _Checker(parsed, declarations, dialect)
    checker.check(parsed.root)
    if checker.problems:
        raise CompileError(parsed.source, checker.problems)
    return CheckedExpression(parsed, checker.settled_types(), checker.references, dialect, go)


class _Checker:
    """Checker of one expression."""

    def __init__(self, parsed: ParsedExpression, declarations: Declarations, dialect: Dialect) -> None:
        self.types: dict[int, Type] = {}
        self.references: dict[int, Reference] = {}
        self.problems: list[Problem] = []
        self._parsed = parsed
        self._declarations = declarations
        self._dots_leave_scopes = dialect.dots_leave_scopes
        self._type_names_settled = dialect.type_names_settled
        self._second_variables_typed = dialect.second_variables_typed
        self._suggests_names = dialect.suggests_names
        self.unifier = Unifier()
        self._scopes: list[tuple[str, Type]] = []  # variables of comprehensions, inner ones last
        aggregates = Aggregates(self, declarations, dialect)
        self._checks: dict[type, Callable[[Any], Type]] = {
            ast.Constant: self._constant,
            ast.Identifier: self._identifier,
            ast.Select: self._select,
            ast.Call: self._call,
            ast.ListLiteral: aggregates.list_,
            ast.MapLiteral: aggregates.map_,
            ast.StructLiteral: aggregates.struct,
            ast.Comprehension: self._comprehension,
        }

    def settled_types(self) -> dict[int, Type]:
        """Return the types with unresolved type parameters replaced by dyn."""
        substitute = self.unifier.substitute
        return {node_id: substitute(type_, to_dyn=True) for node_id, type_ in self.types.items()}

    def check(self, node: Node) -> Type:
        """Check *node* and return its type."""
        type_ = self._checks[type(node)](node)
        self.types[node.id] = type_
        return type_

    def report(self, node_id: int, message: str) -> None:
        """Record a type error at a node."""
        location = self._parsed.source.location(self._parsed.positions[node_id])
        self.problems.append(Problem(location, message))

    def _type_text(self, node: Node, type_: Type) -> str:
        """Return the *type_* of *node* for messages; type names may have unresolved parameters in older dialects."""
        reference = self.references.get(node.id)
        if self._type_names_settled or reference is None or not isinstance(reference.value, TypeValue):
            return str(type_)
        return _UNSETTLED.get(reference.value.name, str(type_))

    def _expect(self, node: Node, expected: Type, actual: Type) -> None:
        if not self.unifier.assignable(expected, actual):
            self.report(node.id, f"expected type '{expected}' but found '{actual}'")

    # Names

    def _constant(self, node: ast.Constant) -> Type:
        return _CONSTANT_TYPES[type(node.value)]

    def local(self, name: str) -> Type | None:
        """Return the type of the innermost comprehension variable *name*, or None."""
        for variable, type_ in reversed(self._scopes):
            if variable == name:
                return type_
        return None

    def _identifier(self, node: ast.Identifier) -> Type:
        name = node.name.removeprefix(".")
        local = self.local(name) if self._scopes else None
        absolute = name is not node.name and self._dots_leave_scopes
        if local is not None and not absolute:
            self.references[node.id] = Reference(name)
            return local
        return self._global(node, name, shadowed=local is not None) or self.undeclared(node, node.name)

    def _global(self, node: ast.Identifier | ast.Select, name: str, *, shadowed: bool) -> Type | None:
        """Return the type of the global *name* and record the reference of *node*; None if it is undeclared."""
        declaration = self._declarations.find(name)
        if declaration is None:
            return None
        type_, reference = declaration
        self.references[node.id] = Reference("." + name, value=reference.value) if shadowed else reference
        return type_

    def undeclared(self, node: Node, name: str) -> Type:
        """Report an undeclared name and return the error type."""
        suffix = self.suggest(name) if self._suggests_names else " (in container '')"
        self.report(node.id, f"undeclared reference to '{name}'{suffix}")
        return celtypes.ERROR

    def suggest(self, name: str) -> str:
        """Return the end of a message about an undeclared name: similar names, or an empty text."""
        return suggestions.describe(name, self._declarations.list_names())

    def _misspelt(self, node: Node, names: Sequence[str]) -> bool:
        """Report a qualified name that resembles a declared one, and return True; False if the first names are declared."""
        prefixes = (".".join(names[:count]) for count in range(1, len(names)))
        if any(self.local(names[0]) or self._declarations.find(prefix.removeprefix(".")) for prefix in prefixes):
            return False
        name = ".".join(names)
        if not suggestions.find(name, self._declarations.list_names()):
            return False
        self.undeclared(node, name)
        return True

    def _select(self, node: ast.Select) -> Type:
        if not node.test_only:
            qualified = self._qualified(node)
            if qualified is not None:
                return qualified
            if self._suggests_names and (names := _split(node)) and self._misspelt(node, names):
                return celtypes.ERROR
        field = self._field(node, node.operand, node.field, optional=False)
        return celtypes.BOOL if node.test_only else self.unifier.substitute(field)

    def _qualified(self, node: ast.Select) -> Type | None:
        """Return the type of *node* if it is a qualified name, else None."""
        names = [node.field]
        operand = node.operand
        while isinstance(operand, ast.Select) and not operand.test_only:
            names.append(operand.field)
            operand = operand.operand
        if not isinstance(operand, ast.Identifier):
            return None
        first = operand.name.removeprefix(".")
        if not self._declarations.may_have_dots(first):
            return None
        shadowed = self.local(first) is not None
        if shadowed and first is operand.name and self._dots_leave_scopes:
            return None
        return self._global(node, ".".join([first, *reversed(names)]), shadowed=shadowed and self._dots_leave_scopes)

    def _optional_select(self, node: ast.Call) -> Type:
        operand, field = node.arguments
        assert isinstance(field, ast.Constant)  # noqa: S101 - the parser makes no other
        self.types[field.id] = celtypes.STRING
        type_ = self._field(node, operand, field.value, optional=True)
        self.references[node.id] = Reference(node.function, self._declarations.functions[node.function].overloads)
        return self.unifier.substitute(type_)

    def _field(self, node: Node, operand: Node, name: str, *, optional: bool) -> Type:
        """Return the type of a field of *operand*: an optional if *optional* is true or the operand is an optional."""
        target, is_optional = unification.unwrap_optional(self.unifier.substitute(self.check(operand)))
        if target.kind is TypeKind.MAP:
            type_ = target.parameters[1]
        elif target.kind is TypeKind.STRUCT:
            type_ = self.field_type(node.id, target.name, name)
        else:
            if target.kind is TypeKind.TYPE_PARAMETER:
                self.unifier.assignable(celtypes.DYN, target)
            elif not unification.is_dyn_or_error(target):
                self.report(node.id, f"type '{self._type_text(operand, target)}' does not support field selection")
            type_ = celtypes.DYN
        return celtypes.optional_of(type_) if optional or is_optional else type_

    def field_type(self, node_id: int, struct_name: str, name: str) -> Type:
        """Return the type of a struct's field; report an error if there is no such field."""
        provider = self._declarations.provider
        message = protomessages.MESSAGES.get(struct_name)
        if message is None and provider.find_struct(struct_name) is None:
            self.report(node_id, f"unexpected failed resolution of '{struct_name}'")
            return celtypes.ERROR
        type_ = provider.find_field(struct_name, name) if message is None else message.type_of(name)
        if type_ is None:
            self.report(node_id, f"undefined field '{name}'")
            return celtypes.ERROR
        return type_

    # Calls

    def _call(self, node: ast.Call) -> Type:
        if node.function == "_?._":
            return self._optional_select(node)
        argument_types = [self.check(argument) for argument in node.arguments]
        functions, target = self._declarations.functions, node.target
        if target is None:
            return self._resolve_named(node, node.function.removeprefix("."), argument_types, is_member=False)
        if self._declarations.may_end(node.function):
            name = _dotted(target)
            function = functions.get(f"{name}.{node.function}") if name else None
            if function is not None:
                return self._resolve(node, function, argument_types, is_member=False)
        if self._suggests_names and (names := _split(target)) and self._misspelt(node, (*names, node.function)):
            return celtypes.ERROR
        argument_types.insert(0, self.check(target))
        return self._resolve_named(node, node.function, argument_types, is_member=True)

    def _resolve_named(self, node: ast.Call, name: str, arguments: list[Type], *, is_member: bool) -> Type:
        function = self._declarations.functions.get(name)
        return (
            self._resolve(node, function, arguments, is_member=is_member)
            if function is not None
            else self.undeclared(node, node.function)
        )

    def _resolve(self, node: ast.Call, function: Function, arguments: list[Type], *, is_member: bool) -> Type:
        """Record the candidate overloads of a call and return its result type; report an error without a match."""
        if function.name in _LOGICAL:
            return self._resolve_logical(node, function, arguments)
        resolution = resolve(self.unifier, self._declarations, function, arguments, is_member=is_member)
        if resolution is None:
            types = [str(self.unifier.substitute(argument, to_dyn=True)) for argument in arguments]
            target = f"{types.pop(0)}." if is_member else ""
            applied = f"{target}({', '.join(types)})"
            self.report(node.id, f"found no matching overload for '{function.name}' applied to '{applied}'")
            return celtypes.ERROR
        self.references[node.id], result = resolution
        return result

    def _resolve_logical(self, node: ast.Call, function: Function, arguments: list[Type]) -> Type:
        """Check that the operands of `&&` or `||` are bool, and return bool."""
        previous_count = len(self.problems)
        for argument, type_ in zip(node.arguments, arguments, strict=True):
            if not self.unifier.assignable(type_, celtypes.BOOL):
                self.report(argument.id, f"expected type 'bool' but found '{type_}'")
        if len(self.problems) > previous_count:
            return celtypes.ERROR
        self.references[node.id] = Reference(function.name, function.overloads)
        return celtypes.BOOL

    # Comprehensions

    def _comprehension(self, node: ast.Comprehension) -> Type:
        range_type = self.check(node.range)
        accumulator = self.check(node.init)
        variable, second = self._loop_types(node, self.unifier.substitute(range_type))
        depth = len(self._scopes)
        self._scopes.append((node.accumulator, accumulator))
        self._scopes.append((node.variable, variable))
        if node.second_variable is not None:
            self._scopes.append((node.second_variable, second))
        self._expect(node.condition, celtypes.BOOL, self.check(node.condition))
        self._expect(node.step, accumulator, self.check(node.step))
        del self._scopes[depth + 1 :]
        result = self.check(node.result)
        del self._scopes[depth:]
        return self.unifier.substitute(result)

    def _loop_types(self, node: ast.Comprehension, range_type: Type) -> tuple[Type, Type]:
        """Return the types of both loop variables; the second is unused in loops with one variable."""
        if range_type.kind is TypeKind.LIST:
            element = range_type.parameters[0]
            return (element, element) if node.second_variable is None else (celtypes.INT, element)
        if range_type.kind is TypeKind.MAP:
            key, value = range_type.parameters
            return key, value
        if range_type.kind in {TypeKind.DYN, TypeKind.ERROR, TypeKind.TYPE_PARAMETER}:
            self.unifier.assignable(celtypes.DYN, range_type)
            return celtypes.DYN, celtypes.DYN if self._second_variables_typed else celtypes.UNSPECIFIED
        type_text = self._type_text(node.range, range_type)
        self.report(
            node.range.id,
            f"expression of type '{type_text}' cannot be range of a comprehension (must be list, map, or dynamic)",
        )
        return celtypes.ERROR, celtypes.ERROR if self._second_variables_typed else celtypes.UNSPECIFIED


def _dotted(node: Node) -> str | None:
    """Return the qualified name of *node*, None if it is another expression."""
    names = _split(node)
    return ".".join(names).removeprefix(".") if names else None


def _split(node: Node) -> tuple[str, ...]:
    """Return the parts of a qualified name; empty for another expression."""
    names: list[str] = []
    while isinstance(node, ast.Select) and not node.test_only:
        names.append(node.field)
        node = node.operand
    return (node.name, *reversed(names)) if isinstance(node, ast.Identifier) else ()


def resolve(
    unifier: Unifier, declarations: Declarations, function: Function, arguments: Sequence[Type], *, is_member: bool
) -> tuple[Reference, Type] | None:
    """
    Return the reference and the result type of a call; the type is dyn if the overloads disagree.

    Args:
        unifier: The type parameters of the expression; resolution may bind them.
        declarations: The declarations with the cache, which is used for calls without type parameters and wrappers.
        function: The function.
        arguments: Argument types, beginning with the target of a member call.
        is_member: It is a member call.

    Returns:
        None if no overload fits.
    """
    if any(argument.generic or argument.wraps for argument in arguments):
        return _match(unifier, function, arguments, is_member=is_member)
    cache, key = declarations.resolutions, (function.name, is_member, tuple(arguments))
    if key in cache:
        unifier.skip_parameters(_count_parameters(function, is_member=is_member))
        return cache[key]
    resolution = _match(unifier, function, arguments, is_member=is_member)
    if resolution is not None and not resolution[1].generic:
        if len(cache) >= _CACHE_SIZE:
            cache.clear()
        cache[key] = resolution
    return resolution


def _match(
    unifier: Unifier, function: Function, arguments: Sequence[Type], *, is_member: bool
) -> tuple[Reference, Type] | None:
    """Match all overloads; return reference and result type, or None without a match."""
    matching: list[Overload] = []
    result: Type | None = None
    for overload in function.overloads:
        if overload.is_member is not is_member:
            continue
        fresh = {name: unifier.new_parameter() for name in overload.type_parameters}
        parameters = [unification.substitute(fresh, parameter) for parameter in overload.parameters]
        if len(parameters) != len(arguments) or not unifier.all_assignable(arguments, parameters):
            continue
        matching.append(overload)
        overload_result = unifier.substitute(unification.substitute(fresh, overload.result))
        if result is None:
            result = None if overload_result.kind is TypeKind.UNSPECIFIED else overload_result
        elif not unification.is_dyn(result) and overload_result != result:
            result = celtypes.DYN
    return None if result is None else (Reference(function.name, tuple(matching)), result)


def _count_parameters(function: Function, *, is_member: bool) -> int:
    """Return the number of type parameters in all overloads of a call style."""
    return sum([len(overload.type_parameters) for overload in function.overloads if overload.is_member is is_member])
