"""
Compiled policies.

Reference:
    apiserver admission/plugin/policy/validating/plugin.go and mutating/compilation.go, compilePolicy.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression
from pytest_crd.admission.patches import patchtypes
from pytest_crd.engine.cel.types.celtypes import NULL, STRING
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.composition import Composition
from pytest_crd.policies.definitions import APPLY_CONFIGURATION, JSON_PATCH, Policy

_MOST_POLICIES: Final = 512
_PATCHES: Final = {APPLY_CONFIGURATION: patchtypes.OBJECT, JSON_PATCH: patchtypes.JSON_PATCHES}


class CompiledPolicy(NamedTuple):
    """
    A compiled policy.

    Attributes:
        definition: The policy.
        composition: Its variables.
        conditions: The match conditions.
        validations: The validations.
        messages: The message expression of each validation; None without one.
        annotations: The values of the audit annotations.
        mutations: The patches of the mutations.
    """

    definition: Policy
    composition: Composition
    conditions: tuple[AdmissionExpression, ...]
    validations: tuple[AdmissionExpression, ...]
    messages: tuple[AdmissionExpression | None, ...]
    annotations: tuple[AdmissionExpression, ...]
    mutations: tuple[AdmissionExpression, ...]


@functools.lru_cache(_MOST_POLICIES)
def compile(policy: Policy, profile: Profile) -> CompiledPolicy:  # noqa: A001 - read as compiledpolicies.compile
    """
    Return a compiled policy; an expression that does not compile has a problem, which counts for each request.

    Args:
        policy: The policy.
        profile: The Kubernetes version.
    """
    composition = Composition(profile, has_params=policy.param_kind is not None)
    for variable in policy.variables:
        composition.add(variable)
    return CompiledPolicy(
        policy,
        composition,
        tuple(composition.compile(condition.expression) for condition in policy.match_conditions),
        tuple(composition.compile(validation.expression) for validation in policy.validations),
        tuple(
            composition.compile(validation.message_expression, (STRING,), has_authorizer=False)
            if validation.message_expression
            else None
            for validation in policy.validations
        ),
        tuple(
            composition.compile(annotation.value_expression, (STRING, NULL)) for annotation in policy.audit_annotations
        ),
        tuple(
            composition.compile(mutation.expression, (_PATCHES[mutation.patch_type],), extend=patchtypes.extend)
            for mutation in policy.mutations
        ),
    )
