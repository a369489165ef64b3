"""A look at the values and errors of one request, to find the points that they reach."""

from __future__ import annotations

from collections.abc import Container, Iterable

from pytest_crd.coverage import points
from pytest_crd.coverage.evidence import ROOT, Kept, Path, ReachedPoints, ValueRefused
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.errors.origin import Steps

# The sides of a keyword that an invalid value reaches.
_REFUSING = ("broken", "missing")


class Look:
    """
    A look at the values of one request.

    Attributes:
        findings: The reached points.
        path: The path of the present value.
    """

    def __init__(self) -> None:
        """Begin at the root of the object."""
        self.findings = ReachedPoints()
        self.path = ROOT
        # The ids of points that refusals reach, by the steps of the keyword and the path of the value.
        self._refusals: dict[tuple[Steps, Path], list[str]] = {}

    def keep(self, id_: str) -> None:
        """Record a point that the present value reaches."""
        self.findings.see(id_, Kept(self.path))

    def expect_refusal(self, id_: str, steps: Steps) -> None:
        """Record a point that the present value reaches if the keyword at *steps* refuses it."""
        self._refusals.setdefault((steps, self.path), []).append(id_)

    def at(self, path: Path) -> Look:
        """Return this look, moved to the value at *path*."""
        self.path = path
        return self

    def read(self, errors: Iterable[FieldError], known: Container[str]) -> None:
        """Record the points with ids in *known* that errors reach."""
        for error in errors:
            # In a `map` list, an item without its keys causes such an error as well.
            is_missing_key = error.type is not ErrorType.DUPLICATE and _is_of_list_type(error)
            if error.origin is None or error.rule is not None or is_missing_key:
                continue
            path: Path = tuple(error.path.steps) if error.path is not None else ROOT
            for id_ in self._refusals.get((tuple(error.origin.steps), path), ()):
                self.findings.see(id_, ValueRefused(error))
            for side in _REFUSING:
                id_ = points.id_of(error.origin.steps, side)
                if id_ in known:
                    self.findings.see(id_, ValueRefused(error))


def _is_of_list_type(error: FieldError) -> bool:
    return error.origin is not None and error.origin.keyword == "x-kubernetes-list-type"
