"""
Validation of the expressions of a policy: new ones may use the libraries of the previous Kubernetes version, unchanged ones all libraries.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, preexistingExpressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression
from pytest_crd.admission.matching import conditionvalidation
from pytest_crd.engine.cel.types.celtypes import BOOL, Type
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.composition import Composition, Extend
from pytest_crd.policies.definitions import MUTATING, PolicyVariable

CONDITIONS: Final = "matchConditions"
VALIDATIONS: Final = "validations"
MESSAGES: Final = "messages"
ANNOTATIONS: Final = "auditAnnotations"
CONFIGURATIONS: Final = "applyConfiguration"


class Usage(NamedTuple):
    """
    The use of an expression in a policy.

    Attributes:
        group: The group in which the old policy may have the expression.
        types: The types that its value may have; none for any.
        has_authorizer: Whether it has `authorizer`.
        extend: Adds types and functions; None for those of admission alone.
    """

    group: str
    types: tuple[Type, ...] = (BOOL,)
    has_authorizer: bool = True
    extend: Extend | None = None


_CONDITION: Final = Usage(CONDITIONS)


class PolicyExpressions:
    """The compilation of the expressions of a policy under validation."""

    def __init__(self, kind: str, spec: JSONObject, old_spec: JSONObject | None, profile: Profile) -> None:
        """
        Create for a policy.

        Args:
            kind: Its kind.
            spec: Its spec.
            old_spec: The spec of the stored policy; None on create.
            profile: The Kubernetes version.
        """
        has_params = spec.get("paramKind") is not None
        has_variables = kind == MUTATING or bool(spec.get("variables"))
        self._stored = set(() if old_spec is None else _expressions(old_spec))
        self._composition = Composition(profile, is_new=True, has_params=has_params, has_variables=has_variables)
        self._without_variables = Composition(profile, is_new=True, has_params=has_params, has_variables=False)

    def validate(
        self, text: str, usage: Usage, path: FieldPath, *, sent: str | None = None, shown: str | None = None
    ) -> Errors:
        """
        Yield the error of an expression that does not compile.

        Args:
            text: The compiled text.
            usage: Its use.
            path: Its path.
            sent: The text in the policy; None for *text*.
            shown: The text in errors; None for *text*.
        """
        is_new = (usage.group, text if sent is None else sent) not in self._stored
        compiled = self._composition.compile(
            text, usage.types, has_authorizer=usage.has_authorizer, extend=usage.extend, is_new=is_new
        )
        yield from conditionvalidation.validate_compiled(compiled, path, shown)

    def add(self, variable: PolicyVariable, path: FieldPath) -> Errors:
        """Yield the error of a variable that does not compile, and let later expressions use it."""
        # The server compares it with the expressions of validations.
        is_new = (VALIDATIONS, variable.expression) not in self._stored
        yield from conditionvalidation.validate_compiled(self._composition.add(variable, is_new=is_new), path)

    def compile_condition(self, text: str) -> AdmissionExpression:
        """Return a compiled match condition, which has no variables."""
        is_new = (CONDITIONS, text) not in self._stored
        return self._without_variables.compile(text, _CONDITION.types, is_new=is_new)


def _expressions(spec: JSONObject) -> Iterator[tuple[str, str]]:
    """Yield the group and the text of each expression of a stored policy."""

    def items(field: str) -> Sequence[Any]:
        return [item or {} for item in spec.get(field) or ()]

    for item in items("matchConditions"):
        yield CONDITIONS, item.get("expression") or ""
    for item in items("validations"):
        yield VALIDATIONS, item.get("expression") or ""
        yield MESSAGES, item.get("messageExpression") or ""
    for item in items("auditAnnotations"):
        yield ANNOTATIONS, item.get("valueExpression") or ""
    for item in items("mutations"):
        # The server looks for the expression of a JSON patch here, too.
        yield CONFIGURATIONS, (item.get("applyConfiguration") or {}).get("expression") or ""
