"""
Words without quotes in the objects of a case that the server reads as booleans: `on` as a value, `n` as a key.

It is what the server does, and nobody sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd.cases.model import Case
from pytest_crd.engine import Version
from pytest_crd.engine.fieldpath import unknown_field
from pytest_crd.engine.yaml.document import Document

if TYPE_CHECKING:
    from pytest_crd.engine.yaml.yamlmarks import BareBoolean

_OBJECTS: Final = ("input", "old", "expected", "contains", "patch", "oldPatch")


def of_case(case: Case, version: Version) -> Iterator[str]:
    """Yield what is to be said of each such word in the objects of *case*, and of the files that they come from."""
    start = len(case.lines.path)
    for one in case.lines.document.bare_booleans:
        if one.path[:start] == case.lines.path and (path := _in_object(one.path[start:])) is not None:
            yield from _said(case.lines.document, one, path, version)
    for document in case.files:
        yield from of_object(document, (), version)


def _in_object(path: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
    """Return where in an object of a case a path of the case leads; None where it leads elsewhere."""
    match path:
        case ["steps", int(), ("input" | "patch"), *rest]:
            return tuple(rest)
        case [str(key), *rest] if key in _OBJECTS:
            return tuple(rest)
    return None


def of_object(document: Document, path: tuple[str | int, ...], version: Version) -> Iterator[str]:
    """
    Yield what is to be said of each such word in an object.

    Args:
        document: What it stands in.
        path: Where it stands there.
        version: What the CRD says of it: a value that has to be a boolean is meant as one.
    """
    for one in document.bare_booleans:
        if one.path[: len(path)] == path:
            yield from _said(document, one, one.path[len(path) :], version)


def _said(document: Document, word: BareBoolean, path: tuple[str | int, ...], version: Version) -> Iterator[str]:
    place = f"{document.source}:{word.line}"
    if word.is_key:
        above = unknown_field(path[:-1]) or "the object"
        yield f'{place}: the server reads the key `{word.written}` of {above} as "{word.value}"; quote it'
    elif not _is_boolean(path, version):
        at = f"{unknown_field(path)}: " if path else ""
        yield f"{place}: {at}the server reads `{word.written}` as {word.value}; quote it where a text is meant"


def _is_boolean(path: tuple[str | int, ...], version: Version) -> bool:
    """Return whether the CRD says that there is a boolean at *path* of an object."""
    node = version.schema_map.of_path(path)
    return node is not None and node.schema.get("type") == "boolean"
