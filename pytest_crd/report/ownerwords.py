"""Report on field owners: deviations, and the list or map types that cause them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from pytest_crd.cases import expectedowners
from pytest_crd.cases.caseresult import CaseResult, Trace
from pytest_crd.cases.deviations import (
    Accepted,
    ConflictsMismatch,
    ManagersMismatch,
    Mismatch,
    ObjectMismatch,
    OwnedField,
    Present,
)
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.report import objectdifferences
from pytest_crd.report.verdictwords import VerdictLine, describe_conflict

OwnersMismatch: TypeAlias = "ManagersMismatch | ConflictsMismatch"

# Text that can follow a field in a path.
_BEHIND_A_FIELD: Final = ("", ".", "[")
_MOST_PATHS: Final = 8
_WHOLE: Final = "who applies it owns all of it"
_EACH: Final = "each item has its own owners"


def heading(mismatch: OwnersMismatch) -> str:
    """Return the heading of *mismatch*: the key of the case."""
    return "managers" if isinstance(mismatch, ManagersMismatch) else "conflicts"


def lines(mismatch: OwnersMismatch) -> Iterator[VerdictLine]:
    """Yield the lines about *mismatch*; the most important first."""
    if isinstance(mismatch, ManagersMismatch):
        yield from _of_managers(mismatch)
    else:
        yield from _of_conflicts(mismatch)


def _of_managers(mismatch: ManagersMismatch) -> Iterator[VerdictLine]:
    for field in mismatch.missing:
        text = f"listed for {field.manager}, but {_owned_by(field) or 'nobody owns it'}"
        brief = f"{field.path} is not owned by {field.manager}, but listed"
        yield VerdictLine(field.path, text, "expected", brief, field=str(field.path))
    for field in mismatch.unasked:
        also = f" (as by {' and '.join(field.others)})" if field.others else ""
        text = f"owned by {field.manager}{also}, but not listed"
        brief = f"{field.path} is owned by {field.manager}, but not listed"
        yield VerdictLine(field.path, text, "actual", brief, field=str(field.path))


def _owned_by(field: OwnedField) -> str:
    others = " and ".join(field.others)
    return others and f"{others} {'owns' if len(field.others) == 1 else 'own'} it"


def _of_conflicts(mismatch: ConflictsMismatch) -> Iterator[VerdictLine]:
    if mismatch.refusal:
        yield VerdictLine("refused", mismatch.refusal, "actual", f"refused {mismatch.refusal}")
    for label, fields, style in (("missing", mismatch.missing, "expected"), ("unasked", mismatch.unasked, "actual")):
        for field in fields:
            text = describe_conflict(field.manager, field.path)
            yield VerdictLine(label, text, style, f"{label} {text}", field=str(field.path))


def footer(result: CaseResult, *, verbosity: int) -> Iterator[str]:
    """
    Yield lines with the owners after an apply, and with the list and map types that cause the deviations.

    Args:
        result: A failed result.
        verbosity: 0 or less: the first paths; more: all of them.
    """
    answer = result.answer
    if answer is None or result.version is None:
        return
    for name, owned in answer.managers.items():
        paths = expectedowners.find_shortest_paths(owned)
        listed = paths if verbosity > 0 else paths[:_MOST_PATHS]
        more = f" and {len(paths) - len(listed)} more (-v lists them)" if len(paths) > len(listed) else ""
        yield f"{name} owns {', '.join(listed)}{more}"
    if answer.managers or answer.conflicts:
        paths = [path for mismatch in result.mismatches for path in _paths(mismatch, result.trace)]
        paths += [conflict.field for conflict in answer.conflicts]
        yield from dict.fromkeys(text for path in paths if (text := explain_owners(path, result.version)))


def _paths(mismatch: Mismatch, trace: Trace) -> Iterator[str]:
    if isinstance(mismatch, ObjectMismatch):
        yield from (difference.path for difference in objectdifferences.find_differences(mismatch, trace))
    elif isinstance(mismatch, Present):
        yield mismatch.path
    elif isinstance(mismatch, Accepted):
        yield from (conflict.field for conflict in mismatch.conflicts)
    elif isinstance(mismatch, ManagersMismatch | ConflictsMismatch):
        yield from (field.path for field in (*mismatch.missing, *mismatch.unasked))


def explain_owners(path: str, version: CrdVersion) -> str:
    """Return the list or map type that decides the owners of a field, with its place; may be empty."""
    candidates = ownertypes.find_nodes(version.schema_map, f".{path}")
    # Even a path that leads nowhere begins with an existing field.
    nearest, _ = min(
        (candidate for candidate in candidates if candidate[1][:1] in _BEHIND_A_FIELD),
        key=lambda candidate: len(candidate[1]),
    )
    node = next((candidate for candidate in (nearest, *nearest.around) if _decides(candidate)), None)
    if node is None:
        return ""
    source = version.source_of(ownertypes.steps(node))
    return f"{node.path} {_words(node)}" + (f" ({source})" if source else "")


def _decides(node: SchemaNode) -> bool:
    return ownertypes.is_list(node) or ownertypes.is_atomic_map(node)


def _words(node: SchemaNode) -> str:
    keyword = ownertypes.keyword(node)
    list_type = node.schema.get(keyword)
    if list_type is None:
        return f"has no {keyword}, so that it is atomic: {_WHOLE}"
    if list_type == "map":
        keys = ", ".join(node.schema.get(ownertypes.LIST_MAP_KEYS, ()))
        return f"is a map by {keys} ({keyword}: map): {_EACH}"
    return f"is a set ({keyword}: set): {_EACH}" if list_type == "set" else f"is atomic ({keyword}: atomic): {_WHOLE}"
