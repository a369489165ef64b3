"""
Effects of an upgrade on stored objects: the updates that still pass.

The updates are sent to find out. Since 1.30, unchanged parts of an update need not be valid, but a keyword of an object covers all of its
fields: if a field becomes required, changes of its sibling fields are refused.
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
    """Return in words the result of writing a witness's object again under the new CRD; empty if nothing happens."""
    if effect.kind is Kind.WIDENED:
        return ""
    if old.version.unknown_when_stored or new.version.unknown_when_stored:
        return old.version.unknown_when_stored or new.version.unknown_when_stored
    if witness.stored is not None:
        return "refused as an update of an object that is stored"
    if effect.kind is Kind.REFUSED:
        return _Updates(effect, witness.before.stored, old, new).note()
    return _describe_accepted(effect, witness.before.stored, old, new)


def _describe_accepted(effect: Effect, stored: Resource, old: Subject, new: Subject) -> str:
    unchanged = new.overwrite(stored, stored)
    if not unchanged.accepted:
        return "an update of an object that is stored is refused"
    changed = (effects.place_of(steps, old, new) for steps, _, _ in effects.differences(stored, unchanged.stored, ()))
    if any(place[: len(effect.place)] == effect.place for place in changed):
        return "an object that is stored changes with its next write"
    return "an object that is stored stays as it is"


class _Updates:
    """The updates of a stored object that could not be created now."""

    def __init__(self, effect: Effect, stored: Resource, old: Subject, new: Subject) -> None:
        self._effect = effect
        self._stored = stored
        self._old, self._new = old, new
        self._is_of_status = effect.place[:1] == (_STATUS,) and new.version.has_status

    def note(self) -> str:
        is_set = self._is_of_status and self._new.version.create(self._stored).accepted
        when = "refused when set" if is_set else "refused when created"
        status_words = " or status" if self._status_passes() else ""
        if not self._labels_pass():
            exception_words = ", but for one of its status" if status_words else ""
            return f"{when}, and in any update of an object that is stored{exception_words}"
        place = self._effect.place
        siblings = [(place[:depth], place[depth]) for depth in range(1, len(place))]
        passing = [self._sibling_update_passes(around, step) for around, step in siblings]
        refused = [
            f"one that changes another {_NOUNS.get(step, 'field')} of {schemamap.spelled(around)}"
            for (around, step), passes in zip(siblings, passing, strict=True)
            if passes is False
        ]
        if refused or None in passing:  # If one result is unknown, nothing is reported.
            refusal_words = f", {', or '.join(refused)} is refused" if refused else ""
            return f"{when}; an update of metadata{status_words} alone passes{refusal_words}"
        return f"{when}; an update that leaves {schemamap.spelled(place) or 'it'} as it is passes"

    def _labels_pass(self) -> bool:
        metadata = self._stored.get("metadata") or {}
        labelled = {**metadata, "labels": {**(metadata.get("labels") or {}), **_LABELS}}
        return self._new.overwrite({**self._stored, "metadata": labelled}, self._stored).accepted

    def _status_passes(self) -> bool:
        """Return True if an update of the status subresource passes."""
        if self._is_of_status or not self._new.version.has_status or (status := self._new.root.field(_STATUS)) is None:
            return False
        for value in itertools.islice(Maker().find_values(status), _MOST_VALUES):
            if value != self._stored.get(_STATUS):
                body = {**self._stored, _STATUS: value}
                if self._new.version.update_status(body, old=self._stored).accepted:
                    return True
        return False

    def _sibling_update_passes(self, around: Place, step: str | Each) -> bool | None:
        """
        Return True if a sibling of a field, an item or a map value can be changed; None if unknown.

        Args:
            around: The place of the object, list or map.
            step: The step from there towards the place of the effect.
        """
        demand = self._new.root.at(around)
        if isinstance(step, str) and demand.properties.keys() <= {step}:
            return True  # There is no sibling.
        for changed in self._change_sibling(around, step, demand):
            answer = self._new.overwrite(changed, self._stored)
            if answer.accepted:
                return True
            refusals = list(effects.refusals(answer, self._old, self._new, Kind.REFUSED))
            if all((effect.place, effect.cause) == (self._effect.place, self._effect.cause) for effect in refusals):
                return False
        return None

    def _change_sibling(self, around: Place, step: str | Each, demand: Demand) -> Iterator[Resource]:
        """Yield the stored object with a change to a sibling of *step*."""
        steps = _find_steps(self._stored, around)
        if steps is None:
            return
        value = objectplaces.get_value(self._stored, steps)
        if isinstance(value, list):
            new_items = Maker().find_values(demand.inner(Each.ITEM))
            yield from (
                objectplaces.replace_value(self._stored, steps, [*value, item])
                for item in itertools.islice(new_items, _MOST_VALUES)
            )
            return
        fields = {name: child for name, child in demand.properties.items() if name != step}
        if step is Each.VALUE:
            fields["another"] = demand.inner(Each.VALUE)
        for name, child in itertools.islice(fields.items(), _MOST_FIELDS):
            for new_value in itertools.islice(Maker().find_values(child), _MOST_VALUES):
                if value.get(name) != new_value:
                    yield objectplaces.replace_value(self._stored, (*steps, name), new_value)


def _find_steps(resource: Any, place: Place) -> objectplaces.Steps | None:
    """Return the steps of the first value at *place* in an object; None if it has no value there."""
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
