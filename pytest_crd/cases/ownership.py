"""Who is expected to own which fields, held against who does: `managers` and `conflicts` of cases about applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_crd.cases import diagnosis
from pytest_crd.cases.model import ApplyCase, Case
from pytest_crd.cases.result import ConflictsMismatch, ManagersMismatch, OwnedField
from pytest_crd.engine import Response
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.inputerror import Mistake

Owners = Mapping[str, tuple[OwnedPath, ...]]

# Whom the server makes up: for what nobody has applied, and for the oldest of many updates.
_MADE_UP: Final = ("before-first-apply", "ancient-changes")


def mistakes(case: Case) -> Iterator[Mistake]:
    """Yield a mistake for each manager that *case* names and that can own nothing; `conflicts` with it would never be met."""
    if not isinstance(case, ApplyCase):
        return
    known = {*(step.manager for step in case.steps), *_stored_managers(case.old), *_MADE_UP}
    named: list[tuple[tuple[str | int, ...], str]] = [(("managers", name), name) for name in case.managers or ()]
    named += [(("conflicts", index, "manager"), one.manager) for index, one in enumerate(case.conflicts or ())]
    for place, name in named:
        if name not in known:
            near = diagnosis.nearest(name, tuple(sorted(known)))
            remedy = f"did you mean '{near}'?" if near else f"there are {', '.join(sorted(known))}"
            shown = diagnosis.within((case.section, 0, *place))
            message = f"{shown} of {case.title}: no manager is called {diagnosis.quoted(name)}; {remedy}"
            yield from case.mistake(message, *place).mistakes


def _stored_managers(old: object) -> Iterator[str]:
    metadata = old.get("metadata") if isinstance(old, dict) else None
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("manager"), str):
            yield entry["manager"]


def of_managers(case: ApplyCase, owners: Owners) -> Iterator[ManagersMismatch]:
    """Yield where the managers that *case* names do not own just what it lists for them."""
    missing: list[OwnedField] = []
    unasked: list[OwnedField] = []
    for name, listed in (case.managers or {}).items():
        owned = owners.get(name, ())
        inside = {above for path in owned for above in path.above}
        missing += [
            OwnedField(name, path, tuple(_owners_of(path, owners)))
            for path in dict.fromkeys(listed)
            if path not in owned and not _is_around(path, inside)
        ]
        unasked += [
            OwnedField(name, path, tuple(one for one in _owners_of(path, owners) if one != name))
            for path in owned
            if path not in inside and path not in listed and not any(above in listed for above in path.above)
        ]
    if missing or unasked:
        yield ManagersMismatch(tuple(missing), tuple(unasked))


def _is_around(path: str, inside: set[OwnedPath]) -> bool:
    """Return whether *path* is one of those that have something owned *inside*; an item is owned itself or not at all."""
    return path in inside and not path.endswith("]")


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


def _owners_of(path: str, owners: Owners) -> Iterator[str]:
    for name, owned in owners.items():
        if any(path == one or path in one.above for one in owned):
            yield name


def shortest(owned: Iterable[OwnedPath]) -> list[str]:
    """Return the fewest paths that say what a manager owns: items of lists stand for what is owned in them."""
    owned = [*owned]
    known = {*owned}
    inside = {above for path in owned for above in path.above}
    leaves = (path for path in owned if path not in inside)
    return [*dict.fromkeys(str(_item_around(leaf, known)) for leaf in leaves)]


def _item_around(path: OwnedPath, owned: set[OwnedPath]) -> OwnedPath:
    """Return the outermost item that is owned with *path* in it; the path itself where there is none."""
    items = [above for above in path.above if above.is_item and above in owned]
    return items[-1] if items else path
