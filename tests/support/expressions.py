"""Expressions of CEL, evaluated as in a rule of Kubernetes 1.37."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine import profile
from pytest_crd.engine.cel.run.interpreter import Program, ProgramResult
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.rules import environments


def evaluated(text: str, variables: Mapping[str, Value], limit: int = 1_000_000) -> ProgramResult:
    """Return what comes of an expression, in which `self` may be anything."""
    environment = environments.stored(profile.KNOWN["1.37"]).extend({"self": celtypes.DYN})
    return Program(environment.compile(text), environment.functions).evaluate(variables, limit)
