"""Other names of one field: `timeZone` in a CRD, and `time_zone` in a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_crd.synthesis.demands import Demand


def find_other(steps: tuple[str | int, ...], of_crd: Demand, of_class: Demand) -> str:
    """Return words about the name of a field on the side without the field; empty without a similar name."""
    if not steps or isinstance(steps[-1], int):
        return ""
    *outer, name = steps
    fields = {"the CRD": of_crd.at(outer).properties, "the class": of_class.at(outer).properties}
    for side, opposite in (("the CRD", "the class"), ("the class", "the CRD")):
        if name in fields[side] and name not in fields[opposite]:
            return _describe(str(name), opposite, fields[opposite], fields[side])
    return ""


def _describe(name: str, side: str, fields: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    spellings = (field for field in fields if field not in known and _normalize(field) == _normalize(name))
    return next((f"; {side} has the name {field}" for field in spellings), "")


def _normalize(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
