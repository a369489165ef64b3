"""
What is wrong with the form of a case file: jsonschema finds it, this says it in the user's words.

It sees one document, and only its form; what a value means is not its business.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_crd import suggestions
from pytest_crd.cases import caseformat, casekeys
from pytest_crd.cases.sections import Section
from pytest_crd.engine.golang import printing
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

Path: TypeAlias = tuple["str | int", ...]

_LONGEST_QUOTE: Final = 60
_FILL: Final = "--crd-fill, which writes what is observed"
# One mapping that is no case at all should not bury the other mistakes.
_MOST_UNKNOWN_KEYS: Final = 10
_NAME_REMEDIES: Final = {
    "::": "it separates the parts of a node id",
    "[": "it begins the parameters in a node id; use parentheses",
    "]": "it ends the parameters in a node id; use parentheses",
}


@dataclass(frozen=True, slots=True)
class _Flaw:
    """
    One error of jsonschema's.

    Attributes:
        root: The whole document.
        path: Where the flaw is.
        keyword: Which demand of the schema is not met.
        demand: The value of that keyword.
        form: The schema of the place.
        found: What is at the place.
        clash: The two keys that contradict each other; empty for other flaws.
        meant: The keys that the unknown ones of the same mapping may stand for.
    """

    root: JSONValue
    path: Path
    keyword: str
    demand: Any
    form: Any
    found: JSONValue
    clash: tuple[str, ...]
    meant: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The case that the flaw is in; empty outside of the cases."""
        return owner(self.root, self.path)

    @property
    def unknown(self) -> list[str]:
        """The keys of the mapping that its form does not know."""
        free = () if self.path else caseformat.FREE_PREFIX
        return [key for key in self.found if key not in self.form["properties"] and not key.startswith(free)]


_Explanation: TypeAlias = Iterator[tuple[Path, str]]


def find(document: Document, *, fills: bool = False) -> Iterator[Mistake]:
    """
    Give the mistakes in the form of *document*: keys, types, what is missing, what contradicts.

    Args:
        document: One document of a case file.
        fills: Whether expectations may be left to be filled in.
    """
    errors = [error for error in _validator().iter_errors(document.value) if not (fills and _is_left_open(error))]
    meant = {
        tuple(error.absolute_path): _meant(_flaw(error, document.value)) for error in errors if _is_unknown_key(error)
    }
    for error in errors:
        flaw = _flaw(error, document.value, meant.get(tuple(error.absolute_path), frozenset()))
        for path, message in _EXPLANATIONS.get(flaw.keyword, _explain_value)(flaw):
            yield Mistake(document.source, line_of(document, path), message)


def line_of(document: Document, path: Path) -> int:
    """Return the line of the key at *path*, of the item where it ends with an index, or of the document."""
    return document.line_of(path, key=isinstance(path[-1], str)) if path else document.line


def owner(value: JSONValue, path: Path) -> str:
    """
    Return the case that *path* leads into, as in `pruning case "x"`; empty outside of the cases.

    Args:
        value: The document, which may have any form.
        path: Need not lead anywhere.
    """
    match path:
        case [str(section), int(index), *_] if section in _SECTIONS:
            cases = value.get(section)
            case = cases[index] if isinstance(cases, list) and index < len(cases) else None
            name = case.get("name") if isinstance(case, dict) else None
            return f"{section} case {quoted(name) if isinstance(name, str) and name.strip() else f'#{index + 1}'}"
    return ""


def within(path: Path) -> str:
    """Return the part of *path* below its case, in quotes: `'errors[0].type'`; all of it outside of the cases."""
    text = ""
    for step in path[2:] if path[0] in _SECTIONS and len(path) > 2 else path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return f"'{quoted(text)[1:-1]}'"


