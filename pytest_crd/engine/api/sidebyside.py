"""CRDs beside each other on one server: the names that each of them gets."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import nameconflicts


def side_by_side(crds: Sequence[CustomResourceDefinition]) -> tuple[CustomResourceDefinition, ...]:
    """
    Return *crds* as one server has them that creates them in this order: the first CRD to claim a name gets it.

    *crds* are not changed; a CRD that is refused a name is returned as a new object.
    """
    namings = nameconflicts.resolve((crd.group, crd.answers.forms.internal.names) for crd in crds)
    return tuple(crd.with_naming(naming) for crd, naming in zip(crds, namings, strict=True))
