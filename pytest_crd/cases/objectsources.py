"""Objects of a case that come from other files, or are changed by a patch: read, patched, and put into the case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.cases import jsonpatch
from pytest_crd.cases.model import AnyCase, Case, ObjectSource, UpdateCase
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.text import yamlreader
from pytest_crd.engine.text.document import Document

# The keys of a case: the object, its file, the document there, the patch.
_INPUT: Final = ("input", "inputFile", "document", "patch")
_OLD: Final = ("old", "oldFile", "oldDocument", "oldPatch")


class _Files(NamedTuple):
    """Where the files of a case are, what reads them, and the documents that were found there."""

    folder: Path
    read: Callable[[Path], bytes]
    found: list[Document]


def resolved(case: AnyCase, folder: Path, *, read: Callable[[Path], bytes] = Path.read_bytes) -> AnyCase:
    """
    Return *case* with the objects that its sources give.

    Args:
        case: The case.
        folder: The folder of its file, to which paths are relative.
        read: Gives the content of a file, or raises an OSError.

    Raises:
        CaseFileError: A file that cannot be read or has no such document, a patch that cannot be applied or changes nothing.
    """
    files = _Files(folder, read, [])
    if case.input_source is not None:
        case = replace(case, input=_object(case, case.input, case.input_source, files, _INPUT))
    if isinstance(case, UpdateCase) and case.old_source is not None:
        case = replace(case, old=_object(case, case.old, case.old_source, files, _OLD))
    return replace(case, files=tuple(files.found)) if files.found else case


def _object(case: Case, stated: JSONValue, source: ObjectSource, files: _Files, keys: Sequence[str]) -> JSONValue:
    of_object, of_file, of_document, of_patch = keys
    value = stated
    if source.file is not None:
        files.found.append(_document(case, source, files, of_file, of_document))
        value = files.found[-1].value
    if source.patch is None:
        return value
    if not isinstance(value, dict):
        message = f"'{of_patch}' of {case.title} is for an object, not for a text: write '{of_object}' as a mapping"
        raise case.mistake(message, of_patch)
    try:
        is_list = isinstance(source.patch, list)
        patched = jsonpatch.apply(value, source.patch) if is_list else jsonpatch.merge(value, source.patch)
    except jsonpatch.PatchError as error:
        place = (of_patch, error.index) if is_list else (of_patch,)
        raise case.mistake(f"'{of_patch}' of {case.title} cannot be applied: {error}", *place) from None
    if jsonvalue.equal(patched, value):
        raise case.mistake(f"'{of_patch}' of {case.title} changes nothing", of_patch)
    return patched


def _document(case: Case, source: ObjectSource, files: _Files, of_file: str, of_document: str) -> Document:
    """Return the document of the file that is meant."""
    place = f"'{of_file}' of {case.title}"
    try:
        content = files.read(files.folder / str(source.file))
        documents = yamlreader.read(content, source=str(source.file))
    except OSError as error:
        raise case.mistake(f"{place} cannot be read: {error.strerror}: {source.file}", of_file) from None
    except InputError as error:
        raise case.mistake(f"{place} cannot be read: {error}", of_file) from None
    if source.document is None and len(documents) > 1:
        message = f"{place} has {len(documents)} documents; say which with `{of_document}:`: {_listed(documents)}"
        raise case.mistake(message, of_file)
    number = source.document or 1
    if number > len(documents):
        raise case.mistake(f"{place} has no document {number}; it has: {_listed(documents)}", of_file)
    document = documents[number - 1]
    for duplicate in document.duplicates:
        if not duplicate.overrides_merge:
            raise case.mistake(f"{place}: key '{duplicate.key}' is set twice, on line {duplicate.line} again", of_file)
    if not isinstance(document.value, dict):
        found = jsonvalue.type_of(document.value)
        raise case.mistake(f"{place}: document {number} is no object, but {found}", of_file)
    return document


def _listed(documents: Sequence[Document]) -> str:
    """Return the numbers of *documents*, each with what it is."""
    return ", ".join(f"{number} ({_title(document.value)})" for number, document in enumerate(documents, 1)) or "none"


def _title(value: JSONValue) -> str:
    if not isinstance(value, dict):
        return str(jsonvalue.type_of(value))
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return " ".join(str(part) for part in (value.get("kind"), name) if part is not None) or "an object"
