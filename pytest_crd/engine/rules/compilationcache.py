"""
Cache of compilations that schemas share: an expression over equal types is compiled once.

A CRD is validated before its objects, versions and patched copies of a CRD share most rules, and compiling a rule takes
longer than running it. An expression is compiled again for another schema only if the type checker would get different
answers about the types that it looked up. Other parts of the schemas may differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.cel.types.celtypes import Type, TypeProvider
from pytest_crd.engine.cel.types.checked import CheckedExpression

_MAX_EXPRESSIONS: Final = 4096
_MAX_TYPINGS: Final = 16
_Variables: TypeAlias = tuple[tuple[str, Type], ...]


class Compilation:
    """
    A compiled expression.

    Attributes:
        checked: Its syntax tree and types.
        environment: The environment of its compilation, without the variables.
    """

    def __init__(self, checked: CheckedExpression, environment: Environment) -> None:
        self.checked = checked
        self.environment = environment

    @cached_property
    def program(self) -> Program:
        """
        The program that evaluates the expression.

        Raises:
            ProgramError: A constant part of it fails.
        """
        return Program(self.checked, self.environment.functions)


def compile(  # noqa: A001 - read as compilationcache.compile
    text: str, environment: Environment, variables: Mapping[str, Type], provider: TypeProvider
) -> Compilation:
    """
    Return the compilation of an expression, from the cache if its types are known.

    Args:
        text: The expression.
        environment: The environment of the compilation.
        variables: Additional variables and their types.
        provider: The struct types of schemas; each of them is non-nullable.

    Raises:
        CompileError: The expression has a syntax error or a type error, or a literal in it would fail.
    """
    entries = _entries(text, environment, tuple(variables.items()))
    for typing, compilation in entries:
        if typing.matches_provider(provider):
            return compilation
    lookups = _RecordingProvider(provider)
    compilation = Compilation(environment.extend(variables, lookups).compile(text), environment)
    entries.append((lookups, compilation))
    del entries[:-_MAX_TYPINGS]
    return compilation


@lru_cache(_MAX_EXPRESSIONS)
def _entries(
    _text: str, _environment: Environment, _variables: _Variables
) -> list[tuple[_RecordingProvider, Compilation]]:
    """Return the cached list of typings and compilations of an expression; empty at first."""
    return []


class _RecordingProvider:
    """Type provider that records the looked up types."""

    def __init__(self, provider: TypeProvider) -> None:
        self._provider = provider
        self._structs: dict[str, Type | None] = {}
        self._fields: dict[tuple[str, str], Type | None] = {}

    def find_struct(self, name: str) -> Type | None:
        type_ = self._structs[name] = self._provider.find_struct(name)
        return type_

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        type_ = self._fields[struct_name, field_name] = self._provider.find_field(struct_name, field_name)
        return type_

    def matches_provider(self, provider: TypeProvider) -> bool:
        """Return whether *provider* has the same types for all recorded lookups."""
        return all(provider.find_struct(name) == type_ for name, type_ in self._structs.items()) and all(
            provider.find_field(*names) == type_ for names, type_ in self._fields.items()
        )
