"""
Lists that are the sum of two others.

Reference:
    cel-go common/types/list.go, concatList.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_crd.engine.cel import equality
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import ListValue, Value, is_list


class ConcatenatedList(ListValue):
    """The sum of two lists, put together when somebody looks into it: adding costs 1, however long the lists are."""

    __slots__ = ("_elements", "_size", "parts")

    go_type = "*types.concatList"

    def __init__(self, left: Any, right: Any) -> None:
        # The two lists, until they are put together.
        self.parts: tuple[Any, Any] | None = (left, right)
        self._size = len(left) + len(right)
        self._elements: list[Value] | None = None

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Value:
        return self._all()[index]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._all())

    def _all(self) -> list[Value]:
        """Return the elements; without recursion, because sums may be of thousands."""
        if self._elements is None:
            parts: list[Any] = []
            pending: list[Any] = [self]
            while pending:
                part = pending.pop()
                if type(part) is ConcatenatedList and part.parts is not None:
                    pending += part.parts
                else:
                    parts.append(part)
            self.parts = None
            self._elements = [element for part in reversed(parts) for element in part]
        return self._elements

    def equal(self, other: Value) -> bool:
        """Return whether *other* is a list with equal elements; what cannot be compared is an error here."""
        if not is_list(other) or len(other) != self._size:
            return False
        problem = None
        for left, right in zip(self._all(), other, strict=True):
            try:
                if not equality.equal(left, right):
                    return False
            except EvaluationError as error:
                problem = problem or error
        if problem is not None:
            raise problem
        return True

    def add(self, other: Value) -> Value:
        """Return the sum of it and *other*."""
        return concatenate(self, other)

    def contains(self, element: Value) -> bool:
        """Return whether *element* equals one of its elements."""
        return equality.contains(self._all(), element)


def concatenate(left: Any, right: Any) -> Value:
    """Return the sum of two lists, which is one of them where the other is empty."""
    if not len(left):
        return right
    return ConcatenatedList(left, right) if len(right) else left
