"""
Generation: case files that state what a CRD does today.

A version comes in, a file's text goes out. `scope` tells which places of the schema are meant, by `coretypes` which are Kubernetes' own.
`objects`, `constraints`, `fieldcases` and `passes` propose cases in the `order` of what protects, `expectations` has the engine answer them,
`drafts` keeps those that say something as long as there is room, and `layout` writes them; `casefile` does this for a new file, `additions`
for one that is there.
"""

from pytest_crd.generation.additions import add
from pytest_crd.generation.casefile import Generated, generate
from pytest_crd.generation.scope import NothingToStateError, Wanted

__all__ = ["Generated", "NothingToStateError", "Wanted", "add", "generate"]
