"""
Suites of declared CRD tests in the format of openshift/api: from a document to cases, or to all its mistakes.

Anything that the runner of openshift/api ignores silently, such as an unknown key, is a mistake here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from pytest_crd.cases import diagnosis
from pytest_crd.cases.model import CaseFileError, CreateCase, StatusUpdateCase, UpdateCase
from pytest_crd.cases.parts import OldCRD
from pytest_crd.cases.sections import CaseLines
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import DELETION
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document

_TABLES: Final = ("onCreate", "onUpdate")
_SUITE_KEYS: Final[Mapping[str, type]] = {
    "apiVersion": str,
    "name": str,
    "crdName": str,
    "featureGates": list,
    "version": str,
    "tests": dict,
}
_CASE_KEYS: Final[Mapping[str, Mapping[str, type]]] = {
    "onCreate": {"name": str, "initial": str, "expected": str, "expectedError": str},
    "onUpdate": {
        "name": str,
        "initialCRDPatches": list,
        "initial": str,
        "updated": str,
        "expected": str,
        "expectedError": str,
        "expectedStatusError": str,
    },
}
_TYPE_NAMES: Final[Mapping[type, str]] = {str: "text", list: "a list", dict: "a mapping"}
_NEEDED: Final = {"onCreate": ("name", "initial"), "onUpdate": ("name", "initial", "updated")}
_OBJECTS: Final = ("initial", "updated", "expected")
_OUTCOMES: Final = ("expectedError", "expectedStatusError", "expected")
# Text that a node id cannot contain, with its replacement.
_REPLACEMENTS: Final = (("::", ":"), ("[", "("), ("]", ")"))
# The runner of openshift/api sends every object with these, and does not compare them.
_MADE_UP: Final = {"generateName": "test-"}
_NOT_COMPARED: Final = SERVER_MADE.union(DELETION, ("name", "namespace", "generateName"))


@dataclass(frozen=True, slots=True)
class SuiteCreate:
    """
    A case below `onCreate`.

    Attributes:
        case: The request and the expectations.
    """

    case: CreateCase


@dataclass(frozen=True, slots=True)
class SuiteUpdate:
    """
    A case below `onUpdate`: an update, and an update of the status after it if the object has a status.

    Attributes:
        case: The update, and the expectations if there is no status; `old` is the object as it is created.
        status_case: The update of the status.
    """

    case: UpdateCase
    status_case: StatusUpdateCase


SuiteCase: TypeAlias = SuiteCreate | SuiteUpdate


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """
    A suite.

    Attributes:
        source: The file as the user named it.
        crd: The name of the CRD.
        version: The version; None if the CRD has only one.
        feature_gates: The gates that must be enabled, or disabled if they have a `-`, in its CRD files.
        cases: At least one case, in the order of the file.
        lines: The lines of its keys.
    """

    source: str
    crd: str
    version: str | None
    feature_gates: tuple[str, ...]
    cases: tuple[SuiteCase, ...]
    lines: CaseLines = field(compare=False, repr=False)

    def mistake(self, message: str, key: str = "crdName") -> CaseFileError:
        """Return an error about the suite, at the line of *key*."""
        return CaseFileError([Mistake(self.source, self.lines.find_line(key), message)])


def load(document: Document) -> Suite:
    """
    Return the suite in a document.

    Args:
        document: The only document of a file, which the loader identified as a suite.

    Raises:
        CaseFileError: All mistakes, in the order of their lines.
    """
    objects = {(table, index): dict(_read(case)) for table, index, case in _cases(document)}
    mistakes = sorted({*_mistakes(document, objects)})
    if mistakes:
        raise CaseFileError(mistakes)
    value = document.value
    names = _Names()
    return Suite(
        source=document.source,
        crd=value["crdName"],
        version=value.get("version") or None,
        feature_gates=tuple(value.get("featureGates") or ()),
        cases=tuple(
            _case(case, table, objects[table, index], names, CaseLines(document, ("tests", table, index)))
            for table, index, case in _cases(document)
        ),
        lines=CaseLines(document),
    )


def _read(case: JSONValue) -> Iterator[tuple[str, JSONValue]]:
    """Yield the objects of a case by key: the parsed text, or the error from reading it."""
    for key in _OBJECTS:
        text = case.get(key) if isinstance(case, dict) else None
        if isinstance(text, str) and text:
            try:
                yield key, yamlreader.read_one(text).value
            except InputError as error:
                yield key, error


# Mistakes


def _mistakes(document: Document, objects: Mapping[tuple[str, int], Mapping[str, JSONValue]]) -> Iterator[Mistake]:
    value = document.value
    for duplicate in document.duplicates:
        if not duplicate.overrides_merge:
            message = f"key '{duplicate.key}' is set twice, and only the last value would count; remove one"
            yield Mistake(document.source, duplicate.line, message)
    yield from _wrong_keys(document, (), value, _SUITE_KEYS, ("crdName", "tests"))
    tests = value.get("tests")
    if not isinstance(tests, dict):
        return
    yield from _wrong_keys(document, ("tests",), tests, dict.fromkeys(_TABLES, list))
    for gate in _items(value.get("featureGates")):
        if not isinstance(gate, str):
            yield _mistake(document, ("featureGates",), "'featureGates' must be a list of names")
    if not any(True for _ in _cases(document)):
        yield _mistake(document, ("tests",), "the suite has no cases; add `onCreate:` or `onUpdate:` below `tests:`")
    for table, index, case in _cases(document):
        yield from _wrong_case(document, table, ("tests", table, index), case)
        if isinstance(case, dict):
            yield from _wrong_objects(document, ("tests", table, index), case, objects[table, index])


def _wrong_case(document: Document, table: str, path: diagnosis.Path, case: JSONValue) -> Iterator[Mistake]:
    if not isinstance(case, dict):
        yield _mistake(document, path, f"a case of {table} must be a mapping")
        return
    yield from _wrong_keys(document, path, case, _CASE_KEYS[table], _NEEDED[table])
    outcomes = [key for key in _OUTCOMES if case.get(key)]
    if len(outcomes) != 1:
        problem = (
            f"has {' and '.join(outcomes)}, of which only the first is looked at" if outcomes else "expects nothing"
        )
        yield _mistake(document, path, f"the case {problem}; leave one of {', '.join(_OUTCOMES)}")


def _wrong_objects(
    document: Document, path: diagnosis.Path, case: Mapping[str, JSONValue], objects: Mapping[str, JSONValue]
) -> Iterator[Mistake]:
    for key, value_read in objects.items():
        if isinstance(value_read, InputError):
            yield _mistake(document, (*path, key), f"'{key}' cannot be read: {value_read}")
        elif not isinstance(value_read, dict) or not isinstance(value_read.get("metadata") or {}, dict):
            yield _mistake(document, (*path, key), f"'{key}' must be the text of an object")
        elif key == "updated" and case.get("expectedStatusError") and "status" not in value_read:
            message = "'expectedStatusError' is never looked at, as 'updated' has no status"
            yield _mistake(document, (*path, "expectedStatusError"), message)


def _wrong_keys(
    document: Document,
    path: diagnosis.Path,
    value: Mapping[str, JSONValue],
    types: Mapping[str, type],
    needed: Iterable[str] = (),
) -> Iterator[Mistake]:
    for key, item in value.items():
        if key not in types:
            near = diagnosis.nearest_of_format(key, tuple(types))
            belongs = "it belongs below `tests:`" if not path and key in _TABLES else ""
            remedy = belongs or (f"did you mean '{near}'?" if near else f"known are {', '.join(types)}")
            yield _mistake(document, (*path, key), f"unknown key '{key}'; {remedy}")
        elif item is not None and not isinstance(item, types[key]):
            yield _mistake(document, (*path, key), f"'{key}' must be {_TYPE_NAMES[types[key]]}")
    for key in needed:
        if not value.get(key):
            yield _mistake(document, path, f"'{key}' is missing")


def _mistake(document: Document, path: diagnosis.Path, message: str) -> Mistake:
    return Mistake(document.source, diagnosis.line_of(document, path), message)


def _cases(document: Document) -> Iterator[tuple[str, int, JSONValue]]:
    tests = document.value.get("tests")
    for table, cases in tests.items() if isinstance(tests, dict) else ():
        if table in _TABLES:
            yield from ((table, index, case) for index, case in enumerate(_items(cases)))


def _items(value: JSONValue) -> list[JSONValue]:
    return value if isinstance(value, list) else []


# Conversion of values without mistakes into the model


class _Names:
    """Unique names for cases; a suite may use a name twice."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        """Return *name* in a form for node ids, with a number if it was used before."""
        for part, replacement in _REPLACEMENTS:
            name = name.replace(part, replacement)
        self._used[name] += 1
        return name if self._used[name] == 1 else f"{name} #{self._used[name]}"


def _case(
    value: Mapping[str, JSONValue], table: str, objects: Mapping[str, JSONValue], names: _Names, lines: CaseLines
) -> SuiteCase:
    common: dict[str, Any] = {
        "name": names.unique(value["name"]),
        "expected": _compared(objects["expected"]) if "expected" in objects else None,
        "allows_unknown_fields": True,
        "lines": lines,
    }
    error, status_error = (value.get(key) or None for key in ("expectedError", "expectedStatusError"))
    if table == "onCreate":
        return SuiteCreate(CreateCase(input=_sent(objects["initial"]), error=error, **common))
    patches = value.get("initialCRDPatches")
    common |= {
        "input": _sent(objects["updated"]),
        "old": _sent(objects["initial"]),
        "old_crd": OldCRD(patch=tuple(patches), place=("initialCRDPatches",)) if patches else None,
    }
    return SuiteUpdate(UpdateCase(error=error, **common), StatusUpdateCase(error=status_error, **common))


def _sent(resource: Mapping[str, JSONValue]) -> JSONValue:
    metadata = {key: value for key, value in (resource.get("metadata") or {}).items() if key != "namespace"}
    return {**resource, "metadata": {**_MADE_UP, **metadata}}


def _compared(resource: Mapping[str, JSONValue]) -> JSONValue:
    metadata = resource.get("metadata") or {}
    return {**resource, "metadata": {key: value for key, value in metadata.items() if key not in _NOT_COMPARED}}
