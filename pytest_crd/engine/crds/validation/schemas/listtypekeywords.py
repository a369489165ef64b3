"""Validation of `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.engine import fieldpath
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath, LinkedPath
from pytest_crd.engine.golang.gotypes import GoType, Pointer
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.subschemas import Schema

_LIST_TYPE: Final = "x-kubernetes-list-type"
_MAP_TYPE: Final = "x-kubernetes-map-type"
_MAP_KEYS: Final = "x-kubernetes-list-map-keys"
KEYWORDS: Final = frozenset({_LIST_TYPE, _MAP_TYPE, _MAP_KEYS})

_LIST_TYPES: Final = ("atomic", "set", "map")
_MAP_TYPES: Final = ("atomic", "granular")
# Combinations of type, list type and map type without errors; nearly all schemas with list or map types have one.
_SOUND: Final = frozenset({("array", "atomic", None), ("object", None, "atomic"), ("object", None, "granular")})
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_ATOMIC_ITEM: Final = "must be atomic as item of a list with x-kubernetes-list-type=set"
_NO_KEY: Final = "entries must all be names of item properties"
_KEY_WITHOUT_VALUE: Final = (
    "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
)
_NULLABLE_KEY: Final = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"


def validate(
    schema: Schema, place: LinkedPath, options: ValidationOptions, *, profile: Profile
) -> Iterator[FieldError]:
    """
    Yield the errors of the list and map types of one schema; nested schemas are not validated.

    Errors:
        Required, Invalid, NotSupported and Forbidden, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, the end of ValidateCustomResourceDefinitionOpenAPISchema,
        and validateMapListKeysMapSet.
    """
    path = fieldpath.resolve(place)
    list_type = schema.get(_LIST_TYPE)
    if (map_type := schema.get(_MAP_TYPE)) is not None:
        yield from _typed(schema, path, _MAP_TYPE, "object")
        if map_type not in _MAP_TYPES:
            yield fielderror.not_supported(path.child(_MAP_TYPE), map_type, _MAP_TYPES)
    if list_type is not None and schema.get("type") != "array":
        yield from _typed(schema, path, _LIST_TYPE, "array")
    elif options.require_atomic_set_type and list_type == "set":
        yield from _set_items(_item(schema), path.child("items"), profile)
    if list_type is not None and list_type not in _LIST_TYPES:
        yield fielderror.not_supported(path.child(_LIST_TYPE), list_type, _LIST_TYPES)
    if schema.get(_MAP_KEYS) and list_type != "map":
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        yield _missing_or_wrong(path.child(_LIST_TYPE), list_type, detail)
    if list_type == "map":
        yield from _list_map(schema, path, profile)
    if options.require_map_list_keys_map_set_validation and list_type in ("map", "set"):
        yield from validate_presence(schema, path)


def is_sound(schema: Schema) -> bool:
    """Return True only if the list and map types of *schema* surely have no error; nested schemas are not read."""
    list_type = schema.get(_LIST_TYPE)
    if list_type == "map":
        return _is_sound_list_map(schema)
    return _MAP_KEYS not in schema and (schema.get("type"), list_type, schema.get(_MAP_TYPE)) in _SOUND


def _is_sound_list_map(schema: Schema) -> bool:
    """Return True only for a list of objects with one key, which is a required scalar; nearly all list-maps are so."""
    item = _item(schema)
    keys: Sequence[str] = schema.get(_MAP_KEYS) or []
    if item is None or len(keys) != 1 or _MAP_TYPE in schema or schema.get("type") != "array":
        return False
    key = (item.get("properties") or {}).get(keys[0])
    is_plain = key is not None and "nullable" not in item and "nullable" not in key and key.get("type") in _SCALARS
    return is_plain and item.get("type") == "object" and keys[0] in (item.get("required") or ())


def validate_presence(schema: Schema, path: FieldPath) -> Iterator[FieldError]:
    """
    Yield the errors about items of the set or list-map *schema*, or its keys, that could be null or absent.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateMapListKeysMapSet.
    """
    item, list_type = _item(schema), schema.get(_LIST_TYPE)
    if item is None or list_type not in ("map", "set"):
        return
    items = path.child("items")
    if item.get("nullable"):
        detail = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        yield fielderror.forbidden(items.child("nullable"), detail)
    properties = item.get("properties") or {}
    keys = schema.get(_MAP_KEYS) or () if list_type == "map" else ()
    for key in keys:
        if key not in properties:
            continue
        key_path = items.child("properties").key(key)
        if key not in (item.get("required") or ()) and properties[key].get("default") is None:
            yield fielderror.required(key_path.child("default"), _KEY_WITHOUT_VALUE)
        if properties[key].get("nullable"):
            yield fielderror.forbidden(key_path.child("nullable"), _NULLABLE_KEY)


def has_atomic_items(schema: Schema) -> bool:
    """
    Return whether *schema* is not a set, or is a set of atomic items.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, hasNonAtomicSetType.
    """
    return schema.get(_LIST_TYPE) != "set" or _not_atomic(_item(schema)) is None


def _item(schema: Schema) -> Schema | None:
    items = schema.get("items")
    return items if isinstance(items, Mapping) else None


def _not_atomic(item: Schema | None) -> str | None:
    """Return the keyword that makes the item of a set not atomic; None if it is atomic."""
    type_ = None if item is None else item.get("type")
    if item is not None and type_ == "array" and item.get(_LIST_TYPE) not in (None, "atomic"):
        return _LIST_TYPE
    if item is not None and type_ == "object" and item.get(_MAP_TYPE) != "atomic":
        return _MAP_TYPE
    return None


def _set_items(item: Schema | None, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    keyword = _not_atomic(item)
    if item is not None and keyword is not None:
        # The server prints the list type of the item even if its map type is wrong.
        bad_value = item.get(_LIST_TYPE)
        if bad_value is None and not profile.prints_values_as_json:
            bad_value = "null"
        yield fielderror.invalid(path.child(keyword), bad_value, _ATOMIC_ITEM)


def _typed(schema: Schema, path: FieldPath, keyword: str, type_: str) -> Iterator[FieldError]:
    if schema.get("type") != type_:
        yield _missing_or_wrong(path.child("type"), schema.get("type"), f"must be {type_} if {keyword} is specified")


def _missing_or_wrong(path: FieldPath, value: JSONValue, detail: str) -> FieldError:
    if value is None or (value == "" and path.segments[-1] == "type"):
        return fielderror.required(path, detail)
    return fielderror.invalid(path, value, detail)


def _list_map(schema: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    keys = schema.get(_MAP_KEYS) or []
    items = schema.get("items")
    if not keys:
        detail = "must not be empty if x-kubernetes-list-type is map"
        yield fielderror.required(path.child(_MAP_KEYS), detail)
    if items is None:
        yield fielderror.required(path.child("items"), "must have a schema if x-kubernetes-list-type is map")
    elif not isinstance(items, Mapping):
        detail = "must only have a single schema if x-kubernetes-list-type is map"
        yield badvalues.invalid_of_type(path.child("items"), items, _items_type(profile), detail, profile)
    elif items.get("type", "") != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        yield fielderror.invalid(path.child("items", "type"), items.get("type", ""), detail)
    else:
        yield from _keys(keys, items.get("properties") or {}, path, profile)


def _keys(keys: list[str], properties: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    keys_path = path.child(_MAP_KEYS)
    for index, key in enumerate(keys):
        if key not in properties:
            yield badvalues.invalid_of_type(keys_path, keys, internaltypes.STRINGS, _NO_KEY, profile)
        elif properties[key].get("type") in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            # The server prints the type of the item, not the type of the key.
            yield fielderror.invalid(path.child("items", "properties").key(key).child("type"), "object", detail)
        if key in keys[:index]:
            detail = "must not contain duplicate entries"
            yield badvalues.invalid_of_type(keys_path, keys, internaltypes.STRINGS, detail, profile)


def _items_type(profile: Profile) -> GoType:
    """Return the type of `items`, which the server prints without its pointer."""
    pointer = internaltypes.schema(profile).fields["items"]
    return pointer.to if isinstance(pointer, Pointer) else pointer
