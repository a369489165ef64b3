"""
What becomes of an object that is stored already: which of the updates that a client may send pass.

Found by sending them. Since 1.30 what an update leaves as it is need not be valid, but a keyword of an object looks at all of its fields: where
a field is newly required, whoever changes another one beside it is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.engine import Response
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.examples import places
from pytest_crd.examples.values import Maker
from pytest_crd.upgrades import effects
from pytest_crd.upgrades.findings import Effect, Kind, Resource, Witness
from pytest_crd.upgrades.subjects import Subject

_LABELS: Final = {"upgrade": "tried"}
_STATUS: Final = "status"
_MOST_FIELDS: Final = 8
_MOST_VALUES: Final = 4
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


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
        if (around := self._refused_around()) is None:
            return f"{when}; an update that leaves {schemamap.spelled(self._effect.place) or 'it'} as it is passes"
        where = schemamap.spelled(around)
        return (
            f"{when}; an update of metadata{others} alone passes, one that changes another field of {where} is refused"
        )

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

    def _refused_around(self) -> Place | None:
        """Return the outermost object around the place of which no other field can be changed; None where all can."""
        place = self._effect.place
        for depth in range(1, len(place)):
            *_, name = place[: depth + 1]
            if not isinstance(name, Each) and self._is_refused_beside(place[:depth], name):
                return place[:depth]
        return None

    def _is_refused_beside(self, around: Place, name: str) -> bool:
        """Return whether an update is refused for the effect that changes another field than *name* of an object."""
        for changed in self._changed(around, name):
            answer = self._write(changed)
            if answer.accepted:
                return False
            found = list(effects.refusals(answer, self._old, self._new, Kind.REFUSED))
            if all((one.place, one.cause) == (self._effect.place, self._effect.cause) for one in found):
                return True
        return False  # nobody knows

    def _write(self, resource: Resource) -> Response:
        return self._new.overwrite(resource, self._stored)

    def _changed(self, around: Place, name: str) -> Iterator[Resource]:
        """Yield the object with another value of each other field of the object at a place."""
        steps = _found(self._stored, around)
        value = None if steps is None else places.at(self._stored, steps)
        if steps is None or not isinstance(value, dict):
            return
        fields = {one: child for one, child in self._new.root.at(around).properties.items() if one != name}
        for field, demand in itertools.islice(fields.items(), _MOST_FIELDS):
            for one in itertools.islice(Maker().find(demand), _MOST_VALUES):
                if value.get(field) != one:
                    yield places.replaced(self._stored, (*steps, field), one)


def _found(resource: Any, place: Place) -> places.Steps | None:
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
