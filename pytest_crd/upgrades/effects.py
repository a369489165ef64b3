"""
Effects: differences in the handling of one object between two CRDs.

The object is run under both CRDs and the answers are compared: refused, dropped, stored with another value, warned about. Nothing is concluded
from schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine import FieldError, Response, fieldpath, jsonvalue
from pytest_crd.engine.registry import resourcerules
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place, SchemaNode
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Resource, Witness

ABSENT: Final = object()
_UNKNOWN: Final = "unknown field "
_LONGEST: Final = 100
# The cause of a field that is stored with another value, such as a changed default.
STORED_OTHERWISE: Final = "stored otherwise"
_NAMESPACE: Final = ("metadata", "namespace")


@dataclass(frozen=True, slots=True)
class Change:
    """
    The effects of an upgrade on one object.

    Attributes:
        effects: The effects.
        witness: The object and the answers under both CRDs.
    """

    effects: tuple[Effect, ...]
    witness: Witness


def find_change(
    resource: Resource, old: Subject, new: Subject, *, source: str = "", stored: Resource | None = None
) -> Change:
    """
    Return the effects on an object that the old CRD accepts, or that only the new CRD accepts.

    Args:
        resource: The object; an object with unknown fields counts as not accepted.
        old: The version of the old CRD.
        new: The version of the new CRD.
        source: The place of the object, `file:line`.
        stored: The object that *resource* replaces, as it is created; None if *resource* itself is created.
    """
    if stored is None:
        before, after = old.write(resource), new.write(resource)
    else:
        first = old.write(stored)
        if not first.accepted:
            return Change((), Witness(resource, first, first, stored=stored))
        before, after = old.overwrite(resource, first.stored), new.overwrite(resource, first.stored)
    witness = Witness(resource, before, after, source=source, stored=stored)
    if is_stored_whole(before):
        return Change(tuple(_forward(witness, old, new)), witness)
    if is_stored_whole(after):
        return Change(tuple(_backward(witness, old, new)), witness)
    return Change((), witness)


def is_stored_whole(answer: Response) -> bool:
    """Return True if an object is accepted and keeps all fields."""
    return answer.accepted and not answer.pruned and not answer.lost


def _forward(witness: Witness, old: Subject, new: Subject) -> Iterator[Effect]:
    before, after = witness.before, witness.after
    if not after.accepted:
        yield from refusals(after, old, new, Kind.REFUSED)
        if not (old.version.unknown_when_stored or new.version.unknown_when_stored):
            yield from _find_hidden_effects(witness, old, new)
        return
    dropped = (*after.changes.pruned, *after.changes.lost)
    # A null that was dropped under the old CRD is not lost.
    lost_paths = [path for path in dropped if not objectplaces.split_path(before.stored, path.steps)[1]]
    lost = {path: place_of(path.steps, old, new) for path in lost_paths}
    for path, place in lost.items():
        yield Effect(Kind.DATA_LOSS, place, f"{path} is dropped", "dropped")
    if old.version.unknown_when_stored or new.version.unknown_when_stored:
        yield from _warnings(witness)
        return
    is_converted = new.version.converter is not None and not new.version.storage
    is_moved = old.version.crd.scope != new.version.crd.scope
    for steps, was, is_now in differences(before.stored, after.stored, ()):
        if is_moved and steps == _NAMESPACE:
            continue  # the CRD's own finding reports it
        place = place_of(steps, old, new)
        if not any(place[: len(around)] == around for around in lost.values()):
            if is_converted and _is_from_struct(was, is_now, old.version.schema_map.of_path(steps)):
                continue
            if is_converted and is_now is ABSENT and _is_sent(witness.resource, steps, was):
                words = f"{fieldpath.unknown_field(steps)} is lost: the webhook does not convert it to the storage version and back"
                yield Effect(Kind.DATA_LOSS, place, words, "dropped")
                continue
            kind = Kind.WIDENED if _is_new(place, was, is_now, old) else Kind.CHANGED
            yield Effect(kind, place, _change_words(was, is_now), STORED_OTHERWISE)
    yield from _warnings(witness)
    yield from _find_frozen(witness, old, new)


def _find_frozen(witness: Witness, old: Subject, new: Subject) -> Iterator[Effect]:
    """
    Yield the refusals of an update of the metadata of an object that can be created.

    The status, which another request writes, may make a stored object invalid.
    """
    stored = witness.before.stored
    if "status" not in stored or not new.version.has_status:
        return
    answer = new.relabel(stored)
    if not answer.accepted and old.relabel(stored).accepted:
        yield from refusals(answer, old, new, Kind.REFUSED)


def _is_from_struct(was: Any, is_now: Any, node: SchemaNode | None) -> bool:
    """Return True for a difference that structs of Go make in a conversion: an added empty value, or a lost zero without a default."""
    if was is ABSENT:
        return objectplaces.is_blank(is_now)
    has_default = node is not None and node.schema.get("default") is not None
    return is_now is ABSENT and not was and not has_default


def _is_sent(resource: Resource, steps: Steps, value: Any) -> bool:
    """Return True if a client sends *value* at *steps*, so that only a conversion can lose it."""
    return not objectplaces.split_path(resource, steps)[1] and jsonvalue.equal(
        objectplaces.get_value(resource, steps), value
    )


def _find_hidden_effects(witness: Witness, old: Subject, new: Subject) -> Iterator[Effect]:
    """
    Yield the effects that a refusal hides: on the stored object when it is read, and on the defaults of a new one.

    If a changed default itself causes the refusal, no new object has the default.
    """
    stored = witness.before.stored
    read_effects = [effect for effect in find_read_effects(stored, old, new) if effect.kind is not Kind.WIDENED]
    places = [effect.place for effect in read_effects]
    yield from read_effects
    before, after = old.settle(witness.resource), new.settle(witness.resource)
    if new.write(stored).accepted or not old.write(after).accepted:
        return
    refused = [effect.place for effect in refusals(witness.after, old, new, Kind.REFUSED)]
    for steps, was, is_now in differences(before, after, ()):
        place = place_of(steps, old, new)
        is_blank = "metadata" in steps and was is ABSENT and objectplaces.is_blank(is_now)
        if place not in (*places, *refused) and not is_blank and not _is_new(place, was, is_now, old):
            yield Effect(Kind.CHANGED, place, _change_words(was, is_now), STORED_OTHERWISE)


def find_read_effects(stored: Resource, old: Subject, new: Subject) -> Iterator[Effect]:
    """Yield the effects on a stored object when it is read under the new CRD; `WIDENED` is a value of a new field."""
    for steps, was, is_now in differences(stored, new.read(stored), ()):
        place = place_of(steps, old, new)
        if is_now is not ABSENT:
            kind = Kind.WIDENED if _is_new(place, was, is_now, old) else Kind.CHANGED
            yield Effect(kind, place, _change_words(was, is_now), STORED_OTHERWISE)
            continue
        if was is not None and "metadata" in steps and objectplaces.is_blank(was):
            continue  # Go leaves out empty fields of metadata.
        if was is None and new.version.schema_map.at(place) is not None:
            yield Effect(Kind.CHANGED, place, _change_words(was, is_now), STORED_OTHERWISE)
        else:
            words = f"{fieldpath.unknown_field(steps)} is dropped when a stored object is read"
            yield Effect(Kind.DATA_LOSS, place, words, "dropped")


def _is_new(place: Place, was: Any, is_now: Any, old: Subject) -> bool:
    """Return True if a value is stored only now: a null that the old CRD dropped, or a field that it does not know."""
    return was is ABSENT and (is_now is None or old.version.schema_map.at(place) is None)


def _warnings(witness: Witness) -> Iterator[Effect]:
    for warning in witness.after.warnings:
        if warning not in witness.before.warnings and not warning.startswith(_UNKNOWN):
            yield Effect(Kind.WARNED, (), f"warned about: {warning}", warning)


def _backward(witness: Witness, old: Subject, new: Subject) -> Iterator[Effect]:
    before = witness.before
    yield from refusals(before, old, new, Kind.WIDENED)
    if before.accepted:
        for path in dict.fromkeys((*before.changes.pruned, *before.changes.lost)):
            place = place_of(path.steps, old, new)
            yield Effect(Kind.WIDENED, place, f"{path} was dropped, and is kept now", "kept")


def refusals(answer: Response, old: Subject, new: Subject, kind: Kind) -> Iterator[Effect]:
    """Yield an effect for each error of a refused object; the errors of the branches of a junctor are left out."""
    for error in answer.errors:
        if not resourcerules.is_notice(error) and not _is_of_branch(error, answer.errors):
            place = place_of(error.path.steps if error.path is not None else (), old, new)
            before = "before, " if kind is Kind.WIDENED else ""
            yield Effect(kind, place, f"{before}{error}", error.decision, _origin(error))


def _origin(error: FieldError) -> Place | None:
    return None if error.rule is None or error.origin is None else schemamap.place_of(error.origin.schema)


def _is_of_branch(error: FieldError, errors: Sequence[FieldError]) -> bool:
    """Return True if an error belongs to a branch of a junctor that has its own error."""
    steps = () if error.origin is None else error.origin.steps
    other_origins = (candidate.origin.steps for candidate in errors if candidate.origin is not None)
    return any(len(origin) < len(steps) and steps[: len(origin)] == origin for origin in other_origins)


def place_of(steps: Steps, old: Subject, new: Subject) -> Place:
    """Return the schema place of *steps* in an object; a key counts as a field if either schema declares the field."""
    return schemamap.place_in(steps, old.version.schema_map, new.version.schema_map)


def differences(left: Any, right: Any, steps: Steps) -> Iterator[tuple[Steps, Any, Any]]:
    """Yield the steps at which two stored objects differ, with both values; `ABSENT` replaces a missing value."""
    if jsonvalue.equal(left, right):
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for key in dict.fromkeys((*left, *right)):
            yield from differences(left.get(key, ABSENT), right.get(key, ABSENT), (*steps, key))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, pair in enumerate(zip(left, right, strict=True)):
            yield from differences(*pair, (*steps, index))
    else:
        yield steps, left, right


def _change_words(was: Any, is_now: Any) -> str:
    return f"{_value_text(was)} before, {_value_text(is_now)} now"


def _value_text(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def differ_at(place: Place, change: Change, old: Subject, new: Subject) -> bool:
    """Return True if only one CRD reports an error at *place*, even if both refuse the object."""
    before, after = (
        any(effect.place[: len(place)] == place for effect in refusals(answer, old, new, Kind.REFUSED))
        for answer in (change.witness.before, change.witness.after)
    )
    return before != after


def is_same(left: Effect, right: Effect) -> bool:
    """Return True if two effects have the same kind, place and cause."""
    return (left.kind, left.place, left.cause) == (right.kind, right.place, right.cause)
