"""Results of value validation: failures without repetitions, and the number of matches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Origin, Steps
from pytest_crd.engine.fieldpath import FieldPath, Segment
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple


class Failure(NamedTuple):
    """
    A failure.

    Attributes:
        text: The whole message; failures with equal messages count once.
        name: The path relative to the validated value, as the message spells it; None if only the message has it.
        report: Returns the field error at a path.
        keyword: The violated keyword.
        inner: The part of the keyword's value, as in an `Origin`.
        segments: The path relative to the validated value.
        schema: The steps to the part of the schema with the keyword.
    """

    text: str
    name: str | None
    report: Callable[[FieldPath], FieldError]
    keyword: str
    inner: Steps = ()
    segments: tuple[Segment, ...] = ()
    schema: Steps = ()

    def error(self, path: FieldPath, root: Steps | None) -> FieldError:
        """Return the error of a value at *path* with its schema at *root*; without *root* it has no origin."""
        error = self.report(_located(path, self.name))
        origin = None if root is None else Origin((*root, *self.schema), self.keyword, self.inner)
        return replace(error, path=FieldPath((*path.segments, *self.segments)), origin=origin)


class KeywordCheck(NamedTuple):
    """
    Check of a keyword for values of one JSON type.

    Attributes:
        holds: Returns whether a value is valid.
        failure: Returns the failure of an invalid value at a name.
    """

    holds: Callable[[JSONValue], bool]
    failure: Callable[[JSONValue, str], Failure]


class Result:
    """
    Failures of one value, and the number of successful checks.

    Attributes:
        failures: The failures by their messages, in order.
        matches: The number of successful checks, to choose the best of several failed branches of `anyOf` or `oneOf`.

    Reference:
        kube-openapi validation/validate/result.go, Result.
    """

    __slots__ = ("failures", "matches")

    def __init__(self) -> None:
        """Create without failures."""
        self.failures: dict[str, Failure] = {}
        self.matches = 0

    def add(self, failure: Failure) -> None:
        """Add a failure, unless its message is already there."""
        self.failures.setdefault(failure.text, failure)

    def merge(self, other: Result, segments: tuple[Segment, ...] = (), schema: Steps = ()) -> None:
        """Add failures and matches of *other*: the nested value is at *segments*, the nested schema at *schema*."""
        for failure in other.failures.values():
            if failure.text not in self.failures:
                inner, above = (*segments, *failure.segments), (*schema, *failure.schema)
                self.failures[failure.text] = failure._replace(segments=inner, schema=above)
        self.matches += other.matches

    def errors(self, path: FieldPath, root: Steps | None) -> tuple[FieldError, ...]:
        """
        Return the field errors of a value at *path*.

        Args:
            path: The path of the value, as errors spell it.
            root: The steps to its schema in that of a version; None if errors need no origin.

        Reference:
            apiextensions-apiserver apiserver/validation/validation.go, kubeOpenAPIResultToFieldErrors.
        """
        return tuple(failure.error(path, root) for failure in self.failures.values())


def _located(path: FieldPath, name: str | None) -> FieldPath:
    # The name of a direct child of a root map begins with a dot.
    return path if name in (None, "", ".") else path.child(str(name).removeprefix("."))


def composite(keyword: str, text: str) -> Failure:
    """Return a failure that is reported at the whole value, with the actual place in its message."""
    return Failure(text, None, lambda path: fielderror.invalid(path, "", text), keyword)


def invalid(keyword: str, name: str, value: JSONValue, text: str) -> Failure:
    """Return a failure of the value at *name*; its error prints *value*."""
    return Failure(text, name, lambda path: fielderror.invalid(path, value, text), keyword)


def type_invalid(keyword: str, name: str, value: JSONValue, text: str) -> Failure:
    """Return the failure of a value with a wrong type or format; its error prints *value*."""
    return Failure(text, name, lambda path: fielderror.type_invalid(path, value, text), keyword)
