"""Cases about pruning and defaulting alone, which need no valid object: what is dropped, kept, put in, and where null goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.cases.model import Section
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.examples.demands import Demand
from pytest_crd.examples.places import at
from pytest_crd.generation import words
from pytest_crd.generation.proposals import Proposal, nested
from pytest_crd.writing import yamltext

_UNKNOWN: Final = "unknown"
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


class PassCases:
    """Proposes the cases of one version."""

    def __init__(self, version: engine.Version) -> None:
        self._version = version
        self._root = version.schema_map
        self._type_meta = {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}

    # Pruning

    def pruning(self) -> Iterator[Proposal]:
        """Yield what becomes of unknown fields: dropped, field by field of the object; kept, place by place."""
        yield from self._dropped((), self._closed_root())
        for name, node in self._root.properties.items():
            if name not in _OF_RESOURCE:
                yield from self._dropped((name,), _with_unknown(node))
        for place in _open_places(self._root):
            kept = nested(place, {_UNKNOWN: 1})
            name = f"{words.of_place(place)}: unknown fields are kept"
            yield Proposal(Section.PRUNING, name, place, kept, stated={"expected": kept})

    def _closed_root(self) -> dict[str, Any]:
        is_closed = not self._root.is_map and not self._root.keeps_unknown_fields
        return {"metadata": {_UNKNOWN: 1}, **({_UNKNOWN: 1} if is_closed else {})}

    def _dropped(self, place: Place, value: Any) -> Iterator[Proposal]:
        if value is None:
            return
        sent = nested(place, value)
        pruned = list(self._version.prune({**self._type_meta, **sent}).paths)
        name = f"{words.of_place(place)}: unknown fields are dropped"
        yield Proposal(Section.PRUNING, name, place, sent, stated={"pruned": pruned})

    # Defaulting

    def defaulting(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield what an object at *place* gets where fields are left out, or null."""
        fields = {name: child for name, child in node.properties.items() if place or name not in _OF_RESOURCE}
        where = words.of_place(place)
        given = tuple(name for name, child in fields.items() if child.default is not None)
        if given:
            name = f"{where}: {_listed(given)} {'has a default' if len(given) == 1 else 'have defaults'}"
            # A part of an object says nothing of what else may be put into it.
            is_whole = any("{" in yamltext.flow(fields[one].default) for one in given)
            found = self._made(place, {}) if is_whole else self._found(place, {}, given)
            stated = {"expected" if is_whole else "contains": found}
            yield Proposal(Section.DEFAULTING, name, place, nested(place, {}), stated=stated)
        kept = tuple(name for name, child in fields.items() if child.is_nullable)
        if kept:
            sent = nested(place, dict.fromkeys(kept))
            yield Proposal(
                Section.DEFAULTING, f"{where}: null is kept as {_listed(kept)}", place, sent, stated={"contains": sent}
            )
        yield from self._nulls(place, tuple(name for name in fields if name not in kept), given)

    def _nulls(self, place: Place, names: tuple[str, ...], given: tuple[str, ...]) -> Iterator[Proposal]:
        sent = nested(place, dict.fromkeys(names))
        nulls = list(self._version.default({**self._type_meta, **sent}).nulls)
        where = words.of_place(place)
        if nulls:
            replaced = tuple(name for name in names if name in given)
            stated: dict[str, Any] = {"nullsDropped": nulls}
            if replaced:
                stated = {"contains": self._found(place, dict.fromkeys(names), replaced), **stated}
            yield Proposal(Section.DEFAULTING, f"{where}: null is dropped", place, sent, stated=stated)
        elif names and all(name in given for name in names):
            stated = {"contains": self._found(place, dict.fromkeys(names), names)}
            yield Proposal(Section.DEFAULTING, f"{where}: null gives way to a default", place, sent, stated=stated)

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


def _listed(names: tuple[str, ...]) -> str:
    most = 4
    shown = ", ".join(names[:most])
    return words.fit(shown if len(names) <= most else f"{shown} and {len(names) - most} more")


def _with_unknown(node: SchemaNode) -> Any:
    """Return a value that has a field that nothing knows wherever *node* lets none be kept; None where there is no such place."""
    if node.items is not None:
        item = _with_unknown(node.items)
        return None if item is None else [item]
    fields = {name: child for name, child in node.properties.items() if child.meta_of is None}
    made = {name: inner for name, child in fields.items() if (inner := _with_unknown(child)) is not None}
    if node.values is not None and (inner := _with_unknown(node.values)) is not None:
        made["key"] = inner
    if node.drops_unknown_fields:
        made[_UNKNOWN if _UNKNOWN not in node.properties else f"{_UNKNOWN}Field"] = 1
    return made or None


def _open_places(root: SchemaNode) -> Iterator[Place]:
    """Yield the outermost places where unknown fields are kept."""
    for node in root:
        is_open = node.keeps_unknown_fields and not any(outer.keeps_unknown_fields for outer in node.around)
        if is_open and node.meta_of is None:
            yield node.place
