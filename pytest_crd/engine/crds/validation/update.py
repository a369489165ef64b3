"""
Validation of CRD updates: immutable fields, and requirements that are waived because the old CRD did not meet them.

Rules that hold for every CRD are in other modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.crds import internal, internaltypes
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.validation import specfields
from pytest_crd.engine.crds.validation.options import NO_DEFAULTS, ValidationOptions
from pytest_crd.engine.crds.validation.schemas import listtypekeywords
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.passes import defaulting
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import nonstructural, subschemas
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.structural import Structural, UnsupportedConstructError

if TYPE_CHECKING:
    from pytest_crd.engine.crds import cabundle
    from pytest_crd.engine.crds.internalspec import InternalVersion, Schema, Spec, Validation
    from pytest_crd.engine.crds.validation import selectablefields
    from pytest_crd.engine.golang import structs
else:
    cabundle = lazyimport.module("pytest_crd.engine.crds.cabundle")
    selectablefields = lazyimport.module("pytest_crd.engine.crds.validation.selectablefields")
    structs = lazyimport.module("pytest_crd.engine.golang.structs")

_IMMUTABLE: Final = "field is immutable"
_ANYWHERE: Final = FieldPath()


def options(crd: InternalCrd, old: InternalCrd, profile: Profile, *, is_established: bool) -> ValidationOptions:
    """
    Return the validation options for the update of a CRD; requirements that *old* does not meet are waived.

    Args:
        crd: The new CRD.
        old: The stored CRD.
        profile: The Kubernetes version.
        is_established: Whether the server serves the stored CRD.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
    """
    schemas, old_nodes = old.schemas, tuple(old.nodes)
    may_default = not crd.is_v1beta1 or subschemas.have_defaults(old_nodes)
    return ValidationOptions(
        allow_defaults=may_default,
        disallow_defaults_reason="" if may_default else NO_DEFAULTS,
        require_recognized_conversion_review_version=_spoke_a_known_version(old),
        require_immutable_names=is_established,
        require_openapi_schema=not crd.is_v1beta1 and _has_all_schemas(old),
        require_valid_property_type=not crd.is_v1beta1 and not subschemas.have_invalid_types(old_nodes),
        require_structural_schema=not crd.is_v1beta1 and all(_form(schema, profile) is not None for schema in schemas),
        require_pruned_defaults=not any(_has_unpruned_defaults(schema, profile) for schema in schemas),
        require_atomic_set_type=all(map(listtypekeywords.has_atomic_items, old_nodes)),
        require_map_list_keys_map_set_validation=not any(map(_has_absent_keys, old_nodes)),
        preexisting_rules=_rule_fields(old_nodes, "rule"),
        preexisting_message_expressions=_rule_fields(old_nodes, "messageExpression") - {""},
        versions_with_unchanged_schemas=frozenset(_unchanged_schemas(crd, old, profile)),
        allow_invalid_ca_bundle=not is_established or _had_invalid_ca_bundle(old),
        too_many_selectable_fields=frozenset(_too_many_selectable_fields(crd, old, profile)),
    )


def immutable(
    crd: InternalCrd, old: InternalCrd, requirements: ValidationOptions, profile: Profile
) -> Iterator[FieldError]:
    """
    Yield an error for each immutable field that changed.

    Errors:
        Invalid.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionSpecUpdate.
    """
    path = internal.SPEC
    scope, old_scope = (each.spec.get("scope", "") for each in (crd, old))
    if requirements.require_immutable_names and scope != old_scope:
        # Go has a named string type for the scope, and prints it as JSON.
        yield badvalues.invalid_of_type(path.child("scope"), scope, gotypes.STRING, _IMMUTABLE, profile)
    texts = [
        (path.child("names", "kind"), crd.names.get("kind", ""), old.names.get("kind", "")),
        (path.child("group"), crd.spec.get("group", ""), old.spec.get("group", "")),
        (path.child("names", "plural"), crd.names.get("plural", ""), old.names.get("plural", "")),
    ]
    for field_path, new, before in texts if requirements.require_immutable_names else texts[1:]:
        if new != before:
            yield fielderror.invalid(field_path, new, _IMMUTABLE)


def _has_all_schemas(crd: InternalCrd) -> bool:
    holders: list[Validation | None] = [crd.spec.get("validation")]
    if not any(_has_schema(holder) for holder in holders):
        holders = [version.get("schema") for version in crd.versions]
    return all(_has_schema(holder) for holder in holders)


def _has_schema(holder: Validation | None) -> bool:
    return holder is not None and holder.get("openAPIV3Schema") is not None


def _form(schema: OpenAPISchema, profile: Profile) -> Structural | None:
    """Return the structural form of *schema*; None if it is not structural."""
    try:
        form = schema.structural
    except UnsupportedConstructError:
        return None
    return None if nonstructural.find_violations(form, _ANYWHERE, profile) else form


def _has_unpruned_defaults(schema: OpenAPISchema, profile: Profile) -> bool:
    if not schema.has_defaults:
        return False
    form = _form(schema, profile)
    return form is not None and defaulting.prune(form, profile) is not form


def _has_absent_keys(node: Schema) -> bool:
    return any(True for _ in listtypekeywords.validate_presence(node, _ANYWHERE))


def _rule_fields(nodes: tuple[Schema, ...], field: str) -> frozenset[str]:
    return frozenset(rule.get(field, "") for node in nodes for rule in node.get("x-kubernetes-validations") or ())


def _unchanged_schemas(crd: InternalCrd, old: InternalCrd, profile: Profile) -> Iterator[str]:
    kind = internaltypes.validation(profile)
    for version in crd.versions:
        name = version.get("name", "")
        new, before = _schemas_of(crd, name), _schemas_of(old, name)
        if new and before and structs.equal(new[0], before[0], kind):
            yield name


def _schemas_of(crd: InternalCrd, name: str) -> list[Validation | None]:
    """Return a list with the schema of the version *name*; empty if it is ambiguous or there is no such version."""
    validation = crd.spec.get("validation")
    if all(version.get("schema") is None for version in crd.versions):
        return [validation]
    if validation is not None:
        return []
    return [version.get("schema") for version in crd.versions if version.get("name", "") == name][:1]


def _spoke_a_known_version(old: InternalCrd) -> bool:
    versions = (old.spec.get("conversion") or {}).get("conversionReviewVersions") or []
    return not versions or specfields.is_recognized(versions)


def _had_invalid_ca_bundle(old: InternalCrd) -> bool:
    config = (old.spec.get("conversion") or {}).get("webhookClientConfig") or {}
    return bool(cabundle.problem_of(config.get("caBundle") or ""))


def _too_many_selectable_fields(crd: InternalCrd, old: InternalCrd, profile: Profile) -> Iterator[str]:
    """Yield the names of versions with unchanged selectable fields above the limit; `""` for the shared list."""
    if not profile.ratchets_selectable_fields:
        return
    before = {version.get("name", ""): version for version in old.versions}
    new = {version.get("name", ""): version for version in crd.versions}
    pairs: list[tuple[str, Spec | InternalVersion, Spec | InternalVersion]] = [("", crd.spec, old.spec)]
    pairs += [(name, new[name], before[name]) for name in new if name in before]
    for name, holder, old_holder in pairs:
        fields = old_holder.get("selectableFields") or []
        if len(fields) > selectablefields.MAX and structs.equal(
            holder.get("selectableFields"), fields, internaltypes.SELECTABLE_FIELDS
        ):
            yield name
