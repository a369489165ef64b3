"""
Names of generated cases, made anew where an answer is no longer what they say.

A name that has another form was given by a person, who alone may change it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.cases.caseresult import CaseAnswer, CaseResult
from pytest_crd.cases.model import APPLIES
from pytest_crd.cases.sections import Section
from pytest_crd.engine import FieldError, Version
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, SchemaNode
from pytest_crd.generation import proposedcases, words
from pytest_crd.generation.appliers import TWO_MANAGERS

_DROPPED: Final = "unknown fields are dropped"
_KEPT: Final = "unknown fields are kept"
_NULL_DROPPED: Final = "null is dropped"
_NULL_KEPT: Final = "null is kept"
_WRONG_TYPES: Final = "values of a wrong type"
MISSING: Final = re.compile(r"(.+) is missing")
_MISSING_TOGETHER: Final = re.compile(r"(.+) are missing")
_NULL_REFUSED: Final = re.compile(r"(.+) must not be null")
# What is said where these are refused no longer.
_OF_REQUIRED: Final = (
    (MISSING, "may be left out"),
    (_MISSING_TOGETHER, "may be left out"),
    (_NULL_REFUSED, "may be null"),
)
_RULE: Final = re.compile(r"(?:breaks|cannot evaluate) the rule '(.*)'")
# What is said of what lies outside of a boundary, and the keyword that draws it.
_OUTSIDE: Final = (
    (re.compile(r".+ is too small"), "minimum"),
    (re.compile(r".+ is too large"), "maximum"),
    (re.compile(r".+ is no multiple of \S+"), "multipleOf"),
    (re.compile(r".+ does not match the pattern"), "pattern"),
    (re.compile(r".+ is no valid \S*"), "format"),
    (re.compile(r"\d+ characters? (?:is|are) too short"), "minLength"),
    (re.compile(r"\d+ characters? (?:is|are) too long"), "maxLength"),
    (re.compile(r"\d+ items? (?:is|are) too few"), "minItems"),
    (re.compile(r"\d+ items? (?:is|are) too many"), "maxItems"),
    (re.compile(r"\d+ fields? (?:is|are) too few"), "minProperties"),
    (re.compile(r"\d+ fields? (?:is|are) too many"), "maxProperties"),
)
# What else is said of what is refused, and stays so whatever the reason.
_REFUSED: Final = re.compile(
    rf"{_WRONG_TYPES}|the same (?:key|item) twice is refused"
    r"|.+ (?:is not allowed|is refused|is of the wrong type|does not fit (?:allOf|anyOf|oneOf)|is what `not` forbids)"
)
_ACCEPTED: Final = re.compile(
    r"(?:.+ )?may be (?:set|null)|(?:keys|items) that differ are allowed|values of another type are allowed|the same (?:key|item) twice is allowed"
    rf"|{_NULL_DROPPED}|(?:.+ (?:is allowed|is large enough|is small enough|is a multiple of \S+|matches the pattern|is a valid \S*"
    r"|is of the right type|fits (?:allOf|anyOf|oneOf)|is not what `not` forbids|is there|may be left out)"
    r"|\d+ (?:character|item|field)s? (?:is|are) (?:long enough|short enough|enough|few enough)|keeps the rule '.*')(?: when nothing changes)?"
)
_OF_PASSES: Final = re.compile(
    rf"{_DROPPED}|{_KEPT}|{_NULL_DROPPED}|null is kept(?: as .+)?|null gives way to a default|.+ ha(?:s a default|ve defaults)"
)
# What begins with the value that stands at the place.
_VALUED: Final = re.compile(
    r"(?!the same \w+ twice ).+ (?:is (?:not )?allowed|is refused|is of the (?:right|wrong) type|is (?:large|small) enough|is too (?:large|small)"
    r"|is (?:a|no) multiple of \S+|matches the pattern|does not match the pattern|is (?:a|no) valid \S*|fits \w+|does not fit \w+"
    r"|is (?:not )?what `not` forbids)(?: when nothing changes)?"
)
_WHOLE: Final = re.compile(r"the (smallest|fullest) object is (?:accepted|refused)")
_NUMBER: Final = re.compile(r" \(\d+\)$")


def made_anew(name: str, section: Section, result: CaseResult) -> str | None:
    """
    Return the name of a case whose answer is another; the same where it still says what is so.

    Args:
        name: Its name.
        section: What is asked.
        result: Its outcome, as it is written.

    Returns:
        None for a name that is none of a generated case of the CRD.
    """
    plain = without_number(name)
    answer, version = result.answer, result.version
    if answer is None or version is None:
        return None
    if whole := _WHOLE.fullmatch(plain):
        return f"the {whole[1]} object is {'refused' if answer.errors else 'accepted'}"
    place, _, what = plain.partition(": ")
    node = nodes(version).get(place)
    if node is None or not is_known(what, section):
        return None
    if section in APPLIES:
        return name  # it says what is done, not what comes of it
    if section in {Section.PRUNING, Section.DEFAULTING}:
        new = _of_pass(what, result)
    else:
        value = _value(version, node, answer.input)
        if _VALUED.fullmatch(what) and not any(what.startswith(f"{words.of_value(one)} ") for one in value):
            return None
        new = _of_request(what, node, answer, value)
    return name if new == what else f"{place}: {new}"


def without_number(name: str) -> str:
    """Return a name without the number that tells it from others that are alike."""
    return _NUMBER.sub("", name)


def is_known(what: str, section: Section) -> bool:
    """Return whether a generated case says *what* of a place."""
    if section in {Section.PRUNING, Section.DEFAULTING}:
        return bool(_OF_PASSES.fullmatch(what))
    if section in APPLIES:
        return what == TWO_MANAGERS
    return bool(_ACCEPTED.fullmatch(what)) or _is_refused(what)


def _is_refused(what: str) -> bool:
    """Return whether a name says that something is refused."""
    forms = (_REFUSED, _RULE, *(form for form, _ in _OF_REQUIRED))
    return any(form.fullmatch(what) for form in forms) or bool(_keyword(what))


def _keyword(what: str) -> str:
    """Return the keyword of the boundary outside of which something is said to be; empty where none is meant."""
    return next((keyword for pattern, keyword in _OUTSIDE if pattern.fullmatch(what)), "")


@functools.lru_cache(maxsize=16)
def nodes(version: Version) -> Mapping[str, SchemaNode]:
    """Return what the schema says, by the places as names have them."""
    found: dict[str, SchemaNode] = {}
    for node in version.schema_map:
        found.setdefault(words.of_place(node.place), node)
    return found


def _value(version: Version, node: SchemaNode, given: JSONValue) -> tuple[Any, ...]:
    """Return what stands at the place of *node*; nothing where nothing does."""
    named = {one.place: one.properties for one in nodes(version).values()}
    try:
        return (proposedcases.at(given, node.place, named),)
    except LookupError:
        return ()


def _of_pass(what: str, result: CaseResult) -> str:
    trace = result.trace
    if what in {_DROPPED, _KEPT}:
        return _DROPPED if trace.pruned else _KEPT
    return _NULL_KEPT if what == _NULL_DROPPED and not trace.nulls else what


def _of_request(what: str, node: SchemaNode, answer: CaseAnswer, value: tuple[Any, ...]) -> str:
    is_refused = _is_refused(what)
    if not answer.errors:
        return _accepted(what, node, value) if is_refused else what
    found = [said for error in answer.errors if (said := _refused(error, node, value))]
    keyword = _keyword(what)
    origins = (error.origin for error in answer.errors)
    at_place = {origin.keyword for origin in origins if origin is not None and _is_at(origin, node)}
    if what in found or (is_refused and (_REFUSED.fullmatch(what) or keyword in at_place)):
        return what
    return next(iter(found), f"{words.of_value(value[0])} is refused" if value else "what is sent is refused")


def _refused(error: FieldError, node: SchemaNode, value: tuple[Any, ...]) -> str:
    """Return what is said of an error at the place of *node*; empty for another error."""
    origin = error.origin
    if origin is None or not _is_at(origin, node):
        return ""
    if origin.keyword == "required" and origin.inner:
        missing = node.schema["required"][origin.inner[0]]
        return words.of_boundary(f"required {missing}", node.schema, None, holds=False)
    if origin.keyword == RULES:
        said = words.of_boundary(f"{RULES}[{origin.inner[0]}]", node.schema, None, holds=False)
        was_evaluated = error.rule is None or error.rule.was_evaluated
        return said if was_evaluated else said.replace("breaks the rule", "cannot evaluate the rule", 1)
    is_bound = origin.keyword == "enum" or any(origin.keyword == keyword for _, keyword in _OUTSIDE)
    return words.of_boundary(origin.keyword, node.schema, value[0], holds=False) if value and is_bound else ""


def _is_at(origin: Origin, node: SchemaNode) -> bool:
    return origin.schema == schemamap.steps_of(node.place)


def _accepted(what: str, node: SchemaNode, value: tuple[Any, ...]) -> str:
    """Return what is said of something that was refused, and no longer is."""
    for form, allowed in _OF_REQUIRED:
        if found := form.fullmatch(what):
            return f"{found[1]} {allowed}"
    if what == _WRONG_TYPES:
        return "values of another type are allowed"
    if what.endswith(" twice is refused"):
        return f"{what.removesuffix('refused')}allowed"
    if (rule := _RULE.fullmatch(what)) and rule[1] in map(words.of_rule, node.rules):
        return f"keeps the rule '{rule[1]}'"
    keyword = _keyword(what)
    if value and keyword in node.schema:
        return words.of_boundary(keyword, node.schema, value[0], holds=True)
    return f"{words.of_value(value[0])} is allowed" if value else "what is sent is allowed"
