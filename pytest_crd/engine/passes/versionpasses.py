"""
Passes of one version over a custom resource: pruning, coercion of metadata, nulls and defaults.

`customresource` decides when each pass runs in a request.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, NoReturn

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.origin import ChangedField, Locate
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.embedded import Walk
from pytest_crd.engine.passes import defaulting, objectmeta, pruning
from pytest_crd.engine.passes.rewriting import Path, Rewrite
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import DEFAULTS, EMBEDDED_RESOURCES, META_FIELDS, Structural
from pytest_crd.records import dataclass

if TYPE_CHECKING:
    from pytest_crd.engine.errors import origin
    from pytest_crd.engine.errors.origin import Origin
else:
    origin = lazyimport.module("pytest_crd.engine.errors.origin")


# Many objects have changes in the same fields.
_MAX_CACHED: Final = 1024
_ANY_META: Final = dict.fromkeys(META_FIELDS, Structural(nullable=True))


@dataclass(frozen=True, repr=False)
class Pruned:
    """
    A custom resource without unknown fields.

    Attributes:
        value: The resource; metadata as the server writes it.
        dropped: The dropped fields of `paths`; fields dropped because of the schema have steps and origin.
    """

    value: JSONValue
    dropped: tuple[SpelledPath, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """
        The dropped fields, spelled and ordered as in the server's `unknown field "…"` warnings.

        Fields of the root's metadata come first, then fields that the schema does not specify, then fields of embedded
        metadata.
        """
        return tuple(map(str, self.dropped))

    def __bool__(self) -> NoReturn:
        """Raise TypeError: a bare `assert` would always hold."""
        raise TypeError("a Pruned is neither true nor false; write `.paths`, as in `assert not pruned.paths`")

    def __repr__(self) -> str:
        """Return the public attributes."""
        return f"Pruned(value={self.value!r}, paths={self.paths!r})"


@dataclass(frozen=True, repr=False)
class Defaulted:
    """
    A custom resource with its defaults, without nulls that its schema does not allow.

    Attributes:
        value: The resource.
        put_in: The defaulted fields of `paths`, each with steps and origin.
        dropped: The dropped nulls, likewise.
    """

    value: JSONValue
    put_in: tuple[SpelledPath, ...]
    dropped: tuple[SpelledPath, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The defaulted fields, parents first (`spec.a` and `spec.a.b`), spelled as in `Pruned.paths`."""
        return tuple(map(str, self.put_in))

    @property
    def nulls(self) -> tuple[str, ...]:
        """The paths of the dropped nulls."""
        return tuple(map(str, self.dropped))

    def __bool__(self) -> NoReturn:
        """Raise TypeError: a bare `assert` would always hold."""
        raise TypeError("a Defaulted is neither true nor false; write `.paths`, as in `assert defaulted.paths`")

    def __repr__(self) -> str:
        """Return the public attributes."""
        return f"Defaulted(value={self.value!r}, paths={self.paths!r}, nulls={self.nulls!r})"


