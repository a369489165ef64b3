"""
Classes and CustomResourceDefinitions: the CRD of a class, and the differences between a class and a CRD.

The import path of a class comes in (`importpaths`), a CRD or divergences go out. `loading` calls the class with objects. `manifests` writes its CRD,
from its JSON Schema (`structuralschemas`, `unions`, `conjunctions`). `parity` compares it with a CRD: it sends objects at the boundaries of the CRD,
`probes` and random `draws` to both, and `differences` compares the results. `paritychecks` makes the checks of a project, with its allowed
`divergences`.
"""

from pytest_crd.classes.divergences import Divergence, DivergenceKind
from pytest_crd.classes.manifests import crd_of
from pytest_crd.classes.parity import compare

__all__ = ["Divergence", "DivergenceKind", "compare", "crd_of"]
