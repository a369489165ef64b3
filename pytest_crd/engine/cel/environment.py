"""
Environments in which expressions are compiled.

Reference:
    cel-go cel/env.go, Env.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pytest_crd.engine.cel import validators
from pytest_crd.engine.cel.cost.estimate import EarlierEstimator, Estimator
from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.expressionlimits import deep_recursion
from pytest_crd.engine.cel.text import parser
from pytest_crd.engine.cel.text.ast import ParsedExpression
from pytest_crd.engine.cel.types import checker
from pytest_crd.engine.cel.types.celtypes import StructMaker, Type, TypeProvider
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.costs import CostEstimate, SizeProvider
from pytest_crd.engine.cel.types.declarations import Declarations
from pytest_crd.engine.cel.types.functions import Function, Library
from pytest_crd.engine.golang.release import GoRelease

_PARSE_CACHE_SIZE = 4096


class Environment:
    """
    Libraries and variables of expressions; compiles expressions and estimates their costs.

    Attributes:
        structs: The maker of structs; None for protobuf messages alone.
    """

    def __init__(self, libraries: Sequence[Library], dialect: Dialect, go: GoRelease) -> None:
        """
        Create an environment without variables.

        Args:
            libraries: The libraries, the standard one first. Overloads of a function keep the order of the libraries.
            dialect: The language of the expressions.
            go: The Go release, which decides the syntax of regular expressions.
        """
        macros = {
            (macro.name, macro.argument_count, macro.is_member): macro
            for library in libraries
            for macro in library.macros
        }

        @lru_cache(_PARSE_CACHE_SIZE)
        def parse(text: str) -> ParsedExpression:
            return parser.parse(text, macros, dialect)

        self.structs: StructMaker | None = None
        self._dialect = dialect
        self._go = go
        self._parse = parse
        self._declarations = Declarations(libraries)

    @property
    def functions(self) -> Mapping[str, Function]:
        """Functions by name."""
        return self._declarations.functions

    @property
    def provider(self) -> TypeProvider:
        """Source of struct types."""
        return self._declarations.provider

    def extend(self, variables: Mapping[str, Type], provider: TypeProvider | None = None) -> Environment:
        """Return a copy of this environment with *variables* added, and with the structs of *provider*."""
        extended = object.__new__(Environment)
        extended.__dict__.update(self.__dict__)
        extended._declarations = self._declarations.extend(variables, provider)
        return extended

    def with_structs(self, provider: TypeProvider, structs: StructMaker, library: Library) -> Environment:
        """Return a copy of this environment with other struct types, their maker, and the functions of a library."""
        extended = object.__new__(Environment)
        extended.__dict__.update(self.__dict__)
        extended._declarations = self._declarations.extend({}, provider).with_functions(library)
        extended.structs = structs
        return extended

    def compile(self, text: str) -> CheckedExpression:
        """
        Compile the expression *text*.

        Raises:
            CompileError: It has a syntax error, a type error, or a literal that would fail at run time.
        """
        with deep_recursion():
            checked = checker.check(self._parse(text), self._declarations, self._dialect, self._go)
            validators.validate(checked)
            return checked

    def estimate(self, checked: CheckedExpression, sizes: SizeProvider) -> CostEstimate:
        """Return the minimum and maximum cost of *checked* for variables with *sizes*."""
        with deep_recursion():
            estimator = Estimator if self._dialect.estimates_entries else EarlierEstimator
            return estimator(checked, sizes).estimate(checked.parsed.root)
