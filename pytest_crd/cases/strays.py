"""
Fields of an input that the server drops, and that the case shows no knowledge of: they are misspelt, or the case is.

Otherwise such a case would hold whatever stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_crd.cases import comparison
from pytest_crd.cases.model import (
    Case,
    DefaultingCase,
    ExpectedError,
    PruningCase,
    RequestCase,
    Section,
    StatusUpdateCase,
)
from pytest_crd.cases.result import Stray, Strays
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import Response, Version, fieldpath
from pytest_crd.engine.jsonvalue import JSONValue

_ALLOW: Final = "or write `unknownFields: allow` at the top of the file"
_REMEDIES: Final = {
    Section.PRUNING: f"where that is meant, list it in `pruned`, {_ALLOW}",
    Section.DEFAULTING: f"where that is meant, have it in `expected`, as defaulting drops nothing, {_ALLOW}",
}
_REMEDY: Final = f"where that is meant, list it in `pruned`, or in `lost` where the storage version drops it, {_ALLOW}"


def of_request(case: RequestCase, given: JSONValue, response: Response, subject: CaseSubject) -> Strays | None:
    """
    Return the fields that *case* does not account for; None where there are none.

    Args:
        case: What is sent, and expected.
        given: What it sends, as far as the case states it.
        response: The answer.
        subject: The CRD version that it is about.
    """
    counted = _counted(case, given, subject.version)
    dropped = [path for path in response.pruned if not _is_accounted(case, path, response)]
    lost = [path for path in response.lost if case.lost is None and not _is_in_the_object(case, path)]
    return _strays(case, subject, [*_held(dropped, counted)], [*_held(lost, counted)])


def of_pruning(case: PruningCase, given: JSONValue, pruned: Iterable[str], subject: CaseSubject) -> Strays | None:
    """Return the fields of *given* that a case of pruning does not account for; None where there are none."""
    dropped = [path for path in pruned if case.pruned is None and not _is_in_the_object(case, path)]
    return _strays(case, subject, [*_held(dropped, given)])


def of_defaulting(case: DefaultingCase, given: JSONValue, subject: CaseSubject) -> Strays | None:
    """Return the unknown fields of *given* that a case of defaulting does not expect to be there; None without any."""
    unknown = subject.version.passes.prune(given, drop_malformed=True).paths
    stray = [path for path in unknown if not any(True for _ in comparison.places(case.expected, path))]
    return _strays(case, subject, [*_held(stray, given)])


def described(stray: Stray) -> tuple[str, str]:
    """Return what is wrong with a field as a sentence of its own, and as words behind its path."""
    if stray.is_lost:
        words = "the storage version does not specify it, so that it is lost"
    else:
        words = "the schema does not specify it" + (f"; did you mean {stray.near}?" if stray.near else "")
    return f"{stray.path}: {words}", words


def _strays(case: Case, subject: CaseSubject, unknown: list[str], lost: list[str] | None = None) -> Strays | None:
    lost = lost or []
    fields = [
        Stray(path, is_lost, "" if is_lost else subject.fields.near(path))
        for path, is_lost in (*((path, False) for path in unknown), *((path, True) for path in lost))
    ]
    return Strays(tuple(fields), _REMEDIES.get(case.section, _REMEDY)) if fields else None


def _counted(case: RequestCase, given: JSONValue, version: Version) -> JSONValue:
    """Return the part of what is sent that the server looks at."""
    if not isinstance(given, dict):
        return {}
    if isinstance(case, StatusUpdateCase):
        return {key: value for key, value in given.items() if key == "status"}
    return {key: value for key, value in given.items() if key != "status" or not version.has_status}


def _held(paths: Iterable[str], value: JSONValue) -> Iterator[str]:
    """Yield those of *paths* at which *value* has something other than null."""
    for path in paths:
        if any(found is not None for _, found in comparison.places(value, path)):
            yield path


def _is_accounted(case: RequestCase, path: str, response: Response) -> bool:
    """Return whether *case* shows that it knows of an unknown field."""
    if case.pruned is not None or case.field_validation is not None or _is_in_the_object(case, path):
        return True
    if case.warnings is not None and f'unknown field "{path}"' in response.warnings:
        return True
    return any(_names(text, path) for text in _expected_texts(case))


def _is_in_the_object(case: Case, path: str) -> bool:
    """Return whether the stored object is stated where *path* would be: whole, in that part, or as absent."""
    if case.expected is not None or any(True for _ in comparison.places(case.contains, path)):
        return True
    return any(fieldpath.leads_to(above, path) for above in case.absent or ())


def _expected_texts(case: RequestCase) -> Iterator[str]:
    errors: tuple[ExpectedError, ...] = (*(case.errors or ()), *(case.contains_errors or ()))
    for error in errors:
        yield from filter(None, (error.field, error.message, error.detail, error.matches))
    if case.error is not None:
        yield case.error


def _names(text: str, path: str) -> bool:
    """Return whether *path* stands in *text*, and not as a part of a longer one."""
    return bool(re.search(rf"(?<![\w.\[-]){re.escape(path)}(?![\w\[-]|\.\w)", text))
