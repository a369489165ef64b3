"""A document of YAML that has nothing unusual in it, as nearly all have."""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue


class PlainDocument(NamedTuple):
    """
    A document.

    Attributes:
        value: JSON value.
        line: 1-based line on which it begins.
        end: Where in the text it ends.
        item_lines: Of each list right below the root, in order, the 1-based lines of its items.
    """

    value: JSONValue
    line: int
    end: int
    item_lines: list[list[int]]
