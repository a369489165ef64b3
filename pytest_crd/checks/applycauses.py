"""Why an apply is refused: the list of the CRD that it is about, the server's words, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import Response, Version
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.schemamap import SchemaNode

Cause: TypeAlias = "tuple[str, str]"

_MOST_SHOWN: Final = 3
# Where a line begins to say what is wrong: with the field, `.spec.beds: element 0: …`.
_FIELD: Final = re.compile(r"(?:^|: )(?=\.)")
_ADVICE: Final = (
    (
        "has an element that's a map type",
        "write `x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys`, or `atomic`: only scalars can be in a set",
    ),
    ("lists as elements", "write `x-kubernetes-list-type: atomic`: only scalars can be in a set"),
    ("omits", "each key in `x-kubernetes-list-map-keys` must be `required` in the items, or have a default"),
)


def findings(version: Version, answer: Response, first: Response, source: str) -> tuple[CheckFinding, ...]:
    """
    Return what is wrong, each cause once.

    Args:
        version: The version that the apply was sent to.
        answer: How it was refused.
        first: The answer to the apply before it; the same where there was none.
        source: Where the object stands, or the CRD that it is made of: for what is of no list of the schema.
    """
    found = [*_conflicts(version, answer, first)] if answer.conflicts else [*_problems(version, answer)]
    causes: dict[Cause, CheckFinding] = {}
    for one in found or [CheckFinding("", error.told) for error in answer.errors]:
        placed = one._replace(place=one.place or source)
        causes.setdefault(cause(placed), placed)
    return tuple(causes.values())


def cause(finding: CheckFinding) -> Cause:
    """Return what findings share that have one cause: the line of a list, or else the words about an object."""
    return finding.place, "" if finding.details else finding.text


def _problems(version: Version, answer: Response) -> Iterator[CheckFinding]:
    """Yield what is wrong with the items of lists, in the lines that the server has for it."""
    for line in map(str.strip, answer.message.split("\n")):
        nodes = (_told(version.schema_map, line[begin.end() :]) for begin in _FIELD.finditer(line))
        if (node := next(filter(None, nodes), None)) is not None:
            advice = tuple(words for part, words in _ADVICE if part in line)
            yield CheckFinding(_source(version, node), line, (*_declared(node), *advice), node.path)


def _conflicts(version: Version, answer: Response, first: Response) -> Iterator[CheckFinding]:
    """Yield what a second manager cannot have, with what the server made of it for the first one."""
    for conflict in answer.conflicts:
        words = f'conflict with "{conflict.manager}": .{conflict.field}'
        node = of_field(version, conflict.field)
        if node is None:
            yield CheckFinding("", words, field=str(conflict.field))
            continue
        defaults = [
            f"{path} ({version.source_of((*one.steps, 'default'))})"
            for path, one in _below(version, node, first.changes.defaulted).items()
        ]
        shown = ", ".join((*defaults[:_MOST_SHOWN], *(("…",) if len(defaults) > _MOST_SHOWN else ())))
        is_made = f"something else is stored than applied, by default: {shown}"
        reasons = (is_made, _advice_on_defaults(node)) if defaults else ()
        yield CheckFinding(_source(version, node), words, (*_declared(node), *reasons), str(conflict.field))


def of_field(version: Version, field: str) -> SchemaNode | None:
    """Return what the schema says of a field, as conflicts spell it; None where it says nothing."""
    return next((node for node, rest in ownertypes.led_to(version.schema_map, f".{field}") if not rest), None)


def _advice_on_defaults(node: SchemaNode) -> str:
    stated = "state it in what is applied"
    return (
        f"{stated}, or let items have owners of their own: `{ownertypes.LIST_TYPE}: map`"
        if ownertypes.is_list(node)
        else stated
    )


def _below(version: Version, node: SchemaNode, paths: tuple[SpelledPath, ...]) -> dict[str, SchemaNode]:
    """Return what the schema says of the values at those of *paths* that are at or below a node, by their places."""
    found = (version.schema_map.of_path(path.steps) for path in paths)
    return {one.path: one for one in found if one is not None and one.place[: len(node.place)] == node.place}


def _told(node: SchemaNode, line: str) -> SchemaNode | None:
    """Return what the schema says of the field with which a line begins; None where it says nothing, or that is no field."""
    found = ownertypes.led_to(node, line)
    return next((one for one, rest in found if one.place and rest.startswith(": ")), None)


def _declared(node: SchemaNode) -> tuple[str, ...]:
    """Return how a list or map gets its owners, as it is declared."""
    keyword = ownertypes.keyword(node)
    if keyword in node.schema:
        return (f"{node.path} is `{keyword}: {node.schema[keyword]}`",)
    is_list = ownertypes.is_list(node)
    return (f"{node.path} has no `{keyword}`, so that it has one owner as a whole",) if is_list else ()


def _source(version: Version, node: SchemaNode) -> str:
    """Return where a list or map gets its type, or else where it stands."""
    return version.source_of(ownertypes.steps(node))
