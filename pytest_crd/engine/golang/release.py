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
    """

    checks_json_first: bool = True
    tests_absent: bool = True
    refuses_scalar_roots: bool = True
    has_roots: bool = True
    keeps_nulls_in_lists: bool = True
