"""
Compilation of checked expressions to closures, with constant folding.

Reference:
    cel-go interpreter/planner.go; interpreter/decorators.go, decOptimize, decRegexOptimizer; cel/library.go,
    decorateOptionalOr.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.run import attributes, calls, constants, dispatch, folds, logic
from pytest_crd.engine.cel.run.attributes import Attribute, Qualified
from pytest_crd.engine.cel.run.frames import Evaluate
from pytest_crd.engine.cel.run.qualifiers import FieldQualifier, Qualifier, checked_key
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.types import protomessages
from pytest_crd.engine.cel.types.celtypes import StructMaker, TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression, Reference
from pytest_crd.engine.cel.types.functions import Function, Implementation, RuntimeCost
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.golang.release import GoRelease

_LIST_COST: Final = 10
_MAP_COST: Final = 30
_STRUCT_COST: Final = 40
# Functions that can nest optionals.
_OPTIONALS: Final = frozenset({"optional.of", "optional.ofNonZeroValue", "_?._", "_[?_]"})


class ProgramError(Exception):
    """Error of a well-typed expression with a constant part that fails; the argument is the reason."""


@dataclass(slots=True)
class Step:
    """Compiled part of an expression."""

    evaluate: Evaluate


@dataclass(slots=True)
class ConstantStep:
    """Part with a constant value."""

    value: Value

    @property
    def evaluate(self) -> Evaluate:
        """Function that returns the constant at no cost."""
        value = self.value
        return lambda _frame: value


@dataclass(slots=True)
class AttributeStep:
    """Part that further qualifiers can extend; *test_only* makes it a presence test, and *refunds* the cost of a conditional."""

    attribute: Attribute
    test_only: bool = False
    refunds: bool = False

    @property
    def evaluate(self) -> Evaluate:
        """Function that resolves the attribute; to be used once all qualifiers are added."""
        if self.test_only:
            return attributes.test_presence(self.attribute, refunds=self.refunds)
        return self.attribute.compile(observed=True)


_Step = Step | ConstantStep | AttributeStep


class Planner:
    """
    Compiler of one expression.

    Attributes:
        slots: Number of slots that an evaluation needs.
        charges_failed: Whether calls and literals with a failed part cost the same as others.
    """

    def __init__(
        self, checked: CheckedExpression, functions: Mapping[str, Function], structs: StructMaker | None = None
    ) -> None:
        self._structs = structs
        self._types = checked.types
        self._references = checked.references
        self._functions = functions
        self._dialect = checked.dialect
        self._go = checked.go
        self.charges_failed = checked.dialect.charges_failed_calls
        self._flattens = not checked.dialect.optionals_nest and _has_optionals(checked)
        self._scope: dict[str, Callable[[], Qualified]] = {}
        self.slots = 0

    def plan(self, node: ast.Node) -> _Step:  # noqa: PLR0911 - one for each kind of node
        """
        Return the compiled *node*.

        Raises:
            ProgramError: A constant part of it fails.
        """
        match node:
            case ast.Constant():
                return ConstantStep(node.value)
            case ast.Identifier():
                return self._plan_reference(node.id, self._references[node.id])
            case ast.Select():
                return self._plan_select(node)
            case ast.Call():
                return self._plan_call(node)
            case ast.ListLiteral():
                return self._plan_list(node)
            case ast.MapLiteral():
                return self._plan_map(node)
            case ast.StructLiteral():
                return self._plan_struct(node)
        return self._plan_comprehension(node)

    # Names and selections

    def _plan_reference(self, id_: int, reference: Reference) -> _Step:
        if reference.value is not None:
            return ConstantStep(reference.value)
        if self._types[id_].kind is TypeKind.TYPE:
            raise ProgramError(f"reference to undefined type: {reference.name}")
        local = self._scope.get(reference.name)
        return self._attribute_step(local() if local else attributes.Variable(reference.name.removeprefix(".")))

    def _attribute_step(self, attribute: Qualified) -> AttributeStep:
        attribute.flattens = self._flattens
        attribute.charges_errors = not self.charges_failed
        return AttributeStep(attribute)

    def _plan_select(self, node: ast.Select) -> _Step:
        if (reference := self._references.get(node.id)) is not None:
            return self._plan_reference(node.id, reference)
        step = self._attribute(self.plan(node.operand))
        operand = self._types[node.operand.id]
        if operand.kind is TypeKind.STRUCT and self._structs is not None and self._structs.selects(operand.name):
            step.attribute.qualify(FieldQualifier(name=node.field, test_only=node.test_only))
        else:
            step.attribute.qualify(Qualifier(node.field, test_only=node.test_only))
        return AttributeStep(step.attribute, node.test_only, refunds=self.charges_failed)

    def _plan_index(self, operand: _Step, index: _Step, *, optional: bool) -> _Step:
        step = self._attribute(operand)
        if isinstance(index, ConstantStep):
            qualifier = Qualifier(_constant_key(index.value), optional=optional)
        elif isinstance(index, AttributeStep):
            qualifier = Qualifier(compute=index.attribute.compile(observed=False, as_key=True), optional=optional)
        else:
            qualifier = Qualifier(compute=index.evaluate, optional=optional)
        step.attribute.qualify(qualifier)
        return step

    def _attribute(self, step: _Step) -> AttributeStep:
        return step if isinstance(step, AttributeStep) else self._attribute_step(attributes.Relative(step.evaluate))

    # Calls

    def _plan_call(self, node: ast.Call) -> _Step:
        reference = self._references[node.id]
        nodes = (
            node.arguments if node.target is None or reference.name != node.function else (node.target, *node.arguments)
        )
        arguments = [self.plan(argument) for argument in nodes]
        match reference.name, arguments:
            case "_?_:_", [condition, truthy, falsy]:
                conditional = attributes.Conditional(
                    condition.evaluate, self._attribute(truthy).attribute, self._attribute(falsy).attribute
                )
                return AttributeStep(conditional)
            case (("_[_]" | "_?._" | "_[?_]"), [operand, index]):
                return self._plan_index(operand, index, optional=reference.name != "_[_]")
        evaluates = [argument.evaluate for argument in arguments]
        if (operator := logic.OPERATORS.get(reference.name)) is not None:
            return Step(operator(*evaluates))
        overloads = reference.overloads
        if (comparison := logic.COMPARISONS.get(reference.name)) is not None:
            cost = overloads[0].cost or calls.unit_cost
            return Step(comparison(*evaluates, cost, evaluates_both=self.charges_failed))
        if (alternative := logic.ALTERNATIVES.get(reference.name)) is not None and (
            call := overloads[0].call
        ) is not None:
            return Step(alternative(*evaluates, call))
        return self._plan_function(reference, arguments, evaluates)

    def _plan_function(self, reference: Reference, arguments: Sequence[_Step], evaluates: Sequence[Evaluate]) -> _Step:
        name, overloads = reference.name, reference.overloads
        function = self._functions[name]
        implementation: Implementation
        cost: RuntimeCost | None
        if len(overloads) == 1 and (call := overloads[0].call) is not None:
            overload = overloads[0]
            implementation, cost = dispatch.guarded(name, overload, call), overload.cost
            variadic = overload.variadic
            if overload.id == "in_list" and isinstance(arguments[1], ConstantStep):
                members = constants.membership(arguments[1].value)
                if members is not None:
                    return ConstantStep(value=False) if not members else Step(logic.member_of(evaluates[0], members))
        else:
            implementation, cost = dispatch.dispatched(function), function.cost
            if cost is None:
                implementation = dispatch.counted(implementation)
            variadic = any(overload.guarded for overload in function.overloads)
        if name in constants.CONVERSIONS and len(arguments) == 1 and isinstance(arguments[0], ConstantStep):
            return ConstantStep(_computed(implementation, arguments[0].value))
        if name in constants.REGEX_FUNCTIONS and isinstance(arguments[1], ConstantStep):
            implementation = _with_pattern(name, arguments[1].value, implementation, self._go)
            variadic = True
        if not self.charges_failed and name != "!_":
            return Step(calls.strict(evaluates, implementation, cost))
        return Step(_call(evaluates, implementation, cost, variadic=variadic))

    # Literals

    def _plan_list(self, node: ast.ListLiteral) -> _Step:
        elements = [self.plan(element) for element in node.elements]
        if all(isinstance(element, ConstantStep) for element in elements):
            return ConstantStep([element.value for element in elements if isinstance(element, ConstantStep)])
        optional = [index in node.optional_indices for index in range(len(elements))]
        evaluates = [element.evaluate for element in elements]
        return Step(logic.list_literal(evaluates, optional, _LIST_COST, charges_failed=self.charges_failed))

    def _plan_map(self, node: ast.MapLiteral) -> _Step:
        keys = [self.plan(entry.key) for entry in node.entries]
        values = [self.plan(entry.value) for entry in node.entries]
        entries = [
            (key.evaluate, value.evaluate, entry.optional)
            for key, value, entry in zip(keys, values, node.entries, strict=True)
        ]
        literal = logic.map_literal(entries, _MAP_COST, charges_failed=self.charges_failed)
        if all(isinstance(step, ConstantStep) for step in (*keys, *values)):
            if any(isinstance(key, ConstantStep) and type(key.value) is bytes for key in keys):
                raise UnsupportedExpressionError("constant maps with bytes as keys, on which the server panics")
            return ConstantStep(constants.evaluate(literal))
        return Step(literal)

    def _plan_struct(self, node: ast.StructLiteral) -> _Step:
        fields = [(field.name, self.plan(field.value).evaluate, field.optional) for field in node.fields]
        name = node.type_name.removeprefix(".")
        is_made = self._structs is not None and self._structs.makes(name)
        make = self._structs.make if self._structs is not None and is_made else protomessages.make
        make_named = functools.partial(make, name)
        return Step(logic.struct_literal(make_named, fields, _STRUCT_COST, charges_failed=self.charges_failed))

    # Comprehensions

    def _plan_comprehension(self, node: ast.Comprehension) -> _Step:
        init, range_ = self.plan(node.init), self.plan(node.range)
        outer = dict(self._scope)
        accumulator = self._slot()
        variable = self._slot()
        second = self._slot() if node.second_variable is not None else None
        first = init.evaluate
        self._scope[node.accumulator] = lambda: attributes.Accumulator(accumulator, first)
        inside_result = dict(self._scope)
        self._scope[node.variable] = lambda: attributes.LoopVariable(variable)
        if node.second_variable is not None and second is not None:
            self._scope[node.second_variable] = lambda: attributes.LoopVariable(second)
        make = _Recognizer(self, node, init).plan()
        self._scope = inside_result
        result = self.plan(node.result)
        self._scope = outer
        values = range_.evaluate
        if second is not None and not self._dialect.ranges_keep_errors:
            values = folds.replace_range_errors(values)
        loop = folds.Loop(values, variable, second, accumulator, result.evaluate)
        return Step(make(loop))

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1


class _Recognizer:
    """Recognizer of the macro that a comprehension was expanded from; only macros create comprehensions."""

    def __init__(self, planner: Planner, node: ast.Comprehension, init: _Step) -> None:
        self._planner = planner
        self._node = node
        self._init = init

    def plan(self) -> Callable[[folds.Loop], Evaluate]:
        """
        Return a function that compiles the loop.

        The loop is generic for macros that build maps and for accumulators with a non-constant initial value.
        """
        node = self._node.step
        first = self._init.value if isinstance(self._init, ConstantStep) else None
        if isinstance(node, ast.Call):
            match first:
                case bool():
                    return self._quantifier(node, stop=not first)
                case int():
                    return self._only_one(node)
                case list():
                    return self._collection(node)
        step = self._planner.plan(node).evaluate
        return lambda loop: folds.fold(loop, step)

    def _quantifier(self, step: ast.Call, *, stop: bool) -> Callable[[folds.Loop], Evaluate]:
        """Return a compiler of `all` or `exists`; their loop conditions cost 2 and 3."""
        predicate = self._planner.plan(step.arguments[1]).evaluate
        return lambda loop: folds.quantifier(loop, predicate, stop=stop, cost=3 if stop else 2)

    def _only_one(self, step: ast.Call) -> Callable[[folds.Loop], Evaluate]:
        """Return a compiler of `exists_one`; the step is `predicate ? count + 1 : count`."""
        predicate = self._planner.plan(step.arguments[0]).evaluate
        charges_failed = self._planner.charges_failed
        return lambda loop: folds.only_one(loop, predicate, charges_failed=charges_failed)

    def _collection(self, step: ast.Call) -> Callable[[folds.Loop], Evaluate]:
        """Return a compiler of list macros; the step is `list + [element]` or `predicate ? list + [element] : list`."""
        where: Evaluate | None = None
        added = step
        if step.function == "_?_:_":
            where = self._planner.plan(step.arguments[0]).evaluate
            added = cast("ast.Call", step.arguments[1])
        planned = self._planner.plan(cast("ast.ListLiteral", added.arguments[1]).elements[0])
        # The accumulator and the addition cost 1 each; the list literal of one element costs 10 unless it is constant.
        cost = 2 if isinstance(planned, ConstantStep) else 2 + _LIST_COST
        collect = folds.collect if self._planner.charges_failed else folds.collect_strictly
        return lambda loop: collect(loop, planned.evaluate, where, cost)


def _has_optionals(checked: CheckedExpression) -> bool:
    """Return whether the expression can nest optionals."""
    return any(reference.name in _OPTIONALS for reference in checked.references.values())


def _constant_key(key: Value) -> Value:
    try:
        return checked_key(key)
    except EvaluationError as error:
        raise ProgramError(*error.args) from None


def _computed(implementation: Implementation, argument: Value) -> Value:
    try:
        return implementation(argument)
    except EvaluationError as error:
        raise ProgramError(*error.args) from None


def _with_pattern(name: str, pattern: Any, implementation: Implementation, go: GoRelease) -> Implementation:
    if not isinstance(pattern, str):
        return implementation
    try:
        return constants.with_pattern(name, pattern, go)
    except EvaluationError as error:
        raise ProgramError(*error.args) from None


def _call(arguments: Sequence[Evaluate], call: Implementation, cost: RuntimeCost | None, *, variadic: bool) -> Evaluate:
    match arguments:
        case [argument] if not variadic:
            return calls.unary(argument, call, cost)
        case [left, right] if not variadic:
            return calls.binary(left, right, call, cost)
    return calls.variadic(arguments, call, cost)
