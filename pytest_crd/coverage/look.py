"""
A look at the values of one request: which points it reaches, and with which errors.

Which error of an answer is that of which keyword is found out here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.coverage.evidence import ROOT, Findings, Kept, Path, Refused
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.values.result import Failure, Result


class Look:
    """
    A look at the values of one request.

    Attributes:
        findings: What was reached.
        path: Where the value stands that is looked at.
    """

    def __init__(self, errors: Sequence[FieldError], base: FieldPath) -> None:
        """
        Take what was answered.

        Args:
            errors: What is wrong; what rules say counts only for rules.
            base: Where the value stands that the server has validated: texts name fields from there on.
        """
        self.findings = Findings()
        self.path = ROOT
        self._base = base
        self._said = {(error.type, error.field, error.detail): error for error in errors if error.rule is None}

    def keep(self, id_: str) -> None:
        """See a point that a value reaches by what it is."""
        self.findings.see(id_, Kept(self.path))

    def refuse(self, id_: str, error: FieldError | None) -> None:
        """See a point that a value reaches by being refused, if it is: where there is an error."""
        if error is not None:
            self.findings.see(id_, Refused(error))

    def at(self, path: Path) -> Look:
        """Return the look, at the value at *path*."""
        self.path = path
        return self

    def said(self, failure: Failure) -> FieldError | None:
        """Return the error with which the server tells that failure; None where it does not."""
        if not self._said:
            return None
        result = Result()
        result.add(failure)
        found = (self._said.get((error.type, error.field, error.detail)) for error in result.errors(self._base, None))
        return next(filter(None, found), None)

    def said_missing(self, name: str) -> FieldError | None:
        """Return the error with which the server misses the field *name*."""
        return self._said.get((ErrorType.REQUIRED, str(self._base.child(name.removeprefix("."))), ""))

    def said_of_junctor(self, name: str, junctor: str) -> FieldError | None:
        """Return the error that tells that the value at *name* does not meet its *junctor*."""
        begin, end = f"{printing.quote(name)} must ", f"({junctor})"
        found = (error for (_, _, detail), error in self._said.items() if detail.startswith(begin) and end in detail)
        return next(found, None)

    def said_duplicate(self, name: str) -> FieldError | None:
        """Return the error with which the server finds an item of the list at *name* twice."""
        begin = _dotted(f"{self._base.child(name)}[")
        found = (error for (kind, _, _), error in self._said.items() if kind is ErrorType.DUPLICATE)
        # Keys of maps are spelled in brackets here, and with dots in names.
        return next((error for error in found if _dotted(error.field).startswith(begin)), None)


def _dotted(field: str) -> str:
    return field.replace("[", ".").replace("]", "")
