"""
Environments: what expressions are compiled in.

Reference:
    cel-go cel/env.go, Env.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pytest_crd.engine.cel import validators
from pytest_crd.engine.cel.cost.earlierestimate import EarlierEstimator
from pytest_crd.engine.cel.cost.estimate import Estimator
from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.expressionlimits import deep_recursion
from pytest_crd.engine.cel.text import parser
from pytest_crd.engine.cel.text.ast import ParsedExpression
from pytest_crd.engine.cel.types import checker
from pytest_crd.engine.cel.types.celtypes import Type, TypeProvider
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.costs import CostEstimate, SizeProvider
from pytest_crd.engine.cel.types.declarations import Declarations
from pytest_crd.engine.cel.types.functions import Function, Library
from pytest_crd.engine.golang.release import GoRelease

_PARSED_KEPT = 4096


class Environment:
    """The libraries and variables that expressions may use; it compiles and estimates them."""

    def __init__(self, libraries: Sequence[Library], dialect: Dialect, go: GoRelease) -> None:
        """
        Take what expressions are made of.

        Args:
            libraries: The libraries, the standard one first; where several bring a function, its overloads are in their order.
            dialect: The language that they are written in.
            go: What their regular expressions may hold.
        """
        macros = {
            (macro.name, macro.argument_count, macro.is_member): macro
            for library in libraries
            for macro in library.macros
        }

        @lru_cache(_PARSED_KEPT)
        def parse(text: str) -> ParsedExpression:
            return parser.parse(text, macros, dialect)

        self._dialect = dialect
        self._go = go
        self._parse = parse
        self._declarations = Declarations(libraries)

    @property
    def functions(self) -> Mapping[str, Function]:
        """The functions, by their names."""
        return self._declarations.functions

    def extend(self, variables: Mapping[str, Type], provider: TypeProvider | None = None) -> Environment:
        """Return this environment with *variables*, and with the structs that *provider* knows."""
        extended = object.__new__(Environment)
        extended.__dict__.update(self.__dict__)
        extended._declarations = self._declarations.extend(variables, provider)
        return extended

    def compile(self, text: str) -> CheckedExpression:
        """
        Return the expression of *text*.

        Raises:
            CompileError: It is not well formed, its types do not agree, or a literal in it would fail.
        """
        with deep_recursion():
            checked = checker.check(self._parse(text), self._declarations, self._dialect, self._go)
            validators.validate(checked)
            return checked

    def estimate(self, checked: CheckedExpression, sizes: SizeProvider) -> CostEstimate:
        """Return what *checked* costs at least and at most, if variables have *sizes*."""
        with deep_recursion():
            estimator = Estimator if self._dialect.estimates_entries else EarlierEstimator
            return estimator(checked, sizes).estimate(checked.parsed.root)
