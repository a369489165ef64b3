"""Classes and CustomResourceDefinitions: the CRD of a class, and the differences between a class and a CRD."""

from pytest_crd.classes.manifests import crd_of
from pytest_crd.classes.parity import Divergence, DivergenceKind, compare

__all__ = ["Divergence", "DivergenceKind", "compare", "crd_of"]
