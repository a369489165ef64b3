"""
CEL rules of a schema, with their places and estimated costs.

Reference:
    apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from pytest_crd.engine.cel.errors import CompileProblem
from pytest_crd.engine.crds.rule import Rule
from pytest_crd.engine.crds.validation.schemas import rulekeywords
from pytest_crd.engine.crds.validation.schemas.rulekeywords import CostScope
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import environments, tree
from pytest_crd.engine.rules.compilation import CompiledRule
from pytest_crd.engine.schema import nonstructural, schemamap, structural
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.schemamap import Each, SchemaNode

_NOT_STRUCTURAL: Final = "the schema is not structural, so that the server compiles no rules of it"
_UNDECLARED: Final = "expressions cannot speak of values of this schema"


def find_rules(schema: OpenAPISchema) -> tuple[Rule, ...]:
    """
    Return the rules of a schema, outer values first.

    They are compiled as rules of a new CRD, which may only use the libraries for new rules.

    Args:
        schema: The schema of a whole resource.

    Raises:
        UnsupportedConstructError: The schema has a construct that no structural schema can express.
        UnsupportedExpressionError: A rule uses a feature that the server has and this engine has not.
    """
    structure, profile = schema.structural, schema.profile
    if not structural.has_rules(structure):
        return ()
    problem, root = _UNDECLARED, None
    if nonstructural.find_violations(structure, FieldPath(), profile):
        problem = _NOT_STRUCTURAL
    else:
        new = environments.new(profile)
        root = tree.build(structure, profile, lambda _: new, lambda _: new, is_resource=True, looks_everywhere=True)
    return tuple(_visit(SchemaNode(schema.value), CostScope(root), problem))


def _visit(root: SchemaNode, scope: CostScope, problem: str) -> Iterator[Rule]:
    """Yield the rules of a schema; *problem* is the problem of all rules that were not compiled."""
    scopes: dict[SchemaNode, CostScope] = {}
    for node in root:
        scope = scopes[node] = scope if node.parent is None else _inner(scopes[node.parent], node, node.parent)
        compiled = scope.node.rules if scope.node else ()
        for index, declared in enumerate(node.rules):
            rule = _declared(node, index, declared)
            yield _costed(rule, compiled[index], scope) if compiled else replace(rule, problem=problem)


def _inner(scope: CostScope, node: SchemaNode, parent: SchemaNode) -> CostScope:
    """Return the scope of *node*, given the *scope* of its parent."""
    step = node.place[-1]
    if isinstance(step, str):
        return scope.of_property(step, parent.schema)
    return scope.of_items(parent.schema, FieldPath()) if step is Each.ITEM else scope.of_values(parent.schema)


def _declared(node: SchemaNode, index: int, declared: Mapping[str, JSONValue]) -> Rule:
    return Rule(
        node.path,
        index,
        rule=declared.get("rule") or "",
        message=declared.get("message") or "",
        message_expression=declared.get("messageExpression") or "",
        reason=declared.get("reason") or "FieldValueInvalid",
        field_path=declared.get("fieldPath") or "",
        steps=(*node.steps, schemamap.RULES, index),
    )


def _costed(rule: Rule, compiled: CompiledRule, scope: CostScope) -> Rule:
    problems = [
        expression.message
        for expression in (compiled.expression, compiled.message_expression)
        if isinstance(expression, CompileProblem)
    ]
    if compiled.expression is None:
        problems.append(rulekeywords.NOT_SPECIFIED)
    return replace(
        rule,
        is_transition=compiled.uses_old_self,
        cost=scope.cost(compiled),
        message_cost=compiled.max_message_cost,
        problem="; ".join(problems),
    )
