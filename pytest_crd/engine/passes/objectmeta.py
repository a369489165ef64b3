"""
ObjectMeta coercion: metadata, at the root and in embedded resources, as Go's ObjectMeta holds it.

It decides which metadata fields are unknown and which metadata cannot be decoded. Names and labels are not validated
here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.fieldpath import FieldPath, SpelledPath
from pytest_crd.engine.golang import decoding, printing
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import embedded, metav1types
from pytest_crd.engine.metadata.embedded import Below, Walk
from pytest_crd.engine.passes.rewriting import Rewrite
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import META_FIELDS, Structural
from pytest_crd.records import NamedTuple

ROOT: Final = FieldPath()


class Coerced(NamedTuple):
    """
    A value with coerced metadata.

    Attributes:
        value: The new value; unchanged parts are shared with the input.
        unknown: The dropped metadata fields, spelled and ordered as in the server's `unknown field "…"` warnings.
    """

    value: JSONValue
    unknown: tuple[SpelledPath, ...]


class EmbeddedError(decoding.DecodeError):
    """An invalid embedded resource; `str()` is the message of the server's 400, `error` the field error."""

    def __init__(self, error: fielderror.FieldError) -> None:
        self.error = error
        super().__init__(str(error))


def coerce_root(metadata: JSONValue, profile: Profile, *, drop_malformed: bool = False) -> Coerced:
    """
    Return the *metadata* of a resource as ObjectMeta holds it.

    Args:
        metadata: The value of `metadata`; not modified. Null is an empty ObjectMeta; do not call this for absent
            metadata.
        profile: The Kubernetes version.
        drop_malformed: Drop fields of the wrong type instead of raising, as the server does for stored objects.

    Returns:
        The metadata without nulls and empty fields; its unknown fields as `metadata.…`.

    Raises:
        DecodeError: Metadata has a wrong type; the text follows `cannot be handled as a …: ` in the server's 400.

    Reference:
        apiextensions-apiserver schema/objectmeta/coerce.go, GetObjectMetaWithOptions and SetObjectMeta. The messages
        are those of a 1.37 server; a 1.21 server decodes with another library and has other messages.
    """
    return _coerce_metadata(metadata, ROOT, metav1types.object_meta(profile), drop_malformed=drop_malformed)


# Compiles the rewrite that drops nulls which a schema does not allow.
CompileDropNulls: TypeAlias = "Callable[[Structural], Rewrite]"


def compile_embedded(
    schema: Structural,
    profile: Profile,
    *,
    drop_malformed: bool = False,
    drop_nulls: CompileDropNulls | None = None,
) -> Walk[SpelledPath] | None:
    """
    Return the traversal that coerces the embedded resources in a value of *schema*.

    Args:
        schema: A structural schema.
        profile: The Kubernetes version.
        drop_malformed: Drop metadata fields, apiVersion and kind of the wrong type instead of raising; metadata that is
            not an object stays unchanged.
        drop_nulls: Compiles the rewrite that first drops nulls from the parts of embedded metadata, apiVersion and kind
            that the schema describes; None to keep nulls.

    Returns:
        A traversal that finds the paths of the unknown metadata fields, map keys in brackets, and raises EmbeddedError; or
        None if there is no embedded resource in *schema*.

    Errors:
        Invalid, as the EmbeddedError for the first invalid resource by sorted keys; a server picks a random one.

    Reference:
        apiextensions-apiserver schema/objectmeta/algorithm.go, CoerceWithOptions.
    """

    def compile_resource(node: Structural, below: Below[SpelledPath]) -> Walk[SpelledPath]:
        meta_schemas = {name: node.properties[name] for name in META_FIELDS if name in node.properties}
        without_nulls = drop_nulls(Structural(properties=meta_schemas)) if drop_nulls and meta_schemas else None
        return _resource_walk(below, without_nulls, profile, drop_malformed=drop_malformed)

    return embedded.compile(schema, compile_resource)


def _coerce_metadata(metadata: JSONValue, path: FieldPath, kind: Struct, *, drop_malformed: bool) -> Coerced:
    try:
        decoded = decoding.decode(metadata, kind)
    except decoding.DecodeError:
        # The server writes the metadata as JSON and reads them again, so `1.0` is an integer.
        decoded = _decode_written(jsonvalue.from_python(metadata), kind, drop_malformed=drop_malformed)
    if not decoded.unknown:
        return Coerced(decoded.value, ())  # the usual case
    at = path.child("metadata")
    unknown = (SpelledPath(f"{at}.{field}", (*at.steps, *field.steps)) for field in decoded.unknown)
    return Coerced(decoded.value, tuple(unknown))


def _decode_written(metadata: JSONValue, kind: Struct, *, drop_malformed: bool) -> decoding.Decoded:
    try:
        return decoding.decode(metadata, kind)
    except decoding.DecodeError:
        if not drop_malformed:
            raise
        return _decode_fields(metadata, kind)


def _decode_fields(metadata: JSONValue, kind: Struct) -> decoding.Decoded:
    """Decode field by field, dropping fields that cannot be decoded."""
    if not isinstance(metadata, dict):
        raise decoding.DecodeError(f"invalid metadata: expected object, got {printing.GO_TYPES[type(metadata)]}")
    value: dict[str, JSONValue] = {}
    unknown: list[SpelledPath] = []
    for name in sorted(metadata):
        try:
            decoded = decoding.decode({name: metadata[name]}, kind)
        except decoding.DecodeError:
            continue
        value |= decoded.value
        unknown += decoded.unknown
    return decoding.Decoded(value, tuple(unknown))


_AS_IT_IS: Final = object()


def _resource_walk(
    below: Below[SpelledPath], without_nulls: Rewrite | None, profile: Profile, *, drop_malformed: bool
) -> Walk[SpelledPath]:
    def coerced(key: str, item: JSONValue, path: FieldPath, unknown: list[SpelledPath]) -> JSONValue:
        coerced = _AS_IT_IS
        if key == "metadata":
            coerced = _embedded_metadata(item, path, unknown, profile, drop_malformed=drop_malformed)
        elif key in META_FIELDS and not isinstance(item, str):
            if not drop_malformed:
                raise EmbeddedError(
                    badvalues.invalid_embedded(path.child(key), item, "must be a string", profile=profile)
                )
            coerced = embedded.DROPPED
        # Go continues with the value from before the coercion, so changes below it are lost if it was replaced.
        walked = below.entry(key, item, path, unknown)
        return walked if coerced is _AS_IT_IS else coerced

    def walk(value: JSONValue, path: FieldPath, unknown: list[SpelledPath]) -> JSONValue:
        described = without_nulls(value, []) if without_nulls else value
        changes: dict[str, JSONValue] = {}
        for key in below.keys(value, META_FIELDS):
            if key in described and (new := coerced(key, described[key], path, unknown)) is not value[key]:
                changes[key] = new
        return embedded.with_changes(value, changes) if changes else value

    return walk


def _embedded_metadata(
    metadata: JSONValue, path: FieldPath, unknown: list[SpelledPath], profile: Profile, *, drop_malformed: bool
) -> JSONValue:
    try:
        coerced = _coerce_metadata(metadata, path, metav1types.object_meta(profile), drop_malformed=drop_malformed)
    except decoding.DecodeError as error:
        if drop_malformed:
            return _AS_IT_IS
        at = path.child("metadata")
        raise EmbeddedError(badvalues.invalid_embedded(at, metadata, str(error), profile=profile)) from error
    unknown += coerced.unknown
    return coerced.value
