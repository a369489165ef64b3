"""
Diagnosis of the form of a case file: jsonschema finds the mistakes, this module words them for users.

It looks at one document and its form only, not at the meaning of its values.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_crd import lazyimport, suggestions
from pytest_crd.cases import builder, caseformat, casekeys
from pytest_crd.cases.sections import Section
from pytest_crd.engine.golang import printing
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document
from pytest_crd.records import dataclass

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from pytest_crd.cases import conflicts
else:
    conflicts = lazyimport.module("pytest_crd.cases.conflicts")

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


@dataclass(frozen=True)
class _Flaw:
    """
    An error of jsonschema.

    Attributes:
        root: The whole document.
        path: The path of the flaw.
        keyword: The violated keyword of the schema.
        demand: The value of that keyword.
        form: The schema at the path.
        value: The value at the path.
        clash: The two keys that contradict each other; empty for other flaws.
        suggestions: The keys that unknown keys of the same mapping may stand for.
    """

    root: JSONValue
    path: Path
    keyword: str
    demand: Any
    form: Any
    value: JSONValue
    clash: tuple[str, ...]
    suggestions: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The title of the case with the flaw; empty outside of the cases."""
        return owner(self.root, self.path)

    @property
    def unknown(self) -> list[str]:
        """The unknown keys of the mapping."""
        free = () if self.path else caseformat.FREE_PREFIX
        return [key for key in self.value if key not in self.form["properties"] and not key.startswith(free)]


_Explanation: TypeAlias = Iterator[tuple[Path, str]]


def find_mistakes(document: Document, *, fills: bool = False) -> Iterator[Mistake]:
    """
    Yield the mistakes in the form of *document*: unknown keys, wrong types, missing keys, contradictions.

    Args:
        document: One document of a case file.
        fills: Whether expectations may be left out, to be filled in later.
    """
    from pytest_crd.cases import formvalidator  # noqa: PLC0415 - jsonschema takes 60 ms, and only a file with a mistake needs its words

    errors = [
        error for error in formvalidator.get().iter_errors(document.value) if not (fills and _is_left_open(error))
    ]
    suggested_keys = {
        tuple(error.absolute_path): _suggest_keys(_flaw(error, document.value))
        for error in errors
        if _is_unknown_key(error)
    }
    flaws = [
        _flaw(error, document.value, suggested_keys.get(tuple(error.absolute_path), frozenset())) for error in errors
    ]
    # A key in the wrong kind of file makes the forms of its values wrong, too.
    misplaced = {flaw.path for flaw in flaws if flaw.clash and len(flaw.path) == 1}
    for flaw in flaws:
        if not flaw.clash and flaw.path[:1] in misplaced:
            continue
        for path, message in _EXPLANATIONS.get(flaw.keyword, _explain_value)(flaw):
            yield Mistake(document.source, line_of(document, path), message)


def line_of(document: Document, path: Path) -> int:
    """Return the line of the key or item at *path*, or of the document for an empty path."""
    return document.line_of(path, key=isinstance(path[-1], str)) if path else document.line


def owner(value: JSONValue, path: Path) -> str:
    """
    Return the title of the case at *path*, as in `pruning case "x"`; empty outside of the cases.

    Args:
        value: The document, which may have any form.
        path: A path, which may lead nowhere.
    """
    match path:
        case [str(section), int(index), *_] if section in _SECTIONS:
            cases = value.get(section)
            case = cases[index] if isinstance(cases, list) and index < len(cases) else None
            name = case.get("name") if isinstance(case, dict) else None
            return f"{Section(section).noun} case {quoted(name) if isinstance(name, str) and name.strip() else f'#{index + 1}'}"
    return ""


def within(path: Path) -> str:
    """Return the part of *path* below its case, in quotes: `'errors[0].type'`; the whole path outside of the cases."""
    text = ""
    for step in path[2:] if path[0] in _SECTIONS and len(path) > 2 else path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return f"'{quoted(text)[1:-1]}'"


