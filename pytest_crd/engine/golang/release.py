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
