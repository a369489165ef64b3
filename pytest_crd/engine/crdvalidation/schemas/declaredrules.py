"""
The rules of a schema one by one: where each stands, and what it may cost.

Reference:
    apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from pytest_crd.engine.crds.rule import Rule
from pytest_crd.engine.crdvalidation.schemas import rules
from pytest_crd.engine.crdvalidation.schemas.expressions import Scope
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import environments, tree
from pytest_crd.engine.rules.compilation import CompiledRule, Problem
from pytest_crd.engine.schema import nonstructural
from pytest_crd.engine.schema.nodes import Schema
from pytest_crd.engine.schema.openapi import OpenAPISchema

_NOT_STRUCTURAL: Final = "the schema is not structural, so that the server compiles no rules of it"
_UNDECLARED: Final = "expressions cannot speak of values of this schema"


def find(schema: OpenAPISchema) -> tuple[Rule, ...]:
    """
    Return the rules of a schema: those of a value before those of what is inside it.

    They are compiled as those of a new CRD, which may not use what is new in its Kubernetes version.

    Args:
        schema: The schema of a whole resource.

    Raises:
        UnsupportedConstructError: The schema has a construct that no structural schema can express.
        UnsupportedExpressionError: A rule uses what the server knows and this engine does not.
    """
    structure, profile = schema.structural, schema.profile
    if not tree.has_rules(structure):
        return ()
    problem, root = _UNDECLARED, None
    if nonstructural.find(structure, FieldPath(), profile):
        problem = _NOT_STRUCTURAL
    else:
        new = environments.new(profile)
        root = tree.build(structure, profile, lambda _: new, lambda _: new, is_resource=True, looks_everywhere=True)
    return tuple(_visit(schema.value, Scope(root), "", (), problem))


def _visit(schema: Schema, scope: Scope, path: str, steps: tuple[str | int, ...], problem: str) -> Iterator[Rule]:
    """Yield the rules in a schema; *problem*: what is wrong with all that were not given to the compiler."""
    compiled = scope.node.rules if scope.node else ()
    for index, declared in enumerate(schema.get(rules.KEYWORD) or ()):
        found = _declared(path, index, declared, (*steps, rules.KEYWORD, index))
        yield _costed(found, compiled[index], scope) if compiled else replace(found, problem=problem)
    for name, child in (schema.get("properties") or {}).items():
        below = (*steps, "properties", name)
        yield from _visit(child, scope.of_property(name, schema), f"{path}.{name}" if path else name, below, problem)
    items, values = schema.get("items"), schema.get("additionalProperties")
    if isinstance(items, Mapping):
        yield from _visit(items, scope.of_items(schema, FieldPath()), f"{path}[*]", (*steps, "items"), problem)
    if isinstance(values, Mapping):
        yield from _visit(values, scope.of_values(schema), f"{path}[*]", (*steps, "additionalProperties"), problem)


def _declared(path: str, index: int, declared: Mapping[str, JSONValue], steps: tuple[str | int, ...]) -> Rule:
    return Rule(
        path,
        index,
        rule=declared.get("rule") or "",
        message=declared.get("message") or "",
        message_expression=declared.get("messageExpression") or "",
        reason=declared.get("reason") or "FieldValueInvalid",
        field_path=declared.get("fieldPath") or "",
        steps=steps,
    )


def _costed(found: Rule, compiled: CompiledRule, scope: Scope) -> Rule:
    problems = [one.message for one in (compiled.expression, compiled.message_expression) if isinstance(one, Problem)]
    if compiled.expression is None:
        problems.append(rules.NOT_SPECIFIED)
    return replace(
        found,
        is_transition=compiled.uses_old_self,
        cost=scope.cost(compiled),
        message_cost=compiled.max_message_cost,
        problem="; ".join(problems),
    )
