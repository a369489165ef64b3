"""Fields that are gone from a CRD: which generated cases are about one, and what others are without them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import APPLIES, PATCHES, REQUESTS, AnyCase, Case
from pytest_crd.engine import Version
from pytest_crd.engine.errors.changedfield import ChangedField
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.generation import casenames, words


class Trimmed(NamedTuple):
    """A case whose objects no longer have what is gone, and the key that says so, with its value."""

    case: AnyCase
    key: str
    value: JSONValue


def is_about_one(case: Case, version: Version) -> bool:
    """Return whether *case* was generated for a field that the CRD no longer has, and that its objects do have."""
    place, separator, what = casenames.without_number(case.name).partition(": ")
    if not separator or not casenames.is_known(what, case.section):
        return False
    node = casenames.nodes(version).get(place)
    if node is not None:
        missing = casenames.MISSING.fullmatch(what)
        return missing is not None and missing[1] not in map(words.fit, node.properties)
    return any(place in _places(value) for value in case.objects)


def without_any(case: AnyCase, result: CaseResult) -> Trimmed | None:
    """
    Return a generated case about an object, of which some fields are gone, without these.

    Args:
        case: The case.
        result: Its outcome, by which these fields are dropped.

    Returns:
        None where there is no such field, where the case is not a generated one, or where nothing would be left.
    """
    what = casenames.without_number(case.name).partition(": ")[2]
    # What is generated about requests has no unknown field from the beginning, and a patch gives no whole object.
    if case.section not in REQUESTS - PATCHES - APPLIES or not casenames.is_known(what, case.section):
        return None
    key = "patch" if isinstance(case.declared.get("patch"), dict) else "input"
    if key not in case.declared or (key == "input" and case.input_source is not None):
        return None
    given, value = case.input, case.declared[key]
    for path in result.trace.pruned:
        if isinstance(path, ChangedField):
            given, value = _less(given, path.steps), _less(value, path.steps)
    return None if not value or value == case.declared[key] else Trimmed(replace(case, input=given), key, value)


def _less(value: JSONValue, steps: Steps) -> JSONValue:
    """Return *value* without the field at *steps*."""
    step, *rest = steps
    if isinstance(value, dict) and step in value:
        if not rest:
            return {key: one for key, one in value.items() if key != step}
        return {**value, step: _less(value[step], tuple(rest))}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [_less(one, tuple(rest)) if index == step else one for index, one in enumerate(value)]
    return value


def _places(value: JSONValue, above: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Yield the places in an object as names may have them: a key may be that of a field, or of a map."""
    inner = (
        value.items() if isinstance(value, dict) else (("*", one) for one in value) if isinstance(value, list) else ()
    )
    for key, child in inner:
        below = tuple(f"{one}.{step}".removeprefix(".") for one in above for step in dict.fromkeys((key, "*")))
        yield from map(words.fit, below)
        yield from _places(child, below)
