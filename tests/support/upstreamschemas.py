"""The types of schemas of structured-merge-diff, as recorded facts have them."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType

JSONValue = Any


class Schemas:
    """The types of one upstream schema."""

    def __init__(self, schema: JSONValue) -> None:
        self._types = {one["name"]: one for one in schema["types"]}
        self._made: dict[str, MergeType] = {}

    def of(self, type_: JSONValue) -> MergeType:
        """Return the type of a name, or of a mapping that stands in its place."""
        if isinstance(type_, str):
            return self._named(type_)
        reference = type_.get("namedType")
        made = MergeType()
        if reference is None:
            self._fill(made, type_)
        else:
            named = self._named(reference)
            made.scalar, made.list, made.map = named.scalar, named.list, named.map
        relation = type_.get("elementRelationship")
        if relation is not None and made.map is not None:
            was = made.map
            made.map = MapType(was.fields, was.values, relation == "atomic", was.defaults, was.is_untyped)
        if relation is not None and made.list is not None:
            made.list = ListType(made.list.items, relation == "associative", made.list.keys)
        return made

    def _named(self, name: str) -> MergeType:
        if name not in self._made:
            self._made[name] = MergeType()
            self._fill(self._made[name], self._types.get(name, {}))
        return self._made[name]

    def _fill(self, made: MergeType, of: JSONValue) -> None:
        made.scalar = of.get("scalar")
        if (of_list := of.get("list")) is not None:
            made.list = ListType(
                MergeType(), of_list.get("elementRelationship") == "associative", tuple(of_list.get("keys") or ())
            )
            made.list.items = self.of(of_list["elementType"])
        if (of_map := of.get("map")) is not None:
            made.map = MapType()
            further = of_map.get("elementType")
            fields = of_map.get("fields") or []
            made.map.fields = {field["name"]: self.of(field["type"]) for field in fields}
            made.map.values = self.of(further) if further else None
            made.map.is_atomic = of_map.get("elementRelationship") == "atomic"
            made.map.defaults = {
                field["name"]: field["default"] for field in fields if field.get("default") is not None
            }
            made.map.is_untyped = (
                not fields
                and bool(further)
                and (
                    further.get("namedType") == "__untyped_deduced_"
                    or ("namedType" not in further and further.get("scalar") == "untyped")
                )
            )
