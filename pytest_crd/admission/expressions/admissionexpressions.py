"""
Expressions of admission: their variables, their compilation, and their evaluation within a cost budget.

Reference:
    apiserver admission/plugin/cel: compile.go, activation.go and condition.go.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.admission.expressions import variabletypes
from pytest_crd.engine.cel import explanation
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError, CostLimitError, UnsupportedExpressionError
from pytest_crd.engine.cel.explanation import Reasons
from pytest_crd.engine.cel.library import accesschecks
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest, Authorizer, ResourceCheck
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT, Program, ProgramError
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import BOOL, DYN, Type, TypeProvider
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.rules import environments

OBJECT: Final = "object"
OLD_OBJECT: Final = "oldObject"
PARAMS: Final = "params"
AUTHORIZER: Final = "authorizer"
NOT_INSTANTIATED: Final = "program instantiation failed"
"""The beginning of the message about an expression that compiles, but whose constant parts fail."""
OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"

_OF_REQUEST: Final = f"{AUTHORIZER}.requestResource"
# The group of administrators.
_MASTERS: Final = "system:masters"
ALWAYS_DECLARED: Final = {
    OBJECT: DYN,
    OLD_OBJECT: DYN,
    "namespaceObject": celtypes.struct(variabletypes.NAMESPACE),
    "request": celtypes.struct(variabletypes.REQUEST),
}
_OF_AUTHORIZER: Final = {AUTHORIZER: accesschecks.AUTHORIZER, _OF_REQUEST: accesschecks.RESOURCE}

Variables: TypeAlias = Mapping[str, Value]
FindReasons: TypeAlias = Callable[[Variables], Reasons]
_MOST_PARTS: Final = 200


class AdmissionExpression(NamedTuple):
    """
    A compiled expression.

    Attributes:
        text: The expression.
        type: The type of its value; None if it does not compile.
        program: The program; None if there is a problem.
        problem: The server's message about an expression without a program; empty if there is a program.
        is_internal: Whether the server takes the problem for an error of its own.
        find_parts: Returns the values of the parts of the expression, given its variables, for reports.
        find_reasons: Returns the values of the parts that decided the value, given the variables.
    """

    text: str
    type: Type | None = None
    program: Program | None = None
    problem: str = ""
    is_internal: bool = False
    find_parts: FindReasons | None = None
    find_reasons: FindReasons | None = None


class ExpressionOutcome(NamedTuple):
    """
    The outcome of an expression.

    Attributes:
        value: The value; None if there is a problem.
        problem: The server's message about an expression without a value; empty if there is a value.
    """

    value: Value = None
    problem: str = ""


class OutOfBudgetError(Exception):
    """Expressions that cost too much together; the message is the server's."""

    def __init__(self) -> None:
        """Create with the server's message."""
        super().__init__(OUT_OF_BUDGET)