class Passes:
    """The passes of one version, each compiled on first use."""

    def __init__(
        self,
        schema: Structural | None,
        version: Profile,
        *,
        preserve_unknown_fields: bool,
        locate: Locate | None = None,
    ) -> None:
        """
        Create for a schema.

        Args:
            schema: The version's schema; None if it has none.
            version: The Kubernetes version.
            preserve_unknown_fields: True if a v1beta1 CRD disables pruning.
            locate: Returns the place of the schema in its file.
        """
        self._declared = schema
        self._version = version
        self._preserve_unknown_fields = preserve_unknown_fields
        self._pruned = Spelling(schema, "properties", locate, around=True)
        self._nulls = Spelling(schema, "type", locate)
        self._defaulted = Spelling(schema, "default", locate)

    def prune(
        self, resource: Mapping[str, JSONValue], *, drop_malformed: bool = False, coerced: JSONValue = None
    ) -> Pruned:
        """
        Return *resource* without unknown fields, with all metadata coerced.

        Args:
            resource: A whole custom resource; not modified.
            drop_malformed: Drop metadata of a wrong type instead of raising, as the server does for stored objects.
            coerced: Metadata of a stored object, as it was read: a second pass would not change it.

        Raises:
            DecodeError: Metadata has a wrong type; the server answers with a 400 and this message.

        Reference:
            KEP-2332; apiextensions-apiserver customresource_handler.go, unstructuredSchemaCoercer.apply.
        """
        value: JSONValue = {**{name: resource[name] for name in META_FIELDS if name in resource}, **resource}
        unknown: tuple[SpelledPath, ...] = ()
        if "metadata" in value and (coerced is None or value["metadata"] is not coerced):
            root = objectmeta.coerce_root(value["metadata"], self._version, drop_malformed=drop_malformed)
            value["metadata"], unknown = root.value, root.unknown
        if not self._preserve_unknown_fields:
            paths: list[Path] = []
            value = self._prune(value, paths)
            unknown = (*unknown, *sorted(self._pruned.spell(paths)))
        coerce_embedded = self._coerce_stored if drop_malformed else self._coerce_embedded
        if coerce_embedded is not None:
            unknown_metadata: list[SpelledPath] = []
            value = coerce_embedded(value, objectmeta.ROOT, unknown_metadata)
            unknown = (*unknown, *sorted(unknown_metadata))
        return Pruned(value, unknown)

    def default(self, resource: Mapping[str, JSONValue]) -> Defaulted:
        """
        Return *resource* with defaults and without nulls that are not allowed.

        Args:
            resource: A whole custom resource, pruned or not; not modified. Its metadata is ignored.

        Reference:
            KEP-575; apiextensions-apiserver schema/defaulting/prunenulls.go and algorithm.go.
        """
        value: JSONValue = {**{name: resource[name] for name in META_FIELDS if name in resource}, **resource}
        nulls: list[Path] = []
        # Most resources hold no null, and this check takes a tenth of the time of a walk.
        if not self._preserve_unknown_fields and jsonvalue.may_hold_null(value):
            value = self._drop_nulls(value, nulls)
        defaults: list[Path] = []
        value = self._default(value, defaults)
        return Defaulted(value, self._defaulted.spell(defaults), self._nulls.spell(nulls))

    def fill_in(self, resource: Mapping[str, JSONValue]) -> Defaulted:
        """Return *resource* with its defaults; nulls stay unless a default replaces them."""
        defaults: list[Path] = []
        value = self._default(resource, defaults)
        return Defaulted(value, self._defaulted.spell(defaults), ())

    def drop_nulls(self, resource: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        """Return *resource* without nulls that its schema does not allow; no defaults are set."""
        value: JSONValue = {**{name: resource[name] for name in META_FIELDS if name in resource}, **resource}
        dropped: dict[str, JSONValue] = value if self._preserve_unknown_fields else self._drop_nulls(value, [])
        return dropped

    @cached_property
    def settles(self) -> bool:
        """
        Whether pruning and defaulting are idempotent.

        They are not if defaults contain nulls, or metadata of embedded resources: only a second run drops and coerces these.
        """
        if self._schema is None:
            return True
        drops_nulls = _puts_in_nulls(self._schema) and not self._preserve_unknown_fields
        return not (drops_nulls or _puts_in_metadata(self._schema))

    @cached_property
    def _schema(self) -> Structural | None:
        if self._declared is None or self._preserve_unknown_fields:
            return self._declared
        return defaulting.prune(self._declared, self._version)

    @cached_property
    def _body_schema(self) -> Structural | None:
        """The schema with any apiVersion, kind and metadata of the root, which embedded resources alone specify."""
        schema = self._schema
        if schema is None:
            return None
        fields = {**schema.properties, **_ANY_META}
        return dataclasses.replace(schema, properties=fields, x_embedded_resource=False)

    @cached_property
    def _prune(self) -> Rewrite:
        return pruning.compile(self._schema, resource_root=True)

    @cached_property
    def _drop_nulls(self) -> Rewrite:
        return defaulting.compile_drop_nulls(self._body_schema)

    @cached_property
    def _default(self) -> Rewrite:
        return defaulting.compile_defaults(self._schema)

    @cached_property
    def _coerce_embedded(self) -> Walk[SpelledPath] | None:
        return self._compile_embedded(drop_malformed=False)

    @cached_property
    def _coerce_stored(self) -> Walk[SpelledPath] | None:
        return self._compile_embedded(drop_malformed=True)

    def _compile_embedded(self, *, drop_malformed: bool) -> Walk[SpelledPath] | None:
        if self._body_schema is None:
            return None
        drop_nulls = None if self._preserve_unknown_fields else defaulting.compile_drop_nulls
        return objectmeta.compile_embedded(
            self._body_schema, self._version, drop_malformed=drop_malformed, drop_nulls=drop_nulls
        )


def _puts_in_nulls(schema: Structural) -> bool:
    """Return whether a default in *schema* may hold a null."""
    if schema.default is not None and jsonvalue.may_hold_null(schema.default):
        return True
    return any(map(_puts_in_nulls, _children(schema)))


def _puts_in_metadata(schema: Structural) -> bool:
    """Return whether a default in *schema* may hold an embedded resource, or its apiVersion, kind or metadata."""
    if not schema.parts & EMBEDDED_RESOURCES:
        return False
    if schema.default is not None:
        return True
    if schema.x_embedded_resource and any(
        child.parts & DEFAULTS for name, child in schema.properties.items() if name in META_FIELDS
    ):
        return True
    return any(map(_puts_in_metadata, _children(schema)))


def _children(schema: Structural) -> tuple[Structural, ...]:
    return (*schema.properties.values(), *filter(None, (schema.items, schema.value_schema)))


class Spelling:
    """Spelling of the paths that one pass changes in resources of one version."""

    def __init__(self, schema: Structural | None, keyword: str, locate: Locate | None, *, around: bool = False) -> None:
        """
        Create for a schema.

        Args:
            schema: The schema of the version.
            keyword: The keyword that causes the change.
            locate: Returns the place of a schema in its file.
            around: Whether the keyword belongs to the object around the changed field.
        """
        self._schema = schema
        self._keyword = keyword
        self._locate = locate
        self._around = around
        self._spell = functools.lru_cache(_MAX_CACHED)(lambda path: ChangedField(path, self._origin))

    def spell(self, paths: Iterable[Path]) -> tuple[ChangedField, ...]:
        """Return the paths as the server spells them."""
        return tuple(map(self._spell, paths))

    def _origin(self, path: Path) -> Origin | None:
        node, steps = self._schema, list[str | int]()
        for step in path[:-1] if self._around else path:
            if node is None:
                return None
            if isinstance(step, int):
                node = node.items
                steps.append("items")
            elif step in node.properties:
                node = node.properties[step]
                steps += ("properties", step)
            else:
                node = node.value_schema
                steps.append("additionalProperties")
        return None if node is None else origin.Origin(tuple(steps), self._keyword, locate=self._locate)
