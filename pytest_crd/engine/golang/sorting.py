"""
Go's unstable sort; the order of equal items follows from the algorithm.

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
    """Return *items* sorted by *less*, which returns whether its first argument belongs before its second."""
    sorting = _Sorting(list(items), less)
    length = len(sorting.items)
    sorting.sort(0, length, length.bit_length())
    return sorting.items


class _Sorting(Generic[_T]):
    """List during a sort; a part is given by its first index and the index after its last."""

    def __init__(self, items: list[_T], less: Callable[[_T, _T], bool]) -> None:
        self.items = items
        self._is_less = less

    def _less(self, i: int, j: int) -> bool:
        return self._is_less(self.items[i], self.items[j])

    def _swap(self, i: int, j: int) -> None:
        items = self.items
        items[i], items[j] = items[j], items[i]

    def sort(self, start: int, end: int, limit: int) -> None:
        """Sort a part by quicksort, or by heapsort after *limit* bad pivots."""
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
            before, after = middle - start, end - middle
            balanced = min(before, after) >= (end - start) // 8
            if before < after:
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
        """Swap three items to pseudorandom places, which depend on the length alone."""
        length = end - start
        random = length
        middle = start + length // 4 * 2
        for index in range(middle - 1, middle + 2):
            random ^= random << 13 & _UINT64
            random ^= random >> 7
            random ^= random << 17 & _UINT64
            target = random & ((1 << length.bit_length()) - 1)
            self._swap(index, start + (target - length if target >= length else target))

    def _choose_pivot(self, start: int, end: int) -> tuple[int, bool]:
        """Return the index of a pivot, and whether the part seems sorted; reverse the part if it seems to descend."""
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
        """Return the index of the median of three items, and the number of swaps."""
        swaps = 0
        if self._less(b, a):
            a, b, swaps = b, a, 1
        if self._less(c, b):
            b, swaps = c, swaps + 1
        if self._less(b, a):
            b, swaps = a, swaps + 1
        return b, swaps

    def _finish(self, start: int, end: int) -> bool:
        """Shift a few items of a nearly sorted part; return whether the part is sorted now."""
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
        """Swap items with their predecessors while they are smaller."""
        for place in places:
            if not self._less(place, place - 1):
                return
            self._swap(place, place - 1)

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Move smaller items before the pivot, the rest after it; return its index and whether no item was swapped."""
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
        """Move items that equal the pivot, which is the minimum, before the rest; return the first index of the rest."""
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
