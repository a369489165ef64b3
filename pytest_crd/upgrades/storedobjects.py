"""
Effects of an upgrade on stored objects: the updates that still pass.

The updates are sent to find out. Since 1.30, unchanged parts of an update need not be valid, but a keyword of an object covers all of its
fields: if a field becomes required, changes of its sibling fields are refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine import Response, jsonvalue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.schemavalues import Maker
from pytest_crd.upgrades import effects
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Resource, Witness

_MANAGER: Final = "kubectl"
_STATUS: Final = "status"
_SCALE: Final = "scale"
# Numbers of replicas to try.
_REPLICAS: Final = (1, 2, 3)
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
        return _describe_update(witness, new)
    if effect.kind is Kind.REFUSED:
        return _Updates(effect, witness, old, new).note()
    return _describe_accepted(effect, witness.before.stored, old, new)


def _describe_update(witness: Witness, new: Subject) -> str:
    if not jsonvalue.equal(witness.stored, witness.resource):
        return "refused as an update of an object that is stored"
    applied = new.version.apply(witness.resource, manager=_MANAGER, old=witness.before.stored)
    apply_words = "; a server-side apply of it passes" if applied.accepted else ""
    return f"refused when the manifest of an object that is stored is sent again as an update{apply_words}"


def _describe_accepted(effect: Effect, stored: Resource, old: Subject, new: Subject) -> str:
    unchanged = new.overwrite(stored, stored)
    if not unchanged.accepted:
        return "an update of an object that is stored is refused"
    changed = (effects.place_of(steps, old, new) for steps, _, _ in effects.differences(stored, unchanged.stored, ()))
    if any(place[: len(effect.place)] == effect.place for place in changed):
        return "an object that is stored changes with its next write"
    return "an object that is stored stays as it is"


class _Updates:
    """The updates of a stored object that the new CRD refuses in part, each tried."""

    def __init__(self, effect: Effect, witness: Witness, old: Subject, new: Subject) -> None:
        self._effect = effect
        self._witness = witness
        self._stored = witness.before.stored
        self._old, self._new = old, new

    def note(self) -> str:
        """Describe the refused and the accepted requests of each writer."""
        creates = self._new.create(self._witness.resource).accepted
        is_set = creates and not self._new.write(self._witness.resource).accepted
        when = "refused when set" if is_set else "a create passes" if creates else "refused when created"
        passes = {writer: send() for writer, send in ((_STATUS, self._status_passes), (_SCALE, self._scale_passes))}
        if is_set:
            passes[_STATUS] = None  # the refused request itself
        passing = [writer for writer, is_passing in passes.items() if is_passing]
        if not self._new.relabel(self._stored).accepted:
            exception_words = f", but for one of its {' or '.join(passing)}" if passing else ""
            if creates and not is_set:
                return f"{when}; any update of an object that is stored is refused{exception_words}"
            return f"{when}, and in any update of an object that is stored{exception_words}"
        return f"{when}; {self._describe_main_updates(passing)}{self._describe_refused(passes)}"

    def _describe_main_updates(self, passing: Sequence[str]) -> str:
        """Return in words the updates of the main resource that pass, and those with a sibling of the place that do not."""
        place = self._effect.place
        parents = [(place[:depth], place[depth]) for depth in range(1, len(place))]
        siblings = [parent for parent in parents if self._has_sibling(*parent)]
        accepted = [self._sibling_update_passes(around, step) for around, step in siblings]
        if False in accepted or None in accepted:  # If one result is unknown, nothing is reported.
            refusal_words = _describe_siblings(siblings, accepted)
            return f"an update of {' or '.join(('metadata', *passing))} alone passes{refusal_words}"
        return f"an update that leaves {schemamap.spelled(place) or 'it'} as it is passes"

    @staticmethod
    def _describe_refused(passes: Mapping[str, bool | None]) -> str:
        refused = [writer for writer, is_passing in passes.items() if is_passing is False]
        return f"; one of its {' or '.join(refused)} is refused" if refused else ""

    def _status_passes(self) -> bool | None:
        """Return True if an update of the status subresource passes, False if it is refused for the effect's cause; else None."""
        if not self._new.version.has_status or (status := self._new.root.field(_STATUS)) is None:
            return None
        update = self._new.version.update_status
        bodies = [
            {**self._stored, _STATUS: value}
            for value in itertools.islice(Maker().find_values(status), _MOST_VALUES)
            if value != self._stored.get(_STATUS)
        ]
        return self._passes(update(body, old=self._stored) for body in bodies)

    def _scale_passes(self) -> bool | None:
        """Return True if an update of `/scale` passes, False if it is refused for the effect's cause; else None."""
        version = self._new.version
        if version.subresources.scale is None:
            return None
        return self._passes(version.scale(self._stored, replicas) for replicas in _REPLICAS)

    def _passes(self, answers: Iterable[Response]) -> bool | None:
        """Return True if one answer accepts, False if one refuses for the effect's cause alone; None if unknown."""
        for answer in answers:
            if answer.accepted:
                return True
            refusals = list(effects.refusals(answer, self._old, self._new, Kind.REFUSED))
            if all((effect.place, effect.cause) == (self._effect.place, self._effect.cause) for effect in refusals):
                return False
        return None

    def _has_sibling(self, around: Place, step: str | Each) -> bool:
        return isinstance(step, Each) or not self._new.root.at(around).properties.keys() <= {step}

    def _sibling_update_passes(self, around: Place, step: str | Each) -> bool | None:
        """
        Return True if a sibling of a field, an item or a map value can be changed; None if unknown.

        Args:
            around: The place of the object, list or map.
            step: The step from there towards the place of the effect.
        """
        changes = self._change_sibling(around, step, self._new.root.at(around))
        return self._passes(self._new.overwrite(changed, self._stored) for changed in changes)

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


def _describe_siblings(siblings: Sequence[tuple[Place, str | Each]], accepted: Sequence[bool | None]) -> str:
    """
    Return in words the refused updates of siblings; in one clause if all further in are refused, too.

    Args:
        siblings: The places of objects, lists and maps, the outermost first, each with the step towards the effect.
        accepted: Whether the update of a sibling passes there; None if unknown.
    """
    refused = [parent for parent, is_accepted in zip(siblings, accepted, strict=True) if is_accepted is False]
    if len(refused) > 1 and not any(accepted[accepted.index(False) :]) and None not in accepted:
        return f", one that changes anything else in {schemamap.spelled(refused[0][0])} is refused"
    clauses = (
        f"one that changes another {_NOUNS.get(step, 'field')} of {schemamap.spelled(around)}"
        for around, step in refused
    )
    return f", {', or '.join(clauses)} is refused" if refused else ""


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
