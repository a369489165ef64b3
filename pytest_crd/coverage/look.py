"""A look at the values of one request: which points they reach by what they are, and its errors by what they are about."""

from __future__ import annotations

from collections.abc import Container, Iterable

from pytest_crd.coverage import points
from pytest_crd.coverage.evidence import ROOT, Kept, Path, ReachedPoints, ValueRefused
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError

# Sides of a keyword that a value does not meet.
_REFUSING = ("broken", "missing")


class Look:
    """
    A look at the values of one request.

    Attributes:
        findings: What was reached.
        path: Where the value stands that is looked at.
    """

    def __init__(self) -> None:
        """Begin at the whole object."""
        self.findings = ReachedPoints()
        self.path = ROOT

    def keep(self, id_: str) -> None:
        """See a point that a value reaches by what it is."""
        self.findings.see(id_, Kept(self.path))

    def at(self, path: Path) -> Look:
        """Return the look, at the value at *path*."""
        self.path = path
        return self

    def read(self, errors: Iterable[FieldError], known: Container[str]) -> None:
        """See the points, of those whose ids are *known*, that values reach by being refused."""
        for error in errors:
            # In a list, keys are also wrong where an item has none.
            is_of_another = error.type is not ErrorType.DUPLICATE and _is_of_list_type(error)
            if error.origin is None or error.rule is not None or is_of_another:
                continue
            for side in _REFUSING:
                id_ = points.id_of(error.origin.steps, side)
                if id_ in known:
                    self.findings.see(id_, ValueRefused(error))


def _is_of_list_type(error: FieldError) -> bool:
    return error.origin is not None and error.origin.keyword == "x-kubernetes-list-type"
