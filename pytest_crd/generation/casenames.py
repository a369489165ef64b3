"""
Names of generated cases, and new names after a changed answer.

A name of any other form was chosen by a person, and is kept.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.cases.caseresult import CaseAnswer, CaseResult
from pytest_crd.cases.model import APPLIES
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CrdVersion, FieldError
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
# The new statements for required fields that are no longer required.
_OF_REQUIRED: Final = (
    (MISSING, "may be left out"),
    (_MISSING_TOGETHER, "may be left out"),
    (_NULL_REFUSED, "may be null"),
)
_RULE: Final = re.compile(r"(?:breaks|cannot evaluate) the rule '(.*)'")
# The statements about values outside of a boundary, and the keywords of the boundaries.
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
# Other statements about refused values, which are kept for any reason of the refusal.
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
# Statements that begin with the value at the place.
_VALUED: Final = re.compile(
    r"(?!the same (?:key|item) twice ).+ (?:is (?:not )?allowed|is refused|is of the (?:right|wrong) type|is (?:large|small) enough|is too (?:large|small)"
    r"|is (?:a|no) multiple of \S+|matches the pattern|does not match the pattern|is (?:a|no) valid \S*|fits \w+|does not fit \w+"
    r"|is (?:not )?what `not` forbids)(?: when nothing changes)?"
)
_WHOLE: Final = re.compile(r"the ((?:smallest|fullest) object(?: of \S+)?) is (?:accepted|refused)")
_NUMBER: Final = re.compile(r" \(\d+\)$")


def rename_case(name: str, section: Section, result: CaseResult) -> str | None:
    """
    Return the new name of a case after its answer changed; the old name if it is still true.

    Args:
        name: The present name.
        section: The section of the case.
        result: The outcome of the case as written.

    Returns:
        None if the name is not the name of a generated case of the CRD.
    """
    plain = strip_number(name)
    answer, version = result.answer, result.version
    if answer is None or version is None:
        return None
    if whole := _WHOLE.fullmatch(plain):
        return f"the {whole[1]} is {'refused' if answer.errors else 'accepted'}"
    place, _, statement = plain.partition(": ")
    node = find_nodes_by_name(version).get(place)
    if node is None or not is_generated(statement, section):
        return None
    if section in APPLIES:
        return name  # the name states the requests, not the outcome
    if section in {Section.PRUNING, Section.DEFAULTING}:
        new = _describe_pass(statement, result)
    else:
        value = _value(version, node, answer.input)
        if _VALUED.fullmatch(statement) and not any(
            statement.startswith(f"{words.format_value(item)} ") for item in value
        ):
            return None
        new = _describe_request(statement, node, answer, value)
    return name if new == statement else f"{place}: {new}"


def strip_number(name: str) -> str:
    """Return *name* without the number that makes it unique."""
    return _NUMBER.sub("", name)


def is_generated(statement: str, section: Section) -> bool:
    """Return True if *statement* is the statement of a generated case in *section*."""
    if section in {Section.PRUNING, Section.DEFAULTING}:
        return bool(_OF_PASSES.fullmatch(statement))
    if section in APPLIES:
        return statement == TWO_MANAGERS
    return bool(_ACCEPTED.fullmatch(statement)) or _is_refused(statement)


def _is_refused(statement: str) -> bool:
    """Return True if *statement* reports a refusal."""
    forms = (_REFUSED, _RULE, *(form for form, _ in _OF_REQUIRED))
    return any(form.fullmatch(statement) for form in forms) or bool(_keyword(statement))


def _keyword(statement: str) -> str:
    """Return the keyword of the boundary in a *statement* about a value beyond that boundary; empty for other statements."""
    return next((keyword for pattern, keyword in _OUTSIDE if pattern.fullmatch(statement)), "")


@functools.lru_cache(maxsize=16)
def find_nodes_by_name(version: CrdVersion) -> Mapping[str, SchemaNode]:
    """Return the schema nodes of a version by the spelling of their places in names."""
    nodes_: dict[str, SchemaNode] = {}
    for node in version.schema_map:
        nodes_.setdefault(words.format_place(node.place), node)
    return nodes_


def _value(version: CrdVersion, node: SchemaNode, resource: JSONValue) -> tuple[Any, ...]:
    """Return the value at the place of *node* in a tuple; an empty tuple without a value."""
    properties = {item.place: item.properties for item in find_nodes_by_name(version).values()}
    try:
        return (proposedcases.at(resource, node.place, properties),)
    except LookupError:
        return ()


def _describe_pass(statement: str, result: CaseResult) -> str:
    trace = result.trace
    if statement in {_DROPPED, _KEPT}:
        return _DROPPED if trace.pruned else _KEPT
    return _NULL_KEPT if statement == _NULL_DROPPED and not trace.nulls else statement


def _describe_request(statement: str, node: SchemaNode, answer: CaseAnswer, value: tuple[Any, ...]) -> str:
    is_refused = _is_refused(statement)
    if not answer.errors:
        return _describe_acceptance(statement, node, value) if is_refused else statement
    statements = [text for error in answer.errors if (text := _describe_error(error, node, value))]
    keyword = _keyword(statement)
    origins = (error.origin for error in answer.errors)
    at_place = {origin.keyword for origin in origins if origin is not None and _is_at(origin, node)}
    if statement in statements or (is_refused and (_REFUSED.fullmatch(statement) or keyword in at_place)):
        return statement
    return next(iter(statements), f"{words.format_value(value[0])} is refused" if value else "what is sent is refused")


def _describe_error(error: FieldError, node: SchemaNode, value: tuple[Any, ...]) -> str:
    """Return the statement about an error at the place of *node*; empty for errors elsewhere."""
    origin = error.origin
    if origin is None or not _is_at(origin, node):
        return ""
    if origin.keyword == "required" and origin.inner:
        missing = node.schema["required"][origin.inner[0]]
        return words.describe_boundary(f"required {missing}", node.schema, None, holds=False)
    if origin.keyword == RULES:
        text = words.describe_boundary(f"{RULES}[{origin.inner[0]}]", node.schema, None, holds=False)
        was_evaluated = error.rule is None or error.rule.was_evaluated
        return text if was_evaluated else text.replace("breaks the rule", "cannot evaluate the rule", 1)
    is_bound = origin.keyword == "enum" or any(origin.keyword == keyword for _, keyword in _OUTSIDE)
    return words.describe_boundary(origin.keyword, node.schema, value[0], holds=False) if value and is_bound else ""


def _is_at(origin: Origin, node: SchemaNode) -> bool:
    return origin.schema == schemamap.steps_of(node.place)


def _describe_acceptance(statement: str, node: SchemaNode, value: tuple[Any, ...]) -> str:
    """Return the new statement about a value that was refused and is accepted now."""
    for form, allowed in _OF_REQUIRED:
        if match := form.fullmatch(statement):
            return f"{match[1]} {allowed}"
    if statement == _WRONG_TYPES:
        return "values of another type are allowed"
    if statement.endswith(" twice is refused"):
        return f"{statement.removesuffix('refused')}allowed"
    if (rule := _RULE.fullmatch(statement)) and rule[1] in map(words.describe_rule, node.rules):
        return f"keeps the rule '{rule[1]}'"
    keyword = _keyword(statement)
    if value and keyword in node.schema:
        return words.describe_boundary(keyword, node.schema, value[0], holds=True)
    return f"{words.format_value(value[0])} is allowed" if value else "what is sent is allowed"
