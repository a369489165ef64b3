"""
Kubernetes versions and their differences. Other modules compare versions for fields of built-in kinds alone, by `Profile.minor`.

A version is supported once a real server of it was recorded. A preview follows the sources of a release that has no server yet; it is
never the default. All others are refused.

The module is one table, longer than others: the features with their meanings, then the difference of each version from the one after it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from pytest_crd.engine.cel.dialect import Dialect, Libraries
from pytest_crd.engine.golang.release import ApplyRelease, GoRelease, JsonPatchRelease
from pytest_crd.records import NamedTuple


class Profile(NamedTuple):
    """
    Behaviour of one Kubernetes version; all fields default to the newest version with a server.

    "Since 1.22 or later" means that 1.21 does not do it and 1.32 does.

    Attributes:
        version: `major.minor`, as in `kubernetes_version="1.37"`.
        go: The Go that the first release of the version is built with: 1.26 since 1.36, 1.25 in 1.35. (Patch releases may be
            built with a newer one, and so are the servers that were recorded: with Go 1.26, all of them.)
        json_patch: The JSON Patch library: 4.13 since 1.35, 4.9 in 1.21.
        apply: The treatment of managed fields.

    Requests:
        field_validation: Whether unknown and duplicate fields are warned about, or refused on demand (since 1.25).
        serves_v1beta1: Whether `apiextensions.k8s.io/v1beta1` can be POSTed (until 1.21); stored CRDs are served anyhow.
        defaults_type_from_url: Whether a body without kind or API version is decoded as the type of its URL, and fails later
            with another message (until 1.22 or later).
        checks_namespace_before_name: Whether a PUT is refused for its namespace before its name (since 1.22 or later).
        validates_status_alone: Whether an update through `/status` validates only the status, including list types (since
            1.22 or later; before, the whole object, but no list types).
        ratchets: Whether updates skip validation errors on unchanged values (since 1.30).
        ratchets_status: Whether updates through `/status` do so too (since 1.33), for values and for rules.
        reads_commas_in_selectors: Whether a label selector may have two commas before the end of its values, `a in (b,,)`
            (since 1.35).
        blames_clients_for_delete_options: Whether unreadable delete options are a 400 (since 1.35; a 500 before).
        scheme_line: The source line in Go that messages about unknown kinds name (111 since 1.35, 110 since 1.33, 100 before).
        negotiates_lists_first: Whether the form of a list is negotiated before its options are read (since 1.36).
        constrains_impersonation: Whether impersonation may be limited to modes and verbs (since 1.36).
        blames_clients_for_impersonation: Whether an impersonation without a user is a 400 (since 1.35; a 500 before).
        audits_all_failures: Whether the audit annotation about failed validations of policies has all of them (since 1.37; the first
            one before).
        names_authorizers: Whether the reason of a refused request names the authorizer, `rbac: ` (since 1.37).
        closes_deleted_crds: Whether a CRD with a deletion timestamp refuses new custom resources (since 1.37; before, only
            while the controller deletes the custom resources).

    Admission policies:
        validating_policies: The versions of ValidatingAdmissionPolicies, the newest first: `v1` (since 1.30), `v1beta1` (until
            1.33). Servers have versions before `v1` with the flag `--runtime-config`.
        mutating_policies: The versions of MutatingAdmissionPolicies: `v1` (since 1.36), `v1beta1` (since 1.34), `v1alpha1`
            (since 1.32).

    CRDs:
        selectable_fields: Whether a CRD has `selectableFields` (since 1.30).
        ratchets_selectable_fields: Whether too many selectable fields are accepted if the old CRD had them (since 1.35).
        checks_ca_bundles: Whether the `caBundle` of a conversion webhook must hold certificates (since 1.31).
        speaks_of_specified_hosts: Whether the error on a URL without a host says `specified` (since 1.22 or later).
        repeats_required_fields: Whether errors on absent fields of CRDs name the field again (until 1.33).
        names_fields_of_nested_schemas: Whether the error on a value of the wrong type below `items`, `additionalProperties`
            and similar keywords has the whole path (since 1.35; the path of that keyword before).
        explains_stored_versions: Whether errors on stored versions explain how to remove a version (since 1.33).
        prints_stored_versions: Whether the error on an absent stored version prints all stored versions (since 1.22 or later).
        names_preserve_in_full: Whether the error that recommends `x-kubernetes-preserve-unknown-fields` spells it in full
            (since 1.22 or later).
        conditions_have_generations: Whether the status of a CRD has an `observedGeneration`, and each condition (since 1.35).
        lowers_preconditions: Whether the error on failed delete preconditions of a CRD starts in lower case (since 1.37).
        knows_unreadable_objects: Whether errors name a stored object that cannot be read, and the option
            `ignoreStoreReadErrorWithClusterBreakingPotential` deletes only such objects (since 1.37; ignored before).
        reserves_static_names: Whether no webhook configuration and no policy of the API is named `*.static.k8s.io` (since
            1.37).
        requires_condition_fields: Whether an empty type or status of a condition is Required, and the error on a repeated type
            names the condition (since 1.35 or later).
        warns_about_static_names: Whether such names of stored policies cause a warning (since 1.36).
        reflects_requests: Whether expressions of admission see requests and Namespaces as Go values, which have no JSON
            in JSON patches (since 1.37).
        has_columns_of_crds: Whether tables of CRDs show scope and versions, and more columns in wide output (since 1.37).
        warns_about_sets: Whether sets of objects or lists cause a warning (since 1.37).

    Schemas:
        validation_rules: Whether schemas have `x-kubernetes-validations` (since 1.23; an unknown field before).
        rule_errors_name_the_field: Whether errors on `message` and `fieldPath` of a rule repeat that name (until 1.33).
        checks_structure_first: Whether errors of structure and defaults precede those of keywords (since 1.22 or later).
        allows_false_in_junctors: Whether `allOf` and the like may hold `additionalProperties: false` (since 1.22 or later).
        structure_has_examples: Whether the check of the structure includes `example` and `externalDocs` (since 1.36).

    Rules:
        bounds_int_or_string_in_rules: Whether cost estimates use the `maxLength` of an int-or-string (since 1.34).
        bounds_names_in_rules: Whether cost estimates limit the length of a resource's name (since 1.37).
        sees_optionals_by_schema: Whether objects and lists in an optional, such as an optional `oldSelf`, have the types of
            their schema (since 1.37; before, they are plain JSON: names are not escaped, and times are strings).
        sees_sums_by_schema: Whether comparisons and sums of lists use the schema of the items (since 1.37; plain JSON
            before).
        equates_null_fields: Whether two objects with null in the same field can be equal (since 1.34).
        prints_failed_values: Whether the error of a failed rule prints scalar values and omits objects and lists (since 1.35;
            it prints the name of the type before).
        cel: The dialect of CEL: 1.32 has cel-go 0.22, 1.33 has 0.23, 1.34 has 0.26, 1.37 has 0.29, and 1.38 has 0.33.
        libraries: The CEL libraries of stored rules.
        libraries_before: The CEL libraries of new rules: those of the previous Kubernetes version.

    Formats:
        has_kubernetes_name_formats: Whether the formats `k8s-short-name` and `k8s-long-name` are checked (since 1.35).
        warns_about_unrecognized_formats: Whether unchecked formats cause a warning (since 1.34).
        checks_number_formats: Whether `int32`, `int64`, `float` and `double` are formats that numbers and limits must fit,
            and other formats apply to strings only (since 1.36).
        ignores_leading_zeros_in_addresses: Whether `ipv4` and `cidr` accept `010.0.0.1` (since 1.22 or later).

    Publishing:
        publishes_v3: Whether servers publish OpenAPI v3 (since 1.22 or later).
        publishes_defaults_in_v2: Whether documents of OpenAPI v2 have defaults (until 1.21).
        types_published_lists: Whether the schema of a list says that it is an object (since 1.22 or later).
        publishes_no_selectable_fields: Whether a version without selectable fields is published with an empty list
            (until 1.32).

    Values:
        sorts_value_errors: Whether wrong types, lengths and counts have their own error types (since 1.22 or later; all are
            Invalid before).
        sorts_shortages: Whether texts that are too short, and too few items or properties, have them too (since 1.38).
        names_list_items: Whether errors on the items of a list name the item (since 1.22 or later; the list before).
        validates_miscounted_objects: Whether an object with too many or too few properties is validated further, and the
            error prints its count (since 1.22 or later; before, the error prints the limit).
        refuses_multiples_of_zero: Whether `multipleOf: 0` is reported for every number (since 1.22 or later; an integer
            makes the server panic before).
        names_embedded_structs: Whether an error on a field of a struct that is embedded in another names both (since 1.35).
        rounds_to_integers: Whether a number just below an integer, or near a negative one, counts as an integer (since 1.37;
            only one just above a positive one before).

    Metadata:
        has_cluster_name: Whether metadata has a `clusterName` (until 1.23).
        has_managed_subresources: Whether managed fields have a subresource (since 1.22).
        lists_managed_operations: Whether an unknown operation of managed fields is Required or NotSupported (since
            1.37; Invalid before).
        indexes_owner_references: Whether errors on owner references name the index, and missing fields are Required
            (since 1.37).
        names_empty_owner_fields: Whether the error on an empty field of an owner repeats its name (until 1.33).
        names_controllers_by_kind: Whether the error on two controllers names their kinds (since 1.22 or later).
        warns_about_finalizers: Whether finalizers without a domain cause a warning (since 1.22 or later).
        explains_missing_type_meta: Whether the error on an absent apiVersion or kind of an embedded resource says `must
            not be empty` (until 1.33).
        names_dots_in_labels: Whether the error on a DNS label that is a subdomain mentions only its dots (since 1.22 or later).
        speaks_of_label_keys: Whether errors call a qualified name a label key, and state limits of label keys and values in
            bytes (since 1.35; in characters before).
        drops_repeated_metadata_errors: Whether one validation of metadata drops repeated errors (since 1.37; an update runs
            several validations, so repetitions remain).
        declares_required_fields: Whether generated validation reports required fields of roles after all other errors (since
            1.37).
        refuses_malformed_metadata: Whether metadata of a wrong type after admission is refused (since 1.37; dropped before).

    Words of all errors:
        prints_values_as_json: Whether errors print lists and objects as JSON (since 1.34; in the syntax of Go before).
        inflects_units: Whether a limit of one is "1 byte" and "1 item" (since 1.34; "1 bytes" and "1 items" before).
        words_limits_as_may_not_be: Whether the error on a text that is too long says `may not be more than` (since 1.22 or
            later).
    """

    version: str
    go: GoRelease = GoRelease()
    json_patch: JsonPatchRelease = JsonPatchRelease()
    apply: ApplyRelease = ApplyRelease()
    # Requests.
    field_validation: bool = True
    serves_v1beta1: bool = False
    defaults_type_from_url: bool = False
    checks_namespace_before_name: bool = True
    validates_status_alone: bool = True
    ratchets: bool = True
    ratchets_status: bool = True
    reads_commas_in_selectors: bool = True
    blames_clients_for_delete_options: bool = True
    constrains_impersonation: bool = True
    blames_clients_for_impersonation: bool = True
    audits_all_failures: bool = True
    names_authorizers: bool = True
    scheme_line: int = 111
    negotiates_lists_first: bool = True
    closes_deleted_crds: bool = True
    # Admission policies.
    validating_policies: tuple[str, ...] = ("v1",)
    mutating_policies: tuple[str, ...] = ("v1", "v1beta1", "v1alpha1")
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
    knows_unreadable_objects: bool = True
    reserves_static_names: bool = True
    requires_condition_fields: bool = True
    warns_about_static_names: bool = True
    reflects_requests: bool = True
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
    sorts_shortages: bool = False
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
    declares_required_fields: bool = True
    refuses_malformed_metadata: bool = True
    # Words of all errors.
    prints_values_as_json: bool = True
    inflects_units: bool = True
    words_limits_as_may_not_be: bool = True

    @property
    def minor(self) -> int:
        """The minor version, 37 in 1.37: fields of built-in kinds have one in which they came."""
        return int(self.version.partition(".")[2])

    @property
    def recorded_version(self) -> str:
        """The version of recorded documents and tables: the newest one with a server for a preview, else this one."""
        return DEFAULT if self.version in PREVIEWS else self.version

    def __hash__(self) -> int:
        # Profiles are keys of many caches, and hashing all fields would take longer than the lookup.
        return hash(self.version)


# Newest first: the differences of each version from the next one.
_V1_37: Final = Profile("1.37")
_V1_36: Final = _V1_37._replace(
    version="1.36",
    apply=_V1_37.apply._replace(reads_patches=False, keeps_owners_on_errors=False, reads_keys_whole=False),
    json_patch=_V1_37.json_patch._replace(checks_json_first=False),
    audits_all_failures=False,
    names_authorizers=False,
    closes_deleted_crds=False,
    lowers_preconditions=False,
    knows_unreadable_objects=False,
    reserves_static_names=False,
    reflects_requests=False,
    has_columns_of_crds=False,
    bounds_names_in_rules=False,
    sees_optionals_by_schema=False,
    sees_sums_by_schema=False,
    warns_about_sets=False,
    rounds_to_integers=False,
    lists_managed_operations=False,
    indexes_owner_references=False,
    drops_repeated_metadata_errors=False,
    declares_required_fields=False,
    refuses_malformed_metadata=False,
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
    mutating_policies=("v1beta1", "v1alpha1"),
    warns_about_static_names=False,
    constrains_impersonation=False,
    negotiates_lists_first=False,
    apply=_V1_36.apply._replace(keeps_metadata_from_status=False, owns_crd_metadata_by_status=False),
    structure_has_examples=False,
    checks_number_formats=False,
    go=_V1_36.go._replace(has_strict_colons=False),
)
_V1_34: Final = _V1_35._replace(
    version="1.34",
    requires_condition_fields=False,
    apply=_V1_35.apply._replace(knows_status_of_all_versions=False),
    json_patch=_V1_35.json_patch._replace(tests_absent=False, refuses_scalar_roots=False),
    go=_V1_35.go._replace(has_loose_class_names=False),
    reads_commas_in_selectors=False,
    blames_clients_for_delete_options=False,
    blames_clients_for_impersonation=False,
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
    validating_policies=("v1", "v1beta1"),
    mutating_policies=("v1alpha1",),
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
    validating_policies=(),
    mutating_policies=(),
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
    defaults_type_from_url=True,
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
    words_limits_as_may_not_be=False,
)
# The difference of the preview from the version before it.
_V1_38: Final = _V1_37._replace(
    version="1.38",
    sorts_shortages=True,
    cel=_V1_37.cel._replace(
        suggests_names=True,
        compares_nan=True,
        rounds_digits=True,
        charges_failed_calls=False,
        charges_untyped_fields=True,
        measures_types=True,
        bounds_results=True,
        optionals_have_sizes=False,
    ),
    libraries=_V1_37.libraries._replace(has_masks=True),
    libraries_before=_V1_37.libraries,
)
KNOWN: Final[dict[str, Profile]] = {
    profile.version: profile for profile in (_V1_21, _V1_32, _V1_33, _V1_34, _V1_35, _V1_36, _V1_37, _V1_38)
}
# Versions without a server: their answers follow the sources of a release candidate.
PREVIEWS: Final = frozenset({"1.38"})
# Features of CRDs in versions that are not known, as far as they are on by default.
_SINCE: Final = (
    (25, "rules in x-kubernetes-validations"),
    (25, "refusals of unknown fields"),
    (27, "messageExpression"),
    (28, "reason and fieldPath of rules"),
    (30, "optionalOldSelf"),
    (30, "ratcheting of unchanged values"),
    (31, "selectableFields"),
)
_FIRST_MINOR: Final = 21
DEFAULT: Final = "1.37"
LAST_WITH_V1BETA1: Final = [version for version, profile in KNOWN.items() if profile.serves_v1beta1][-1]


def describe(version: str) -> str:
    """Return a version for people; a preview has the hint that no server was compared."""
    return f"{version} (preview, not compared with a server)" if version in PREVIEWS else version


def list_versions(versions: Collection[str] = KNOWN) -> str:
    """Return versions for people, previews apart: `1.36, 1.37; preview: 1.38`."""
    compared = ", ".join(version for version in versions if version not in PREVIEWS)
    previews = ", ".join(version for version in versions if version in PREVIEWS)
    return f"{compared}; preview: {previews}" if previews else compared


class UnknownVersionError(ValueError):
    """A Kubernetes version that is not supported; the message lists the supported versions."""


def named(version: object) -> Profile:
    """
    Return the profile of a Kubernetes version.

    Args:
        version: `"1.37"`, or `v1.37.2` with a leading `v` and a patch release.

    Raises:
        UnknownVersionError: *version* is not a string (unquoted in YAML or TOML, 1.30 is the number 1.3), or not
            supported.
    """
    if not isinstance(version, str):
        message = f'Kubernetes version {version!r} is a number: quote it, as in "{DEFAULT}" (known versions: {list_versions()})'
        raise UnknownVersionError(message)
    if version in KNOWN:
        return KNOWN[version]
    profile = KNOWN.get(".".join(version.strip().removeprefix("v").split(".")[:2]))
    if profile is None:
        # TOML and YAML read an unquoted 1.30 as the number 1.3, which pytest passes on as a text.
        hint = (
            f" (without quotes, {version}0 is the number {version}: quote it)"
            if re.fullmatch(r"1\.\d", version)
            else ""
        )
        raise UnknownVersionError(
            f"unknown Kubernetes version {version!r}{hint}; known versions: {list_versions()}{_describe_gap(version)}"
        )
    return profile


def _describe_gap(version: str) -> str:
    """Return the features of CRDs that came after an unknown version and before the next known one; empty if there is no such gap."""
    match = re.fullmatch(r"v?1\.(\d+)(?:\..*)?", version.strip())
    minor = int(match[1]) if match else -1
    above = next((int(known[2:]) for known in KNOWN if int(known[2:]) > minor), 0)
    later = [f"{words} (since 1.{since})" for since, words in _SINCE if minor < since <= above]
    if minor < _FIRST_MINOR or not above or not later:
        return ""
    return f"; 1.{above} is the next one, and 1.{minor} lacks these features of it: {', '.join(later)}"
