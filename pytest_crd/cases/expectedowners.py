"""Comparison of the field owners with the expected ones: `managers` and `conflicts` of apply cases."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from pytest_crd import suggestions
from pytest_crd.cases import diagnosis
from pytest_crd.cases.deviations import ConflictsMismatch, ManagersMismatch, OwnedField
from pytest_crd.cases.model import ApplyCase
from pytest_crd.engine import Response
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.inputerror import Mistake

Owners = Mapping[str, tuple[OwnedPath, ...]]

# Managers that the server invents: for fields without an apply, and for the oldest of many updates.
_MADE_UP: Final = ("before-first-apply", "ancient-changes")
_MOST_LISTED: Final = 20


def find_mistakes(case: ApplyCase, budget: suggestions.WorkBudget) -> Iterator[Mistake]:
    """
    Yield a mistake for each manager in *case* that cannot own anything.

    Args:
        case: The case.
        budget: The budget of the suggestions of its file.
    """
    managers = {*(step.manager for step in case.steps), *_stored_managers(case.old), *_MADE_UP}
    named: list[tuple[tuple[str | int, ...], str]] = [(("managers", name), name) for name in case.managers or ()]
    named += [
        (("conflicts", index, "manager"), conflict.manager) for index, conflict in enumerate(case.conflicts or ())
    ]
    for place, name in named:
        if name not in managers:
            remedy = _remedy(name, managers, budget)
            key = diagnosis.within((case.section, 0, *place))
            message = f"{key} of {case.title}: no manager is called {diagnosis.quoted(name)}; {remedy}"
            yield from case.mistake(message, *place).mistakes


def _remedy(name: str, managers: Collection[str], budget: suggestions.WorkBudget) -> str:
    """Return advice: the manager with the most similar name, else the first of all managers."""
    try:
        if near := suggestions.nearest_ignoring_case(name, managers, budget):
            return f"did you mean '{near}'?"
    except suggestions.SpentBudgetError:
        return suggestions.hint(None).removeprefix("; ")
    more = f" and {len(managers) - _MOST_LISTED} more" if len(managers) > _MOST_LISTED else ""
    return f"there are {', '.join(heapq.nsmallest(_MOST_LISTED, managers))}{more}"


def _stored_managers(old: object) -> Iterator[str]:
    metadata = old.get("metadata") if isinstance(old, dict) else None
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("manager"), str):
            yield entry["manager"]


def compare_managers(case: ApplyCase, response: Response) -> Iterator[ManagersMismatch]:
    """Yield a mismatch if the managers in *case* do not own exactly the listed fields."""
    if case.managers is None:
        return
    owners = response.managers
    missing: list[tuple[str, str]] = []
    unasked: list[tuple[str, str]] = []
    for name, paths in case.managers.items():
        owned, listed = owners.get(name, ()), {*paths}
        owned_paths, inside = {*owned}, _around(owned)
        # An item is owned itself or not at all; of other fields, often only the inner ones are owned.
        met = owned_paths | {path for path in inside if not path.is_item}
        missing += [(name, path) for path in dict.fromkeys(paths) if path not in met]
        leaves = (path for path in owned if path not in inside)
        unasked += [(name, path) for path in leaves if listed.isdisjoint((path, *path.above))]
    if missing or unasked:
        by_path = _by_path(owners)
        yield ManagersMismatch(*(tuple(_with_others(fields, by_path)) for fields in (missing, unasked)))


def _around(owned: Iterable[OwnedPath]) -> set[OwnedPath]:
    """Return the paths of all fields that contain an owned field."""
    return {above for path in owned for above in path.above}


def _by_path(owners: Owners) -> dict[str, list[str]]:
    """Return the owners of each field, and of each field around owned ones, by path."""
    names_by_path: dict[str, list[str]] = {}
    for name, owned in owners.items():
        for path in {*owned} | _around(owned):
            names_by_path.setdefault(path, []).append(name)
    return names_by_path


def _with_others(fields: Iterable[tuple[str, str]], by_path: Mapping[str, list[str]]) -> Iterator[OwnedField]:
    for name, path in fields:
        yield OwnedField(name, path, tuple(owner for owner in by_path.get(path, ()) if owner != name))


def compare_conflicts(case: ApplyCase, response: Response) -> Iterator[ConflictsMismatch]:
    """Yield a mismatch if the conflicts of a refusal are not as *case* expects; order does not count."""
    if case.conflicts is None:
        return
    wanted = Counter((conflict.manager, conflict.field) for conflict in case.conflicts)
    actual = Counter((conflict.manager, str(conflict.field)) for conflict in response.conflicts)
    missing, unasked = (
        [OwnedField(*conflict) for conflict in difference.elements()]
        for difference in (wanted - actual, actual - wanted)
    )
    if missing or unasked:
        refusal = "" if response.conflicts else f"{response.code}: {response.message}"
        yield ConflictsMismatch(tuple(missing), tuple(unasked), refusal)


def find_shortest_paths(owned: Iterable[OwnedPath]) -> list[str]:
    """Return the fewest paths that describe the fields of a manager: an item represents the fields in it."""
    owned = [*owned]
    paths, inside = {*owned}, _around(owned)
    leaves = (path for path in owned if path not in inside)
    return [*dict.fromkeys(str(_item_around(leaf, paths)) for leaf in leaves)]


def _item_around(path: OwnedPath, owned: set[OwnedPath]) -> OwnedPath:
    """Return the outermost owned item that contains *path*; else *path* itself."""
    items = [above for above in path.above if above.is_item and above in owned]
    return items[-1] if items else path
