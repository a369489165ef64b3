"""Go values that are no JSON values, but stand among them."""

from __future__ import annotations

from typing import Any, NamedTuple


class GoValue(NamedTuple):
    """
    A Go value that is no JSON value.

    Attributes:
        type: Its type, as `%T` prints it.
        text: The value as `%v` prints it.
        syntax: The value as `%#v` prints it.
        value: The value in Python, for types that JSON can represent; None for others.
    """

    type: str
    text: str
    syntax: str
    value: Any = None
