"""
Compilations that schemas share: equal expressions over equal types are compiled once.

A CRD is validated before its objects are, versions and copies of it that a patch made have most rules in common, and compiling them
takes longer than running them. An expression that was compiled over one schema is not compiled again over another one where
all that the checker asked about its types is answered alike: the other parts of the schemas may differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.cel.types.celtypes import Type, TypeProvider
from pytest_crd.engine.cel.types.checked import CheckedExpression

_EXPRESSIONS_KEPT: Final = 4096
_TYPINGS_KEPT: Final = 16
_Variables: TypeAlias = tuple[tuple[str, Type], ...]


class Compilation:
    """
    An expression that is compiled.

    Attributes:
        checked: Its tree and its types.
        environment: What it was compiled in, without the variables.
    """

    def __init__(self, checked: CheckedExpression, environment: Environment) -> None:
        self.checked = checked
        self.environment = environment

    @cached_property
    def program(self) -> Program:
        """
        What evaluates it.

        Raises:
            ProgramError: A constant part of it fails.
        """
        return Program(self.checked, self.environment.functions)


def compile(  # noqa: A001 - read as compilationcache.compile
    text: str, environment: Environment, variables: Mapping[str, Type], provider: TypeProvider
) -> Compilation:
    """
    Return the compilation of an expression.

    Args:
        text: The expression.
        environment: What it is compiled in.
        variables: What it may speak of besides.
        provider: What knows the structs that are types of schemas, none of them one that takes null.

    Raises:
        CompileError: It is not well formed, its types do not agree, or a literal in it would fail.
    """
    kept = _kept(text, environment, tuple(variables.items()))
    for questions, compilation in kept:
        if questions.are_answered_alike(provider):
            return compilation
    asked = _Questions(provider)
    compilation = Compilation(environment.extend(variables, asked).compile(text), environment)
    kept.append((asked, compilation))
    del kept[:-_TYPINGS_KEPT]
    return compilation


@lru_cache(_EXPRESSIONS_KEPT)
def _kept(_text: str, _environment: Environment, _variables: _Variables) -> list[tuple[_Questions, Compilation]]:
    """Return what is known of an expression: a list of its own for each, empty at first."""
    return []


class _Questions:
    """What knows the structs while an expression is compiled, and notes what was asked."""

    def __init__(self, provider: TypeProvider) -> None:
        self._provider = provider
        self._structs: dict[str, Type | None] = {}
        self._fields: dict[tuple[str, str], Type | None] = {}

    def find_struct(self, name: str) -> Type | None:
        found = self._structs[name] = self._provider.find_struct(name)
        return found

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        found = self._fields[struct_name, field_name] = self._provider.find_field(struct_name, field_name)
        return found

    def are_answered_alike(self, provider: TypeProvider) -> bool:
        """Return whether *provider* says the same of all that was asked."""
        return all(provider.find_struct(name) == type_ for name, type_ in self._structs.items()) and all(
            provider.find_field(*names) == type_ for names, type_ in self._fields.items()
        )
