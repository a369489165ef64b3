"""Differences and refusals that the round trip of one object shows."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.checks.roundtrips import trips
from pytest_crd.checks.roundtrips.trips import RoundTrip, Route
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place, SchemaNode
from pytest_crd.synthesis import objectplaces, objectwords

ABSENT: Final[Any] = object()
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_LONGEST: Final = 80


class RoundTripDifferenceKind(enum.Enum):
    """
    The kind of a difference.

    `ZERO`, `EMPTY` and `SPELLING` are differences that structs of Go make from values with the same meaning.
    """

    LOST = "lost"
    CHANGED = "changed"
    ADDED = "added"
    REFUSED = "refused"
    INVALID = "invalid"
    UNSTABLE = "unstable"
    ZERO = "zero"
    EMPTY = "empty"
    SPELLING = "spelling"


MINOR: Final = frozenset(
    {RoundTripDifferenceKind.ZERO, RoundTripDifferenceKind.EMPTY, RoundTripDifferenceKind.SPELLING}
)


class RoundTripDifference(NamedTuple):
    """
    A difference of one trip.

    Attributes:
        kind: The kind.
        place: The place of the value; in the other version for `INVALID` and `UNSTABLE`.
        words: A description without the place.
        cause: The reason of an error without values; empty for differences.
        source: The place of the deciding keyword in the CRD, `file:line`; empty if it is the place of the field.
    """

    kind: RoundTripDifferenceKind
    place: Place
    words: str
    cause: str = ""
    source: str = ""

    def is_same(self, other: RoundTripDifference) -> bool:
        """Return True if two differences are about the same mistake."""
        return (self.kind, self.place, self.cause) == (other.kind, other.place, other.cause)


class Leaf(NamedTuple):
    """
    A value in two objects.

    Attributes:
        steps: The steps to it.
        was: The value in the first object; `ABSENT` without one.
        now: The value in the second object; `ABSENT` without one.
    """

    steps: Steps
    was: Any
    now: Any


def find_differences(trip: RoundTrip, route: Route) -> Iterator[RoundTripDifference]:
    """Yield the differences of a trip."""
    if trip.refusal:
        direction, _, message = trip.refusal.partition(": ")
        yield RoundTripDifference(
            RoundTripDifferenceKind.REFUSED, (), f"the conversion {direction} is refused: {message}", direction
        )
        return
    yield from _find_unstable(trip, route)
    for error in trip.errors:
        place = schemamap.place_in(() if error.path is None else error.path.steps, route.target.schema_map)
        words = f"{route.target.name} refuses the converted object: {error}"
        yield RoundTripDifference(RoundTripDifferenceKind.INVALID, place, words, error.decision, error.source)
    for leaf in compare(trip):
        if not jsonvalue.equal(leaf.was, leaf.now):
            yield _difference(leaf, route)


def _find_unstable(trip: RoundTrip, route: Route) -> Iterator[RoundTripDifference]:
    if trip.twin is None or trip.first is None:
        return
    for leaf in _walk(trip.first, trip.twin, ()):
        if not jsonvalue.equal(leaf.was, leaf.now):
            place = schemamap.place_in(leaf.steps, route.target.schema_map)
            values = f"{spell_value(leaf.was)}, then {spell_value(leaf.now)}"
            words = f"two conversions of the same object to {route.target.name} differ: {values}"
            yield RoundTripDifference(RoundTripDifferenceKind.UNSTABLE, place, words)


def compare(trip: RoundTrip) -> Iterator[Leaf]:
    """Yield each value before and after a trip that is not refused, without the annotations that carry parts of the other version."""
    before, after = trip.accepted.stored, trip.back or {}
    yield from _walk(trips.select_compared(before), trips.select_compared(after, trips.find_carriers(trip)), ())


def _walk(was: Any, now: Any, steps: Steps) -> Iterator[Leaf]:
    """Yield the innermost values; lost objects by field, added ones as a whole."""
    if isinstance(was, dict) and was and (now is ABSENT or isinstance(now, dict)):
        fields: dict[str, Any] = {} if now is ABSENT else now
        for key in dict.fromkeys((*was, *fields)):
            yield from _walk(was.get(key, ABSENT), fields.get(key, ABSENT), (*steps, key))
    elif isinstance(was, dict) and isinstance(now, dict) and now:
        for key, value in now.items():
            yield Leaf((*steps, key), ABSENT, value)
    elif isinstance(was, list) and was and (now is ABSENT or (isinstance(now, list) and len(now) == len(was))):
        for index, item in enumerate(was):
            yield from _walk(item, ABSENT if now is ABSENT else now[index], (*steps, index))
    else:
        yield Leaf(steps, was, now)


def _difference(leaf: Leaf, route: Route) -> RoundTripDifference:
    root = route.source.schema_map
    place, node = schemamap.place_in(leaf.steps, root), root.of_path(leaf.steps)
    kind, words = _classify(leaf, node)
    return RoundTripDifference(kind, place, f"{words} on the way {route}")


def _classify(leaf: Leaf, node: SchemaNode | None) -> tuple[RoundTripDifferenceKind, str]:
    """Return the kind of a difference, with a description."""
    schema = {} if node is None else node.schema
    if leaf.now is ABSENT:
        words = f"{spell_value(leaf.was)} is lost"
        if leaf.was in ([], None) or (leaf.was == {} and not schema.get("properties")):
            return RoundTripDifferenceKind.EMPTY, words
        is_zero = not isinstance(leaf.was, dict) and not leaf.was and schema.get("default") is None
        return RoundTripDifferenceKind.ZERO if is_zero else RoundTripDifferenceKind.LOST, words
    if leaf.was is ABSENT:
        kind = RoundTripDifferenceKind.EMPTY if objectplaces.is_blank(leaf.now) else RoundTripDifferenceKind.ADDED
        return kind, f"{spell_value(leaf.now)} is added"
    is_same = schema.get(_INT_OR_STRING) and _are_same_amounts(leaf.was, leaf.now)
    words = f"{spell_value(leaf.was)} becomes {spell_value(leaf.now)}"
    return RoundTripDifferenceKind.SPELLING if is_same else RoundTripDifferenceKind.CHANGED, words


def _are_same_amounts(left: JSONValue, right: JSONValue) -> bool:
    """Return True if two numbers or texts are the same quantity: `1000m` and `1`."""
    try:
        return str(amounts.parse(str(left))) == str(amounts.parse(str(right)))
    except amounts.QuantityError:
        return False


def spell_value(value: Any) -> str:
    """Return a value as JSON, shortened; `absent` without one."""
    if value is ABSENT:
        return "absent"
    text = objectwords.spell(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
