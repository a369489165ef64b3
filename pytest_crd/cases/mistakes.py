"""Mistakes in a case file: all at once, each with its line and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, lazyre
from pytest_crd.cases import builder, formcheck, sections
from pytest_crd.cases.model import ADMITTED, APPLIES, PATCHES, CaseFileError
from pytest_crd.cases.sections import Section
from pytest_crd.engine import profile
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.engine.yaml import yamlstream
from pytest_crd.engine.yaml.document import Document

if TYPE_CHECKING:
    from pytest_crd.cases import casepatch, diagnosis
    from pytest_crd.engine.golang.regexp import patterns
else:
    patterns = lazyimport.module("pytest_crd.engine.golang.regexp.patterns")
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")
    diagnosis = lazyimport.module("pytest_crd.cases.diagnosis")


# Messages of errors that have no word in common: a pattern that finds them all finds each message.
_MESSAGES: Final = (
    "Invalid value: 7: never",
    "Required value",
    'Unsupported value: "a": supported values: "b"',
    'Duplicate value: {"name":"a"}',
    "Too long: may not be more than 5 bytes",
    "Too many: 3: must have at most 2 items",
    "Forbidden: because it says so",
    "Internal error: x",
)
# Whole messages of refusals, likewise.
_REFUSALS: Final = (
    'Foo.example.com "a" is invalid: spec.x: Required value',
    'foos.example.com "a" is forbidden: no',
    'admission webhook "v.example.com" denied the request: no',
    'Operation cannot be fulfilled on foos.example.com "a": changed',
    'foos.example.com "a" not found',
)
# Fields joined by dots, with list indices, or map keys, in brackets.
_PATH: Final = lazyre.compile(r"[^.\[\]]+(\.[^.\[\]]+|\[[^\[\]]+\])*")


def raise_mistakes(text: str, documents: list[Document], source: str, *, fills: bool) -> None:
    """
    Raise an error if a case file has mistakes.

    Args:
        text: The text of the file.
        documents: Its documents.
        source: The name of the file for messages.
        fills: Whether expectations may be left out, to be filled in later.

    Raises:
        CaseFileError: All mistakes, in the order of their lines.
    """
    mistakes = {*_repeated_names(documents)}
    if line := yamlstream.find_unread_line(text):
        mistakes.add(Mistake(source, line, yamlstream.UNREAD_MESSAGE))
    if not documents:
        mistakes.add(Mistake(source, 1, "the file is empty; write `crd:` and a section with cases, as in `pruning:`"))
    for document in documents:
        mistakes.update(_mistakes(document, merges="<<" in text, fills=fills))
    if mistakes:
        raise CaseFileError(sorted(mistakes))


def _mistakes(document: Document, *, merges: bool, fills: bool) -> Iterator[Mistake]:
    if sections.is_suite(document.value):
        yield Mistake(document.source, document.line, "a suite of openshift/api is the only document of its file")
        return
    if not formcheck.has_form(document.value):
        yield from diagnosis.find_mistakes(document, fills=fills)
    yield from _duplicates(document, merges=merges)
    yield from _unknown_version(document)
    for section, index, case in builder.cases_in(document.value):
        yield from _bad_patterns(document, (section, index), case)
        yield from _empty_expectations(document, (section, index), case)
        yield from _nothing_stored(document, (section, index), case)
        yield from _bad_repetitions(document, (section, index), case)
        yield from _impossible_request(document, (section, index), case)


def _duplicates(document: Document, *, merges: bool) -> Iterator[Mistake]:
    reported: set[tuple[int, str]] = set()
    for duplicate in document.duplicates:
        # An alias repeats the mistake of its anchor; and overriding a merge key is no mistake.
        if duplicate.overrides_merge or (duplicate.line, duplicate.key) in reported:
            continue
        reported.add((duplicate.line, duplicate.key))
        place = diagnosis.owner(document.value, duplicate.path) or "the file"
        message = f"key {diagnosis.within(duplicate.path)} is set twice in {place}, and only this value would count; remove one"
        if merges:
            message += " (`<<` sets keys where it stands: put it before those that override it)"
        if _is_inside_input(duplicate.path):
            message += "; to send a key twice, write the object as text below `input: |`"
        yield Mistake(document.source, duplicate.line, message)


def _is_inside_input(path: diagnosis.Path) -> bool:
    match path:
        case [_, _, "input", _, *_] | [_, _, "steps", _, "input", _, *_]:
            return True
    return False


def _unknown_version(document: Document) -> Iterator[Mistake]:
    value = document.value if isinstance(document.value, dict) else {}
    named: list[tuple[diagnosis.Path, object]] = [(("kubernetesVersion",), value.get("kubernetesVersion"))]
    for section, index, case in builder.cases_in(value):
        under = case.get("errorsUnder")
        for name in under if isinstance(under, dict) else ():
            path: diagnosis.Path = (section, index, "errorsUnder", name)
            named.append((path, name))
            if name.strip().startswith("v") or name.count(".") > 1:
                message = f'write the version without `v` and patch release, as in "{profile.DEFAULT}"'
                yield Mistake(document.source, diagnosis.line_of(document, path), message)
    for path, version in named:
        if isinstance(version, str):
            try:
                profile.named(version)
            except profile.UnknownVersionError as error:
                yield Mistake(document.source, diagnosis.line_of(document, path), str(error))


def _bad_patterns(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Yield the mistakes for patterns of messages that are none, and for patterns and parts of messages that are in every message."""
    part = case.get("error")
    if isinstance(part, str) and part.strip() and all(part in message for message in _REFUSALS):
        place = f"'error' of {diagnosis.owner(document.value, path)}"
        message = f"{place} is in the message of each refusal; state words of this one"
        yield Mistake(document.source, diagnosis.line_of(document, (*path, "error")), message)
    for key in ("errors", "containsErrors"):
        errors = case.get(key)
        for index, error in enumerate(errors if isinstance(errors, list) else ()):
            pattern = error.get("matches") if isinstance(error, dict) else None
            if isinstance(pattern, str) and (fault := _find_fault(pattern)):
                where = (*path, key, index, "matches")
                place = f"{diagnosis.within(where)} of {diagnosis.owner(document.value, where)}"
                yield Mistake(document.source, diagnosis.line_of(document, where), f"{place} {fault}")


