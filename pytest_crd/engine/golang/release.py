"""What differs between the releases of Go that servers are built with."""

from __future__ import annotations

from typing import Final, NamedTuple


class GoRelease(NamedTuple):
    """
    A release of Go; what is not said of it is as in the newest one.

    Attributes:
        has_loose_class_names: Whether classes of Unicode may be called `Letter`, `greek` and `Cn`, and a script that has an
            underscore in its name cannot be called at all (since Go 1.25).
        has_short_group_names: Whether `(?<name>` opens a group (since Go 1.22).
        has_strict_colons: Whether `http://host:1:2` is no URL: a host of http and https holds a colon only before its port
            (since Go 1.26).
    """

    has_loose_class_names: bool = True
    has_short_group_names: bool = True
    has_strict_colons: bool = True


NEWEST: Final = GoRelease()


class JsonPatchRelease(NamedTuple):
    """
    A release of the library that servers patch with, and how they use it; what is not said of it is as in the newest one.

    Attributes:
        checks_json_first: Whether a patch that is no JSON is refused before anything else of it is looked at (since
            Kubernetes 1.37).
        tests_absent: Whether a `test` without a value holds of what is not there (since 4.13; a panic before).
        refuses_scalar_roots: Whether the whole document cannot become a scalar (since 4.13; nothing happens before).
        has_roots: Whether the whole document can be tested and replaced, and an index counted from the end names an item
            (since 4.12; before, the first fails, and the second is a panic but in `add` and `remove`).
        keeps_nulls_in_lists: Whether a merge patch keeps the nulls of the lists that it brings (since 4.12).
        cleans_strategic_patches: Whether a strategic merge patch loses its nulls and directives where it puts something in (since
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
    What a release does with managed fields and applies; structured-merge-diff 6 merges since 1.34, 4.6 in 1.33, 4.4 in 1.32, 4.2 in 1.21.

    Attributes:
        keys_may_be_missing: Whether an item of a map is known by those keys that it has, if it has one (since 1.34).
        duplicates_are_tracked: Whether who owns what is known of an object in which items are there twice (since 1.22 or later).
        reads_patches: Whether what cannot be read is called a patch, and not YAML (since 1.37).
        names_objects: Whether errors say which object they are about (since 1.22 or later).
        names_subresources: Whether managers of a subresource are others than those of the object (since 1.22).
        keeps_owners_on_errors: Whether who owned what stays where it cannot be found out what an update changes (since 1.37;
            before, nobody owns anything then).
        reads_keys_whole: Whether a key of managed fields with something behind its JSON is none (since 1.37; before, that was ignored).
        keeps_metadata_from_status: Whether a request to the status owns nothing of the metadata, either (since 1.36).
        knows_status_of_all_versions: Whether it owns nothing else in terms of other versions, either (since 1.35).
        times_follow_writes: Whether a manager has a new time when its request changes the object, and keeps the old one when nothing is written
            (since 1.22 or later; before, when what it owns changes, or its apply is another object).
        checks_kinds: Whether an apply of another kind or version is refused for both, in the same words (since 1.22 or later).
        deduces_untyped: Whether what has no type and keeps unknown fields is owned field by field (since 1.22 or later;
            before, as a whole, unless what is around it keeps them).
        scales_have_owners: Whether requests to `/scale` own the replicas (since 1.22 or later; an apply to it was a panic).
    """

    keys_may_be_missing: bool = True
    duplicates_are_tracked: bool = True
    reads_patches: bool = True
    names_objects: bool = True
    names_subresources: bool = True
    keeps_owners_on_errors: bool = True
    reads_keys_whole: bool = True
    keeps_metadata_from_status: bool = True
    knows_status_of_all_versions: bool = True
    times_follow_writes: bool = True
    checks_kinds: bool = True
    deduces_untyped: bool = True
    scales_have_owners: bool = True
