"""
Statements: what a case that holds says of its request, and so which of the points that it reached are held.

A point is held where the case would fail if the schema did something else there.
"""

from __future__ import annotations

from functools import cached_property

from pytest_crd.cases import comparison
from pytest_crd.cases.caseverdicts import JudgedCase
from pytest_crd.cases.model import RequestCase
from pytest_crd.coverage import recognition
from pytest_crd.coverage.evidence import (
    Evidence,
    Kept,
    KeptSomewhere,
    NullDropped,
    Path,
    PutIn,
    Unknown,
    ValueRefused,
)
from pytest_crd.engine import FieldError, fieldpath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.schemamap import Each, Place


class Statement:
    """What a case states that holds."""

    def __init__(self, verdict: JudgedCase) -> None:
        """Take the case, and what became of it."""
        self._case = verdict.case
        self._schema = verdict.version.schema
        answer = verdict.result.answer
        assert answer is not None  # noqa: S101 - it was judged
        self._kept = answer.stored
        self._errors = answer.errors

    def states(self, evidence: Evidence) -> bool:  # noqa: PLR0911 - one line for each kind
        """Return whether the case states what follows from that by which a point was reached."""
        match evidence:
            case Kept(path):
                return path in self._whole or path in self._parts
            case KeptSomewhere(place):
                return any(_is_at(path, place) for path in (*self._whole, *self._parts))
            case PutIn(path):
                return path in self._whole or (path in self._parts and self._is_plain(path))
            case NullDropped(path):
                return self._is_listed("nullsDropped", path) or self._is_gone(path)
            case Unknown(path):
                return self._is_listed("pruned", path) or self._is_gone(path) or self._is_told(path)
            case ValueRefused(error):
                return isinstance(self._case, RequestCase) and recognition.states(self._case, *self._among(error))
            case _:
                words = self._among(evidence.error)
                return isinstance(self._case, RequestCase) and recognition.states_words(self._case, *words)

    # What results

    @cached_property
    def _whole(self) -> frozenset[Path]:
        """The places of the object that `expected` states, and nothing beside them."""
        return self._places(self._case.expected)

    @cached_property
    def _parts(self) -> frozenset[Path]:
        """The places of the object that `contains` states, beside which there may be others."""
        return self._places(self._case.contains)

    def _places(self, stated: JSONValue) -> frozenset[Path]:
        if stated is None or self._kept is None:
            return frozenset()
        return frozenset(comparison.find_stated(stated, self._kept.value, self._schema))

    def _is_plain(self, path: Path) -> bool:
        """Return whether nothing could be put into the value at *path* that `contains` would not notice."""
        return not _has_object(_at(self._kept.value, path)) if self._kept is not None else False

    # What is dropped

    def _is_listed(self, key: str, path: Path) -> bool:
        """Return whether the case lists *path*."""
        return fieldpath.unknown_field(path) in (self._case.listed.get(key) or ())

    def _is_gone(self, path: Path) -> bool:
        """Return whether the case states that nothing is at *path*."""
        spelled = fieldpath.unknown_field(path)
        is_absent = any(fieldpath.leads_to(above, spelled) for above in self._case.absent or ())
        return is_absent or path[:-1] in self._whole

    def _is_told(self, path: Path) -> bool:
        """Return whether the case states that the server tells of the unknown field at *path*."""
        if not isinstance(self._case, RequestCase):
            return False
        words = f'unknown field "{fieldpath.unknown_field(path)}"'
        return words in (self._case.warnings or ()) or any(words in text for text in recognition.texts(self._case))

    # What is refused

    def _among(self, error: FieldError) -> tuple[FieldError, tuple[FieldError, ...]]:
        return error, tuple(other for other in self._errors if other != error)


def _is_at(path: Path, place: Place) -> bool:
    """Return whether *place*, of which some steps are any key or index, is that of *path*."""
    return len(path) == len(place) and all(
        isinstance(step, Each) or step == found for found, step in zip(path, place, strict=True)
    )


def _at(value: JSONValue, path: Path) -> JSONValue:
    for step in path:
        value = value[step]
    return value


def _has_object(value: JSONValue) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_object, value)))
