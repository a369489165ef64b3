"""Conversion of the JSON values of a case file, which must be free of mistakes, into the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_crd import lazyimport
from pytest_crd.cases.model import APPLIES, KINDS, PATCHES, UPDATES, AnyCase, CaseFile
from pytest_crd.cases.sections import CaseLines, Section
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document

if TYPE_CHECKING:
    from pytest_crd.cases import casepatch, parts
    from pytest_crd.cases.parts import ApplyStep, ExpectedConflict, ExpectedDenial, ExpectedError, ObjectSource, OldCRD
else:
    parts = lazyimport.module("pytest_crd.cases.parts")
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")

# The keys that state an expectation.
EXPECTATIONS: Final = frozenset(
    {
        "expected",
        "contains",
        "absent",
        "accepted",
        "errors",
        "errorsUnder",
        "containsErrors",
        "error",
        "denied",
        "refused",
        "conflicts",
        "pruned",
        "defaulted",
        "nullsDropped",
        "lost",
        "mutated",
        "warnings",
        "auditAnnotations",
        "matched",
        "managers",
    }
)
# The keys that can be filled in with observations, in the order in which a case has them.
FILLED: Final = (
    "expected",
    "errors",
    "denied",
    "conflicts",
    "pruned",
    "defaulted",
    "nullsDropped",
    "lost",
    "mutated",
    "warnings",
    "auditAnnotations",
    "managers",
)
# The placeholder until then.
BLANK: Final = "TODO"


def cases_in(value: JSONValue) -> Iterator[tuple[str, int, dict[str, JSONValue]]]:
    """Yield the section, index and content of everything that looks like a case, in the order of the file."""
    for key, cases in value.items() if isinstance(value, dict) else ():
        if key in _SECTIONS and isinstance(cases, list):
            for index, case in enumerate(cases):
                if isinstance(case, dict):
                    yield key, index, case


def case_file(document: Document) -> CaseFile:
    """Return the cases of a document that has no mistakes."""
    value = document.value
    allows_unknown = value.get("unknownFields") == "allow"
    return CaseFile(
        source=document.source,
        crd=value.get("crd", ""),
        policy=value.get("policy", ""),
        version=value.get("version"),
        kubernetes_version=value.get("kubernetesVersion"),
        stored_crd=value.get("storedCRD", False),
        cases=tuple(
            _case(_SECTIONS[section], case, CaseLines(document, (section, index)), allows_unknown=allows_unknown)
            for section, index, case in cases_in(value)
        ),
        lines=CaseLines(document),
    )


def _case(section: Section, value: Mapping[str, JSONValue], lines: CaseLines, *, allows_unknown: bool) -> AnyCase:
    attributes = stated_in(value, _CONVERSIONS)
    if section in UPDATES or section is Section.POLICY:
        attributes["old_source"] = _source(value, "oldFile", "oldDocument", "oldPatch")
    if section in PATCHES:
        attributes["input"] = _patch(value["patch"])
    elif section not in APPLIES:
        attributes["input_source"] = _source(value, "inputFile", "document", "patch")
    return KINDS[section](allows_unknown_fields=allows_unknown, lines=lines, **(attributes | find_blanks(value)))


def stated_in(value: Mapping[str, JSONValue], keys: Collection[str]) -> dict[str, Any]:
    """Return the values of *keys* that a case states, by attribute; values that have yet to be filled in are left out."""
    return {
        ATTRIBUTES.get(key, key): _CONVERSIONS[key](item)
        for key, item in value.items()
        if key in keys and not is_blank(key, item)
    }


def find_blanks(declared: Mapping[str, JSONValue]) -> dict[str, Any]:
    """Return the attributes `blanks` and `is_open` of `model.Case` for a case."""
    blanks = tuple(key for key in FILLED if key in declared and is_blank(key, declared[key]))
    return {"blanks": blanks, "is_open": EXPECTATIONS.isdisjoint(declared)}


def is_blank(key: str, value: JSONValue) -> bool:
    """Return whether *value* of the case key *key* has yet to be filled in."""
    return bool(key in FILLED and value == BLANK)


def _source(value: Mapping[str, JSONValue], file: str, document: str, patch: str) -> ObjectSource | None:
    keys = (file, document, patch)
    if all(value.get(key) is None for key in keys):
        return None
    return parts.ObjectSource(*map(value.get, keys))


def _patch(value: JSONValue) -> JSONValue:
    """Return a patch in the form that is sent: without `times`."""
    return [*map(casepatch.repeat_value, value)] if isinstance(value, list) else value


def _steps(values: Iterable[Mapping[str, JSONValue]]) -> tuple[ApplyStep, ...]:
    return tuple(
        parts.ApplyStep(
            value["manager"],
            value.get("input"),
            _source(value, "inputFile", "document", "patch"),
            force=value.get("force", False),
        )
        for value in values
    )


def _conflicts(values: Iterable[Mapping[str, str]]) -> tuple[ExpectedConflict, ...]:
    return tuple(parts.ExpectedConflict(value["manager"], value["field"]) for value in values)


def _denials(values: Iterable[Mapping[str, str]]) -> tuple[ExpectedDenial, ...]:
    return tuple(parts.ExpectedDenial(value["by"], value.get("message"), value.get("reason")) for value in values)


def _managers(value: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(paths) for name, paths in value.items()}


def _itself(value: JSONValue) -> JSONValue:
    return value


def _errors(values: Iterable[Mapping[str, str]]) -> tuple[ExpectedError, ...]:
    return tuple(
        parts.ExpectedError(
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
        return parts.OldCRD(patch=tuple(value["patch"]), place=("oldCRD", "patch"))
    return parts.OldCRD(path=value["path"], place=("oldCRD", "path"))


def _causes(value: JSONValue) -> tuple[str, ...]:
    causes = value["because"] if isinstance(value, dict) else []
    return (causes,) if isinstance(causes, str) else tuple(causes)


_SECTIONS: Final = {section.value: section for section in Section}
ATTRIBUTES: Final = {
    "nullsDropped": "nulls_dropped",
    "errorsUnder": "errors_under",
    "containsErrors": "contains_errors",
    "oldCRD": "old_crd",
    "fieldValidation": "field_validation",
    "from": "stored_as",
    "namespaceObject": "namespace_object",
    "auditAnnotations": "audit_annotations",
    "matched": "unmatched",
}
_CONVERSIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("name", "input", "old", "expected", "contains", "accepted", "error", "skip", "xfail"), _itself),
    **dict.fromkeys(("from", "to", "refused"), _itself),
    **dict.fromkeys(("fieldValidation", "user", "namespaceObject"), _itself),
    **dict.fromkeys(("operation", "subresource", "auditAnnotations"), _itself),
    **dict.fromkeys(("params", "authorizer"), tuple),
    **dict.fromkeys(("absent", "pruned", "defaulted", "nullsDropped", "lost", "mutated", "warnings", "marks"), tuple),
    **dict.fromkeys(("errors", "containsErrors"), _errors),
    "errorsUnder": lambda value: {version: _errors(errors) for version, errors in value.items()},
    "oldCRD": _old_crd,
    "matched": _causes,
    "steps": _steps,
    "managers": _managers,
    "conflicts": _conflicts,
    "denied": _denials,
}
