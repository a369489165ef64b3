"""
Objects made from schemas: the smallest and the fullest that a server accepts, and objects at the boundary of a constraint.

A version of a CRD comes in, objects that the engine has judged go out. `demands` collects the schemas that constrain a value, and `schemavalues`
makes values for it: `texts` and `numbervalues`. `exampleobjects` builds an object and has `repair` change it until it is accepted. `placement` adds a value
at a place. `boundaries` sends both sides of a keyword's boundary (`boundaryvalues`), and asks `rulesearch` for those of a rule.
`shrinking` removes the parts of an object that do not matter.
"""

from pytest_crd.synthesis.boundaries import Boundaries, Boundary, boundaries, boundary
from pytest_crd.synthesis.exampleobjects import NoExampleError, example

__all__ = ["Boundaries", "Boundary", "NoExampleError", "boundaries", "boundary", "example"]
