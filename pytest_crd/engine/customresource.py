"""
What the server makes of a custom resource, pass by pass.

The order of the passes is written here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_crd.engine import defaulting, fieldpath, objectmeta, pruning, schemadefaults
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rewriting import Path, TreePass
from pytest_crd.engine.structural import Structural

_META_FIELDS = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class Pruned:
    """
    A custom resource without the fields that its schema does not know.

    Attributes:
        value: The resource; metadata as the server writes it back.
        paths: The dropped fields, spelled and ordered as in the server's `unknown field "…"` warnings: those of the
            root's metadata, then those that the schema does not know, then those of embedded metadata.
    """

    value: JSONValue
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Defaulted:
    """
    A custom resource without the nulls that its schema does not allow, and with its defaults.

    Attributes:
        value: The resource.
        paths: Every place where a default was put in, parents first (`spec.a` and `spec.a.b`), spelled as `Pruned.paths`.
        nulls: Where a null was dropped.
    """

    value: JSONValue
    paths: tuple[str, ...]
    nulls: tuple[str, ...]


class Passes:
    """The passes of one version, each compiled when it is first needed."""

    def __init__(self, schema: Structural | None, *, preserve_unknown_fields: bool) -> None:
        """
        Take what decides the passes.

        Args:
            schema: The version's schema; None where it has none.
            preserve_unknown_fields: True where a v1beta1 CRD switches pruning off.
        """
        self._declared = schema
        self._preserve_unknown_fields = preserve_unknown_fields

    def prune(self, resource: Mapping[str, JSONValue]) -> Pruned:
        """
        Return *resource* without unknown fields, all metadata coerced.

        Args:
            resource: A whole custom resource; not modified.

        Raises:
            DecodeError: Metadata of a wrong type, which the server answers with a 400 in these words.

        Reference:
            KEP-2332; apiextensions-apiserver customresource_handler.go, unstructuredSchemaCoercer.apply.
        """
        body, meta = _set_meta_aside(resource)
        unknown: tuple[str, ...] = ()
        if "metadata" in meta:
            root = objectmeta.coerce_root(meta["metadata"])
            meta["metadata"], unknown = root.value, root.unknown
        if not self._preserve_unknown_fields:
            pruned = self._prune(body)
            body, unknown = pruned.value, (*unknown, *sorted(_spelled(pruned.paths)))
        if self._coerce_embedded is not None:
            embedded = self._coerce_embedded(body)
            body, unknown = embedded.value, (*unknown, *embedded.unknown)
        return Pruned({**meta, **body}, unknown)

    def default(self, resource: Mapping[str, JSONValue]) -> Defaulted:
        """
        Return *resource* without nulls that are not allowed, and with defaults.

        Args:
            resource: A whole custom resource, pruned or not; not modified. Its metadata is not looked at.

        Reference:
            KEP-575; apiextensions-apiserver schema/defaulting/prunenulls.go and algorithm.go.
        """
        body, meta = _set_meta_aside(resource)
        nulls: tuple[str, ...] = ()
        if not self._preserve_unknown_fields:
            dropped = self._drop_nulls(body)
            body, nulls = dropped.value, _spelled(dropped.paths)
        defaulted = self._default(body)
        return Defaulted({**meta, **defaulted.value}, _spelled(defaulted.paths), nulls)

    @cached_property
    def _schema(self) -> Structural | None:
        if self._declared is None or self._preserve_unknown_fields:
            return self._declared
        return schemadefaults.prune(self._declared)

    @cached_property
    def _prune(self) -> TreePass:
        return pruning.compile(self._schema, resource_root=True)

    @cached_property
    def _drop_nulls(self) -> TreePass:
        return defaulting.compile_drop_nulls(self._schema)

    @cached_property
    def _default(self) -> TreePass:
        return defaulting.compile_defaults(self._schema)

    @cached_property
    def _coerce_embedded(self) -> objectmeta.Coerce | None:
        return objectmeta.compile_embedded(self._schema) if self._schema else None


def _set_meta_aside(resource: Mapping[str, JSONValue]) -> tuple[JSONValue, dict[str, JSONValue]]:
    """Return the resource without apiVersion, kind and metadata, and these in their usual order."""
    meta = {name: resource[name] for name in _META_FIELDS if name in resource}
    return {name: value for name, value in resource.items() if name not in meta}, meta


def _spelled(paths: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(map(fieldpath.unknown_field, paths))
