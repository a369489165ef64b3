"""
Generation: case files that pin the present behaviour of a CRD.

Input: a version; output: the text of a file. `scope` selects the places of the schema.
`constraints`, `fieldcases`, `passes` and `appliers` propose cases in the `order` of their value, the engine answers them in
`expectedanswers`, `drafts` keeps the useful ones within a size limit, and `layout` writes them. `casefile` generates a new file, `additions`
extends an existing one.
"""

from pytest_crd.generation.additions import add
from pytest_crd.generation.casefile import Generated, generate
from pytest_crd.generation.scope import NothingToStateError, Wanted

__all__ = ["Generated", "NothingToStateError", "Wanted", "add", "generate"]
