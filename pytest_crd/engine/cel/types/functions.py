"""
Declarations of functions; each has its signature, implementation and cost in a table of a module in `library`.

Reference:
    cel-go common/decls/decls.go, FunctionDecl, OverloadDecl.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pytest_crd.engine.cel.text.macros import Macro
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.cel.types.costs import Argument, CallEstimate, EstimateContext

# Takes the arguments, beginning with the target of a member call, and returns the result; raises EvaluationError.
Implementation: TypeAlias = Callable[..., Any]
# Takes the arguments and the result, and returns the run-time cost of the call without that of its arguments.
RuntimeCost: TypeAlias = Callable[[Sequence[Any], Any], int]
# Estimates a call without the costs of its arguments, which begin with the target of a member call.
Estimate: TypeAlias = Callable[[EstimateContext, Sequence[Argument]], CallEstimate]


@dataclass(frozen=True, slots=True, eq=False)
class Overload:
    """
    Signature of a function.

    Attributes:
        id: Name, unique among all overloads.
        parameters: Parameter types, beginning with the target of a member call.
        result: Result type.
        call: Implementation; None if the interpreter implements it, as for `&&`.
        is_member: It is called as `target.function()`.
        cost: Run-time cost; None for 1.
        estimate: Cost estimate; None for cost 1 and unknown result size.
        non_strict: It is called even if arguments are errors.
        guarded: It is called only with values of its parameter types; otherwise the implementation checks them.
        variadic: Evaluation stops at the first failing argument, as it always does for three arguments or more.
    """

    id: str
    parameters: tuple[Type, ...]
    result: Type
    call: Implementation | None = None
    is_member: bool = False
    cost: RuntimeCost | None = None
    estimate: Estimate | None = None
    non_strict: bool = False
    guarded: bool = True
    variadic: bool = False
    type_parameters: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the names of the type parameters in order of appearance."""
        names: dict[str, None] = {}
        for type_ in (*self.parameters, self.result):
            _collect_parameters(type_, names)
        object.__setattr__(self, "type_parameters", tuple(names))


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """
    Function with its overloads.

    Attributes:
        name: Name, with dots for a namespace.
        overloads: Overloads, in the order of the libraries that declare them.
        cost: Run-time cost of a call with an overload selected at run time. Kubernetes defines costs by function name,
            so they apply. cel-go defines costs by overload id, so such a call costs 1 (None).
    """

    name: str
    overloads: tuple[Overload, ...]
    cost: RuntimeCost | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """
    Library of an environment.

    Attributes:
        name: Name.
        functions: Functions.
        macros: Macros.
        types: Types that expressions may name.
        constants: Constants by name.
        optional_syntax: It enables `.?`, `[?]` and the `?` of optional elements, entries and fields.
    """

    name: str
    functions: tuple[Function, ...] = ()
    macros: tuple[Macro, ...] = ()
    types: tuple[Type, ...] = ()
    constants: Mapping[str, tuple[Type, Any]] = field(default_factory=dict)
    optional_syntax: bool = False


def _collect_parameters(type_: Type, names: dict[str, None]) -> None:
    """Add the names of the type parameters in *type_* to *names*."""
    if not type_.generic:
        return
    if not type_.parameters:
        names[type_.name] = None
    for inner in type_.parameters:
        _collect_parameters(inner, names)
