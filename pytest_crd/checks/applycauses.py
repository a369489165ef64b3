"""Causes of refused applies: the list of the CRD, the server's words, and advice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CrdVersion, Response
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.schemamap import SchemaNode

Cause: TypeAlias = "tuple[str, str]"

_MOST_SHOWN: Final = 3
# The beginning of a message in a line: the field, as in `.spec.beds: element 0: …`.
_FIELD: Final = re.compile(r"(?:^|: )(?=\.)")
_ADVICE: Final = (
    (
        "has an element that's a map type",
        "write `x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys`, or `atomic`: only scalars can be in a set",
    ),
    ("lists as elements", "write `x-kubernetes-list-type: atomic`: only scalars can be in a set"),
    ("omits", "each key in `x-kubernetes-list-map-keys` must be `required` in the items, or have a default"),
)


def find_causes(version: CrdVersion, answer: Response, first: Response, source: str) -> tuple[CheckFinding, ...]:
    """
    Return the findings about a refused apply, one for each cause.

    Args:
        version: The version of the apply.
        answer: The refusal.
        first: The answer to the apply before it, or *answer* if there was none.
        source: The place of the object or CRD, for findings without a list of the schema.
    """
    problems = [*_conflicts(version, answer, first)] if answer.conflicts else [*_problems(version, answer)]
    causes: dict[Cause, CheckFinding] = {}
    for problem in problems or [CheckFinding("", error.text_with_origin) for error in answer.errors]:
        placed = problem._replace(place=problem.place or source)
        causes.setdefault(cause(placed), placed)
    return tuple(causes.values())


def cause(finding: CheckFinding) -> Cause:
    """Return the key of a finding's cause: the line of a list, or the words about an object."""
    return finding.place, "" if finding.details else finding.text


def _problems(version: CrdVersion, answer: Response) -> Iterator[CheckFinding]:
    """Yield a finding for each line of the message that names a list of the schema."""
    for line in map(str.strip, answer.message.split("\n")):
        nodes = (_find_named_node(version.schema_map, line[begin.end() :]) for begin in _FIELD.finditer(line))
        if (node := next(filter(None, nodes), None)) is not None:
            advice = tuple(words for part, words in _ADVICE if part in line)
            yield CheckFinding(_source(version, node), line, (*_declared(node), *advice), node.path)


def _conflicts(version: CrdVersion, answer: Response, first: Response) -> Iterator[CheckFinding]:
    """Yield a finding for each conflict of a second manager, with the defaults that the first manager got."""
    for conflict in answer.conflicts:
        words = f'conflict with "{conflict.manager}": .{conflict.field}'
        node = find_node(version, conflict.field)
        if node is None:
            yield CheckFinding("", words, field=str(conflict.field))
            continue
        defaulted = _below(version, node, first.changes.defaulted)
        defaults = [
            f"{path} ({version.source_of((*default_node.steps, 'default'))})"
            for path, default_node in defaulted.items()
        ]
        listed = ", ".join((*defaults[:_MOST_SHOWN], *(("…",) if len(defaults) > _MOST_SHOWN else ())))
        is_made = f"something else is stored than applied, by default: {listed}"
        reasons = (is_made, _advice_on_defaults(node)) if defaults else ()
        details = (*_declared(node), *reasons)
        # Fields of one type conflict for one reason: the same declaration, and defaults of the same fields below.
        parts = (*_declared(node), *defaulted)
        pattern = " ".join(part.removeprefix(node.path) for part in parts) if defaulted else ""
        yield CheckFinding(_source(version, node), words, details, str(conflict.field), pattern=pattern)


def find_node(version: CrdVersion, field: str) -> SchemaNode | None:
    """Return the schema node of a field, as conflicts spell it; None if the schema does not have it."""
    return next((node for node, rest in ownertypes.find_nodes(version.schema_map, f".{field}") if not rest), None)


def _advice_on_defaults(node: SchemaNode) -> str:
    advice = "state it in what is applied"
    return (
        f"{advice}, or let items have owners of their own: `{ownertypes.LIST_TYPE}: map`"
        if ownertypes.is_list(node)
        else advice
    )


def _below(version: CrdVersion, node: SchemaNode, paths: tuple[SpelledPath, ...]) -> dict[str, SchemaNode]:
    """Return the schema nodes of the *paths* at or below a node, by their places."""
    nodes = (version.schema_map.of_path(path.steps) for path in paths)
    return {inner.path: inner for inner in nodes if inner is not None and inner.place[: len(node.place)] == node.place}


def _find_named_node(node: SchemaNode, line: str) -> SchemaNode | None:
    """Return the schema node of the field at the beginning of a line; None if there is no such field."""
    candidates = ownertypes.find_nodes(node, line)
    return next((candidate for candidate, rest in candidates if candidate.place and rest.startswith(": ")), None)


def _declared(node: SchemaNode) -> tuple[str, ...]:
    """Return the declaration of the owners of a list or map."""
    keyword = ownertypes.keyword(node)
    if keyword in node.schema:
        return (f"{node.path} is `{keyword}: {node.schema[keyword]}`",)
    is_list = ownertypes.is_list(node)
    return (f"{node.path} has no `{keyword}`, so that it has one owner as a whole",) if is_list else ()


def _source(version: CrdVersion, node: SchemaNode) -> str:
    """Return the place of a list's or map's type, else of the list or map itself."""
    return version.source_of(ownertypes.steps(node))
