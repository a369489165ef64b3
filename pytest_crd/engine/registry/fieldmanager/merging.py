"""
Merging of what is applied into what is there: of one field of either, the applied value wins.

Nothing is removed; what an applier no longer states is taken away afterwards, in `ownership`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import PathElement
from pytest_crd.engine.registry.fieldmanager.typedvalues import element_of


class _Absent(Enum):
    ABSENT = "absent"


# Where one side has nothing, which is not the same as null.
ABSENT: Final = _Absent.ABSENT


def merged(kind: MergeType, live: JSONValue, applied: JSONValue) -> JSONValue:
    """
    Return the value that is there with all that is applied; what is unchanged is shared with it.

    Args:
        kind: The type of both.
        live: What is there, or ABSENT; items of sets and maps may be there twice.
        applied: What is applied.

    Reference:
        structured-merge-diff typed/merge.go.
    """
    if live is ABSENT or live is applied:
        return applied
    fitted = kind.fitted(applied)
    if fitted.map is not None:
        return _merged_maps(fitted.map, live, applied)
    if fitted.scalar is None and fitted.list is not None:
        return _merged_lists(fitted.list, live, applied)
    return applied


def _merged_maps(kind: MapType, live: JSONValue, applied: JSONValue) -> JSONValue:
    below_live = live if isinstance(live, dict) else {}
    below_applied = applied if isinstance(applied, dict) else {}
    if kind.is_atomic or not (below_live or below_applied):
        return applied
    result = dict(below_live)
    for name, item in below_applied.items():
        of_field = kind.of(name)
        assert of_field is not None  # noqa: S101 - what is applied is of its type
        is_whole = of_field.is_scalar(item)
        result[name] = item if is_whole else merged(of_field, below_live.get(name, ABSENT), item)
    return result


def _merged_lists(kind: ListType, live: JSONValue, applied: JSONValue) -> JSONValue:
    below_live = live if isinstance(live, list) else []
    below_applied = applied if isinstance(applied, list) else []
    if not kind.is_associative or not (below_live or below_applied):
        return applied
    return _Merge(kind, below_live, below_applied).items()


class _Merge:
    """
    The merge of two lists whose items are owned one by one.

    Items that both have come in the order of what is applied, and items of one side stay behind those that they follow there.
    """

    def __init__(self, kind: ListType, live: list[JSONValue], applied: list[JSONValue]) -> None:
        self._kind = kind
        self._live = live
        self._applied = applied
        self._of_live = [element_of(kind, item) for item in live]
        self._of_applied = [element_of(kind, item) for item in applied]
        self._in_applied = dict(zip(self._of_applied, applied, strict=True))
        self._in_live: dict[PathElement, JSONValue] = {}
        for element, item in zip(self._of_live, live, strict=True):
            # What is there twice is not merged with what takes its place.
            self._in_live[element] = None if element in self._in_live else item

    def items(self) -> list[JSONValue]:
        """Return the items of the merged list."""
        result: list[JSONValue] = []
        shared = iter([element for element in self._of_applied if element in self._in_live])
        next_shared: PathElement | None = next(shared, None)
        done: set[PathElement] = set()
        left, right = 0, 0
        while left < len(self._live) or right < len(self._applied):
            mine = self._of_live[left] if left < len(self._live) else None
            theirs = self._of_applied[right] if right < len(self._applied) else None
            if mine is not None and theirs is not None:
                if mine == theirs:
                    left, right = left + 1, right + 1
                    done.add(mine)
                    result.append(self._both(mine))
                    next_shared = next(shared, None)
                    continue
                if mine in self._in_applied and next_shared is not None and next_shared != mine:
                    left += 1  # shared, but its turn comes later
                    continue
            if mine is not None:
                if mine not in self._in_applied:
                    result.append(self._live[left])
                    left += 1
                    continue
                if mine in done:
                    left += 1
            if theirs is not None:
                right += 1
                done.add(theirs)
                result.append(self._both(theirs))
                if next_shared == theirs:
                    next_shared = next(shared, None)
        return result

    def _both(self, element: PathElement) -> JSONValue:
        live = self._in_live.get(element, ABSENT)
        return merged(self._kind.items, live, self._in_applied[element])
