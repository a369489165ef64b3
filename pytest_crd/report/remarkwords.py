"""Report on skipped files: a single one by name, many as a count, as names with -v, and completely with -vv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.loading.crdfiles import Remark, RemarkKind

_MOST_NAMES: Final = 20


def lines(notes: Sequence[Remark], *, verbosity: int) -> Iterator[str]:
    """
    Yield the lines about *notes*.

    Args:
        notes: Remarks about skipped files.
        verbosity: Less than 0: nothing; 0: one line with the counts of all kinds; 1: names, a line for each kind;
            more: a line for each remark.
    """
    if verbosity < 0:
        return
    by_kind: dict[RemarkKind, list[Remark]] = {}
    for note in notes:
        if note.kind is not None:
            by_kind.setdefault(note.kind, []).append(note)
    several = {kind: remarks for kind, remarks in by_kind.items() if len(remarks) > 1 and verbosity < 2}
    yield from (str(note) for note in notes if note.kind not in several)
    if several and verbosity == 0:
        counts = ", ".join(f"{len(remarks)} {kind}" for kind, remarks in several.items())
        yield f"passed over: {counts} (-v names them)"
    elif several:
        for kind, remarks in several.items():
            named = "".join(listed([note.place for note in remarks], kind, verbosity=verbosity))
            yield f"passed over, {len(remarks)} {kind}: {named}"


def listed(names: Sequence[str], words: str, *, verbosity: int) -> Iterator[str]:
    """
    Yield lines about *names*: a single name, a count, some names, or a line for each.

    Args:
        names: The names; at least one.
        words: A plural for the named things.
        verbosity: As for `lines`.
    """
    if verbosity < 0:
        return
    if len(names) == 1 or verbosity > 1:
        yield from names
    elif verbosity == 0:
        yield f"{len(names)} {words} (-v names them)"
    else:
        more = f" and {len(names) - _MOST_NAMES} more (-vv: all)" if len(names) > _MOST_NAMES else ""
        yield f"{', '.join(names[:_MOST_NAMES])}{more}"
