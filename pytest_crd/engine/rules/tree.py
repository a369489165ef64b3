"""Rules of a schema as a tree of the nodes that have rules, and their parents."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import environments, schemadeclarations, views
from pytest_crd.engine.rules.compilation import CompiledRule, Environments, RuleScope
from pytest_crd.engine.rules.escaping import escape
from pytest_crd.engine.rules.scalars import View
from pytest_crd.engine.rules.schemadeclarations import (
    Declaration,
    SchemaDeclarations,
    declare,
    with_type_and_object_meta,
)
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import Structural

_NO_ELEMENTS: Final = "failed to convert to declType for CEL validation rules"
# The server generates a name with a random number, so messages with the type name of an object are unpredictable.
TYPE_NAME: Final = "selfType"


@dataclass(slots=True)
class RuleNode:
    """
    Node of a schema with rules in it or in nested nodes.

    Attributes:
        schema: The node.
        rules: Its own rules.
        view: Converts its values to CEL values.
        items: The node of list items; None if they have no rules.
        values: The node of map values; None if they have no rules.
        properties: The nodes of the properties with rules, by name.
        problem: Why the server cannot compile its rules; empty if it can.
    """

    schema: Structural
    rules: tuple[CompiledRule, ...]
    view: View
    items: RuleNode | None = None
    values: RuleNode | None = None
    properties: Mapping[str, RuleNode] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Builder:
    """Settings that all nodes of one tree share."""

    profile: Profile
    rules: Environments
    messages: Environments
    looks_everywhere: bool
    with_rules: frozenset[int]

    def root(self, schema: Structural, *, is_resource: bool, in_scope: bool = False) -> RuleNode | None:
        """Return the node of a schema that is declared for itself; *in_scope* if an enclosing schema has rules."""
        declaration = declare(schema, self.profile, TYPE_NAME, is_resource=is_resource)
        if declaration is not None:
            structs = schemadeclarations.structs(declaration)
            return self.node(schema, declaration, structs, is_resource=is_resource, in_scope=in_scope)
        # The failure to declare a schema in scope is that of all nested schemas.
        is_failure = in_scope or bool(schema.x_validations)
        return self._undeclared(schema) if self.looks_everywhere and not is_failure else None

    def _undeclared(self, schema: Structural) -> RuleNode | None:
        """Return the node of a schema without declaration; nested schemas may have one. None if they have no rules."""
        items, values = self._alone(schema.items), self._alone(schema.value_schema)
        below = {name: self._alone(child) for name, child in schema.properties.items()}
        properties = {name: node for name, node in below.items() if node is not None}
        if not (items or values or properties):
            return None
        return RuleNode(schema, (), views.compile(schema, self.profile), items, values, properties)

    def _alone(self, schema: Structural | None, *, in_scope: bool = False) -> RuleNode | None:
        if schema is None or id(schema) not in self.with_rules:
            return None
        return self.root(schema, is_resource=schema.x_embedded_resource, in_scope=in_scope)

    def node(
        self,
        schema: Structural,
        declaration: Declaration,
        structs: Mapping[str, Declaration],
        *,
        is_resource: bool,
        in_scope: bool,
    ) -> RuleNode | None:
        in_scope = in_scope or bool(schema.x_validations)
        items = self._element(schema.items, declaration, structs, in_scope=in_scope)
        values = self._element(schema.value_schema, declaration, structs, in_scope=in_scope)
        properties = self._properties(schema, declaration, structs, in_scope=in_scope)
        if not (schema.x_validations or items or values or properties):
            return None
        return RuleNode(
            schema,
            self._rules(schema, declaration, structs, is_resource=is_resource),
            views.compile(with_type_and_object_meta(schema, self.profile) if is_resource else schema, self.profile),
            items,
            values,
            properties,
        )

    def _element(
        self, schema: Structural | None, parent: Declaration, structs: Mapping[str, Declaration], *, in_scope: bool
    ) -> RuleNode | None:
        """Return the node of items or values; in scope, the server declares them only as a part of their parent."""
        if schema is None or id(schema) not in self.with_rules:
            return None
        if parent.element is None and self.looks_everywhere and in_scope:
            return RuleNode(schema, (), views.compile(schema, self.profile), problem=_NO_ELEMENTS)
        return self._below(schema, parent.element, structs, in_scope=in_scope)

    def _below(
        self,
        schema: Structural,
        declaration: Declaration | None,
        structs: Mapping[str, Declaration],
        *,
        in_scope: bool,
    ) -> RuleNode | None:
        if declaration is None:
            return self._alone(schema, in_scope=in_scope) if self.looks_everywhere else None
        return self.node(schema, declaration, structs, is_resource=schema.x_embedded_resource, in_scope=in_scope)

    def _properties(
        self, schema: Structural, declaration: Declaration, structs: Mapping[str, Declaration], *, in_scope: bool
    ) -> dict[str, RuleNode]:
        nodes = {}
        for name, child in schema.properties.items():
            if id(child) not in self.with_rules:
                continue
            identifier = escape(name)
            if identifier is None:
                node = self._alone(child, in_scope=in_scope)
            else:
                node = self._below(child, (declaration.fields or {}).get(identifier), structs, in_scope=in_scope)
            if node is not None:
                nodes[name] = node
        return nodes

    def _rules(
        self, schema: Structural, declaration: Declaration, structs: Mapping[str, Declaration], *, is_resource: bool
    ) -> tuple[CompiledRule, ...]:
        if not schema.x_validations:
            return ()
        named_alone = functools.partial(self._named_alone, schema, is_resource=is_resource)
        scope = RuleScope(SchemaDeclarations(declaration, structs), named_alone)
        return tuple(CompiledRule(rule, scope, self.rules, self.messages) for rule in schema.x_validations)

    def _named_alone(self, schema: Structural, *, is_resource: bool) -> SchemaDeclarations:
        declaration = declare(schema, self.profile, TYPE_NAME, is_resource=is_resource)
        if declaration is None:
            raise AssertionError("a schema that was declared as a part of another cannot be declared alone")
        return SchemaDeclarations(declaration, schemadeclarations.structs(declaration))


def build(  # noqa: PLR0913 - stored and new expressions have separate environments
    schema: Structural,
    profile: Profile,
    rules: Environments,
    messages: Environments,
    *,
    is_resource: bool,
    looks_everywhere: bool = False,
) -> RuleNode | None:
    """
    Return the rules of a schema; nothing is compiled yet.

    Args:
        schema: The schema.
        profile: The Kubernetes version.
        rules: Returns the environment of a rule.
        messages: Returns the environment of a `messageExpression`.
        is_resource: Whether its values are whole resources.
        looks_everywhere: Whether to include rules below schemas without a type. They are validated when a CRD is
            written, but never run.

    Returns:
        None if there are no rules.
    """
    with_rules = structural.ids_with_rules(schema)
    if not with_rules:
        return None
    return _Builder(profile, rules, messages, looks_everywhere, with_rules).root(schema, is_resource=is_resource)


def build_stored(schema: Structural, profile: Profile, *, is_resource: bool) -> RuleNode | None:
    """Return the rules of the schema of a stored CRD, in the environment of stored rules; None without rules."""
    stored = environments.stored(profile)
    return build(schema, profile, lambda _: stored, lambda _: stored, is_resource=is_resource)