def quoted(text: str) -> str:
    """Return *text* in double quotes, on one line, cut where it is long."""
    return printing.quote(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")


def nearest(word: str, known: Iterable[str], budget: suggestions.WorkBudget | None = None) -> str:
    """
    Return the known word that *word* may stand for; empty if none is similar.

    Raises:
        SpentBudgetError: There are too many words to compare.
    """
    shared = suggestions.WorkBudget() if budget is None else budget
    shared.spend(1)
    folded = {one.casefold(): one for one in known}
    word = word[:_LONGEST_QUOTE].casefold()
    near = suggestions.nearest(word, folded, shared) or next((one for one in folded if word.endswith(one)), "")
    return folded.get(near, "")


@functools.lru_cache(maxsize=1024)
def nearest_of_format(word: str, known: tuple[str, ...]) -> str:
    """Return which of the few *known* words of a format *word* may stand for; empty if none is similar."""
    return nearest(word, known)


# Each explanation gives the places of one flaw, and a sentence for each.


def _explain_unknown_keys(flaw: _Flaw) -> _Explanation:
    for key in flaw.unknown[:_MOST_UNKNOWN_KEYS]:
        yield (*flaw.path, key), _unknown_key(key, flaw)
    if (more := len(flaw.unknown) - _MOST_UNKNOWN_KEYS) > 0:
        yield flaw.path, f"{more} more unknown keys {_in_place(flaw)}"


def _unknown_key(key: str, flaw: _Flaw) -> str:
    shown = within((key,))
    if len(flaw.path) == 2:
        if key in casekeys.CASE_KEYS:
            return f"key {shown} belongs in {_cases_with(key)}, not {_in_place(flaw)}"
        if key in caseformat.FILE_KEYS or key.startswith(caseformat.FREE_PREFIX):
            return f"key {shown} belongs at the top level of the file, not {_in_place(flaw)}"
    if not flaw.path and key in casekeys.CASE_KEYS:
        return f"key {shown} belongs in a case, not {_in_place(flaw)}; indent it below `- name:` of a section"
    known = tuple(flaw.form["properties"])
    near = nearest_of_format(key, known)
    remedy = f"did you mean '{near}'?" if near else f"known are {', '.join(known)}"
    return f"unknown key {shown} {_in_place(flaw)}; {remedy}"


def _in_place(flaw: _Flaw) -> str:
    if not flaw.path:
        return "at the top level of the file"
    return f"in {within(flaw.path)} of {flaw.place}" if len(flaw.path) > 2 else f"in {flaw.place}"


def _cases_with(key: str) -> str:
    known = casekeys.CASE_KEYS[key].sections
    sections = [section.value for section in Section if section in known]
    others = [section.value for section in Section if section not in known]
    return f"all but {_listed(others)} cases" if len(others) < len(sections) else f"{_listed(sections)} cases"


def _listed(sections: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(sections[:-1]), sections[-1])))


def _explain_missing(flaw: _Flaw) -> _Explanation:
    for key in flaw.demand:
        if key not in flaw.found and key not in flaw.meant:
            yield flaw.path, f"{_subject(flaw)} has no '{key}'; add `{key}:` with {_wanted(key, flaw)}"


def _wanted(key: str, flaw: _Flaw) -> Any:
    # A demand that depends on another key stands beside the keys, not among them.
    keys = flaw.form.get("properties", {})
    if key in keys:
        return keys[key]["title"]
    return casekeys.CASE_KEYS[key].form["title"] if key in casekeys.CASE_KEYS else "what the operation needs"


def _explain_nothing(flaw: _Flaw) -> _Explanation:
    """Explain that none of several keys is there, as in a file without a section or a case without an expectation."""
    keys = [option["required"][0] for option in flaw.demand]
    if flaw.meant.isdisjoint(keys):
        listed = " or ".join((", ".join(f"`{key}:`" for key in keys[:-1]), f"`{keys[-1]}:`"))
        subject = f"{_subject(flaw)} {'expects nothing' if len(flaw.path) == 2 else 'says nothing'}"
        is_observed = len(flaw.path) == 2 and not flaw.found.keys() & {"skip", "xfail"}
        remedy = f"; or call pytest with {_FILL}" if is_observed else ""
        message = f"{subject}; add {listed}{remedy}" if flaw.path else f"the file has no cases; add a section: {listed}"
        yield flaw.path, message


def _is_left_open(error: ValidationError) -> bool:
    """Return whether what is wrong is but an expectation that has yet to be filled in."""
    path = error.absolute_path
    if len(path) == 2:
        return error.validator == "anyOf"
    return len(path) == 3 and path[2] in casekeys.FILLED and error.instance == casekeys.BLANK


def _explain_not(flaw: _Flaw) -> _Explanation:
    """Explain what must not be: a key beside another, a text with a pattern."""
    if flaw.clash:
        return _explain_conflict(flaw)
    return _explain_name(flaw) if flaw.path[2:] == ("name",) else _explain_value(flaw)


def _explain_name(flaw: _Flaw) -> _Explanation:
    part = next(re.finditer(flaw.demand["pattern"], flaw.found)).group()
    remedy = _NAME_REMEDIES.get(part)
    problem = f"'{part}': {remedy}" if remedy else f"the control character U+{ord(part):04X}; write one line of text"
    yield flaw.path, f"the name of {flaw.place} contains {problem}"


def _explain_conflict(flaw: _Flaw) -> _Explanation:
    first, second = flaw.clash
    parent = flaw.path[:-1]
    place = f"{within(parent)} of {flaw.place}" if len(parent) > 2 else flaw.place
    reason = casekeys.CONFLICTS[first, second].reason
    yield flaw.path, f"'{first}' and '{second}' contradict each other in {place}: {reason}; remove one of them"


