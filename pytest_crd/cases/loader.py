"""
From the text of a case file to its cases, or to all of its mistakes at once.

It opens no file and runs no case.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_crd.cases import blanks, casekeys, diagnosis
from pytest_crd.cases.model import (
    KINDS,
    REQUESTS,
    UPDATES,
    AnyCase,
    CaseFile,
    CaseFileError,
    CaseLines,
    ExpectedError,
    ObjectSource,
    OldCRD,
    Section,
)
from pytest_crd.engine import profile
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import SERVER_MADE
from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.engine.text import manifest, yamlreader, yamlstream
from pytest_crd.engine.text.document import Document

if TYPE_CHECKING:
    from pytest_crd.cases.openshift.suite import Suite


def load(content: str | bytes, *, source: str, fills: bool = False) -> tuple[CaseFile, ...]:
    """
    Return the cases of a case file.

    Args:
        content: The file: one or several documents in YAML, or JSON.
        source: Its name for messages.
        fills: Whether expectations may be left to be filled in.

    Returns:
        One for each document, in order; each has at least one case.

    Raises:
        CaseFileError: All mistakes, in the order of their lines.
        ManifestError: It is not YAML.
    """
    text, documents = _read(content, source)
    return _case_files(text, documents, source, fills=fills)


def load_any(content: str | bytes, *, source: str, fills: bool = False) -> tuple[CaseFile, ...] | Suite:
    """
    Return what a file has: cases, or a suite in the format of openshift/api.

    Args:
        content: The file.
        source: Its name for messages.
        fills: Whether expectations may be left to be filled in.

    Raises:
        CaseFileError: All mistakes, in the order of their lines.
        ManifestError: It is not YAML.
    """
    text, documents = _read(content, source)
    if len(documents) != 1 or not _is_suite(documents[0].value):
        return _case_files(text, documents, source, fills=fills)
    if line := yamlstream.unread(text):
        raise CaseFileError([Mistake(source, line, yamlstream.UNREAD)])
    from pytest_crd.cases.openshift import suite  # noqa: PLC0415 - most projects have none

    return suite.load(documents[0])


def stating(case: AnyCase, declared: Mapping[str, JSONValue]) -> AnyCase:
    """
    Return *case* with the expectations of *declared*; all else stays, what was read of other files too.

    Args:
        case: A case.
        declared: What a file would say of it, which has no mistakes.
    """
    keys = [key for key in casekeys.case_keys(case.section) if casekeys.CASE_KEYS[key].expects]
    unstated: dict[str, Any] = {one.name: one.default for one in dataclasses.fields(case)}
    unstated = {attribute: unstated[attribute] for attribute in (_ATTRIBUTES.get(key, key) for key in keys)}
    return dataclasses.replace(case, **(unstated | _stated(declared, keys) | blanks.of(declared)))


def _is_suite(value: JSONValue) -> bool:
    """Return whether a document is meant as a suite, and not as a case file."""
    if not isinstance(value, dict) or any(section in value for section in Section):
        return False
    return "crdName" in value or ("tests" in value and isinstance(value["tests"], dict))


def _read(content: str | bytes, source: str) -> tuple[str, list[Document]]:
    """Return the text of a file, and its documents."""
    try:
        text = yamlreader.decode(content, source=source)
        return text.content, yamlreader.read(text, source=source)
    except ManifestError as error:
        if not manifest.is_template(content.encode(errors="replace") if isinstance(content, str) else content):
            raise
        why = "this is a Helm template, which nothing renders here"
        raise ManifestError(
            [Mistake(one.source, one.line, f"{one.message} ({why})") for one in error.mistakes]
        ) from None


def _case_files(text: str, documents: list[Document], source: str, *, fills: bool) -> tuple[CaseFile, ...]:
    mistakes = {*_repeated_names(documents)}
    if line := yamlstream.unread(text):
        mistakes.add(Mistake(source, line, yamlstream.UNREAD))
    if not documents:
        mistakes.add(Mistake(source, 1, "the file is empty; write `crd:` and a section with cases, as in `pruning:`"))
    for document in documents:
        mistakes.update(_mistakes(document, merges="<<" in text, fills=fills))
    if mistakes:
        raise CaseFileError(sorted(mistakes))
    return tuple(map(_case_file, documents))


# Mistakes


def _mistakes(document: Document, *, merges: bool, fills: bool) -> Iterator[Mistake]:
    if _is_suite(document.value):
        yield Mistake(document.source, document.line, "a suite of openshift/api is the only document of its file")
        return
    yield from diagnosis.find(document, fills=fills)
    yield from _duplicates(document, merges=merges)
    yield from _unknown_version(document)
    for section, index, case in _cases(document.value):
        yield from _bad_patterns(document, (section, index), case)
        yield from _empty_expectations(document, (section, index), case)


def _duplicates(document: Document, *, merges: bool) -> Iterator[Mistake]:
    seen: set[tuple[int, str]] = set()
    for duplicate in document.duplicates:
        # An alias repeats what is wrong at its anchor; and a merge key is there to be overridden.
        if duplicate.overrides_merge or (duplicate.line, duplicate.key) in seen:
            continue
        seen.add((duplicate.line, duplicate.key))
        place = diagnosis.owner(document.value, duplicate.path) or "the file"
        message = f"key {diagnosis.within(duplicate.path)} is set twice in {place}, and only this value would count; remove one"
        if merges:
            message += " (`<<` sets keys where it stands: put it before those that override it)"
        if len(duplicate.path) > 3 and duplicate.path[2] == "input":
            message += "; to send a key twice, write the object as text below `input: |`"
        yield Mistake(document.source, duplicate.line, message)


def _unknown_version(document: Document) -> Iterator[Mistake]:
    version = document.value.get("kubernetesVersion") if isinstance(document.value, dict) else None
    if isinstance(version, str):
        try:
            profile.named(version)
        except profile.UnknownVersionError as error:
            yield Mistake(document.source, diagnosis.line_of(document, ("kubernetesVersion",)), str(error))


def _bad_patterns(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    for key in ("errors", "containsErrors"):
        errors = case.get(key)
        for index, error in enumerate(errors if isinstance(errors, list) else ()):
            pattern = error.get("matches") if isinstance(error, dict) else None
            if isinstance(pattern, str) and (problem := patterns.problem_of(pattern)):
                where = (*path, key, index, "matches")
                place = f"{diagnosis.within(where)} of {diagnosis.owner(document.value, where)}"
                yield Mistake(
                    document.source, diagnosis.line_of(document, where), f"{place} is not an RE2 pattern: {problem}"
                )


def _empty_expectations(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Give what a case expects though no answer could fail it, and paths that cannot be read."""
    place = diagnosis.owner(document.value, path)
    contains = case.get("contains")
    if isinstance(contains, dict) and not _states_something(contains):
        remedy = "write `accepted: true`" if path[0] in REQUESTS else "state a field of the object"
        message = f"'contains' of {place} holds whatever the object is; {remedy}"
        yield Mistake(document.source, diagnosis.line_of(document, (*path, "contains")), message)
    absent = case.get("absent")
    for index, one in enumerate(absent if isinstance(absent, list) else ()):
        if not isinstance(one, str) or not one.strip():
            continue  # which the form of the file forbids
        where = (*path, "absent", index)
        if not _PATH.fullmatch(one):
            message = (
                f"'absent[{index}]' of {place} is not a field path, as in spec.items[0].name: {diagnosis.quoted(one)}"
            )
            yield Mistake(document.source, diagnosis.line_of(document, where), message)
        elif path[0] in REQUESTS and one.startswith("metadata.") and one[9:].partition("[")[0] in SERVER_MADE:
            message = f"'absent[{index}]' of {place} always holds: what only a server sets, like {one}, is left out"
            yield Mistake(document.source, diagnosis.line_of(document, where), message)


