"""CEL expressions, evaluated as rules of a Kubernetes version."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine import profile
from pytest_crd.engine.cel.run.interpreter import Program, ProgramResult
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.rules import environments


def evaluate(
    text: str, variables: Mapping[str, Value], limit: int = 1_000_000, *, version: str = "1.37"
) -> ProgramResult:
    """Return the result of a CEL expression with `self` of type dyn, within a cost of *limit*."""
    environment = environments.stored(profile.KNOWN[version]).extend({"self": celtypes.DYN})
    return Program(environment.compile(text), environment.functions).evaluate(variables, limit)
