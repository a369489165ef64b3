"""Generated cases about fields that a CRD no longer has, and cases trimmed of such fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import APPLIES, PATCHES, REQUESTS, AnyCase, Case
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.errors.origin import ChangedField, Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.generation import casenames, words


class Trimmed(NamedTuple):
    """A case without the removed fields, and the key of the file that changed, with its new value."""

    case: AnyCase
    key: str
    value: JSONValue


def is_about_removed_field(case: Case, version: CrdVersion) -> bool:
    """Return True if *case* was generated for a field that its objects have and the CRD no longer has."""
    place, separator, statement = casenames.strip_number(case.name).partition(": ")
    if not separator or not casenames.is_generated(statement, case.section):
        return False
    node = casenames.find_nodes_by_name(version).get(place)
    if node is not None:
        missing = casenames.MISSING.fullmatch(statement)
        return missing is not None and missing[1] not in map(words.fit, node.properties)
    return any(place in _spell_places(value) for value in case.objects)


def trim_case(case: AnyCase, result: CaseResult) -> Trimmed | None:
    """
    Return a generated case without the fields that the CRD no longer has.

    Args:
        case: The case.
        result: The outcome, which has the dropped fields.

    Returns:
        None if no field was dropped, the case was not generated, or nothing would be left.
    """
    statement = casenames.strip_number(case.name).partition(": ")[2]
    # Cases about pruning send unknown fields on purpose, and patches and applies do not contain whole objects.
    if case.section not in REQUESTS - PATCHES - APPLIES or not casenames.is_generated(statement, case.section):
        return None
    key = "patch" if isinstance(case.declared.get("patch"), dict) else "input"
    if key not in case.declared or (key == "input" and case.input_source is not None):
        return None
    resource, value = case.input, case.declared[key]
    for path in result.trace.pruned:
        if isinstance(path, ChangedField):
            resource, value = _remove_field(resource, path.steps), _remove_field(value, path.steps)
    return None if not value or value == case.declared[key] else Trimmed(replace(case, input=resource), key, value)


def _remove_field(value: JSONValue, steps: Steps) -> JSONValue:
    """Return *value* without the field at *steps*."""
    step, *rest = steps
    if isinstance(value, dict) and step in value:
        if not rest:
            return {key: item for key, item in value.items() if key != step}
        return {**value, step: _remove_field(value[step], tuple(rest))}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [_remove_field(item, tuple(rest)) if index == step else item for index, item in enumerate(value)]
    return value


def _spell_places(value: JSONValue, above: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Yield the spellings of all places in an object; each key may be a field or a map key (`*`)."""
    inner = (
        value.items() if isinstance(value, dict) else (("*", item) for item in value) if isinstance(value, list) else ()
    )
    for key, child in inner:
        below = tuple(f"{parent}.{step}".removeprefix(".") for parent in above for step in dict.fromkeys((key, "*")))
        yield from map(words.fit, below)
        yield from _spell_places(child, below)
