"""The conditions in a CRD's status that follow from the CRD alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_crd.engine import fielderror, nonstructural, structural
from pytest_crd.engine.crdspec import CrdSpec
from pytest_crd.engine.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.structural import UnsupportedConstructError


@dataclass(frozen=True, slots=True)
class Condition:
    """
    One condition of `status.conditions`, less its time.

    Attributes:
        type: `NonStructuralSchema`.
        status: `True`, `False` or `Unknown`.
        reason: One word, such as `Violations`.
        message: The controller's sentence.
    """

    type: str
    status: str
    reason: str
    message: str


def non_structural_schema(spec: CrdSpec) -> Condition | None:
    """
    Return the condition that the server adds to a CRD with a schema that is not structural; None where it adds none.

    Args:
        spec: The CRD.

    Reference:
        KEP-2335; apiextensions-apiserver controller/nonstructuralschema, calculateCondition.
    """
    try:
        errors = list(_violations(spec))
    except UnsupportedConstructError as error:
        return Condition("NonStructuralSchema", "Unknown", "StructuralError", str(error))
    if not errors:
        return None
    return Condition("NonStructuralSchema", "True", "Violations", fielderror.aggregate(errors))


def _violations(spec: CrdSpec) -> Iterator[FieldError]:
    if spec.preserve_unknown_fields:
        path = FieldPath(("spec", "preserveUnknownFields"))
        yield fielderror.invalid(path, spec.preserve_unknown_fields, "must be false")
    for version in spec.versions:
        if version.schema is None:
            continue
        try:
            schema = structural.from_schema(version.schema)
        except UnsupportedConstructError as error:
            message = f"failed to check validation schema for version {version.name}: {error}"
            raise UnsupportedConstructError(message) from None
        yield from nonstructural.find(schema, version.condition_path)
