"""What came of validating a value: its failures, each worded once, and how much of its schema it met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.fieldpath import FieldPath, Segment
from pytest_crd.engine.jsonvalue import JSONValue


class Failure(NamedTuple):
    """
    One failure.

    Attributes:
        text: The whole sentence; two failures with the same one are one.
        name: Where, relative to the validated value, as the text spells it; None where only the text says it.
        report: The field error at a path.
        keyword: The keyword that the value does not meet.
        inner: Which part of what the keyword says, as in an `Origin`.
        segments: Where, relative to the validated value, in steps.
        schema: Which part of the schema has the keyword.
    """

    text: str
    name: str | None
    report: Callable[[FieldPath], FieldError]
    keyword: str
    inner: Steps = ()
    segments: tuple[Segment, ...] = ()
    schema: Steps = ()

    def error(self, path: FieldPath, root: Steps | None) -> FieldError:
        """Return the error of a value at *path*, whose schema stands at *root*; None: in no version of a CRD."""
        error = self.report(_located(path, self.name))
        origin = None if root is None else Origin((*root, *self.schema), self.keyword, self.inner)
        return replace(error, path=FieldPath((*path.segments, *self.segments)), origin=origin)


class KeywordCheck(NamedTuple):
    """
    One thing that a schema demands of values of one JSON type.

    Attributes:
        holds: Whether a value meets it.
        failure: What to say, at a name, of a value that does not.
    """

    holds: Callable[[JSONValue], bool]
    failure: Callable[[JSONValue, str], Failure]


class Result:
    """
    The failures of one value, and how many checks of its schema it met.

    Attributes:
        failures: By their texts, in order.
        matches: By which the best of several failed branches of `anyOf` or `oneOf` is chosen.

    Reference:
        kube-openapi validation/validate/result.go, Result.
    """

    __slots__ = ("failures", "matches")

    def __init__(self) -> None:
        """Begin without a failure."""
        self.failures: dict[str, Failure] = {}
        self.matches = 0

    def add(self, failure: Failure) -> None:
        """Add a failure, unless one of the same words is there."""
        self.failures.setdefault(failure.text, failure)

    def merge(self, other: Result, segments: tuple[Segment, ...] = (), schema: Steps = ()) -> None:
        """Add all failures and matches of *other*, which is about the part at *segments*, and the part *schema* of the schema."""
        for failure in other.failures.values():
            if failure.text not in self.failures:
                inner, above = (*segments, *failure.segments), (*schema, *failure.schema)
                self.failures[failure.text] = failure._replace(segments=inner, schema=above)
        self.matches += other.matches

    def errors(self, path: FieldPath, root: Steps | None) -> tuple[FieldError, ...]:
        """
        Return the field errors of a value that stands at *path*.

        Args:
            path: Where it stands, as the errors are to spell it.
            root: Where its schema stands in that of a version; None where errors need no origin.

        Reference:
            apiextensions-apiserver apiserver/validation/validation.go, kubeOpenAPIResultToFieldErrors.
        """
        return tuple(failure.error(path, root) for failure in self.failures.values())


def _located(path: FieldPath, name: str | None) -> FieldPath:
    # What stands directly in a map at the root has a name that begins with a dot.
    return path if name in (None, "", ".") else path.child(str(name).removeprefix("."))


def composite(keyword: str, text: str) -> Failure:
    """Return a failure that is reported at the whole value: its text alone says where it is."""
    return Failure(text, None, lambda path: fielderror.invalid(path, "", text), keyword)


def invalid(keyword: str, name: str, value: JSONValue, text: str) -> Failure:
    """Return a failure of the value at *name*, whose error prints *value*."""
    return Failure(text, name, lambda path: fielderror.invalid(path, value, text), keyword)


def type_invalid(keyword: str, name: str, value: JSONValue, text: str) -> Failure:
    """Return the failure of a value of the wrong type or format, whose error prints *value*."""
    return Failure(text, name, lambda path: fielderror.type_invalid(path, value, text), keyword)
