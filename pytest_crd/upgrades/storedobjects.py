"""
What becomes of an object that is stored already: which of the updates that a client may send pass.

Found by sending them. Since 1.30 what an update leaves as it is need not be valid, but a keyword of an object looks at all of its fields: where
a field is newly required, whoever changes another one beside it is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.schemavalues import Maker
from pytest_crd.upgrades import effects
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Resource, Witness
from pytest_crd.upgrades.upgradesubject import Subject

_LABELS: Final = {"upgrade": "tried"}
_STATUS: Final = "status"
_NOUNS: Final[dict[str | Each, str]] = {Each.ITEM: "item", Each.VALUE: "key"}
_MOST_FIELDS: Final = 8
_MOST_VALUES: Final = 4


def note(effect: Effect, witness: Witness, old: Subject, new: Subject) -> str:
    """Return what a client meets that writes the object of a witness again; empty where that is nothing."""
    if effect.kind is Kind.WIDENED:
        return ""
    if old.version.unknown_when_stored or new.version.unknown_when_stored:
        return old.version.unknown_when_stored or new.version.unknown_when_stored
    if witness.stored is not None:
        return "refused as an update of an object that is stored"
    if effect.kind is Kind.REFUSED:
        return _Updates(effect, witness.before.stored, old, new).note()
    return _of_accepted(effect, witness.before.stored, old, new)


def _of_accepted(effect: Effect, stored: Resource, old: Subject, new: Subject) -> str:
    unchanged = new.overwrite(stored, stored)
    if not unchanged.accepted:
        return "an update of an object that is stored is refused"
    changed = (effects.place_of(steps, old, new) for steps, _, _ in effects.differences(stored, unchanged.stored, ()))
    if any(place[: len(effect.place)] == effect.place for place in changed):
        return "an object that is stored changes with its next write"
    return "an object that is stored stays as it is"


class _Updates:
    """The updates of an object that is stored, and would be refused if it were created now."""

    def __init__(self, effect: Effect, stored: Resource, old: Subject, new: Subject) -> None:
        self._effect = effect
        self._stored = stored
        self._old, self._new = old, new
        self._is_of_status = effect.place[:1] == (_STATUS,) and new.version.has_status

    def note(self) -> str:
        when = "refused when set" if self._is_of_status else "refused when created"
        others = " or status" if self._status_passes() else ""
        if not self._labels_pass():
            but = ", but for one of its status" if others else ""
            return f"{when}, and in any update of an object that is stored{but}"
        place = self._effect.place
        beside = [(place[:depth], place[depth]) for depth in range(1, len(place))]
        passing = [self._passes_beside(around, step) for around, step in beside]
        refused = [
            f"one that changes another {_NOUNS.get(step, 'field')} of {schemamap.spelled(around)}"
            for (around, step), passes in zip(beside, passing, strict=True)
            if passes is False
        ]
        if refused or None in passing:  # of what nobody knows, nothing is said
            also = f", {', or '.join(refused)} is refused" if refused else ""
            return f"{when}; an update of metadata{others} alone passes{also}"
        return f"{when}; an update that leaves {schemamap.spelled(place) or 'it'} as it is passes"

    def _labels_pass(self) -> bool:
        metadata = self._stored.get("metadata") or {}
        labelled = {**metadata, "labels": {**(metadata.get("labels") or {}), **_LABELS}}
        return self._new.overwrite({**self._stored, "metadata": labelled}, self._stored).accepted

    def _status_passes(self) -> bool:
        """Return whether the status can be written, by an update of its own."""
        if self._is_of_status or not self._new.version.has_status or (status := self._new.root.field(_STATUS)) is None:
            return False
        for value in itertools.islice(Maker().find(status), _MOST_VALUES):
            if value != self._stored.get(_STATUS):
                body = {**self._stored, _STATUS: value}
                if self._new.version.update_status(body, old=self._stored).accepted:
                    return True
        return False

    def _passes_beside(self, around: Place, step: str | Each) -> bool | None:
        """
        Return whether what stands beside a field, an item or a value of a map can be changed; None where nobody knows.

        Args:
            around: The place of the object, the list or the map.
            step: What leads from there to the place of the effect.
        """
        demand = self._new.root.at(around)
        if isinstance(step, str) and demand.properties.keys() <= {step}:
            return True  # there is nothing else
        for changed in self._changed(around, step, demand):
            answer = self._new.overwrite(changed, self._stored)
            if answer.accepted:
                return True
            found = list(effects.refusals(answer, self._old, self._new, Kind.REFUSED))
            if all((one.place, one.cause) == (self._effect.place, self._effect.cause) for one in found):
                return False
        return None

    def _changed(self, around: Place, step: str | Each, demand: Demand) -> Iterator[Resource]:
        """Yield the object with something else beside what *step* leads to."""
        steps = _found(self._stored, around)
        if steps is None:
            return
        value = objectplaces.at(self._stored, steps)
        if isinstance(value, list):
            made = Maker().find(demand.inner(Each.ITEM))
            yield from (
                objectplaces.replaced(self._stored, steps, [*value, one])
                for one in itertools.islice(made, _MOST_VALUES)
            )
            return
        fields = {name: child for name, child in demand.properties.items() if name != step}
        if step is Each.VALUE:
            fields["another"] = demand.inner(Each.VALUE)
        for name, child in itertools.islice(fields.items(), _MOST_FIELDS):
            for one in itertools.islice(Maker().find(child), _MOST_VALUES):
                if value.get(name) != one:
                    yield objectplaces.replaced(self._stored, (*steps, name), one)


def _found(resource: Any, place: Place) -> objectplaces.Steps | None:
    """Return where an object has the first value at a place; None where it has none."""
    steps: list[str | int] = []
    for step in place:
        if isinstance(step, Each):
            inner = (
                range(len(resource)) if isinstance(resource, list) else resource if isinstance(resource, dict) else ()
            )
            key: str | int | None = next(iter(inner), None)
        else:
            key = step if isinstance(resource, dict) and step in resource else None
        if key is None:
            return None
        steps.append(key)
        resource = resource[key]
    return tuple(steps)
