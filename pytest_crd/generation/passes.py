"""Cases about pruning and defaulting alone, which need no valid object: what is dropped, kept, put in, and where null goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.generation import words
from pytest_crd.generation.proposedcases import Proposal, nested
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectplaces import at

_UNKNOWN: Final = "unknown"
_MOST_NAMED: Final = 4
# How many nulls one case has, and from how many objects null is dropped that have nothing but objects.
_MOST_NULLS: Final = 8
_MOST_NULLS_ALONE: Final = 3
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


class PassCases:
    """Proposes the cases of one version."""

    def __init__(self, version: engine.Version) -> None:
        self._version = version
        self._type_meta = {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}

    # Pruning

    def dropped(self, node: SchemaNode) -> Iterator[Proposal]:
        """Yield that a field that nothing knows is dropped from the objects at *node*, and from metadata."""
        unknown = _UNKNOWN if _UNKNOWN not in node.properties else f"{_UNKNOWN}Field"
        sent: dict[str, Any] = {unknown: 1} if node.drops_unknown_fields else {}
        resource = nested(node.place, sent if node.place else {"metadata": {_UNKNOWN: 1}, **sent})
        pruned = list(self._version.prune({**self._type_meta, **resource}).paths)
        name = f"{words.of_place(node.place)}: unknown fields are dropped"
        yield Proposal(Section.PRUNING, name, node.place, resource, stated={"pruned": pruned})

    def kept(self, node: SchemaNode) -> Iterator[Proposal]:
        """Yield that fields that nothing knows stay at *node*, if it is the outermost place where they do."""
        if node.keeps_unknown_fields and not any(outer.keeps_unknown_fields for outer in node.around):
            kept = nested(node.place, {_UNKNOWN: 1})
            name = f"{words.of_place(node.place)}: unknown fields are kept"
            yield Proposal(Section.PRUNING, name, node.place, kept, stated={"expected": kept})

    # Defaulting

    def has_defaults(self, place: Place, node: Demand) -> bool:
        """Return whether an object at *place* gets something where fields are left out."""
        return any(child.default is not None for child in self._fields(place, node).values())

    def defaulting(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield what an object at *place* gets where fields are left out, of which some have a default."""
        fields = self._fields(place, node)
        where = words.of_place(place)
        given = tuple(name for name, child in fields.items() if child.default is not None)
        name = f"{where}: {words.listed(given, _MOST_NAMED)} {'has a default' if len(given) == 1 else 'have defaults'}"
        # A part of an object says nothing of what else may be put into it.
        is_whole = any("{" in yamltext.flow(fields[one].default) for one in given)
        found = self._made(place, {}) if is_whole else self._found(place, {}, given)
        stated = {"expected" if is_whole else "contains": found}
        yield Proposal(Section.DEFAULTING, name, place, nested(place, {}), stated=stated)

    # Nulls

    def nulls_kept(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield that null stays in the fields of an object at *place* that may have it."""
        kept = [name for name, child in self._fields(place, node).items() if child.is_nullable]
        for begin in range(0, len(kept), _MOST_NULLS):
            names = kept[begin : begin + _MOST_NULLS]
            sent = nested(place, dict.fromkeys(names))
            name = f"{words.of_place(place)}: null is kept as {words.listed(names, _MOST_NAMED)}"
            yield Proposal(Section.DEFAULTING, name, place, sent, stated={"contains": sent})

    def nulls_lost(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield what becomes of null in all other fields of an object at *place*."""
        fields = self._fields(place, node)
        names = tuple(name for name, child in fields.items() if not child.is_nullable)
        given = tuple(name for name in names if fields[name].default is not None)
        sent = nested(place, dict.fromkeys(names))
        nulls = self._nulls(sent)
        if nulls:
            stated: dict[str, Any] = {"nullsDropped": nulls}
            if given:
                stated = {"contains": self._found(place, dict.fromkeys(names), given), **stated}
            name = f"{words.of_place(place)}: null is dropped"
            yield Proposal(Section.DEFAULTING, name, place, sent, stated=stated)
        elif given:
            yield self._gives_way(place, given)

    def nulls_once(self, places: Mapping[Place, Demand]) -> Iterator[Proposal]:
        """Yield how null is lost, each way once: dropped, in one field of each of some objects, and replaced by a default."""
        lost: list[Place] = []
        replaced: list[Proposal] = []
        for place, node in places.items():
            fields = {name: child for name, child in self._fields(place, node).items() if not child.is_nullable}
            given = tuple(name for name, child in fields.items() if child.default is not None)
            if given and not replaced:
                replaced.append(self._gives_way(place, given[:_MOST_NAMED]))
            of_map = [Each.VALUE] if node.values is not None and not node.values.is_nullable else []
            others: Sequence[str | Each] = [name for name in fields if name not in given] or of_map
            # A field in which there is no other null comes first.
            own = sorted(((*place, name) for name in others), key=lambda one: _is_around(one, places))
            lost += own[:1]
        outer = [one for one in lost if _is_around(one, lost)]
        yield from self._dropped_together([one for one in lost if one not in outer][:_MOST_NULLS])
        for one in outer[:_MOST_NULLS_ALONE]:
            yield from self._dropped_together([one])
        yield from replaced

    def _dropped_together(self, found: Sequence[Place]) -> Iterator[Proposal]:
        """Yield that null is dropped at the places that were *found*, each in another object."""
        sent: dict[str, Any] = {}
        for one in found:
            sent = _merged(sent, nested(one, None))
        if sent:
            alone = words.of_place(found[0][:-1])
            several = f"null is dropped as {words.listed([words.of_place(one) for one in found], _MOST_NAMED)}"
            name = f"{alone}: null is dropped" if len(found) == 1 else several
            place = found[0][:-1] if len(found) == 1 else ()
            yield Proposal(Section.DEFAULTING, name, place, sent, stated={"nullsDropped": self._nulls(sent)})

    def _fields(self, place: Place, node: Demand) -> dict[str, Demand]:
        return {name: child for name, child in node.properties.items() if place or name not in _OF_RESOURCE}

    def _nulls(self, sent: Mapping[str, Any]) -> list[str]:
        return list(self._version.default({**self._type_meta, **sent}).nulls)

    def _gives_way(self, place: Place, names: tuple[str, ...]) -> Proposal:
        stated = {"contains": self._found(place, dict.fromkeys(names), names)}
        sent = nested(place, dict.fromkeys(names))
        name = f"{words.of_place(place)}: null gives way to a default"
        return Proposal(Section.DEFAULTING, name, place, sent, stated=stated)

    # Answers

    def _found(self, place: Place, value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
        """Return an object with the fields *names* as they are where *value*, at *place*, has got its defaults."""
        resource = self._made(place, value)
        steps = tuple(0 if step is Each.ITEM else "key" if step is Each.VALUE else step for step in place)
        found = at(resource, steps)
        return nested(place, {name: found[name] for name in names if name in found})

    def _made(self, place: Place, value: Mapping[str, Any]) -> Any:
        """Return what becomes of an object that has *value* at *place* where its defaults are put in."""
        resource = self._version.default({**self._type_meta, **nested(place, value)}).value
        return {name: one for name, one in resource.items() if name not in self._type_meta}


def _is_around(place: Place, others: Iterable[Place]) -> bool:
    """Return whether one of *others* is inside of *place*."""
    return any(len(one) > len(place) and one[: len(place)] == place for one in others)


def _merged(one: Any, other: Any) -> Any:
    """Return one value with all that *one* and *other*, made by `nested`, have."""
    if isinstance(one, list):
        return [_merged(one[0], other[0])]
    return one | {key: _merged(one[key], value) if key in one else value for key, value in other.items()}
