"""Types in schemas of structured-merge-diff, read from recorded facts."""

from __future__ import annotations

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType


class Schemas:
    """The types of one upstream schema."""

    def __init__(self, schema: JSONValue) -> None:
        self._types = {definition["name"]: definition for definition in schema["types"]}
        self._resolved: dict[str, MergeType] = {}

    def resolve(self, type_: JSONValue) -> MergeType:
        """Return the merge type of a type reference: the name of a type, or an inline mapping."""
        if isinstance(type_, str):
            return self._named(type_)
        reference = type_.get("namedType")
        resolved = MergeType()
        if reference is None:
            self._fill(resolved, type_)
        else:
            named = self._named(reference)
            resolved.scalar, resolved.list, resolved.map = named.scalar, named.list, named.map
        relation = type_.get("elementRelationship")
        if relation is not None and resolved.map is not None:
            map_type = resolved.map
            resolved.map = MapType(
                map_type.fields, map_type.values, relation == "atomic", map_type.defaults, map_type.is_untyped
            )
        if relation is not None and resolved.list is not None:
            resolved.list = ListType(resolved.list.items, relation == "associative", resolved.list.keys)
        return resolved

    def _named(self, name: str) -> MergeType:
        if name not in self._resolved:
            self._resolved[name] = MergeType()
            self._fill(self._resolved[name], self._types.get(name, {}))
        return self._resolved[name]

    def _fill(self, merge_type: MergeType, definition: JSONValue) -> None:
        merge_type.scalar = definition.get("scalar")
        if (list_definition := definition.get("list")) is not None:
            merge_type.list = ListType(
                MergeType(),
                list_definition.get("elementRelationship") == "associative",
                tuple(list_definition.get("keys") or ()),
            )
            merge_type.list.items = self.resolve(list_definition["elementType"])
        if (map_definition := definition.get("map")) is not None:
            merge_type.map = MapType()
            element_type = map_definition.get("elementType")
            fields = map_definition.get("fields") or []
            merge_type.map.fields = {field["name"]: self.resolve(field["type"]) for field in fields}
            merge_type.map.values = self.resolve(element_type) if element_type else None
            merge_type.map.is_atomic = map_definition.get("elementRelationship") == "atomic"
            merge_type.map.defaults = {
                field["name"]: field["default"] for field in fields if field.get("default") is not None
            }
            merge_type.map.is_untyped = (
                not fields
                and bool(element_type)
                and (
                    element_type.get("namedType") == "__untyped_deduced_"
                    or ("namedType" not in element_type and element_type.get("scalar") == "untyped")
                )
            )
