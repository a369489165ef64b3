"""
Merging of an applied value into a live one; the applied value wins.

Nothing is removed here; `ownership` removes fields that an applier no longer applies.
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


# A missing value, as opposed to null.
ABSENT: Final = _Absent.ABSENT


def merged(kind: MergeType, live: JSONValue, applied: JSONValue) -> JSONValue:
    """
    Return the live value merged with the applied one; unchanged parts are shared with the live value.

    Args:
        kind: The type of both.
        live: The live value, or ABSENT; items of sets and maps may be duplicate.
        applied: The applied value.

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
        field_kind = kind.field_type(name)
        assert field_kind is not None  # noqa: S101 - the applied value has its type
        is_whole = field_kind.is_scalar(item)
        result[name] = item if is_whole else merged(field_kind, below_live.get(name, ABSENT), item)
    return result


def _merged_lists(kind: ListType, live: JSONValue, applied: JSONValue) -> JSONValue:
    below_live = live if isinstance(live, list) else []
    below_applied = applied if isinstance(applied, list) else []
    if not kind.is_associative or not (below_live or below_applied):
        return applied
    return _Merge(kind, below_live, below_applied).items()


class _Merge:
    """
    Merge of two associative lists.

    Shared items follow the applied order; items of one list stay after their predecessors in that list.
    """

    def __init__(self, kind: ListType, live: list[JSONValue], applied: list[JSONValue]) -> None:
        self._kind = kind
        self._live = live
        self._applied = applied
        self._live_elements = [element_of(kind, item) for item in live]
        self._applied_elements = [element_of(kind, item) for item in applied]
        self._in_applied = dict(zip(self._applied_elements, applied, strict=True))
        self._in_live: dict[PathElement, JSONValue] = {}
        for element, item in zip(self._live_elements, live, strict=True):
            # Duplicate live items are replaced, not merged.
            self._in_live[element] = None if element in self._in_live else item

    def items(self) -> list[JSONValue]:
        """Return the items of the merged list."""
        result: list[JSONValue] = []
        shared = iter([element for element in self._applied_elements if element in self._in_live])
        next_shared: PathElement | None = next(shared, None)
        done: set[PathElement] = set()
        live_index, applied_index = 0, 0
        while live_index < len(self._live) or applied_index < len(self._applied):
            live_element = self._live_elements[live_index] if live_index < len(self._live) else None
            applied_element = self._applied_elements[applied_index] if applied_index < len(self._applied) else None
            if live_element is not None and applied_element is not None:
                if live_element == applied_element:
                    live_index, applied_index = live_index + 1, applied_index + 1
                    done.add(live_element)
                    result.append(self._both(live_element))
                    next_shared = next(shared, None)
                    continue
                if live_element in self._in_applied and next_shared is not None and next_shared != live_element:
                    live_index += 1  # shared, but due later
                    continue
            if live_element is not None:
                if live_element not in self._in_applied:
                    result.append(self._live[live_index])
                    live_index += 1
                    continue
                if live_element in done:
                    live_index += 1
            if applied_element is not None:
                applied_index += 1
                done.add(applied_element)
                result.append(self._both(applied_element))
                if next_shared == applied_element:
                    next_shared = next(shared, None)
        return result

    def _both(self, element: PathElement) -> JSONValue:
        live = self._in_live.get(element, ABSENT)
        return merged(self._kind.items, live, self._in_applied[element])
