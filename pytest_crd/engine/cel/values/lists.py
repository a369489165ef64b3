"""
Lists that are concatenations of two lists.

Reference:
    cel-go common/types/list.go, concatList.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.values import equality, workload
from pytest_crd.engine.cel.values.celvalues import ListValue, Value, is_list

# The server has no such limit: it looks up elements in the parts.
_MOST_ELEMENTS: Final = 20_000_000


class ConcatenatedList(ListValue):
    """Concatenation of two lists, evaluated on first access: concatenation costs 1 regardless of length."""

    __slots__ = ("_elements", "_size", "parts")

    go_type = "*types.concatList"

    def __init__(self, left: Any, right: Any) -> None:
        # The two lists, until they are concatenated.
        self.parts: tuple[Any, Any] | None = (left, right)
        self._size = len(left) + len(right)
        self._elements: list[Value] | None = None

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Value:
        return self._all()[index]

    def __iter__(self) -> Iterator[Value]:
        """Return an iterator over the elements, without concatenating: repeated doubling makes lists that exceed memory."""
        return iter(self._elements) if self._elements is not None else self._walk()

    def _walk(self) -> Iterator[Value]:
        """Yield the elements; iterative, because concatenations may nest thousands of levels."""
        pending: list[Any] = [self]
        while pending:
            part = pending.pop()
            if type(part) is ConcatenatedList and part.parts is not None:
                pending += reversed(part.parts)
            else:
                yield from part

    def _all(self) -> list[Value]:
        """
        Return the elements as one list.

        Raises:
            UnsupportedExpressionError: There are too many.
        """
        if self._elements is None:
            if self._size > _MOST_ELEMENTS:
                raise UnsupportedExpressionError(f"lists of {self._size} elements")
            self._elements = list(self._walk())
            self.parts = None
        return self._elements

    def equal(self, other: Value) -> bool:
        """Return whether *other* is a list with equal elements; raise EvaluationError if elements cannot be compared."""
        if not is_list(other) or len(other) != self._size:
            return False
        workload.count(self._size)
        problem = None
        for own, element in zip(self._all(), other, strict=True):
            try:
                if not equality.equal(own, element):
                    return False
            except EvaluationError as error:
                problem = problem or error
        if problem is not None:
            raise problem
        return True

    def add(self, other: Value) -> Value:
        """Return the concatenation with *other*."""
        return concatenate(self, other)

    def contains(self, element: Value) -> bool:
        """Return whether *element* equals an element."""
        return equality.contains(self._all(), element)


def concatenate(left: Any, right: Any) -> Value:
    """Return the concatenation of two lists; if one is empty, return the other."""
    if not len(left):
        return right
    return ConcatenatedList(left, right) if len(right) else left
