"""Objects made from schemas: the smallest and the fullest that a server accepts, and objects at the boundary of a constraint."""

from pytest_crd.synthesis.boundaries import Boundaries, Boundary, boundaries, boundary
from pytest_crd.synthesis.exampleobjects import NoExampleError, example

__all__ = ["Boundaries", "Boundary", "NoExampleError", "boundaries", "boundary", "example"]