def _states_something(contains: Mapping[str, JSONValue]) -> bool:
    """Return whether an object could fail to contain this: its apiVersion and kind are given, and what a server makes is left out."""
    metadata = contains.get("metadata", {})
    if not isinstance(metadata, dict) or metadata.keys() - SERVER_MADE:
        return True
    return bool(contains.keys() - {*META_FIELDS})


def _repeated_names(documents: Iterable[Document]) -> Iterator[Mistake]:
    first: dict[str, tuple[Document, diagnosis.Path]] = {}
    for document in documents:
        for section, index, case in _cases(document.value):
            name, path = case.get("name"), (section, index)
            if isinstance(name, str) and (found := first.setdefault(name, (document, path))) != (document, path):
                other = f"the {found[1][0]} case on line {diagnosis.line_of(*found)}"
                message = f"the name {diagnosis.quoted(name)} is that of {other} too; rename one"
                yield Mistake(document.source, diagnosis.line_of(document, path), message)


def _cases(value: JSONValue) -> Iterator[tuple[str, int, dict[str, JSONValue]]]:
    """Give the section, index and content of all that looks like a case, in the order of the file."""
    for key, cases in value.items() if isinstance(value, dict) else ():
        if key in _SECTIONS and isinstance(cases, list):
            for index, case in enumerate(cases):
                if isinstance(case, dict):
                    yield key, index, case


