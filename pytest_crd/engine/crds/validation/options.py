"""
Options of validation: everything is demanded of a new CRD, and of an updated one what the old one already met.

Nothing is validated here.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """
    The demands on one CRD; the defaults are those on a CRD that is created as v1.

    Attributes:
        allow_defaults: Whether a schema may have `default`.
        disallow_defaults_reason: Why it may not; ends the message that says so.
        require_recognized_conversion_review_version: Whether conversion must know a version of ConversionReview that the
            server speaks.
        require_immutable_names: Whether scope and kind may not change: the CRD is established.
        require_openapi_schema: Whether every version needs a schema.
        require_valid_property_type: Whether each `type` must be one of OpenAPI v3.
        require_structural_schema: Whether schemas must be structural.
        require_pruned_defaults: Whether defaults may hold only what their schema knows.
        require_atomic_set_type: Whether the items of a set must be atomic.
        require_map_list_keys_map_set_validation: Whether keys of a list-map must be required or defaulted, and items of
            list-maps and sets not nullable.
        preexisting_rules: The CEL rules of the old CRD, which may use what new ones may not yet.
        preexisting_message_expressions: The same of its message expressions.
        versions_with_unchanged_schemas: The versions whose schema is that of the old CRD.
        suppress_per_expression_cost: Whether one CEL expression may cost more than its limit: its schema is unchanged.
        allow_invalid_ca_bundle: Whether `caBundle` may be no certificate.
        too_many_selectable_fields: The versions that may have more selectable fields than allowed, having had them
            before; `""` stands for those of all versions.
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
        """Return the options that demand structural schemas too."""
        return self if self.require_structural_schema else dataclasses.replace(self, require_structural_schema=True)
