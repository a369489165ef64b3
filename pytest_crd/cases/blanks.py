"""Expectations that have yet to be filled in: `TODO`, or a case without any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_crd.cases import casekeys
from pytest_crd.engine.jsonvalue import JSONValue


def find_blanks(declared: Mapping[str, JSONValue]) -> dict[str, Any]:
    """Return the attributes `blanks` and `is_open` of `model.Case` for a case."""
    blanks = tuple(key for key in casekeys.FILLED if key in declared and is_blank(key, declared[key]))
    is_open = not any(casekeys.CASE_KEYS[key].expects for key in declared if key in casekeys.CASE_KEYS)
    return {"blanks": blanks, "is_open": is_open}


def is_blank(key: str, value: JSONValue) -> bool:
    """Return whether *value* of the case key *key* has yet to be filled in."""
    return bool(key in casekeys.FILLED and value == casekeys.BLANK)
