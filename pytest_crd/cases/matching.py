"""Matching of expected and actual errors: each error meets one expectation, and as many expectations as possible are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_crd.cases.caseparts import ExpectedError
from pytest_crd.engine.errors.fielderror import FieldError

_KEYS: Final = ("field", "message", "detail")


class ErrorIndex:
    """
    Index of errors by the texts that expectations can state.

    Attributes:
        errors: The errors.
    """

    def __init__(self, errors: Sequence[FieldError]) -> None:
        """Take the errors; they are indexed when the first expectation asks for them."""
        self.errors = errors
        self._by_key: dict[str, dict[str, list[int]]] = {}

    def possible(self, expected: ExpectedError) -> Sequence[int]:
        """Return the indices of the errors with a text that *expected* states; all indices if it states no whole text."""
        for key in _KEYS:
            if (text := getattr(expected, key)) is not None:
                return self._indexed(key).get(text, ())
        return range(len(self.errors))

    def of_field(self, field: str | None) -> Sequence[int]:
        """Return the indices of the errors at *field*."""
        return () if field is None else self._indexed("field").get(field, ())

    def _indexed(self, key: str) -> dict[str, list[int]]:
        if key not in self._by_key:
            index = self._by_key[key] = {}
            for place, error in enumerate(self.errors):
                index.setdefault(getattr(error, key), []).append(place)
        return self._by_key[key]


class Matching:
    """
    A maximum matching of expectations and errors.

    Equal expectations form a group. They fit the same errors, so that a search visits each group once.

    Attributes:
        pairs: The index of the met expectation by the index of the error.
    """

    def __init__(
        self, wanted: Sequence[ExpectedError], actual: ErrorIndex, is_met: Callable[[ExpectedError, FieldError], bool]
    ) -> None:
        """
        Match as many expectations as possible.

        An expectation that states little may fit several errors; it gives way to one that fits a single error.

        Args:
            wanted: The expectations.
            actual: The errors.
            is_met: Predicate that tells if an error meets an expectation.
        """
        self.pairs: dict[int, int] = {}
        self._wanted = wanted
        self._fitting = {
            expected: [place for place in actual.possible(expected) if is_met(expected, actual.errors[place])]
            for expected in dict.fromkeys(wanted)
        }
        # A taken error stays taken, so that each group looks at each of its errors once.
        self._free = {expected: iter(fitting) for expected, fitting in self._fitting.items()}
        self._hopeless: set[ExpectedError] = set()
        for entry in range(len(wanted)):
            self._place(entry)

    def _place(self, start: int) -> None:
        """Give the expectation *start* an error, moving others if needed; a group that finds none is hopeless."""
        if self._wanted[start] in self._hopeless:
            return
        visited, queue = {self._wanted[start]}, [start]
        moves: dict[int, tuple[int, int]] = {}
        for entry in queue:
            if (free := self._next_free(self._wanted[entry])) is not None:
                self._shift(start, entry, free, moves)
                return
            for error, owner in self._owners(entry):
                group = self._wanted[owner]
                if group not in visited and group not in self._hopeless:
                    visited.add(group)
                    moves[owner] = entry, error
                    queue.append(owner)
        self._hopeless |= visited

    def _owners(self, entry: int) -> Iterator[tuple[int, int]]:
        """Yield the errors that fit an expectation, each with the expectation that it meets now."""
        return ((error, self.pairs[error]) for error in self._fitting[self._wanted[entry]])

    def _next_free(self, expected: ExpectedError) -> int | None:
        return next((error for error in self._free[expected] if error not in self.pairs), None)

    def _shift(self, start: int, entry: int, error: int, moves: dict[int, tuple[int, int]]) -> None:
        """Give *error* to *entry*, the error of *entry* to its predecessor on the way, and so on until *start*."""
        while entry != start:
            self.pairs[error] = entry
            entry, error = moves[entry]
        self.pairs[error] = start