def quoted(text: str) -> str:
    """Return *text* in double quotes, on one line, and shortened if it is long."""
    return printing.quote(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")


@functools.lru_cache(maxsize=1024)
def nearest_of_format(word: str, words: tuple[str, ...]) -> str:
    """Return the word of a format that is most similar to *word*; empty if none is."""
    return suggestions.nearest_ignoring_case(word, words)


# Each explanation yields the paths of one flaw, with a sentence for each.


def _explain_unknown_keys(flaw: _Flaw) -> _Explanation:
    for key in flaw.unknown[:_MOST_UNKNOWN_KEYS]:
        yield (*flaw.path, key), _unknown_key(key, flaw)
    if (more := len(flaw.unknown) - _MOST_UNKNOWN_KEYS) > 0:
        yield flaw.path, f"{more} more unknown keys {_in_place(flaw)}"


def _unknown_key(key: str, flaw: _Flaw) -> str:
    quoted_key = within((key,))
    if len(flaw.path) == 2:
        if key in casekeys.CASE_KEYS:
            return f"key {quoted_key} belongs in {_cases_with(key)}, not {_in_place(flaw)}"
        if key in caseformat.FILE_KEYS or key.startswith(caseformat.FREE_PREFIX):
            return f"key {quoted_key} belongs at the top level of the file, not {_in_place(flaw)}"
    if not flaw.path and key in casekeys.CASE_KEYS:
        return f"key {quoted_key} belongs in a case, not {_in_place(flaw)}; indent it below `- name:` of a section"
    known_keys = tuple(flaw.form["properties"])
    near = nearest_of_format(key, known_keys)
    remedy = f"did you mean '{near}'?" if near else f"known are {', '.join(known_keys)}"
    return f"unknown key {quoted_key} {_in_place(flaw)}; {remedy}"


def _in_place(flaw: _Flaw) -> str:
    if not flaw.path:
        return "at the top level of the file"
    return f"in {within(flaw.path)} of {flaw.place}" if len(flaw.path) > 2 else f"in {flaw.place}"


def _cases_with(key: str) -> str:
    key_sections = casekeys.CASE_KEYS[key].sections
    of_crds = [section for section in Section if section is not Section.POLICY]
    sections = [section.value for section in of_crds if section in key_sections]
    others = [section.value for section in of_crds if section not in key_sections]
    if not sections:
        return "policy cases"
    return f"all but {_listed(others)} cases" if len(others) < len(sections) else f"{_listed(sections)} cases"


def _listed(sections: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(sections[:-1]), sections[-1])))


def _explain_missing(flaw: _Flaw) -> _Explanation:
    for key in flaw.demand:
        # A file with `cases:` is about a policy, unless it names a CRD, which is a mistake of its own.
        others = {"crd": Section.POLICY, "policy": "crd"}
        is_other = not flaw.path and others.get(key) in flaw.value
        if key not in flaw.value and key not in flaw.suggestions and not is_other:
            yield flaw.path, f"{_subject(flaw)} has no '{key}'; add `{key}:` with {_wanted(key, flaw)}"


def _wanted(key: str, flaw: _Flaw) -> Any:
    # A demand that depends on another key is beside the keys, not among them.
    keys = flaw.form.get("properties", {})
    if key in keys:
        return keys[key]["title"]
    if not flaw.path:
        return caseformat.FILE_KEYS[key].form["title"]
    return "what the operation needs" if "op" in flaw.value else casekeys.CASE_KEYS[key].form["title"]


def _explain_nothing(flaw: _Flaw) -> _Explanation:
    """Yield an explanation for a file without sections, or a case without expectations."""
    keys = [option["required"][0] for option in flaw.demand]
    if not flaw.path:
        keys = [key for key in keys if (key == Section.POLICY) == ("policy" in flaw.value)]
    if flaw.suggestions.isdisjoint(keys):
        listed = " or ".join(filter(None, (", ".join(f"`{key}:`" for key in keys[:-1]), f"`{keys[-1]}:`")))
        subject = f"{_subject(flaw)} {'expects nothing' if len(flaw.path) == 2 else 'says nothing'}"
        is_observed = len(flaw.path) == 2 and not flaw.value.keys() & {"skip", "xfail"}
        remedy = f"; or call pytest with {_FILL}" if is_observed else ""
        message = f"{subject}; add {listed}{remedy}" if flaw.path else f"the file has no cases; add a section: {listed}"
        yield flaw.path, message


