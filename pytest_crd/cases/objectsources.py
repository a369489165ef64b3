"""Objects of a case from other files or with a patch: they are read, patched, and put into the case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.cases.model import AnyCase, ApplyCase, Case, PolicyCase, UpdateCase
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.cases import casepatch
    from pytest_crd.cases.parts import ApplyStep, ObjectSource
else:
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")


# The keys of a case: the object, its file, the document there, the patch.
_INPUT: Final = ("input", "inputFile", "document", "patch")
_OLD: Final = ("old", "oldFile", "oldDocument", "oldPatch")


class _Place(NamedTuple):
    """The keys of an object, its file, its document number and its patch, and their path inside the case."""

    keys: Sequence[str]
    above: tuple[str | int, ...] = ()

    def quoted(self, key: str) -> str:
        """Return a key in quotes, with its path, for messages."""
        return f"'{''.join(f'[{step}].' if isinstance(step, int) else step for step in self.above)}{key}'"


class _Files(NamedTuple):
    """The folder and reader of a case's files, and the documents read so far."""

    folder: Path
    read: Callable[[Path], bytes]
    documents: list[Document]


def resolve(case: AnyCase, folder: Path, *, read: Callable[[Path], bytes] | None = None) -> AnyCase:
    """
    Return *case* with the objects from its sources.

    Args:
        case: The case.
        folder: The folder of the case file, to which paths are relative.
        read: Function that returns the content of a file or raises OSError; by default, it reads files of the project around the folder.

    Raises:
        CaseFileError: A file that cannot be read or has no such document, a patch that cannot be applied or changes nothing.
    """
    files = _Files(folder, read or ProjectBoundary(folder).read, [])
    if case.input_source is not None:
        case = replace(case, input=_object(case, case.input, case.input_source, files, _Place(_INPUT)))
    if isinstance(case, ApplyCase):
        case = replace(case, steps=tuple(_step(case, index, files) for index in range(len(case.steps))))
    if isinstance(case, UpdateCase | PolicyCase) and case.old_source is not None:
        case = replace(case, old=_object(case, case.old, case.old_source, files, _Place(_OLD)))
    return replace(case, files=tuple(files.documents)) if files.documents else case


def _step(case: ApplyCase, index: int, files: _Files) -> ApplyStep:
    """Return a step of an apply case with its input."""
    step = case.steps[index]
    if step.source is None:
        return step
    return step._replace(input=_object(case, step.input, step.source, files, _Place(_INPUT, ("steps", index))))


def _object(case: Case, value_in_case: JSONValue, source: ObjectSource, files: _Files, place: _Place) -> JSONValue:
    of_object, _, _, of_patch = place.keys
    value = value_in_case
    if source.file is not None:
        files.documents.append(_document(case, source, files, place))
        value = files.documents[-1].value
    if source.patch is None:
        return value
    named = f"{place.quoted(of_patch)} of {case.title}"
    if not isinstance(value, dict):
        message = f"{named} is for an object, not for a text: write '{of_object}' as a mapping"
        raise case.mistake(message, *place.above, of_patch)
    try:
        patched = casepatch.apply(value, source.patch)
    except casepatch.PatchError as error:
        raise case.mistake(f"{named} cannot be applied: {error}", *place.above, of_patch, *error.place) from None
    if jsonvalue.equal(patched, value):
        raise case.mistake(f"{named} changes nothing", *place.above, of_patch)
    return patched


def _document(case: Case, source: ObjectSource, files: _Files, place: _Place) -> Document:
    """Return the document that *source* names."""
    _, of_file, of_document, _ = place.keys
    named, where = f"{place.quoted(of_file)} of {case.title}", (*place.above, of_file)
    try:
        content = files.read(files.folder / str(source.file))
        documents = yamlreader.read(content, source=str(source.file))
    except OSError as error:
        raise case.mistake(f"{named} cannot be read: {error.strerror}: {source.file}", *where) from None
    except InputError as error:
        raise case.mistake(f"{named} cannot be read: {error}", *where) from None
    if source.document is None and len(documents) > 1:
        message = f"{named} has {len(documents)} documents; say which with `{of_document}:`: {_listed(documents)}"
        raise case.mistake(message, *where)
    number = source.document or 1
    if number > len(documents):
        raise case.mistake(f"{named} has no document {number}; it has: {_listed(documents)}", *where)
    document = documents[number - 1]
    for duplicate in document.duplicates:
        if not duplicate.overrides_merge:
            raise case.mistake(f"{named}: key '{duplicate.key}' is set twice, on line {duplicate.line} again", *where)
    if not isinstance(document.value, dict):
        value_type = jsonvalue.type_of(document.value)
        raise case.mistake(f"{named}: document {number} is no object, but {value_type}", *where)
    return document


def _listed(documents: Sequence[Document]) -> str:
    """Return the numbers of *documents*, each with a title."""
    return ", ".join(f"{number} ({_title(document.value)})" for number, document in enumerate(documents, 1)) or "none"


def _title(value: JSONValue) -> str:
    if not isinstance(value, dict):
        return str(jsonvalue.type_of(value))
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return " ".join(str(part) for part in (value.get("kind"), name) if part is not None) or "an object"
