"""
Generation: case files that state what a CRD does today.

A version comes in, a file's text goes out. `objects`, `constraints` and `passes` propose cases, `expectations` has the engine answer them,
`drafts` keeps those that say something, and `layout` writes them; `casefile` does this for a new file, `additions` for one that is there.
"""

from pytest_crd.generation.additions import add
from pytest_crd.generation.casefile import Generated, NothingToStateError, generate

__all__ = ["Generated", "NothingToStateError", "add", "generate"]