def _is_left_open(error: ValidationError) -> bool:
    """Return whether the error is only an expectation that has yet to be filled in."""
    path = error.absolute_path
    if len(path) == 2:
        return error.validator == "anyOf"
    return len(path) == 3 and path[2] in builder.FILLED and error.instance == builder.BLANK


def _explain_not(flaw: _Flaw) -> _Explanation:
    """Explain a forbidden key beside another, or a forbidden pattern in a text."""
    if flaw.clash:
        return _explain_conflict(flaw)
    return _explain_name(flaw) if flaw.path[2:] == ("name",) else _explain_value(flaw)


def _explain_name(flaw: _Flaw) -> _Explanation:
    part = next(re.finditer(flaw.demand["pattern"], flaw.value)).group()
    remedy = _NAME_REMEDIES.get(part)
    problem = f"'{part}': {remedy}" if remedy else f"the control character U+{ord(part):04X}; write one line of text"
    yield flaw.path, f"the name of {flaw.place} contains {problem}"


def _explain_conflict(flaw: _Flaw) -> _Explanation:
    first, second = flaw.clash
    parent = flaw.path[:-1]
    place = f"{within(parent)} of {flaw.place}" if len(parent) > 2 else flaw.place or "the file"
    reason = conflicts.CONFLICTS[first, second].reason
    yield flaw.path, f"'{first}' and '{second}' contradict each other in {place}: {reason}; remove one of them"


def _explain_value(flaw: _Flaw) -> _Explanation:
    remedy = _remedy(flaw)
    message = f"{_subject(flaw)} must be {flaw.form['title']}, not {_describe_value(flaw.value)}"
    yield flaw.path, f"{message}; {remedy}" if remedy else message


def _subject(flaw: _Flaw) -> str:
    if not flaw.path:
        return "the file"
    if not flaw.place:
        return within(flaw.path)
    return flaw.place if len(flaw.path) == 2 else f"{within(flaw.path)} of {flaw.place}"


def _remedy(flaw: _Flaw) -> str:
    """Return advice for a wrong value: from the format of its key, else from the value."""
    match flaw.path:
        case [_, _, str(key)] if key in builder.FILLED and flaw.value == builder.BLANK:
            return f"call pytest with {_FILL}"
        case [str(key)] if remedy := caseformat.FILE_KEYS[key].remedy:
            return remedy
        case [_, _, str(key)] | [_, _, str(key), int()] if remedy := casekeys.CASE_KEYS[key].remedy:
            return remedy
    if flaw.keyword == "enum" and isinstance(flaw.value, str):
        near = nearest_of_format(flaw.value, tuple(flaw.demand))
        return f"did you mean '{near}'?" if near else ""
    wanted = flaw.form.get("type", ())
    if flaw.value is None and "object" in wanted:
        return "" if "properties" in flaw.form else "write {} for an empty mapping"
    return "quote it" if "string" in wanted and isinstance(flaw.value, bool | int | float) else ""


def _describe_value(value: JSONValue) -> str:
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


def _flaw(error: ValidationError, root: JSONValue, suggested_keys: frozenset[str] = frozenset()) -> _Flaw:
    # …, "dependentSchemas", first, "properties", second, "not"
    where = list(error.absolute_schema_path)
    return _Flaw(
        root=root,
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        demand=error.validator_value,
        form=error.schema,
        value=error.instance,
        clash=(str(where[-4]), str(where[-2])) if "dependentSchemas" in where[-5:] else (),
        suggestions=suggested_keys,
    )


def _suggest_keys(flaw: _Flaw) -> frozenset[str]:
    known_keys = tuple(flaw.form["properties"])
    return frozenset(nearest_of_format(key, known_keys) for key in flaw.unknown[:_MOST_UNKNOWN_KEYS])