def _find_fault(pattern: str) -> str:
    """Return the fault of a pattern of messages, as the end of a sentence; empty without one."""
    if problem := patterns.find_problem(pattern):
        return f"is not an RE2 pattern: {problem}"
    is_every = pattern.strip() and all(map(patterns.compile(pattern), _MESSAGES))
    return "matches every message; state words of this one, or leave it out" if is_every else ""


def _empty_expectations(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Yield the mistakes for expectations that no answer could fail, and for malformed paths."""
    contains, absent = case.get("contains"), case.get("absent")
    if contains is None and absent is None:
        return  # the usual case
    place = diagnosis.owner(document.value, path)
    if isinstance(contains, dict) and not _states_something(contains):
        remedy = "write `accepted: true`" if path[0] in ADMITTED else "state a field of the object"
        message = f"'contains' of {place} holds whatever the object is; {remedy}"
        yield Mistake(document.source, diagnosis.line_of(document, (*path, "contains")), message)
    for index, absent_path in enumerate(absent if isinstance(absent, list) else ()):
        if not isinstance(absent_path, str) or not absent_path.strip():
            continue  # a mistake of form, reported elsewhere
        where = (*path, "absent", index)
        if not _PATH.fullmatch(absent_path):
            message = f"'absent[{index}]' of {place} is not a field path, as in spec.items[0].name: {diagnosis.quoted(absent_path)}"
            yield Mistake(document.source, diagnosis.line_of(document, where), message)
        elif (
            path[0] in ADMITTED
            and absent_path.startswith("metadata.")
            and absent_path[9:].partition("[")[0] in SERVER_MADE
        ):
            message = (
                f"'absent[{index}]' of {place} always holds: what only a server sets, like {absent_path}, is left out"
            )
            yield Mistake(document.source, diagnosis.line_of(document, where), message)


def _nothing_stored(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Yield the mistakes for `oldPatch` and `oldCRD` of applies and of cases of a policy without an old object."""
    if path[0] in {*APPLIES, Section.POLICY} and not case.keys() & {"old", "oldFile"}:
        for key in ("oldPatch", "oldCRD"):
            if key in case:
                message = f"{diagnosis.owner(document.value, path)} has '{key}', but nothing is stored; add `old:` with a mapping"
                yield Mistake(document.source, diagnosis.line_of(document, (*path, key)), message)


def _impossible_request(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Yield the mistakes for objects that a request to an admission policy needs, or cannot have."""
    if path[0] != Section.POLICY:
        return
    place, has_old = diagnosis.owner(document.value, path), not case.keys().isdisjoint({"old", "oldFile"})
    operation = case.get("operation") or ("UPDATE" if has_old else "CREATE")
    sent = next((key for key in ("input", "inputFile") if key in case), "")
    returned = ("expected", "contains", "absent")
    forbidden = {"DELETE": (sent, "patch", "subresource", *returned), "CONNECT": returned}.get(operation, ())
    for key in filter(case.__contains__, forbidden):
        fault = (
            "a connection returns no object"
            if operation == "CONNECT"
            else "a deletion sends no object and returns none"
        )
        message = f"{place} has '{key}', but {fault}; remove it"
        yield Mistake(document.source, diagnosis.line_of(document, (*path, key)), message)
    if not sent and operation in {"CREATE", "UPDATE", "CONNECT"}:
        message = f"{place} sends nothing; add `input:` with a mapping, or `operation: DELETE`"
        yield Mistake(document.source, diagnosis.line_of(document, path), message)
    if not has_old and (operation in {"UPDATE", "DELETE", "CONNECT"} or "subresource" in case):
        message = f"{place} needs a stored object; add `old:` with a mapping"
        yield Mistake(document.source, diagnosis.line_of(document, path), message)
    if has_old and operation == "CREATE" and "subresource" not in case:
        message = f"{place} creates an object that is stored already; remove `old:`"
        yield Mistake(document.source, diagnosis.line_of(document, path), message)


def _bad_repetitions(document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue]) -> Iterator[Mistake]:
    """Yield the mistakes for operations of a sent patch with values that cannot be repeated that often."""
    sent = case.get("patch") if path[0] in PATCHES else None
    for index, operation in enumerate(sent if isinstance(sent, list) else ()):
        if isinstance(operation, dict) and isinstance(operation.get("times"), int) and "value" in operation:
            try:
                casepatch.repeat_value(operation)
            except casepatch.PatchError as error:
                where = (*path, "patch", index)
                message = (
                    f"{diagnosis.within(where)} of {diagnosis.owner(document.value, where)} cannot be sent: {error}"
                )
                yield Mistake(document.source, diagnosis.line_of(document, where), message)


def _states_something(contains: Mapping[str, JSONValue]) -> bool:
    """Return whether *contains* has more than apiVersion, kind and fields set by a server, so that it could fail."""
    metadata = contains.get("metadata", {})
    if not isinstance(metadata, dict) or metadata.keys() - SERVER_MADE:
        return True
    return bool(contains.keys() - {*META_FIELDS})


def _repeated_names(documents: Iterable[Document]) -> Iterator[Mistake]:
    first: dict[str, tuple[Document, diagnosis.Path]] = {}
    for document in documents:
        for section, index, case in builder.cases_in(document.value):
            name, path = case.get("name"), (section, index)
            if isinstance(name, str) and (first_case := first.setdefault(name, (document, path))) != (document, path):
                first_title = f"the {Section(str(first_case[1][0])).noun} case on line {diagnosis.line_of(*first_case)}"
                message = f"the name {diagnosis.quoted(name)} is that of {first_title} too; rename one"
                yield Mistake(document.source, diagnosis.line_of(document, path), message)