# From JSON values to the model, once they are known to be right


def _case_file(document: Document) -> CaseFile:
    value = document.value
    allows_unknown = value.get("unknownFields") == "allow"
    return CaseFile(
        source=document.source,
        crd=value["crd"],
        version=value.get("version"),
        kubernetes_version=value.get("kubernetesVersion"),
        stored_crd=value.get("storedCRD", False),
        cases=tuple(
            _case(_SECTIONS[section], case, CaseLines(document, (section, index)), allows_unknown=allows_unknown)
            for section, index, case in _cases(value)
        ),
        lines=CaseLines(document),
    )


def _case(section: Section, value: Mapping[str, JSONValue], lines: CaseLines, *, allows_unknown: bool) -> AnyCase:
    stated = _stated(value, _CONVERSIONS)
    if section in UPDATES:
        stated["old_source"] = _source(value, "oldFile", "oldDocument", "oldPatch")
    return KINDS[section](
        allows_unknown_fields=allows_unknown,
        input_source=_source(value, "inputFile", "document", "patch"),
        lines=lines,
        **(stated | blanks.of(value)),
    )


def _stated(value: Mapping[str, JSONValue], keys: Collection[str]) -> dict[str, Any]:
    """Return what a case says, by attribute, of those of *keys* that are not left to be filled in."""
    return {
        _ATTRIBUTES.get(key, key): _CONVERSIONS[key](item)
        for key, item in value.items()
        if key in keys and not blanks.is_blank(key, item)
    }


def _source(value: Mapping[str, JSONValue], file: str, document: str, patch: str) -> ObjectSource | None:
    source = ObjectSource(value.get(file), value.get(document), value.get(patch))
    return None if source == ObjectSource() else source


def _itself(value: JSONValue) -> JSONValue:
    return value


def _errors(values: Iterable[Mapping[str, str]]) -> tuple[ExpectedError, ...]:
    return tuple(
        ExpectedError(
            type=ErrorType(value["type"]) if "type" in value else None,
            field=value.get("field"),
            message=value.get("message"),
            detail=value.get("detail"),
            matches=value.get("matches"),
            rule=value.get("rule"),
        )
        for value in values
    )


def _old_crd(value: Mapping[str, JSONValue]) -> OldCRD:
    if "patch" in value:
        return OldCRD(patch=tuple(value["patch"]), place=("oldCRD", "patch"))
    return OldCRD(path=value["path"], place=("oldCRD", "path"))


# Fields joined by dots, with list indices, or map keys, in brackets.
_PATH: Final = re.compile(r"[^.\[\]]+(\.[^.\[\]]+|\[[^\[\]]+\])*")
_SECTIONS: Final = {section.value: section for section in Section}
_ATTRIBUTES: Final = {
    "nullsDropped": "nulls_dropped",
    "containsErrors": "contains_errors",
    "oldCRD": "old_crd",
    "fieldValidation": "field_validation",
}
_CONVERSIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("name", "input", "old", "expected", "contains", "accepted", "error", "skip", "xfail"), _itself),
    "fieldValidation": _itself,
    **dict.fromkeys(("absent", "pruned", "defaulted", "nullsDropped", "lost", "warnings", "marks"), tuple),
    **dict.fromkeys(("errors", "containsErrors"), _errors),
    "oldCRD": _old_crd,
}
