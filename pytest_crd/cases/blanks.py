"""Expectations that are left to be filled in: `TODO`, or a case that states none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_crd.cases import casekeys, diagnosis
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.reading.document import Document


def of(declared: Mapping[str, JSONValue]) -> dict[str, Any]:
    """Return what a case leaves to be filled in, by the attributes of `model.Case`."""
    blanks = tuple(key for key in casekeys.FILLED if key in declared and is_blank(key, declared[key]))
    is_open = not any(casekeys.CASE_KEYS[key].expects for key in declared if key in casekeys.CASE_KEYS)
    return {"blanks": blanks, "is_open": is_open}


def is_blank(key: str, value: JSONValue) -> bool:
    """Return whether *value*, that of a key of a case, has yet to be filled in."""
    return bool(key in casekeys.FILLED and value == casekeys.BLANK)


def mistakes(document: Document, path: diagnosis.Path, declared: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Give what is left to be filled in where nothing is observed, or where what is observed is known to be wrong."""
    left = of(declared)
    reason = next((key for key in ("skip", "xfail") if key in declared), "")
    if reason and (left["is_open"] or left["blanks"]):
        what = f"'{left['blanks'][0]}'" if left["blanks"] else "what it expects"
        place = diagnosis.owner(document.value, path)
        message = f"{what} of {place} is never filled in, as the case has `{reason}`; write it, or remove `{reason}`"
        yield Mistake(document.source, diagnosis.line_of(document, (*path, *left["blanks"][:1])), message)