class CostBudget:
    """
    The cost that the expressions of one evaluation may have together.

    Attributes:
        left: What is left.
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, cost: int) -> None:
        """
        Take a cost from the budget.

        Raises:
            OutOfBudgetError: The cost is higher than the rest.
        """
        if cost > self.left:
            raise OutOfBudgetError
        self.left -= cost


class Declared(NamedTuple):
    """
    The variables of an expression that are not always there.

    Attributes:
        is_new: Whether the expression is new; those of stored objects may use more libraries.
        has_params: Whether there is `params`.
        has_authorizer: Whether there is `authorizer`.
    """

    is_new: bool = False
    has_params: bool = False
    has_authorizer: bool = True


def environment(
    profile: Profile,
    declared: Declared,
    further: Mapping[str, Type] | None = None,
    provider: TypeProvider | None = None,
) -> Environment:
    """
    Return the environment of the expressions of admission.

    Args:
        profile: The Kubernetes version.
        declared: The variables that are not always there.
        further: Further variables.
        provider: The struct types; None for those of admission.
    """
    base = environments.new(profile) if declared.is_new else environments.stored(profile)
    variables = {
        **ALWAYS_DECLARED,
        **({PARAMS: DYN} if declared.has_params else {}),
        **(_OF_AUTHORIZER if declared.has_authorizer else {}),
        **(further or {}),
    }
    return base.extend(variables, provider or variabletypes.AdmissionStructs())


def compile(  # noqa: A001 - read as admissionexpressions.compile
    text: str, environment: Environment, types: tuple[Type, ...] = (BOOL,)
) -> AdmissionExpression:
    """
    Return a compiled expression.

    Args:
        text: The expression.
        environment: Its environment.
        types: The types that its value may have; none for any.
    """
    try:
        checked = environment.compile(text)
    except CompileError as error:
        return AdmissionExpression(text, problem=f"compilation failed: {error}")
    if types and checked.type not in types:
        wanted = " ".join(map(_spell, types))
        wanted = wanted if len(types) == 1 else f"one of [{wanted}]"
        return AdmissionExpression(text, problem=f"must evaluate to {wanted} but got {_spell(checked.type)}")
    try:
        program = Program(checked, environment.functions, environment.structs)
    except ProgramError as error:
        return AdmissionExpression(text, checked.type, problem=f"{NOT_INSTANTIATED}: {error}", is_internal=True)
    find_parts = functools.partial(explanation.find_parts, checked, environment.functions, most=_MOST_PARTS)
    find_reasons = functools.partial(explanation.find_reasons, checked, environment.functions)
    return AdmissionExpression(text, checked.type, program, find_parts=find_parts, find_reasons=find_reasons)


def _spell(type_: Type) -> str:
    """
    Return a type as Go prints it.

    Reference:
        cel-go common/types/types.go, Type.String.
    """
    parameters = ", ".join(map(_spell, type_.parameters))
    return f"{type_.declared_name}({parameters})" if parameters else type_.declared_name


def evaluate(expression: AdmissionExpression, variables: Variables, budget: CostBudget) -> ExpressionOutcome:
    """
    Return the outcome of an expression.

    Args:
        expression: The expression.
        variables: The variables; they may spend the budget, too.
        budget: The budget, from which the cost is taken.

    Raises:
        OutOfBudgetError: The cost is higher than the budget.
        UnsupportedExpressionError: It uses a feature that the server has and this engine has not.
    """
    if expression.program is None:
        return ExpressionOutcome(problem=f"compilation error: {expression.problem}")
    value, cost, problem = run(expression.program, variables)
    budget.spend(cost)
    if problem:
        return ExpressionOutcome(problem=f"expression '{expression.text}' resulted in error: {problem}")
    return ExpressionOutcome(value)


def run(program: Program, variables: Variables) -> tuple[Value, int, str]:
    """Return the value of a program, its cost, and its run-time error; empty without one."""
    try:
        result = program.evaluate(variables, COST_LIMIT)
    except CostLimitError as error:
        return None, error.cost, str(error)
    return result.value, result.cost, "" if result.error is None else str(result.error)


def variables_of(
    request: AdmissionRequest, described: JSONObject, new: JSONObject | None, old: JSONObject | None
) -> dict[str, Value]:
    """
    Return the variables of an expression, without `params` and the namespace.

    Args:
        request: The request.
        described: The `request` of a review.
        new: The object in the version of the webhook or policy; None on DELETE.
        old: The old object in that version; None on CREATE.

    Reference:
        apiserver admission/plugin/cel/activation.go, newActivation.
    """
    if request.subresource == "scale":
        new, old = _plain(new), _plain(old)
    return {
        OBJECT: new,
        OLD_OBJECT: old,
        "namespaceObject": None,
        "request": described,
        **_authorizers(request),
    }


def _plain(value: Any) -> Any:
    """Return a value of JSON with mappings of one class, as expressions compare them; a Scale has ordered ones."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def without_authorizer(variables: Variables) -> dict[str, Value]:
    """Return the variables without the authorizer, which messages and audit annotations have not."""
    return {name: value for name, value in variables.items() if name not in _OF_AUTHORIZER}


def _authorizers(request: AdmissionRequest) -> dict[str, Value]:
    access = AccessRequest(request.user.username, request.user.groups)
    authorize = request.authorize or authorize_administrator
    own = access._replace(
        group=request.group,
        resource=request.resource,
        subresource=request.subresource,
        namespace=request.namespace,
        name=request.name,
    )
    return {AUTHORIZER: Authorizer(access, authorize), _OF_REQUEST: ResourceCheck(own, authorize)}


def authorize_administrator(request: AccessRequest) -> AccessAnswer:
    """Allow everything to an administrator; other users depend on roles, which are unknown."""
    if _MASTERS in request.groups:
        return AccessAnswer(is_allowed=True)
    user = printing.quote(request.username)
    raise UnsupportedExpressionError(
        f"the authorizer in expressions of admission for the user {user}, as it knows no roles"
    )
