"""Who is expected to own which fields, held against who does: `managers` and `conflicts` of cases about applies."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from pytest_crd import suggestions
from pytest_crd.cases.caseresult import ConflictsMismatch, ManagersMismatch, OwnedField
from pytest_crd.cases.model import ApplyCase, Case
from pytest_crd.engine import Response
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.inputerror import Mistake

Owners = Mapping[str, tuple[OwnedPath, ...]]

# Whom the server makes up: for what nobody has applied, and for the oldest of many updates.
_MADE_UP: Final = ("before-first-apply", "ancient-changes")
_MOST_LISTED: Final = 20


def mistakes(case: Case, budget: suggestions.WorkBudget) -> Iterator[Mistake]:
    """
    Yield a mistake for each manager that *case* names and that can own nothing; `conflicts` with it would never be met.

    Args:
        case: The case.
        budget: The budget of the suggestions of its file.
    """
    if not isinstance(case, ApplyCase):
        return
    known = {*(step.manager for step in case.steps), *_stored_managers(case.old), *_MADE_UP}
    named: list[tuple[tuple[str | int, ...], str]] = [(("managers", name), name) for name in case.managers or ()]
    named += [(("conflicts", index, "manager"), one.manager) for index, one in enumerate(case.conflicts or ())]
    for place, name in named:
        if name not in known:
            from pytest_crd.cases import diagnosis  # noqa: PLC0415 - only a mistake needs it

            remedy = _remedy(name, known, budget)
            shown = diagnosis.within((case.section, 0, *place))
            message = f"{shown} of {case.title}: no manager is called {diagnosis.quoted(name)}; {remedy}"
            yield from case.mistake(message, *place).mistakes


def _remedy(name: str, known: Collection[str], budget: suggestions.WorkBudget) -> str:
    """Return the manager that *name* may stand for, else the first of those that there are."""
    from pytest_crd.cases import diagnosis  # noqa: PLC0415 - only a mistake needs it

    try:
        if near := diagnosis.nearest(name, known, budget):
            return f"did you mean '{near}'?"
    except suggestions.SpentBudgetError:
        return suggestions.hint(None).removeprefix("; ")
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    return f"there are {', '.join(heapq.nsmallest(_MOST_LISTED, known))}{more}"


def _stored_managers(old: object) -> Iterator[str]:
    metadata = old.get("metadata") if isinstance(old, dict) else None
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("manager"), str):
            yield entry["manager"]


def of_managers(case: ApplyCase, response: Response) -> Iterator[ManagersMismatch]:
    """Yield where the managers that *case* names do not own just what it lists for them."""
    if case.managers is None:
        return
    owners = response.managers
    missing: list[tuple[str, str]] = []
    unasked: list[tuple[str, str]] = []
    for name, stated in case.managers.items():
        owned, listed = owners.get(name, ()), {*stated}
        known, inside = {*owned}, _around(owned)
        # An item is owned itself or not at all; of other fields often only what is in them is.
        met = known | {path for path in inside if not path.is_item}
        missing += [(name, path) for path in dict.fromkeys(stated) if path not in met]
        leaves = (path for path in owned if path not in inside)
        unasked += [(name, path) for path in leaves if listed.isdisjoint((path, *path.above))]
    if missing or unasked:
        by_path = _by_path(owners)
        yield ManagersMismatch(*(tuple(_with_others(found, by_path)) for found in (missing, unasked)))


def _around(owned: Iterable[OwnedPath]) -> set[OwnedPath]:
    """Return the paths of all that has something in it that is owned."""
    return {above for path in owned for above in path.above}


def _by_path(owners: Owners) -> dict[str, list[str]]:
    """Return who owns a field, or something in it, by its path."""
    found: dict[str, list[str]] = {}
    for name, owned in owners.items():
        for path in {*owned} | _around(owned):
            found.setdefault(path, []).append(name)
    return found


def _with_others(fields: Iterable[tuple[str, str]], by_path: Mapping[str, list[str]]) -> Iterator[OwnedField]:
    for name, path in fields:
        yield OwnedField(name, path, tuple(one for one in by_path.get(path, ()) if one != name))


def of_conflicts(case: ApplyCase, response: Response) -> Iterator[ConflictsMismatch]:
    """Yield where the conflicts of a refusal are not those that *case* expects; their order does not count."""
    if case.conflicts is None:
        return
    wanted = Counter((one.manager, one.field) for one in case.conflicts)
    found = Counter((one.manager, str(one.field)) for one in response.conflicts)
    missing, unasked = ([OwnedField(*one) for one in left.elements()] for left in (wanted - found, found - wanted))
    if missing or unasked:
        refusal = "" if response.conflicts else f"{response.code}: {response.message}"
        yield ConflictsMismatch(tuple(missing), tuple(unasked), refusal)


def shortest(owned: Iterable[OwnedPath]) -> list[str]:
    """Return the fewest paths that say what a manager owns: items of lists stand for what is owned in them."""
    owned = [*owned]
    known, inside = {*owned}, _around(owned)
    leaves = (path for path in owned if path not in inside)
    return [*dict.fromkeys(str(_item_around(leaf, known)) for leaf in leaves)]


def _item_around(path: OwnedPath, owned: set[OwnedPath]) -> OwnedPath:
    """Return the outermost item that is owned with *path* in it; the path itself where there is none."""
    items = [above for above in path.above if above.is_item and above in owned]
    return items[-1] if items else path
