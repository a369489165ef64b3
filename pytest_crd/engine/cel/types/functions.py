"""
Functions: signature, implementation and costs of each stand together, in the tables of the modules in `library`.

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

# Makes the result of the arguments, of which the target of a member call is the first; raises EvaluationError.
Implementation: TypeAlias = Callable[..., Any]
# Makes the run-time cost of one call, without that of its arguments, of the arguments and the result.
RuntimeCost: TypeAlias = Callable[[Sequence[Any], Any], int]
# Makes the estimate of one call, without the costs of its arguments; the target of a member call is the first of them.
Estimate: TypeAlias = Callable[[EstimateContext, Sequence[Argument]], CallEstimate]


@dataclass(frozen=True, slots=True, eq=False)
class Overload:
    """
    One signature of a function.

    Attributes:
        id: Its name, unique among all overloads.
        parameters: Types of the parameters, of which the target of a member call is the first.
        result: Type of the result.
        call: The implementation; None where the interpreter has one of its own, as for `&&`.
        is_member: Whether it is called as `target.function()`.
        cost: The run-time cost; None: 1.
        estimate: The estimated cost; None: 1, and nothing is known of the result's size.
        non_strict: Whether it is called with errors as arguments too.
        guarded: Whether it is called only with values of its parameters' types; otherwise the implementation looks at them.
        variadic: Whether a call ends with the first argument that is an error, as it does anyway with three and more.
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
        """Find the names of the type parameters once, in the order in which they occur."""
        names: dict[str, None] = {}
        for type_ in (*self.parameters, self.result):
            _collect_parameters(type_, names)
        object.__setattr__(self, "type_parameters", tuple(names))


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """
    A function.

    Attributes:
        name: Its name, with dots where it stands in a namespace.
        overloads: Its overloads. Libraries may add to those of others: then they stand in the order of the libraries.
        cost: The run-time cost of a call whose overload is not known before it runs. Kubernetes knows costs by the
            function's name, also then; cel-go knows them by the overload's id, and such a call costs 1: None.
    """

    name: str
    overloads: tuple[Overload, ...]
    cost: RuntimeCost | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """
    What an environment is made of.

    Attributes:
        name: Its name.
        functions: Its functions.
        macros: Its macros.
        types: The types that expressions may name.
        constants: Values by their names.
        optional_syntax: Whether it brings `.?`, `[?]` and the `?` of optional elements, entries and fields.
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
