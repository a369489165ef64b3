"""
Origins of the lists and maps in the value of a mutation, which decide how the server converts them.

Reference:
    apiserver admission/plugin/cel/activation.go, newActivation; cel/common/valuesschemalesstyped.go.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Final

from pytest_crd.engine.cel.values.celvalues import Value, is_list

# Go types of the parts of variables that have no JSON.
_STRUCTS: Final[Mapping[str, Mapping[tuple[str, ...], str]]] = {
    "request": {
        (): "v1.AdmissionRequest",
        ("kind",): "v1.GroupVersionKind",
        ("requestKind",): "v1.GroupVersionKind",
        ("resource",): "v1.GroupVersionResource",
        ("requestResource",): "v1.GroupVersionResource",
        ("userInfo",): "v1.UserInfo",
    },
    "namespaceObject": {
        (): "v1.Namespace",
        ("metadata",): "v1.ObjectMeta",
        ("spec",): "v1.NamespaceSpec",
        ("status",): "v1.NamespaceStatus",
        ("status", "conditions", "*"): "v1.NamespaceCondition",
    },
}
_JOINED: ContextVar[list[Value] | None] = ContextVar("joined", default=None)


@contextlib.contextmanager
def tracking() -> Iterator[list[Value]]:
    """Collect the lists that an expression joins with `+` in the `with` block."""
    joined: list[Value] = []
    token = _JOINED.set(joined)
    try:
        yield joined
    finally:
        _JOINED.reset(token)


def note_joined(left: Value, right: Value, result: Value) -> None:
    """Note a list joined from two lists that are not empty, if such lists are collected."""
    joined = _JOINED.get()
    if joined is not None and is_list(result) and len(left) and len(right):
        joined.append(result)


class Origins:
    """
    The origins of lists and maps: the variables of a request, or an expression.

    Reference:
        apiserver admission/plugin/cel/activation.go, newActivation; cel/common/valuesschemalesstyped.go.
    """

    def __init__(
        self, variables: Mapping[str, Value] | None = None, joined: Sequence[Value] = (), *, reflects: bool = False
    ) -> None:
        """
        Create for the value of an expression.

        Args:
            variables: The variables of the request; without any, all lists and maps come from the expression.
            joined: The lists that the expression joined.
            reflects: Whether the request and the Namespace are Go values without JSON.
        """
        self._variables = variables or {}
        self._joined = {id(value) for value in joined}
        self._reflects = reflects

    def is_given(self, value: Value) -> bool:
        """Return whether a list or a map is a part of a variable."""
        return id(value) in self._names

    def is_joined(self, value: Value) -> bool:
        """Return whether a list is joined from others; its items become JSON at any depth."""
        return id(value) in self._joined

    def struct_of(self, value: Value) -> str:
        """Return the Go type, or the type in expressions, of a list or a map without JSON; empty for others."""
        return self._names.get(id(value), "")

    @functools.cached_property
    def _names(self) -> Mapping[int, str]:
        names: dict[int, str] = {}
        for variable, value in self._variables.items():
            structs = _STRUCTS.get(variable, {}) if self._reflects else {}
            if structs:
                names |= {id(part): _name(part, path, structs) for path, part in _parts(value, ())}
            else:
                names |= dict.fromkeys(_find_ids(value), "")
        return names


def _name(part: Value, path: tuple[str, ...], structs: Mapping[tuple[str, ...], str]) -> str:
    if path[:1] == ("options",):
        return ""
    return structs.get(path, "list(dyn)" if isinstance(part, list) else "map(dyn, dyn)")


def _find_ids(value: Value) -> list[int]:
    """Return the ids of the lists and maps in a value."""
    ids: list[int] = []
    level = [value] if isinstance(value, dict | list) else []
    while level:
        ids += map(id, level)
        below = (item for part in level for item in (part.values() if isinstance(part, dict) else part))
        level = [item for item in below if isinstance(item, dict | list)]
    return ids


def _parts(value: Value, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield the path and the value of each list and map in a value; items of a list have the path of the list with `*`."""
    if isinstance(value, dict | list):
        yield path, value
        entries = value.items() if isinstance(value, dict) else (("*", item) for item in value)
        for name, part in entries:
            yield from _parts(part, (*path, name))
