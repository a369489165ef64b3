"""
Variables of rules: `self` and `oldSelf`.

Reference:
    apiextensions-apiserver schema/cel/validation.go, validationActivation.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values.celvalues import NONE, Optional, Value
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF
from pytest_crd.engine.rules.scalars import View


class Variables:
    """`self` and `oldSelf`, created on first use."""

    def __init__(self, view: View, value: JSONValue, old: JSONValue, profile: Profile) -> None:
        """Create from the view of the schema, the value, and the old value (None on create)."""
        self._view = view
        self._value = value
        self._old = old
        self._profile = profile
        self._plain: Bindings | None = None
        self._optional: Bindings | None = None

    def bindings(self, *, optional: bool) -> Mapping[str, Value]:
        """Return the variables by name; *optional* makes `oldSelf` an optional value."""
        if self._plain is None:
            self._plain = Bindings()
            self._plain.bind(SELF, self._view, self._value)
            if self._old is not None:
                self._plain.bind(OLD_SELF, self._view, self._old)
        if not optional:
            return self._plain
        if self._optional is None:
            self._optional = Bindings(self._plain)
            self._optional.problems = self._plain.problems
            self._optional[OLD_SELF] = self._optional_old(self._plain)
        return self._optional

    def _optional_old(self, plain: Bindings) -> Optional:
        problem, old = plain.problems.get(OLD_SELF), self._old
        if problem is not None:
            return Optional.unreadable(self._of_optional(problem))
        if not self._profile.sees_optionals_by_schema and type(old) in {dict, list}:
            return Optional(old)
        return Optional(plain[OLD_SELF]) if OLD_SELF in plain else NONE

    def _of_optional(self, problem: EvaluationError) -> EvaluationError:
        if self._profile.sees_optionals_by_schema:
            return problem
        return EvaluationError(f"unsupported conversion to ref.Val: (*errors.errorString){problem}")


class Bindings(dict[str, Value]):
    """
    Variables by name. A value that does not fit its schema raises only if an expression uses it.

    Attributes:
        problems: The errors by name.
    """

    def __init__(self, variables: Mapping[str, Value] | None = None) -> None:
        """Create with *variables* that have values."""
        super().__init__(variables or {})
        self.problems: dict[str, EvaluationError] = {}

    def bind(self, name: str, view: View, value: JSONValue) -> None:
        """Bind *name* to the CEL value of *value*."""
        try:
            self[name] = view(value)
        except EvaluationError as problem:
            self.problems[name] = problem.with_traceback(None)

    def __missing__(self, name: str) -> Value:
        """Raise the error of the value of *name*, or KeyError if *name* is not bound."""
        if name in self.problems:
            raise self.problems[name]
        raise KeyError(name)
