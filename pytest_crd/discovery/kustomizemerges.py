"""
Strategic merge patches as kustomize applies them: lists are merged only in built-in kinds, and unknown fields are merged as in custom resources.

Reference:
    sigs.k8s.io/kustomize kyaml/yaml/merge2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct
from pytest_crd.engine.registry.patching.strategicmerge import MergedLists

_DIRECTIVE: Final = "$patch"
_DELETE: Final = "delete"
_REPLACE: Final = "replace"
_DIRECTIVES: Final = (None, _DELETE, _REPLACE, "merge")


class PatchedType(NamedTuple):
    """
    The type of a built-in kind, or of a value in it.

    Attributes:
        type: The Go type; None if it is not known.
        lists: The merge keys of lists, by struct and field.
    """

    type: GoType | None
    lists: MergedLists

    def field(self, name: str) -> PatchedType:
        """Return the type of a field."""
        holder = self._plain
        if isinstance(holder, Struct):
            return self._replace(type=holder.fields.get(name))
        return self._replace(type=holder.value if isinstance(holder, Map) else None)

    @property
    def item(self) -> PatchedType:
        """The type of the items of a list."""
        return self._replace(type=self._plain.item if isinstance(self._plain, List) else None)

    @property
    def _plain(self) -> GoType | None:
        return self.type.to if isinstance(self.type, Pointer) else self.type

    def merge_key(self, name: str) -> str | None:
        """Return the merge key of a list in a field: empty for a list of scalars, None if the list is replaced."""
        return self.lists.get((self._plain.go, name)) if isinstance(self._plain, Struct) else None


# Returns the type of a built-in kind, by apiVersion and kind; None for other kinds.
FindType: TypeAlias = Callable[[str, str], "PatchedType | None"]
UNKNOWN: Final = PatchedType(None, {})


def deletes(patch: Any) -> bool:
    """Return whether a patch deletes the whole object."""
    return isinstance(patch, dict) and patch.get(_DIRECTIVE) == _DELETE


class MergeError(ValueError):
    """A patch that kustomize refuses."""


def merge(value: Any, patch: Any, kind: PatchedType) -> Any:
    """
    Return a value after a strategic merge patch.

    Raises:
        MergeError: A directive is unknown, or the patch has another kind of value.
    """
    if value is not None and _shape(value) != _shape(patch):
        raise MergeError(f"expected {_shape(value)}, but got {_shape(patch)}")
    if not isinstance(patch, dict):
        return patch
    directive = patch.get(_DIRECTIVE)
    if directive not in _DIRECTIVES:
        raise MergeError(f"unknown patch strategy {directive!r}")
    result = dict(value) if isinstance(value, dict) and directive != _REPLACE else {}
    for key, item in patch.items():
        if item is None or deletes(item):
            result.pop(key, None)
        elif isinstance(item, list) and isinstance(result.get(key), list | None):
            result[key] = _merge_list(result.get(key), item, kind.field(key).item, kind.merge_key(key))
        elif key != _DIRECTIVE:
            result[key] = merge(result.get(key), item, kind.field(key))
    return result


def _shape(value: Any) -> str:
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a scalar"


def _merge_list(value: list[Any] | None, patch: list[Any], kind: PatchedType, key: str | None) -> list[Any]:
    if key is None:
        return patch
    items = [item for item in patch if not (isinstance(item, dict) and _DIRECTIVE in item)]
    directives = [item for item in patch if isinstance(item, dict) and _DIRECTIVE in item]
    if not key:
        return [*items, *(item for item in value or () if item not in items)]
    removed = [item.get(key) for item in directives if deletes(item)]
    replaces = any(item[_DIRECTIVE] == _REPLACE for item in directives)
    others = [] if replaces else value or []
    old = {_key(item, key): item for item in others if _key(item, key) not in removed}
    patched = {_key(item, key): merge(old.get(_key(item, key)), item, kind) for item in items}
    return [*patched.values(), *(item for name, item in old.items() if name not in patched)]


def _key(item: Any, key: str) -> Any:
    field = item.get(key) if isinstance(item, dict) else None
    return field if isinstance(field, str | int) else repr(item)
