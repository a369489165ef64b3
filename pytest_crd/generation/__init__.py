"""Case files that state what a CRD does today: made from its schema, with the engine's answers as expectations."""

from pytest_crd.generation.additions import add
from pytest_crd.generation.casefile import Generated, NothingToStateError, generate

__all__ = ["Generated", "NothingToStateError", "add", "generate"]
