"""
Types of list, map and struct literals.

Reference:
    cel-go checker/checker.go, checkCreateList, checkCreateMap, checkCreateStruct.
"""

from __future__ import annotations

from typing import Protocol

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types import celtypes, protomessages, unification
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.declarations import Declarations
from pytest_crd.engine.cel.types.unification import Unifier


class Checker(Protocol):
    """Checker of the whole expression, as far as literals need it."""

    unifier: Unifier

    def check(self, node: Node) -> Type:
        """Check *node* and return its type."""

    def suggest(self, name: str) -> str:
        """Return the end of a message about an undeclared name."""

    def report(self, node_id: int, message: str) -> None:
        """Record a type error at a node."""

    def undeclared(self, node: Node, name: str) -> Type:
        """Report an undeclared name and return the error type."""

    def local(self, name: str) -> Type | None:
        """Return the type of the innermost comprehension variable *name*, or None."""

    def field_type(self, node_id: int, struct_name: str, name: str) -> Type:
        """Return the type of a struct's field; report an error if there is no such field."""


class Aggregates:
    """Checker of list, map and struct literals."""

    def __init__(self, checker: Checker, declarations: Declarations, dialect: Dialect) -> None:
        self._checker = checker
        self._unifier = checker.unifier
        self._declarations = declarations
        self._dialect = dialect

    def list_(self, node: ast.ListLiteral) -> Type:
        """Return the type of a list literal."""
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            type_ = self._checker.check(element)
            if index in node.optional_indices:
                type_ = self._unwrap(element, type_)
            joined = self._join(joined, type_)
        return celtypes.list_of(self._unifier.new_parameter() if joined is None or _is_open(joined) else joined)

    def map_(self, node: ast.MapLiteral) -> Type:
        """Return the type of a map literal."""
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            key = self._join(key, self._checker.check(entry.key))
            type_ = self._checker.check(entry.value)
            if entry.optional:
                type_ = self._unwrap(entry.value, type_)
            value = self._join(value, type_)
        if key is None or value is None or _is_open(key):
            return celtypes.map_of(self._unifier.new_parameter(), self._unifier.new_parameter())
        return celtypes.map_of(key, value)

    def struct(self, node: ast.StructLiteral) -> Type:
        """Return the type of a struct literal."""
        name = node.type_name.removeprefix(".")
        meaning = self._meaning(name)
        if meaning is None:
            return self._checker.undeclared(node, node.type_name)
        result, message_name = self._resolve_struct(node, name, meaning)
        for field in node.fields:
            value = self._checker.check(field.value)
            expected = self._checker.field_type(field.id, message_name, field.name)
            if field.optional:
                value = self._unwrap(field.value, value)
            if not self._unifier.assignable(expected, value):
                message = f"expected type of field '{field.name}' is '{expected}' but provided type is '{value}'"
                self._checker.report(field.id, message)
        return result

    def _meaning(self, name: str) -> Type | None:
        """Return the type of the name *name*, usually `type(T)`; None if it is undeclared."""
        if not self._dialect.structs_name_types and (local := self._checker.local(name)) is not None:
            return local
        declaration = self._declarations.find(name)
        if declaration is not None and (declaration[0].kind is TypeKind.TYPE or not self._dialect.structs_name_types):
            return declaration[0]
        struct = self._declarations.provider.find_struct(name)
        return None if struct is None else celtypes.type_of(struct)

    def _resolve_struct(self, node: ast.StructLiteral, name: str, meaning: Type) -> tuple[Type, str]:
        """Return the type of the struct literal and the name of the message with its fields; report errors."""
        if meaning.kind is not TypeKind.TYPE:
            suffix = self._checker.suggest(meaning.declared_name) if self._dialect.suggests_names else ""
            self._checker.report(node.id, f"'{meaning.declared_name}' is not a type{suffix}")
            return celtypes.ERROR, name
        type_ = meaning.parameters[0]
        is_list = type_.kind is TypeKind.LIST and name not in protomessages.MESSAGES
        message_name = "" if is_list and not self._dialect.lists_are_messages else protomessages.name_of(type_, name)
        if not message_name:
            self._checker.report(node.id, f"'{type_.declared_name}' is not a message type")
            return celtypes.ERROR, name
        return type_, message_name

    def _join(self, before: Type | None, type_: Type) -> Type:
        """Return the common type of the elements so far and one more; dyn for mixed types, which a validator refuses."""
        if before is None or _is_open(before):
            return type_
        return unification.most_general(before, type_) if self._unifier.assignable(before, type_) else celtypes.DYN

    def _unwrap(self, node: Node, type_: Type) -> Type:
        """Return the value type of an optional element; report an error if it is not an optional."""
        value, is_optional = unification.unwrap_optional(type_)
        if not is_optional and not unification.is_dyn(type_):
            self._checker.report(node.id, f"expected type '{celtypes.optional_of(type_)}' but found '{type_}'")
        return value


def _is_open(joined: Type) -> bool:
    """Return whether the type of the elements is unspecified."""
    return joined.kind is TypeKind.UNSPECIFIED
