"""Classes and CustomResourceDefinitions: the CRD of a class, and the differences between a class and a CRD."""

from pytest_crd.classes.divergences import Divergence, DivergenceKind
from pytest_crd.classes.manifests import crd_of
from pytest_crd.classes.parity import compare

__all__ = ["Divergence", "DivergenceKind", "compare", "crd_of"]
