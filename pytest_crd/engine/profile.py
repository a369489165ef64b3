"""
Kubernetes versions: the only place that knows that their answers differ.

A version is supported when a real server of it has been recorded; any other is refused rather than guessed.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd.engine.cel.dialect import Dialect, Libraries
from pytest_crd.engine.golang.release import ApplyRelease, GoRelease, JsonPatchRelease


class Profile(NamedTuple):
    """
    How one Kubernetes version behaves; what is not said of a version it does as the newest one.

    "Since 1.22 or later" is what 1.21 does not do and 1.32 does.

    Attributes:
        version: `major.minor`, as in `kubernetes_version="1.37"`.
        go: The Go that the first release of the version is built with: 1.26 since 1.36, 1.25 in 1.35. (Patch releases may be
            built with a newer one, and so are the servers that were recorded: with Go 1.26, all of them.)
        json_patch: The library that patches: 4.13 since 1.35, 4.9 in 1.21.
        apply: What becomes of managed fields.

    Requests:
        field_validation: Whether unknown and duplicate fields are warned about, or refused on demand (since 1.25).
        serves_v1beta1: Whether `apiextensions.k8s.io/v1beta1` can be POSTed (until 1.21); stored CRDs are served anyhow.
        takes_type_for_given: Whether a request without kind or API version is decoded as that of its URL, to fail later
            and in other words (until 1.22 or later).
        checks_namespace_before_name: Whether a PUT is refused for its namespace before its name (since 1.22 or later).
        validates_status_alone: Whether an update through `/status` validates the status alone, and its lists (since
            1.22 or later; before, the whole object, but no lists).
        ratchets: Whether what an update leaves unchanged is spared the checks of schemas tightened since (since 1.30).
        ratchets_status: Whether an update through `/status` does so too (since 1.33).
        reads_commas_in_selectors: Whether a selector of labels may have two commas before the end of its values, `a in (b,,)`
            (since 1.35).
        blames_clients_for_delete_options: Whether options of a deletion that cannot be read are a 400 (since 1.35; a 500 before).
        scheme_line: In which line servers make the list of their kinds, which messages tell (111 since 1.35, 110 since 1.33,
            100 before).
        closes_deleted_crds: Whether no custom resource is created once its CRD is to be deleted (since 1.37; before, only
            while the controller deletes the custom resources).

    CRDs:
        selectable_fields: Whether a CRD has `selectableFields` (since 1.30).
        ratchets_selectable_fields: Whether too many selectable fields are accepted where they were before (since 1.35).
        checks_ca_bundles: Whether the `caBundle` of a conversion webhook must hold certificates (since 1.31).
        speaks_of_specified_hosts: Whether a URL without a host is told to be `specified` (since 1.22 or later).
        repeats_required_fields: Whether errors on absent fields of CRDs name the field again (until 1.33).
        names_fields_of_nested_schemas: Whether a value of the wrong type below `items`, `additionalProperties` and their
            like is named by its whole path (since 1.35; by the path of that keyword before).
        explains_stored_versions: Whether errors on stored versions explain how one can be removed (since 1.33).
        prints_stored_versions: Whether the error on an absent stored version prints all of them (since 1.22 or later).
        names_preserve_in_full: Whether `x-kubernetes-preserve-unknown-fields` is named so where it is recommended
            (since 1.22 or later).
        conditions_have_generations: Whether the status of a CRD has an `observedGeneration`, and each condition (since 1.35).
        lowers_preconditions: Whether the error on a CRD that is not the one to be deleted begins with a small letter (since 1.37).
        refuses_unsafe_deletions: True if deletions of objects that cannot be read are refused for others (since 1.37; the option is ignored before).
        has_columns_of_crds: Whether tables of CRDs show scope and versions, and on demand more (since 1.37).
        warns_about_sets: Whether a set whose items are objects or lists is warned about (since 1.37).

    Schemas:
        validation_rules: Whether schemas have `x-kubernetes-validations` (since 1.23; an unknown field before).
        rule_errors_name_the_field: Whether errors on `message` and `fieldPath` of a rule repeat that name (until 1.33).
        checks_structure_first: Whether structure and defaults of a schema come before its keywords (since 1.22 or later).
        allows_false_in_junctors: Whether `allOf` and the like may hold `additionalProperties: false` (since 1.22 or later).
        structure_has_examples: Whether `example` and `externalDocs` count in the check of the structure (since 1.36).

    Rules:
        bounds_int_or_string_in_rules: Whether `maxLength` bounds an int-or-string where costs are estimated (since 1.34).
        bounds_names_in_rules: Whether the name of a resource is known to be short there (since 1.37).
        sees_optionals_by_schema: Whether objects and lists that are taken out of an optional, such as `oldSelf` may be,
            are what their schema makes of them (since 1.37; before, they are JSON: names are not escaped there, and
            times are strings).
        sees_sums_by_schema: Whether lists compare and add what their schema makes of their items (since 1.37; before,
            they compare and add JSON).
        equates_null_fields: Whether two objects are equal that both have null in a field (since 1.34).
        prints_failed_values: Whether a failed rule is reported with the value, of objects and lists without one (since
            1.35; with the name of the type before).
        cel: The language of rules: 1.32 has cel-go 0.22, 1.33 has 0.23, 1.34 has 0.26, and 1.37 has 0.29.
        libraries: The libraries that stored rules may use.
        libraries_before: Those of the Kubernetes version before, which are all that new rules may use.

    Formats:
        has_kubernetes_name_formats: Whether the formats `k8s-short-name` and `k8s-long-name` are checked (since 1.35).
        warns_about_unrecognized_formats: Whether formats that are not checked are warned about (since 1.34).
        checks_number_formats: Whether `int32`, `int64`, `float` and `double` are formats, numbers and limits have to
            fit them, and other formats count for strings only (since 1.36).
        ignores_leading_zeros_in_addresses: Whether `ipv4` and `cidr` take `010.0.0.1` (since 1.22 or later).

    Publishing:
        publishes_v3: Whether there are documents of OpenAPI v3 (since 1.22 or later).
        publishes_defaults_in_v2: Whether documents of OpenAPI v2 have defaults (until 1.21).
        types_published_lists: Whether the schema of a list says that it is an object (since 1.22 or later).
        publishes_no_selectable_fields: Whether a version without selectable fields is published with an empty list of
            them (until 1.32).

    Values:
        sorts_value_errors: Whether wrong types, lengths and counts of values have error types of their own (since 1.22
            or later; all are Invalid before).
        names_list_items: Whether errors on the items of a list name the item (since 1.22 or later; the list before).
        validates_miscounted_objects: Whether an object with too many or too few properties is validated further, and
            how many it has is printed (since 1.22 or later; before, neither, and the limit is printed).
        refuses_multiples_of_zero: Whether `multipleOf: 0` is reported for every number (since 1.22 or later; an integer
            makes the server panic before).
        names_embedded_structs: Whether an error on a field of a struct that is embedded in another names both (since 1.35).
        rounds_to_integers: Whether a number just below an integer, or near a negative one, is one (since 1.37; only
            just above before).

    Metadata:
        has_cluster_name: Whether metadata has a `clusterName` (until 1.23).
        has_managed_subresources: Whether managed fields have a subresource (since 1.22).
        lists_managed_operations: Whether an unknown operation of managed fields is Required or NotSupported (since
            1.37; Invalid before).
        indexes_owner_references: Whether errors on owner references name the index, and missing fields are Required
            (since 1.37).
        names_empty_owner_fields: Whether the error on an empty field of an owner repeats its name (until 1.33).
        names_controllers_by_kind: Whether the error on two controllers names their kinds (since 1.22 or later).
        warns_about_finalizers: Whether finalizers without a domain are warned about (since 1.22 or later).
        explains_missing_type_meta: Whether the error on an absent apiVersion or kind of an embedded resource says `must
            not be empty` (until 1.33).
        names_dots_in_labels: Whether a DNS label that is a subdomain is told just to have dots (since 1.22 or later).
        speaks_of_label_keys: Whether a qualified name is called a label key, and its limits and those of label values
            are stated in bytes (since 1.35; in characters before).
        drops_repeated_metadata_errors: Whether the metadata of a resource is never found wrong twice in the same words
            by one validation (since 1.37; on update, where several validations run, repetitions remain).

    Words of all errors:
        prints_values_as_json: Whether errors print lists and objects as JSON (since 1.34; in the syntax of Go before).
        inflects_units: Whether a limit of one is "1 byte" and "1 item" (since 1.34; "1 bytes" and "1 items" before).
        limits_are_what_may_be: Whether a text is too long in the words `may not be more than` (since 1.22 or later).
    """

    version: str
    go: GoRelease = GoRelease()
    json_patch: JsonPatchRelease = JsonPatchRelease()
    apply: ApplyRelease = ApplyRelease()
    # Requests.
    field_validation: bool = True
    serves_v1beta1: bool = False
    takes_type_for_given: bool = False
    checks_namespace_before_name: bool = True
    validates_status_alone: bool = True
    ratchets: bool = True
    ratchets_status: bool = True
    reads_commas_in_selectors: bool = True
    blames_clients_for_delete_options: bool = True
    scheme_line: int = 111
    closes_deleted_crds: bool = True
    # CRDs.
    selectable_fields: bool = True
    ratchets_selectable_fields: bool = True
    checks_ca_bundles: bool = True
    speaks_of_specified_hosts: bool = True
    repeats_required_fields: bool = False
    names_fields_of_nested_schemas: bool = True
    explains_stored_versions: bool = True
    prints_stored_versions: bool = True
    names_preserve_in_full: bool = True
    conditions_have_generations: bool = True
    lowers_preconditions: bool = True
    refuses_unsafe_deletions: bool = True
    has_columns_of_crds: bool = True
    warns_about_sets: bool = True
    # Schemas.
    validation_rules: bool = True
    rule_errors_name_the_field: bool = False
    checks_structure_first: bool = True
    allows_false_in_junctors: bool = True
    structure_has_examples: bool = True
    # Rules.
    bounds_int_or_string_in_rules: bool = True
    bounds_names_in_rules: bool = True
    sees_optionals_by_schema: bool = True
    sees_sums_by_schema: bool = True
    equates_null_fields: bool = True
    prints_failed_values: bool = True
    cel: Dialect = Dialect()
    libraries: Libraries = Libraries()
    libraries_before: Libraries = Libraries(includes=False)
    # Formats.
    has_kubernetes_name_formats: bool = True
    warns_about_unrecognized_formats: bool = True
    checks_number_formats: bool = True
    ignores_leading_zeros_in_addresses: bool = True
    # Publishing.
    publishes_v3: bool = True
    publishes_defaults_in_v2: bool = False
    types_published_lists: bool = True
    publishes_no_selectable_fields: bool = False
    # Values.
    sorts_value_errors: bool = True
    names_list_items: bool = True
    validates_miscounted_objects: bool = True
    refuses_multiples_of_zero: bool = True
    names_embedded_structs: bool = True
    rounds_to_integers: bool = True
    # Metadata.
    has_cluster_name: bool = False
    has_managed_subresources: bool = True
    lists_managed_operations: bool = True
    indexes_owner_references: bool = True
    names_empty_owner_fields: bool = False
    names_controllers_by_kind: bool = True
    warns_about_finalizers: bool = True
    explains_missing_type_meta: bool = False
    names_dots_in_labels: bool = True
    speaks_of_label_keys: bool = True
    drops_repeated_metadata_errors: bool = True
    # Words of all errors.
    prints_values_as_json: bool = True
    inflects_units: bool = True
    limits_are_what_may_be: bool = True

    def __hash__(self) -> int:
        # Much is kept by the profile; a hash of all its fields would take longer than to find what is kept.
        return hash(self.version)


# Newest first: what each version does otherwise than the next one.
_V1_37: Final = Profile("1.37")
_V1_36: Final = _V1_37._replace(
    version="1.36",
    apply=_V1_37.apply._replace(reads_patches=False, keeps_owners_on_errors=False, reads_keys_whole=False),
    json_patch=_V1_37.json_patch._replace(checks_json_first=False),
    closes_deleted_crds=False,
    lowers_preconditions=False,
    refuses_unsafe_deletions=False,
    has_columns_of_crds=False,
    bounds_names_in_rules=False,
    sees_optionals_by_schema=False,
    sees_sums_by_schema=False,
    warns_about_sets=False,
    rounds_to_integers=False,
    lists_managed_operations=False,
    indexes_owner_references=False,
    drops_repeated_metadata_errors=False,
    cel=_V1_37.cel._replace(
        escapes_allowed=False,
        dots_leave_scopes=False,
        structs_name_types=False,
        lists_are_messages=False,
        type_names_settled=False,
        ints_are_durations=True,
        optionals_nest=False,
        optionals_take_others=True,
        bounds_indices=False,
        bounds_ranges=False,
        affixes_by_length=False,
        functions_match=False,
    ),
    libraries=_V1_37.libraries_before,
)
_V1_35: Final = _V1_36._replace(
    version="1.35",
    apply=_V1_36.apply._replace(keeps_metadata_from_status=False),
    structure_has_examples=False,
    checks_number_formats=False,
    go=_V1_36.go._replace(has_strict_colons=False),
)
_V1_34: Final = _V1_35._replace(
    version="1.34",
    apply=_V1_35.apply._replace(knows_status_of_all_versions=False),
    json_patch=_V1_35.json_patch._replace(tests_absent=False, refuses_scalar_roots=False),
    go=_V1_35.go._replace(has_loose_class_names=False),
    reads_commas_in_selectors=False,
    blames_clients_for_delete_options=False,
    names_embedded_structs=False,
    scheme_line=110,
    prints_failed_values=False,
    conditions_have_generations=False,
    ratchets_selectable_fields=False,
    names_fields_of_nested_schemas=False,
    has_kubernetes_name_formats=False,
    speaks_of_label_keys=False,
    libraries_before=_V1_35.libraries_before._replace(extended_lists=False),
)
_V1_33: Final = _V1_34._replace(
    version="1.33",
    apply=_V1_34.apply._replace(keys_may_be_missing=False),
    bounds_int_or_string_in_rules=False,
    equates_null_fields=False,
    repeats_required_fields=True,
    rule_errors_name_the_field=True,
    warns_about_unrecognized_formats=False,
    names_empty_owner_fields=True,
    explains_missing_type_meta=True,
    prints_values_as_json=False,
    inflects_units=False,
    cel=_V1_34.cel._replace(searches_empty=False),
    libraries=_V1_34.libraries_before,
    libraries_before=_V1_34.libraries_before._replace(semver=False),
)
_V1_32: Final = _V1_33._replace(
    version="1.32",
    ratchets_status=False,
    scheme_line=100,
    explains_stored_versions=False,
    publishes_no_selectable_fields=True,
    cel=_V1_33.cel._replace(
        escaped_identifiers=False,
        strict_code_points=False,
        accumulator="__result__",
        misformats=True,
        second_variables_typed=False,
        ranges_keep_errors=False,
        lists_give_optionals=False,
        spaced_exponents=True,
        estimates_entries=False,
        optionals_have_sizes=False,
    ),
    libraries=_V1_33.libraries_before,
    libraries_before=_V1_33.libraries_before._replace(comprehensions=False),
)
_V1_21: Final = _V1_32._replace(
    version="1.21",
    apply=_V1_32.apply._replace(
        duplicates_are_tracked=False,
        names_objects=False,
        names_subresources=False,
        times_follow_writes=False,
        checks_kinds=False,
        deduces_untyped=False,
        scales_have_owners=False,
    ),
    json_patch=JsonPatchRelease(*[False] * 6),
    go=_V1_32.go._replace(has_short_group_names=False),
    field_validation=False,
    serves_v1beta1=True,
    takes_type_for_given=True,
    checks_namespace_before_name=False,
    validates_status_alone=False,
    ratchets=False,
    selectable_fields=False,
    checks_ca_bundles=False,
    speaks_of_specified_hosts=False,
    prints_stored_versions=False,
    names_preserve_in_full=False,
    validation_rules=False,
    libraries=_V1_32.libraries_before,
    checks_structure_first=False,
    allows_false_in_junctors=False,
    publishes_v3=False,
    publishes_defaults_in_v2=True,
    types_published_lists=False,
    publishes_no_selectable_fields=False,
    ignores_leading_zeros_in_addresses=False,
    sorts_value_errors=False,
    names_list_items=False,
    validates_miscounted_objects=False,
    refuses_multiples_of_zero=False,
    has_cluster_name=True,
    has_managed_subresources=False,
    names_controllers_by_kind=False,
    warns_about_finalizers=False,
    names_dots_in_labels=False,
    limits_are_what_may_be=False,
)
KNOWN: Final[dict[str, Profile]] = {
    profile.version: profile for profile in (_V1_21, _V1_32, _V1_33, _V1_34, _V1_35, _V1_36, _V1_37)
}
_KNOWN: Final = ", ".join(KNOWN)
DEFAULT: Final = "1.37"
LAST_WITH_V1BETA1: Final = [version for version, profile in KNOWN.items() if profile.serves_v1beta1][-1]


class UnknownVersionError(ValueError):
    """A Kubernetes version that was never recorded; the message lists the known ones."""


def named(version: object) -> Profile:
    """
    Return the profile of a Kubernetes version.

    Args:
        version: `"1.37"`; a leading `v` and a patch release (`v1.37.2`) are understood.

    Raises:
        UnknownVersionError: Not a string (unquoted in YAML or TOML, 1.30 is the number 1.3), or not a known version.
    """
    if not isinstance(version, str):
        message = f'Kubernetes version {version!r} is a number: quote it, as in "{DEFAULT}" (known versions: {_KNOWN})'
        raise UnknownVersionError(message)
    profile = KNOWN.get(".".join(version.strip().removeprefix("v").split(".")[:2]))
    if profile is None:
        # What TOML and YAML make of 1.30 when nobody quotes it, by the time that pytest hands it over as a text.
        hint = (
            f" (without quotes, {version}0 is the number {version}: quote it)"
            if re.fullmatch(r"1\.\d", version)
            else ""
        )
        raise UnknownVersionError(f"unknown Kubernetes version {version!r}{hint}; known versions: {_KNOWN}")
    return profile
