"""The words of what was passed over: one by itself, many counted, by name where somebody wants to know, whole where he asks twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.loading.remarks import Remark, RemarkKind

_MOST_NAMES: Final = 20


def lines(notes: Sequence[Remark], *, verbosity: int) -> Iterator[str]:
    """
    Yield the lines about *notes*.

    Args:
        notes: What was passed over.
        verbosity: Less than 0: nothing; 0: one line for all of which there are several of a kind; 1: their names, a line for a kind;
            more: each by itself.
    """
    if verbosity < 0:
        return
    by_kind: dict[RemarkKind, list[Remark]] = {}
    for note in notes:
        if note.kind is not None:
            by_kind.setdefault(note.kind, []).append(note)
    several = {kind: found for kind, found in by_kind.items() if len(found) > 1 and verbosity < 2}
    yield from (str(note) for note in notes if note.kind not in several)
    if several and verbosity == 0:
        counts = ", ".join(f"{len(found)} {kind}" for kind, found in several.items())
        yield f"passed over: {counts} (-v names them)"
    elif several:
        for kind, found in several.items():
            named = "".join(listed([note.place for note in found], kind, verbosity=verbosity))
            yield f"passed over, {len(found)} {kind}: {named}"


def listed(names: Sequence[str], words: str, *, verbosity: int) -> Iterator[str]:
    """
    Yield what *names* come to: one by itself, more as a count, as some names, or a line for each.

    Args:
        names: What is listed; there is at least one.
        words: What they are, several of them.
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
