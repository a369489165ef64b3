"""Report on written and unwritten cases in case files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pytest_crd.casefiles.notes import CaseOutcome, FillOutcome, Note


def lines(outcome: FillOutcome, *, display_name: Callable[[Path], str]) -> Iterator[str]:
    """
    Yield the lines of the report; nothing if no case needed writing.

    Args:
        outcome: The outcome for all files.
        display_name: Function that returns the name of a file.
    """
    removed = [line for line in outcome.lines if line.note.is_removed and not line.problem]
    written = [line for line in outcome.lines if not line.problem and not line.note.is_removed]
    failed = [line for line in outcome.lines if line.problem]
    if written:
        yield f"crd: {_counted(written)} written:"
        for line in written:
            yield f"  {_place(line, display_name)}: {line.note.title}: {_words(line.note)}"
            yield from (
                f"    {path} is pruned; did you mean {suggestion}?"
                for path, suggestion in line.note.suggestions.items()
            )
    if removed:
        yield f"crd: {_counted(removed)} removed, as the CRD no longer has the field:"
        yield from (f"  {_place(line, display_name)}: {line.note.title}" for line in removed)
    if by_hand := [line for line in written if line.note.is_named_by_hand]:
        yield f"crd: {_counted(by_hand)} named by hand, though the verdict is another now; see whether the name still holds:"
        yield from (f"  {_place(line, display_name)}: {line.note.title}" for line in by_hand)
    if failed:
        yield f"crd: {_counted(failed)} not written:"
        yield from (f"  {_place(line, display_name)}: {line.note.title}: {line.problem}" for line in failed)
    if outcome.gone:
        yield "crd: comments and anchors that went with what was replaced, by the lines where they stood:"
        yield from (f"  {display_name(case.path)}:{case.line}: {case.text}" for case in outcome.gone)
    if outcome.unwritten:
        yield f"crd: {_counted(outcome.unwritten, 'file')} not written, as the session was stopped:"
        yield from (f"  {display_name(path)}" for path in outcome.unwritten)
    if outcome.left:
        yield f"crd: {_counted(outcome.left)} left to be filled in, as not run:"
        for case in outcome.left:
            yield f"  {display_name(case.path)}:{case.line}: {case.title}{f', as it has `{case.passed_over}`' if case.passed_over else ''}"


def _counted(things: Sequence[object], word: str = "case") -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"


def _place(line: CaseOutcome, display_name: Callable[[Path], str]) -> str:
    return f"{display_name(line.path)}:{line.line}"


def _words(note: Note) -> str:
    """Return the change of the verdict, then the keys that were filled in, corrected and removed."""
    filled = [key for key in note.values if key in note.filled]
    corrected = [key for key in note.values if key not in note.filled]
    parts = [f"{note.turn}" if note.turn else ""]
    if note.renamed:
        parts.append(f'now called "{note.renamed}"')
    for verb, keys in (("filled in", filled), ("corrected", corrected), ("removed", note.removed)):
        parts.append(f"{verb} {', '.join(keys)}" if keys else "")
    return "; ".join(filter(None, parts))
