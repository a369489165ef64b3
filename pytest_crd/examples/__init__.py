"""Objects made from schemas: the smallest and the fullest that a server accepts, and those at the border of a constraint."""

from pytest_crd.examples.borders import Border, Borders, border, borders
from pytest_crd.examples.making import NoExampleError, example

__all__ = ["Border", "Borders", "NoExampleError", "border", "borders", "example"]
