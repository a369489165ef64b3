"""
Unquoted words in the objects of a case that the server reads as booleans: `on` as a value, `n` as a key.

The server reads them so without a word; users rarely notice. A key is a mistake, as keys are texts; a value is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd.cases.model import Case, CaseFileError
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.fieldpath import unknown_field
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.yaml.document import Document

if TYPE_CHECKING:
    from pytest_crd.engine.yaml.marks import BareBoolean

_OBJECTS: Final = ("input", "old", "expected", "contains", "patch", "oldPatch", "namespaceObject")


def refuse_keys(case: Case, is_named: Callable[[tuple[str | int, ...]], bool]) -> None:
    """
    Raise an error if the objects of *case*, or the files that they come from, have such keys.

    Args:
        case: The case.
        is_named: Returns whether the schema names the key at a path, as it was read in the same way: then nothing is misread.

    Raises:
        CaseFileError: The keys.
    """
    start = len(case.lines.path)
    places = [
        (case.lines.document, word, path)
        for word in case.lines.document.bare_booleans
        if word.is_key and word.path[:start] == case.lines.path and (path := _in_object(word.path[start:])) is not None
    ]
    places += [(document, word, word.path) for document in case.files for word in document.bare_booleans if word.is_key]
    # The place of a value in a JSON Patch is not known here.
    places = [place for place in places if not is_named(place[2]) and not isinstance(place[2][0], int)]
    if places:
        raise CaseFileError(
            [Mistake(document.source, word.line, _describe_key(word, path)) for document, word, path in places]
        )


def describe_in_case(case: Case, version: CrdVersion) -> Iterator[str]:
    """Yield a warning for each such word in the objects of *case*, and in the files that they come from."""
    start = len(case.lines.path)
    for word in case.lines.document.bare_booleans:
        if word.path[:start] == case.lines.path and (path := _in_object(word.path[start:])) is not None:
            yield from _describe(case.lines.document, word, path, version)
    for document in case.files:
        yield from describe_in_object(document, (), version)


def _in_object(path: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
    """Return the path inside an object of the case, given a path inside the case; None if it leads to no object."""
    match path:
        case ["steps", int(), ("input" | "patch"), *rest] | ["params", int(), *rest]:
            return tuple(rest)
        case [str(key), *rest] if key in _OBJECTS:
            return tuple(rest)
    return None


def describe_in_object(document: Document, path: tuple[str | int, ...], version: CrdVersion) -> Iterator[str]:
    """
    Yield a warning for each such word in an object.

    Args:
        document: The document with the object.
        path: The path of the object in the document.
        version: The CRD version; a word where its schema wants a boolean is no mistake.
    """
    for word in document.bare_booleans:
        if word.path[: len(path)] == path:
            yield from _describe(document, word, word.path[len(path) :], version)


def _describe(document: Document, word: BareBoolean, path: tuple[str | int, ...], version: CrdVersion) -> Iterator[str]:
    place = f"{document.source}:{word.line}"
    if word.is_key:
        yield f"{place}: {_describe_key(word, path)}"
    elif not _is_boolean(path, version):
        at = f"{unknown_field(path)}: " if path else ""
        yield f"{place}: {at}the server reads `{word.written}` as {word.value}; quote it where a text is meant"


def _describe_key(word: BareBoolean, path: tuple[str | int, ...]) -> str:
    above = unknown_field(path[:-1]) or "the object"
    return f'the server reads the key `{word.written}` of {above} as "{word.value}"; quote it'


def _is_boolean(path: tuple[str | int, ...], version: CrdVersion) -> bool:
    """Return whether the schema has a boolean at *path* of an object."""
    node = version.schema_map.of_path(path)
    return node is not None and node.schema.get("type") == "boolean"
