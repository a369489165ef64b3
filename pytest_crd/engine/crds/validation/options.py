"""
Options of the validation of a CRD.

A new CRD must meet every requirement. An updated CRD must meet the requirements that the old one met.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.records import dataclass

NO_DEFAULTS: Final = (
    "(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
)


@dataclass(frozen=True)
class ValidationOptions:
    """
    Requirements for one CRD; the defaults apply to the creation of a CRD of v1.

    Attributes:
        allow_defaults: Whether a schema may have `default`.
        disallow_defaults_reason: The end of the message about a forbidden `default`.
        require_recognized_conversion_review_version: Whether conversion must list a version of ConversionReview that
            the server supports.
        require_immutable_names: Whether scope and kind may not change, because the CRD is established.
        require_openapi_schema: Whether every version needs a schema.
        require_valid_property_type: Whether each `type` must be one of OpenAPI v3.
        require_structural_schema: Whether schemas must be structural.
        require_pruned_defaults: Whether defaults may contain only fields of their schema.
        require_atomic_set_type: Whether the items of a set must be atomic.
        require_map_list_keys_map_set_validation: Whether keys of a list-map must be required or defaulted, and items of
            list-maps and sets not nullable.
        preexisting_rules: The CEL rules of the old CRD, which may use the libraries of stored rules.
        preexisting_message_expressions: The message expressions of the old CRD, likewise.
        versions_with_unchanged_schemas: The versions with the same schema as in the old CRD.
        suppress_per_expression_cost: Whether one CEL expression may exceed its cost limit, because its schema is
            unchanged.
        allow_invalid_ca_bundle: Whether `caBundle` may be invalid.
        too_many_selectable_fields: The versions that may exceed the limit of selectable fields, because they did
            before; `""` is the shared list of all versions.
    """

    allow_defaults: bool = True
    disallow_defaults_reason: str = ""
    require_recognized_conversion_review_version: bool = True
    require_immutable_names: bool = False
    require_openapi_schema: bool = True
    require_valid_property_type: bool = True
    require_structural_schema: bool = True
    require_pruned_defaults: bool = True
    require_atomic_set_type: bool = True
    require_map_list_keys_map_set_validation: bool = True
    preexisting_rules: frozenset[str] = frozenset()
    preexisting_message_expressions: frozenset[str] = frozenset()
    versions_with_unchanged_schemas: frozenset[str] = frozenset()
    suppress_per_expression_cost: bool = False
    allow_invalid_ca_bundle: bool = True
    too_many_selectable_fields: frozenset[str] = frozenset()

    def for_version(self, name: str) -> ValidationOptions:
        """
        Return the options for the schema of version *name*.

        Reference:
            apiextensions-apiserver apis/apiextensions/validation, suppressExpressionCostForUnchangedSchema.
        """
        if name in self.versions_with_unchanged_schemas:
            return dataclasses.replace(self, suppress_per_expression_cost=True)
        return self

    def with_structural_schema(self) -> ValidationOptions:
        """Return options that also require structural schemas."""
        return self if self.require_structural_schema else dataclasses.replace(self, require_structural_schema=True)


_OF_V1: Final = ValidationOptions()
_OF_V1BETA1: Final = ValidationOptions(
    allow_defaults=False,
    disallow_defaults_reason=NO_DEFAULTS,
    require_openapi_schema=False,
    require_valid_property_type=False,
    require_structural_schema=False,
)


def create_options(crd: InternalCrd) -> ValidationOptions:
    """
    Return the validation options for the creation of a CRD.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinition.
    """
    return _OF_V1BETA1 if crd.is_v1beta1 else _OF_V1


def strict_options(crd: InternalCrd, *, is_established: bool) -> ValidationOptions:
    """
    Return the validation options for the update of a CRD, with no requirement waived.

    Args:
        crd: The new CRD.
        is_established: Whether the server serves the stored CRD.
    """
    return dataclasses.replace(
        create_options(crd), require_immutable_names=is_established, allow_invalid_ca_bundle=not is_established
    )
