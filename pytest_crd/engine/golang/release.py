"""Differences between the releases of Go and of the libraries that servers are built with."""

from __future__ import annotations

from typing import Final

from pytest_crd.records import NamedTuple


class GoRelease(NamedTuple):
    """
    Features of a Go release; the defaults describe the newest.

    Attributes:
        has_loose_class_names: Unicode classes have long names in any spelling (`Letter`, `greek`, `Cn`), and scripts
            with an underscore in their name cannot be named (since Go 1.25).
        has_short_group_names: `(?<name>` opens a group (since Go 1.22).
        has_strict_colons: `http://host:1:2` is not a URL: a host of http and https has a colon only before its port
            (since Go 1.26).
    """

    has_loose_class_names: bool = True
    has_short_group_names: bool = True
    has_strict_colons: bool = True


NEWEST: Final = GoRelease()


class JsonPatchRelease(NamedTuple):
    """
    Features of the patch library and of the server code around it; the defaults describe the newest release.

    Attributes:
        checks_json_first: A patch that is not JSON is refused before any other check (since Kubernetes 1.37).
        tests_absent: A `test` without a value passes if the path does not exist (since 4.13; a panic before).
        refuses_scalar_roots: A patch that turns the whole document into a scalar is refused (since 4.13; ignored
            before).
        has_roots: The whole document can be tested and replaced, and negative indices name items from the end (since
            4.12; before, the former fails and the latter panics, except in `add` and `remove`).
        keeps_nulls_in_lists: A merge patch keeps the nulls in its lists (since 4.12).
        cleans_strategic_patches: A strategic merge patch loses its nulls and directives where it adds a value (since
            Kubernetes 1.22 or later).
    """

    checks_json_first: bool = True
    tests_absent: bool = True
    refuses_scalar_roots: bool = True
    has_roots: bool = True
    keeps_nulls_in_lists: bool = True
    cleans_strategic_patches: bool = True


class ApplyRelease(NamedTuple):
    """
    Rules of managed fields and applies; the defaults describe the newest release.

    structured-merge-diff is 6 since Kubernetes 1.34, 4.6 in 1.33, 4.4 in 1.32 and 4.2 in 1.21.

    Attributes:
        keys_may_be_missing: An item of a map list is identified by the keys that it has, at least one (since 1.34).
        duplicates_are_tracked: Objects with duplicate list items have managed fields (since 1.22 or later).
        reads_patches: Errors about unreadable bodies say "patch", not "YAML" (since 1.37).
        names_objects: Errors name the object (since 1.22 or later).
        names_subresources: Managers of a subresource are separate from managers of the object (since 1.22).
        keeps_owners_on_errors: Managed fields stay if the changes of an update cannot be computed (since 1.37; dropped
            before).
        reads_keys_whole: Text after the JSON of a managed fields key makes the key invalid (since 1.37; ignored
            before).
        keeps_metadata_from_status: A request to `/status` of a custom resource does not own metadata (since 1.36).
        owns_crd_metadata_by_status: A request to `/status` of a CRD owns metadata (since 1.36).
        knows_status_of_all_versions: Ignored fields of `/status` are also ignored in all other versions (since 1.35).
        times_follow_writes: A manager gets a new time if its request changes the object, and keeps the old time if
            nothing is written (since 1.22 or later; before, if its fields change, or if its apply is another object).
        checks_kinds: An apply with another kind or version is refused with one message for both (since 1.22 or later).
        deduces_untyped: Untyped values that preserve unknown fields are owned per field (since 1.22 or later; before,
            as a whole, unless their parent preserves unknown fields).
        scales_have_owners: Requests to `/scale` own the replicas (since 1.22 or later; before, an apply to it
            panicked).
    """

    keys_may_be_missing: bool = True
    duplicates_are_tracked: bool = True
    reads_patches: bool = True
    names_objects: bool = True
    names_subresources: bool = True
    keeps_owners_on_errors: bool = True
    reads_keys_whole: bool = True
    keeps_metadata_from_status: bool = True
    owns_crd_metadata_by_status: bool = True
    knows_status_of_all_versions: bool = True
    times_follow_writes: bool = True
    checks_kinds: bool = True
    deduces_untyped: bool = True
    scales_have_owners: bool = True