def _explain_value(flaw: _Flaw) -> _Explanation:
    remedy = _remedy(flaw)
    message = f"{_subject(flaw)} must be {flaw.form['title']}, not {_shown(flaw.found)}"
    yield flaw.path, f"{message}; {remedy}" if remedy else message


def _subject(flaw: _Flaw) -> str:
    if not flaw.path:
        return "the file"
    if not flaw.place:
        return within(flaw.path)
    return flaw.place if len(flaw.path) == 2 else f"{within(flaw.path)} of {flaw.place}"


def _remedy(flaw: _Flaw) -> str:
    """Return what to write instead of a value: what the format says of its key, else what follows from the value."""
    match flaw.path:
        case [_, _, str(key)] if key in casekeys.FILLED and flaw.found == casekeys.BLANK:
            return f"call pytest with {_FILL}"
        case [str(key)] if remedy := caseformat.FILE_KEYS[key].remedy:
            return remedy
        case [_, _, str(key)] | [_, _, str(key), int()] if remedy := casekeys.CASE_KEYS[key].remedy:
            return remedy
    if flaw.keyword == "enum" and isinstance(flaw.found, str):
        near = nearest_of_format(flaw.found, tuple(flaw.demand))
        return f"did you mean '{near}'?" if near else ""
    wanted = flaw.form.get("type", ())
    if flaw.found is None and "object" in wanted:
        return "" if "properties" in flaw.form else "write {} for an empty mapping"
    return "quote it" if "string" in wanted and isinstance(flaw.found, bool | int | float) else ""


def _shown(value: JSONValue) -> str:
    if isinstance(value, dict | list):
        kind = "mapping" if isinstance(value, dict) else "list"
        return f"a {kind}" if value else f"an empty {kind}"
    if isinstance(value, str):
        return f"the text {quoted(value)}" if value else "an empty text"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "nothing (null)" if value is None else f"the number {printing.number(value)}"


_SECTIONS: Final = frozenset(section.value for section in Section)
_EXPLANATIONS: Final[Mapping[str, Callable[[_Flaw], _Explanation]]] = {
    "additionalProperties": _explain_unknown_keys,
    "required": _explain_missing,
    "anyOf": _explain_nothing,
    "not": _explain_not,
}


def _is_unknown_key(error: ValidationError) -> bool:
    return error.validator == "additionalProperties"


def _flaw(error: ValidationError, root: JSONValue, meant: frozenset[str] = frozenset()) -> _Flaw:
    # …, "dependentSchemas", first, "properties", second, "not"
    where = list(error.absolute_schema_path)
    return _Flaw(
        root=root,
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        demand=error.validator_value,
        form=error.schema,
        found=error.instance,
        clash=(str(where[-4]), str(where[-2])) if "dependentSchemas" in where[-5:] else (),
        meant=meant,
    )


def _meant(flaw: _Flaw) -> frozenset[str]:
    known = tuple(flaw.form["properties"])
    return frozenset(nearest_of_format(key, known) for key in flaw.unknown[:_MOST_UNKNOWN_KEYS])


@functools.cache
def _validator() -> Draft202012Validator:
    import jsonschema  # noqa: PLC0415 - costs 30 ms, and most sessions read no case file

    checks = {"anyOf": _check_any_of, "dependentSchemas": _check_conflicts}
    schema = caseformat.schema()
    quick: type[Draft202012Validator] = jsonschema.validators.extend(jsonschema.Draft202012Validator, checks)  # type: ignore[no-untyped-call]
    return quick(_inlined(schema, schema["$defs"]))


# The two keywords below have one shape each in the schema of case files: jsonschema's own, which take any, cost half the check.


def _check_any_of(
    _: object, options: list[dict[str, list[str]]], instance: JSONValue, __: object
) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and not any(option["required"][0] in instance for option in options):
        yield _error("none of the keys is there")


def _check_conflicts(_: object, clashes: Any, instance: JSONValue, __: object) -> Iterator[ValidationError]:
    for first in clashes.keys() & instance.keys() if isinstance(instance, dict) else ():
        for second in clashes[first]["properties"].keys() & instance.keys():
            yield _error(
                "both keys are there", path=[second], schema_path=[first, "properties", second, "not"], validator="not"
            )


def _error(message: str, **details: Any) -> ValidationError:
    from jsonschema import ValidationError  # noqa: PLC0415 - loaded by then

    return ValidationError(message, **details)


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Return the schema with definitions in the place of references, which would triple the time of a check."""
    if isinstance(node, Mapping):
        if "$ref" in node:
            return definitions[node["$ref"].rpartition("/")[2]]
        return {key: _inlined(item, definitions) for key, item in node.items()}
    return [_inlined(item, definitions) for item in node] if isinstance(node, list) else node
