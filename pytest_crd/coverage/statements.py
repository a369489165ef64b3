"""
Statements: the expectations of a passed case, and the reached points that they hold.

A point is held if the case would fail with another behaviour of the schema there.
"""

from __future__ import annotations

from functools import cached_property

from pytest_crd.cases import comparison
from pytest_crd.cases.caseresult import JudgedCase
from pytest_crd.cases.model import ConvertCase, RequestCase
from pytest_crd.coverage import recognition
from pytest_crd.coverage.evidence import (
    Evidence,
    Kept,
    KeptSomewhere,
    LeftOut,
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
    """The expectations of a passed case."""

    def __init__(self, verdict: JudgedCase) -> None:
        """Take the case and its answer from the verdict."""
        self._case = verdict.case
        version = verdict.version
        self._schema = (version.crd.version(self._case.to) if isinstance(self._case, ConvertCase) else version).schema
        answer = verdict.result.answer
        assert answer is not None  # noqa: S101 - a judged case has an answer
        self._stored = answer.stored
        self._errors = answer.errors

    def states(self, evidence: Evidence) -> bool:  # noqa: PLR0911 - one line for each kind
        """Return True if the case expects the result that *evidence* of a reached point implies."""
        match evidence:
            case Kept(path):
                return path in self._whole or path in self._parts
            case KeptSomewhere(place):
                return any(_is_at(path, place) for path in (*self._whole, *self._parts))
            case PutIn(path):
                return path in self._whole or (path in self._parts and self._is_plain(path))
            case NullDropped(path):
                return self._is_listed("nullsDropped", path) or self._is_absent(path)
            case LeftOut(path):
                return self._is_absent(path)
            case Unknown(path):
                return self._is_listed("pruned", path) or self._is_absent(path) or self._is_in_message(path)
            case ValueRefused(error):
                return isinstance(self._case, RequestCase) and recognition.states(self._case, *self._among(error))
            case _:
                words = self._among(evidence.error)
                return isinstance(self._case, RequestCase) and recognition.states_words(self._case, *words)

    # Results

    @cached_property
    def _whole(self) -> frozenset[Path]:
        """The paths in the object that `expected` states, without any others."""
        return self._places(self._case.expected)

    @cached_property
    def _parts(self) -> frozenset[Path]:
        """The paths in the object that `contains` states, which may be incomplete."""
        return self._places(self._case.contains)

    def _places(self, expected: JSONValue) -> frozenset[Path]:
        if expected is None or self._stored is None:
            return frozenset()
        return frozenset(comparison.find_stated(expected, self._stored.value, self._schema))

    def _is_plain(self, path: Path) -> bool:
        """Return True if the value at *path* has no objects, in which `contains` would not notice additional fields."""
        return not _has_object(_at(self._stored.value, path)) if self._stored is not None else False

    # Dropped fields

    def _is_listed(self, key: str, path: Path) -> bool:
        """Return True if the case lists *path* under *key*."""
        return fieldpath.unknown_field(path) in (self._case.listed.get(key) or ())

    def _is_absent(self, path: Path) -> bool:
        """Return True if the case expects no value at *path*."""
        spelled = fieldpath.unknown_field(path)
        is_absent = any(fieldpath.leads_to(above, spelled) for above in self._case.absent or ())
        return is_absent or path[:-1] in self._whole

    def _is_in_message(self, path: Path) -> bool:
        """Return True if the case expects a warning or error about the unknown field at *path*."""
        if not isinstance(self._case, RequestCase):
            return False
        words = f'unknown field "{fieldpath.unknown_field(path)}"'
        return words in (self._case.warnings or ()) or any(words in text for text in recognition.texts(self._case))

    # Refusals

    def _among(self, error: FieldError) -> tuple[FieldError, tuple[FieldError, ...]]:
        return error, tuple(item for item in self._errors if item != error)


def _is_at(path: Path, place: Place) -> bool:
    """Return True if *path* is at *place*, in which `Each` steps match any key or index."""
    return len(path) == len(place) and all(
        isinstance(step, Each) or step == path_step for path_step, step in zip(path, place, strict=True)
    )


def _at(value: JSONValue, path: Path) -> JSONValue:
    for step in path:
        value = value[step]
    return value


def _has_object(value: JSONValue) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_object, value)))
