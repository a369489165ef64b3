"""
The passes that change a custom resource: pruning, coercion of metadata, nulls and defaults, for one version.

When each of them runs in the course of a request is decided in `customresource`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes import defaulting, objectmeta, pruning, schemadefaults
from pytest_crd.engine.passes.passchanges import Spelling
from pytest_crd.engine.passes.rewriting import TreePass
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.engine.schema.structural import Structural


@dataclass(frozen=True, slots=True)
class Pruned:
    """
    A custom resource without the fields that its schema does not know.

    Attributes:
        value: The resource; metadata as the server writes it back.
        dropped: The dropped fields, as `paths` has them; what a schema has dropped knows its steps and origin.
    """

    value: JSONValue
    dropped: tuple[SpelledPath, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """
        The dropped fields, spelled and ordered as in the server's `unknown field "…"` warnings.

        Those of the root's metadata come first, then those that the schema does not know, then those of embedded metadata.
        """
        return tuple(map(str, self.dropped))


@dataclass(frozen=True, slots=True)
class Defaulted:
    """
    A custom resource without the nulls that its schema does not allow, and with its defaults.

    Attributes:
        value: The resource.
        put_in: Where defaults were put in, as `paths` has it; each place knows its steps and origin.
        dropped: Where nulls were dropped, likewise.
    """

    value: JSONValue
    put_in: tuple[SpelledPath, ...]
    dropped: tuple[SpelledPath, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Every place where a default was put in, parents first (`spec.a` and `spec.a.b`), spelled as `Pruned.paths`."""
        return tuple(map(str, self.put_in))

    @property
    def nulls(self) -> tuple[str, ...]:
        """Where a null was dropped."""
        return tuple(map(str, self.dropped))


class Passes:
    """The passes of one version, each compiled when it is first needed."""

    def __init__(
        self,
        schema: Structural | None,
        version: Profile,
        *,
        preserve_unknown_fields: bool,
        locate: Locate | None = None,
    ) -> None:
        """
        Take what decides the passes.

        Args:
            schema: The version's schema; None where it has none.
            version: The Kubernetes version.
            preserve_unknown_fields: True where a v1beta1 CRD switches pruning off.
            locate: What knows where the schema stands in a file.
        """
        self._declared = schema
        self._version = version
        self._preserve_unknown_fields = preserve_unknown_fields
        self._pruned = Spelling(schema, "properties", locate, around=True)
        self._nulls = Spelling(schema, "type", locate)
        self._defaulted = Spelling(schema, "default", locate)

    def prune(self, resource: Mapping[str, JSONValue], *, drop_malformed: bool = False) -> Pruned:
        """
        Return *resource* without unknown fields, all metadata coerced.

        Args:
            resource: A whole custom resource; not modified.
            drop_malformed: Drop metadata of a wrong type instead of refusing it: what happens to stored objects.

        Raises:
            DecodeError: Metadata of a wrong type, which the server answers with a 400 in these words.

        Reference:
            KEP-2332; apiextensions-apiserver customresource_handler.go, unstructuredSchemaCoercer.apply.
        """
        body, meta = _set_meta_aside(resource)
        unknown: tuple[SpelledPath, ...] = ()
        if "metadata" in meta:
            root = objectmeta.coerce_root(meta["metadata"], self._version, drop_malformed=drop_malformed)
            meta["metadata"], unknown = root.value, root.unknown
        if not self._preserve_unknown_fields:
            pruned = self._prune(body)
            body, unknown = pruned.value, (*unknown, *sorted(self._pruned.spell(pruned.paths)))
        coerce_embedded = self._coerce_stored if drop_malformed else self._coerce_embedded
        if coerce_embedded is not None:
            embedded = coerce_embedded(body)
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
        nulls: tuple[SpelledPath, ...] = ()
        if not self._preserve_unknown_fields:
            dropped = self._drop_nulls(body)
            body, nulls = dropped.value, self._nulls.spell(dropped.paths)
        # With apiVersion, kind and metadata back in place, so that no default of theirs takes the place of what is there.
        defaulted = self._default({**meta, **body})
        return Defaulted(defaulted.value, self._defaulted.spell(defaulted.paths), nulls)

    def fill_in(self, resource: Mapping[str, JSONValue]) -> Defaulted:
        """Return *resource* with the defaults of its schema alone: nulls stay, but where a default takes their place."""
        defaulted = self._default(resource)
        return Defaulted(defaulted.value, self._defaulted.spell(defaulted.paths), ())

    def drop_nulls(self, resource: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        """Return *resource* without the nulls that its schema does not allow, and without its defaults."""
        body, meta = _set_meta_aside(resource)
        return {**meta, **(body if self._preserve_unknown_fields else self._drop_nulls(body).value)}

    @cached_property
    def settles(self) -> bool:
        """
        Whether a resource that was pruned and defaulted is what it is after both once more, whatever was put in.

        Of what a default brought, metadata of embedded resources is coerced and nulls are dropped only then.
        """
        if self._schema is None:
            return True
        return self._coerce_embedded is None and not (
            _puts_in_nulls(self._schema) and not self._preserve_unknown_fields
        )

    @cached_property
    def _schema(self) -> Structural | None:
        if self._declared is None or self._preserve_unknown_fields:
            return self._declared
        return schemadefaults.prune(self._declared, self._version)

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
        return self._compile_embedded(drop_malformed=False)

    @cached_property
    def _coerce_stored(self) -> objectmeta.Coerce | None:
        return self._compile_embedded(drop_malformed=True)

    def _compile_embedded(self, *, drop_malformed: bool) -> objectmeta.Coerce | None:
        if self._schema is None:
            return None
        drop_nulls = None if self._preserve_unknown_fields else defaulting.compile_drop_nulls
        return objectmeta.compile_embedded(
            self._schema, self._version, drop_malformed=drop_malformed, drop_nulls=drop_nulls
        )


def _set_meta_aside(resource: Mapping[str, JSONValue]) -> tuple[JSONValue, dict[str, JSONValue]]:
    """Return the resource without apiVersion, kind and metadata, and these in their usual order."""
    body = dict(resource)
    return body, {name: body.pop(name) for name in META_FIELDS if name in body}


def _puts_in_nulls(schema: Structural) -> bool:
    """Return whether a default in *schema* may hold a null."""
    if schema.default is not None and jsonvalue.may_hold_null(schema.default):
        return True
    below = (*schema.properties.values(), schema.items, schema.value_schema)
    return any(child is not None and _puts_in_nulls(child) for child in below)
