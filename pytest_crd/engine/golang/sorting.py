"""
Sorting as Go does it: of items that are equal, the order follows from the algorithm.

Reference:
    Go sort.Slice; sort/zsortfunc.go, pdqsort_func.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")

_INSERTED: Final = 12
_NINTHER: Final = 50
_SHIFTED: Final = 50
_MOST_SHIFTS: Final = 5
_MOST_SWAPS: Final = 12
_UINT64: Final = 2**64 - 1


def sort(items: Iterable[_T], less: Callable[[_T, _T], bool]) -> list[_T]:
    """Return *items* sorted by *less*, which tells whether one belongs before another."""
    sorting = _Sorting(list(items), less)
    length = len(sorting.items)
    sorting.sort(0, length, length.bit_length())
    return sorting.items


class _Sorting(Generic[_T]):
    """A list that is being sorted; its parts are named by the index of their first item and of the one behind their last."""

    def __init__(self, items: list[_T], less: Callable[[_T, _T], bool]) -> None:
        self.items = items
        self._is_less = less

    def _less(self, i: int, j: int) -> bool:
        return self._is_less(self.items[i], self.items[j])

    def _swap(self, i: int, j: int) -> None:
        items = self.items
        items[i], items[j] = items[j], items[i]

    def sort(self, start: int, end: int, limit: int) -> None:
        """Sort a part; after *limit* bad choices of a pivot, as a heap."""
        balanced = partitioned = True
        while end - start > _INSERTED:
            if limit == 0:
                self._sort_as_heap(start, end)
                return
            if not balanced:
                self._break_patterns(start, end)
                limit -= 1
            pivot, increasing = self._choose_pivot(start, end)
            if balanced and partitioned and increasing and self._finish(start, end):
                return
            if start > 0 and not self._less(start - 1, pivot):
                start = self._partition_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            left, right = middle - start, end - middle
            balanced = min(left, right) >= (end - start) // 8
            if left < right:
                self.sort(start, middle, limit)
                start = middle + 1
            else:
                self.sort(middle + 1, end, limit)
                end = middle
        self._insert(start, end)

    def _insert(self, start: int, end: int) -> None:
        for index in range(start + 1, end):
            at = index
            while at > start and self._less(at, at - 1):
                self._swap(at, at - 1)
                at -= 1

    def _sort_as_heap(self, first: int, end: int) -> None:
        length = end - first
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, first)
        for last in range(length - 1, -1, -1):
            self._swap(first, first + last)
            self._sift_down(0, last, first)

    def _sift_down(self, root: int, length: int, first: int) -> None:
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child

    def _break_patterns(self, start: int, end: int) -> None:
        """Scatter three items about, by a number that follows from the length."""
        length = end - start
        random = length
        middle = start + length // 4 * 2
        for index in range(middle - 1, middle + 2):
            random ^= random << 13 & _UINT64
            random ^= random >> 7
            random ^= random << 17 & _UINT64
            other = random & ((1 << length.bit_length()) - 1)
            self._swap(index, start + (other - length if other >= length else other))

    def _choose_pivot(self, start: int, end: int) -> tuple[int, bool]:
        """Return a pivot, and whether the part seems to be sorted; one that is sorted the other way around is turned."""
        quarter = (end - start) // 4
        places = [start + quarter, start + quarter * 2, start + quarter * 3]
        swaps = 0
        if end - start >= _NINTHER:
            medians = [self._median(place - 1, place, place + 1) for place in places]
            places = [place for place, _ in medians]
            swaps = sum(swapped for _, swapped in medians)
        pivot, swapped = self._median(*places)
        if swaps + swapped < _MOST_SWAPS:
            return pivot, swaps + swapped == 0
        self.items[start:end] = self.items[start:end][::-1]
        return end - 1 - (pivot - start), True

    def _median(self, a: int, b: int, c: int) -> tuple[int, int]:
        """Return the place of the median of three, and how many swaps that took."""
        swaps = 0
        if self._less(b, a):
            a, b, swaps = b, a, 1
        if self._less(c, b):
            b, swaps = c, swaps + 1
        if self._less(b, a):
            b, swaps = a, swaps + 1
        return b, swaps

    def _finish(self, start: int, end: int) -> bool:
        """Shift a few items of a part that is nearly sorted, and return whether it is sorted then."""
        index = start + 1
        for _ in range(_MOST_SHIFTS):
            while index < end and not self._less(index, index - 1):
                index += 1
            if index == end:
                return True
            if end - start < _SHIFTED:
                return False
            self._swap(index, index - 1)
            if index - start >= 2:
                self._shift(range(index - 1, 0, -1))
            if end - index >= 2:
                self._shift(range(index + 1, end))
        return False

    def _shift(self, places: Iterable[int]) -> None:
        """Swap items with those before them, as long as they belong there."""
        for place in places:
            if not self._less(place, place - 1):
                return
            self._swap(place, place - 1)

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Put what is less than the pivot before it and the rest behind; return its place, and whether all stood so."""
        self._swap(start, pivot)
        swaps = 0
        i, j = start + 1, end - 1
        while True:
            while i <= j and self._less(i, start):
                i += 1
            while i <= j and not self._less(j, start):
                j -= 1
            if i > j:
                self._swap(j, start)
                return j, swaps == 0
            self._swap(i, j)
            swaps, i, j = swaps + 1, i + 1, j - 1

    def _partition_equal(self, start: int, end: int, pivot: int) -> int:
        """Put what equals the pivot, which is the least, before the rest; return where that begins."""
        self._swap(start, pivot)
        i, j = start + 1, end - 1
        while True:
            while i <= j and not self._less(start, i):
                i += 1
            while i <= j and self._less(start, j):
                j -= 1
            if i > j:
                return i
            self._swap(i, j)
            i, j = i + 1, j - 1
