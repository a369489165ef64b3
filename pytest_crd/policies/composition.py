"""
Variables of policies: an expression sees the variables before it as `variables.NAME`, evaluated on first use.

Reference:
    apiserver admission/plugin/cel/composition.go; cel/lazy/lazy.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.admission.expressions import admissionexpressions, variabletypes
from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression, CostBudget, Declared, Variables
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import EvaluationError, no_overload
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import BOOL, DYN, Type, TypeKind
from pytest_crd.engine.cel.values.celvalues import MISSING, MapValue, Value
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import escaping
from pytest_crd.policies.definitions import PolicyVariable

VARIABLES: Final = "variables"
STRUCT: Final = "kubernetes.variables"
_SCALARS: Final = frozenset(
    {
        TypeKind.ANY,
        TypeKind.BOOL,
        TypeKind.BYTES,
        TypeKind.DOUBLE,
        TypeKind.DURATION,
        TypeKind.INT,
        TypeKind.NULL,
        TypeKind.STRING,
        TypeKind.TIMESTAMP,
        TypeKind.UINT,
    }
)
# Returns an environment with further types and functions.
Extend: TypeAlias = Callable[[Environment], Environment]


class Composition:
    """
    The variables of a policy, and the compilation of its expressions.

    Attributes:
        compiled: The compiled variables by name.
    """

    def __init__(
        self, profile: Profile, *, is_new: bool = False, has_params: bool = False, has_variables: bool = True
    ) -> None:
        """
        Create without variables.

        Args:
            profile: The Kubernetes version.
            is_new: Whether the policy is new; expressions of stored policies may use more libraries.
            has_params: Whether the policy has params.
            has_variables: Whether `variables` is declared.
        """
        self.compiled: dict[str, AdmissionExpression] = {}
        self._fields: dict[str, Type] = {}
        self._structs = variabletypes.AdmissionStructs({STRUCT: self._fields})
        self._profile = profile
        self._declared = Declared(is_new, has_params)
        self._further = {VARIABLES: celtypes.struct(STRUCT)} if has_variables else {}

    def add(self, variable: PolicyVariable, *, is_new: bool | None = None) -> AdmissionExpression:
        """
        Compile a variable, and let later expressions use it; return the compiled expression.

        Args:
            variable: The variable.
            is_new: Whether its expression is new; None if it is as new as the policy.
        """
        compiled = self.compile(variable.expression, (), is_new=is_new)
        self.compiled[variable.name] = compiled
        self._fields[variable.name] = (
            DYN if compiled.program is None or compiled.type is None else declare_variable(compiled.type)
        )
        return compiled

    def compile(
        self,
        text: str,
        types: Sequence[Type] = (BOOL,),
        *,
        has_authorizer: bool = True,
        extend: Extend | None = None,
        is_new: bool | None = None,
    ) -> AdmissionExpression:
        """
        Return a compiled expression.

        Args:
            text: The expression.
            types: The types that its value may have; none for any.
            has_authorizer: Whether it has `authorizer`.
            extend: Adds types and functions; None for those of admission alone.
            is_new: Whether the expression is new; None if it is as new as the policy.
        """
        declared = self._declared._replace(has_authorizer=has_authorizer)
        if is_new is not None:
            declared = declared._replace(is_new=is_new)
        return admissionexpressions.compile(text, self._environment(extend, declared), tuple(types))

    def bind(self, variables: Variables, budget: CostBudget) -> dict[str, Value]:
        """
        Return variables with the variables of the policy.

        Args:
            variables: The variables of admission.
            budget: The budget that evaluated variables spend.
        """
        bound = dict(variables)
        bound[VARIABLES] = LazyVariables(self.compiled, bound, budget)
        return bound

    def _environment(self, extend: Extend | None, declared: Declared) -> Environment:
        environment = admissionexpressions.environment(self._profile, declared, self._further, self._structs)
        return environment if extend is None else extend(environment)


class LazyVariables(MapValue):
    """The variables of a policy for one request; each is evaluated on first use."""

    __slots__ = ("_budget", "_compiled", "_values", "_variables")

    go_type = "*lazy.MapValue"

    def __init__(self, compiled: Mapping[str, AdmissionExpression], variables: Variables, budget: CostBudget) -> None:
        """
        Create for a request.

        Args:
            compiled: The compiled variables by name.
            variables: The variables of admission, with this object.
            budget: The budget that evaluated variables spend.
        """
        self._compiled, self._variables, self._budget = compiled, variables, budget
        self._values: dict[str, Value | EvaluationError] = {}

    def __len__(self) -> int:
        return len(self._compiled)

    def __iter__(self) -> Iterator[Value]:
        """Yield the values, as the server's iterator does."""
        return map(self.find, self._compiled)

    def find(self, key: Value) -> Value:
        """
        Return the value of a variable, or MISSING.

        Raises:
            EvaluationError: The variable does not compile, or fails.
            OutOfBudgetError: It costs too much.
        """
        if not isinstance(key, str):
            raise no_overload(key)
        name = escaping.unescape(key)
        if name is None or name not in self._compiled:
            return MISSING
        if name not in self._values:
            self._values[name] = self._evaluate(name)
        value = self._values[name]
        if isinstance(value, EvaluationError):
            raise value
        return value

    def equal(self, other: Value) -> bool:
        """Return whether *other* is this object."""
        if not isinstance(other, LazyVariables):
            raise no_overload(other)
        return other is self

    @property
    def values(self) -> Mapping[str, Value]:
        """The evaluated variables by name; failed ones are EvaluationErrors."""
        return self._values

    def _evaluate(self, name: str) -> Value | EvaluationError:
        compiled = self._compiled[name]
        if compiled.program is None:
            return EvaluationError(f'composited variable "{name}" fails to compile: {compiled.problem}')
        value, cost, problem = admissionexpressions.run(compiled.program, self._variables)
        self._budget.spend(cost)
        return EvaluationError(f'composited variable "{name}" fails to evaluate: {problem}') if problem else value


def declare_variable(type_: Type) -> Type:
    """
    Return the type of a variable in later expressions.

    Reference:
        apiserver admission/plugin/cel/composition.go, convertCelTypeToDeclType.
    """
    if type_.kind in _SCALARS and not type_.nullable:
        return type_
    if type_.kind is TypeKind.LIST:
        return celtypes.list_of(declare_variable(type_.parameters[0]))
    if type_.kind is TypeKind.MAP:
        return celtypes.map_of(*map(declare_variable, type_.parameters))
    return DYN
