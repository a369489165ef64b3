"""
Compilation of rules: programs, or the server's messages about expressions that do not compile.

Reference:
    apiextensions-apiserver schema/cel/compilation.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError, CompileProblem
from pytest_crd.engine.cel.run.interpreter import Program, ProgramError
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.costs import SizeEstimate
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import compilationcache
from pytest_crd.engine.rules.compilationcache import Compilation
from pytest_crd.engine.rules.schemadeclarations import MAX_REQUEST_SIZE, SchemaDeclarations

DeclaredRule: TypeAlias = Mapping[str, JSONValue]
# Returns the environment of an expression: stored expressions may use more libraries than new ones.
Environments: TypeAlias = Callable[[str], Environment]

SELF: Final = "self"
OLD_SELF: Final = "oldSelf"


@dataclass(frozen=True, slots=True)
class Expression:
    """
    A compiled expression.

    Attributes:
        checked: Its syntax tree and types.
        program: The program that evaluates it.
        environment: The environment of its compilation, without the variables.
    """

    checked: CheckedExpression
    program: Program
    environment: Environment


class RuleScope:
    """Variables of the rules of one schema: `self` and `oldSelf`, with the declared type."""

    def __init__(self, declarations: SchemaDeclarations, named_alone: Callable[[], SchemaDeclarations]) -> None:
        """
        Create from the declarations of the schema.

        Args:
            declarations: The declarations of the schema as a part of the CRD's.
            named_alone: Returns declarations with the server's type names, which name each schema with rules
                independently.
        """
        self.declarations = declarations
        self._named_alone = named_alone

    def compile(self, text: str, environment: Environment, *, optional: bool) -> Compilation:
        """
        Return the compilation of an expression; *optional* makes `oldSelf` an optional value.

        Raises:
            CompileError: It does not compile; type names in the message are not the server's.
        """
        variables = _variables(self.declarations, optional=optional)
        return compilationcache.compile(text, environment, variables, self.declarations)

    def problem_of(self, text: str, environment: Environment, *, optional: bool) -> CompileError:
        """Return the error of an expression that does not compile, with the server's type names."""
        declarations = self._named_alone()
        try:
            environment.extend(_variables(declarations, optional=optional), declarations).compile(text)
        except CompileError as error:
            return error
        raise AssertionError(f"{text!r} compiles")

    @property
    def max_cardinality(self) -> int:
        """The number of values of the schema that fit into one request."""
        return MAX_REQUEST_SIZE // (self.declarations.root.min_size + 1)

    def size(self, path: tuple[str, ...], type_: Type) -> SizeEstimate | None:  # noqa: ARG002 - the path suffices
        """Return the estimated size of the part of `self` at *path*; None if the path is not declared."""
        max_size = self.declarations.max_elements(path) if path else None
        return None if max_size is None else SizeEstimate(0, max_size)


def _variables(declarations: SchemaDeclarations, *, optional: bool) -> dict[str, Type]:
    type_ = declarations.root.type
    return {SELF: type_, OLD_SELF: celtypes.optional_of(type_) if optional else type_}


class CompiledRule:
    """
    A rule of a schema; each part is compiled on first use.

    Attributes:
        rule: The declared rule.
        scope: The variables and their types.
    """

    def __init__(self, rule: DeclaredRule, scope: RuleScope, rules: Environments, messages: Environments) -> None:
        self.rule = rule
        self.scope = scope
        self._rules = rules
        self._messages = messages

    @property
    def text(self) -> str:
        """The expression; empty if it is missing or blank, which is an error elsewhere."""
        text: str = self.rule.get("rule") or ""
        return text if text.strip() else ""

    @cached_property
    def has_optional_old_self(self) -> bool:
        """Whether `oldSelf` is an optional value in the rule."""
        return bool(self.rule.get("optionalOldSelf"))

    @cached_property
    def expression(self) -> Expression | CompileProblem | None:
        """The compiled rule, or its problem; None if it is empty."""
        return _plan(self._checked, _RULE)

    @cached_property
    def message_expression(self) -> Expression | CompileProblem | None:
        """The compiled `messageExpression`, or its problem; None if it is missing or the rule does not compile."""
        text: str = self.rule.get("messageExpression") or ""
        if not text or not isinstance(self.expression, Expression):
            return None
        return _plan(self._check(text, self._messages, _MESSAGE), _MESSAGE)

    @cached_property
    def uses_old_self(self) -> bool:
        """Whether the expression uses `oldSelf`."""
        if not isinstance(self._checked, Compilation):
            return False
        return any(reference.name == OLD_SELF for reference in self._checked.checked.references.values())

    @property
    def max_cardinality(self) -> int:
        """The number of values of the schema that fit into one request."""
        return self.scope.max_cardinality

    @cached_property
    def max_cost(self) -> int:
        """The estimated maximal cost of one evaluation; 0 if the rule does not compile."""
        return self._max_cost(self.expression)

    @cached_property
    def max_message_cost(self) -> int:
        """The estimated maximal cost of `messageExpression`; 0 if it is missing or does not compile."""
        return self._max_cost(self.message_expression)

    @cached_property
    def _checked(self) -> Compilation | CompileProblem | None:
        return self._check(self.text, self._rules, _RULE) if self.text else None

    def _check(self, text: str, environments: Environments, kind: _Kind) -> Compilation | CompileProblem:
        environment, optional = environments(text), self.has_optional_old_self
        try:
            compilation = self.scope.compile(text, environment, optional=optional)
        except CompileError:
            problem = self.scope.problem_of(text, environment, optional=optional)
            return CompileProblem(f"{kind.not_compiled}: {problem}", problem.offset)
        return compilation if compilation.checked.type == kind.type else CompileProblem(kind.wrong_type)

    def _max_cost(self, expression: Expression | CompileProblem | None) -> int:
        if not isinstance(expression, Expression):
            return 0
        return expression.environment.estimate(expression.checked, self.scope).max


@dataclass(frozen=True, slots=True)
class _Kind:
    """Required type of an expression, and the server's messages about it."""

    type: Type
    not_compiled: str
    wrong_type: str
    not_planned: str


_RULE: Final = _Kind(
    celtypes.BOOL, "compilation failed", "cel expression must evaluate to a bool", "program instantiation failed"
)
_MESSAGE: Final = _Kind(
    celtypes.STRING,
    "messageExpression compilation failed",
    "messageExpression must evaluate to a string",
    "messageExpression instantiation failed",
)


def _plan(compilation: Compilation | CompileProblem | None, kind: _Kind) -> Expression | CompileProblem | None:
    if not isinstance(compilation, Compilation):
        return compilation
    try:
        return Expression(compilation.checked, compilation.program, compilation.environment)
    except ProgramError as error:
        return CompileProblem(f"{kind.not_planned}: {error}")
