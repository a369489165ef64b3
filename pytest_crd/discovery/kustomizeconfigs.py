"""
Configurations of kustomizations: more fields with the names and namespaces of other objects.

Reference:
    sigs.k8s.io/kustomize api/internal/accumulator and api/internal/plugins/builtinconfig.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_crd.discovery.kustomizeobjects import BuiltObject, NameReference
from pytest_crd.engine.jsonvalue import JSONValue

_KINDS: Final = ("kind", "group", "version")
_FIELDS: Final = frozenset({*_KINDS, "path", "create"})
_NAMES: Final = "nameReference"
_NAMESPACES: Final = "namespace"
# Fields of variables, which are not known themselves.
_VARIABLES: Final = "varReference"


class ConfigurationError(ValueError):
    """A configuration with an effect that is not known."""


class _Place(NamedTuple):
    """A field of some kinds, with the kind of the object that it names; it may be created if it is missing."""

    path: str
    kinds: Mapping[str, str]
    target: str = ""
    is_created: bool = False

    def find(self, item: BuiltObject) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield the objects with the field in an object, each with the name of the field."""
        group, _, version = str(item.value.get("apiVersion")).rpartition("/")
        own = {"kind": item.id.kind, "group": group, "version": version}
        if all(own[key] == text for key, text in self.kinds.items() if text):
            *steps, name = self.path.split("/")
            for holder in _walk(item.value, steps, is_created=self.is_created):
                if self.is_created or name in holder:
                    yield holder, name


@dataclass(slots=True)
class Configuration:
    """The configurations of a kustomization and of its bases."""

    _names: list[_Place] = field(default_factory=list)
    _namespaces: list[_Place] = field(default_factory=list)

    def take(self, value: JSONValue) -> None:
        """
        Add the content of a file.

        Raises:
            ConfigurationError: Its effect is not known.
        """
        if not isinstance(value, dict):
            raise ConfigurationError("no mapping")
        for key, entries in value.items():
            if key not in {_NAMES, _NAMESPACES, _VARIABLES} or not isinstance(entries, list):
                raise ConfigurationError(f"`{key}` is not known here")
        names: Any = value.get(_NAMES, ())
        spaces: Any = value.get(_NAMESPACES, ())
        self._names += [
            _read(spec, str(entry.get("kind"))) for entry in names for spec in entry.get("fieldSpecs") or ()
        ]
        self._namespaces += [_read(spec, "") for spec in spaces]

    def merge(self, inner: Configuration) -> None:
        """Add the configurations of a base."""
        self._names += inner._names
        self._namespaces += inner._namespaces

    def references(self, item: BuiltObject) -> Iterator[NameReference]:
        """Yield the names of other objects in an object: texts, and texts in lists."""
        for place in self._names:
            for holder, key in place.find(item):
                value: Any = holder[key]
                names: list[tuple[Any, str | int]] = [(holder, key)]
                if isinstance(value, list):
                    names = [(value, index) for index in range(len(value))]
                for inner, step in names:
                    if isinstance(inner[step], str):
                        yield NameReference(place.target, inner, step, has_namespace=False)

    def set_namespace(self, item: BuiltObject, namespace: str) -> None:
        """Set the namespaces of other objects in an object."""
        for place in self._namespaces:
            for holder, key in place.find(item):
                holder[key] = namespace


def _read(spec: Mapping[str, Any], target: str) -> _Place:
    if not spec.keys() <= _FIELDS or "\\" in str(spec.get("path")):
        raise ConfigurationError(f"a field with {', '.join(map(str, spec))} is not known here")
    kinds = {key: str(spec.get(key) or "") for key in _KINDS}
    return _Place(str(spec.get("path")), kinds, target, bool(spec.get("create")) and not target)


def _walk(value: Any, steps: list[str], *, is_created: bool) -> Iterator[dict[str, Any]]:
    """Yield the objects at *steps* below a value; each item of a list counts, and missing objects are created on demand."""
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, steps, is_created=is_created)
    elif isinstance(value, dict) and not steps:
        yield value
    elif isinstance(value, dict):
        name = steps[0].removesuffix("[]")
        inner = value.setdefault(name, {}) if is_created else value.get(name)
        yield from _walk(inner, steps[1:], is_created=is_created)
