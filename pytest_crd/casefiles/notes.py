"""
Notes of what was observed, from each run of each case; and what becomes of the files once all are there.

A note travels between processes. A case that was run several times, as under several Kubernetes versions, is written where its
answers are the same.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.casefiles import casetext, filereplacement, removal
from pytest_crd.casefiles.casetext import Correction, WrittenCases
from pytest_crd.casefiles.removal import LeftCases
from pytest_crd.cases import loader
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue

_NOT_TAKEN_OUT: Final = (
    "it is about a field that the CRD no longer has, but cannot be taken out of the file: remove it yourself"
)


class Note(NamedTuple):
    """
    What was observed of a case in one run.

    Attributes:
        path: The case file.
        digest: That of its content.
        name: The name of the case.
        title: The case in words.
        line: The 1-based line where it begins.
        version: The Kubernetes version; empty where there is only one.
        versions: All that it is run under.
        values: The keys to write, with their values.
        removed: The keys to take away.
        filled: Which of the keys were left to be filled in.
        turn: How the verdict is turned around; empty where it stays.
        problem: Why nothing can be written though something would have to be; empty where nothing speaks against it.
        passed_over: The key that keeps the case from being run, and what it leaves out from being filled in; else empty.
        meant: The fields that those may stand for which are written down as pruned, by their paths.
        renamed: The name that it gets, as what the old one says is no longer so; empty where that stays.
        is_named_by_hand: Whether its verdict is turned around, and somebody has given it a name, which stays.
        is_removed: Whether it is taken out of its file, as it is about a field that is gone.
    """

    path: str
    digest: str
    name: str
    title: str
    line: int
    version: str = ""
    versions: tuple[str, ...] = ()
    values: Mapping[str, JSONValue] = {}
    removed: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    turn: str = ""
    problem: str = ""
    passed_over: str = ""
    meant: Mapping[str, str] = {}
    renamed: str = ""
    is_named_by_hand: bool = False
    is_removed: bool = False

    @property
    def is_to_be_written(self) -> bool:
        """Whether its file is to be changed."""
        return bool(self.values) or self.is_removed

    def to_json(self) -> str:
        """Return the note as text, for another process."""
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> Note:
        """Return the note that *text* is made of."""
        note = cls(**json.loads(text))
        return note._replace(versions=tuple(note.versions), removed=tuple(note.removed), filled=tuple(note.filled))


class CaseOutcome(NamedTuple):
    """
    What became of a case.

    Attributes:
        path: The case file.
        line: The 1-based line where the case begins, as the file is now.
        note: What was observed.
        problem: Why it was not written; empty where it was.
    """

    path: Path
    line: int
    note: Note
    problem: str = ""


class Left(NamedTuple):
    """
    A case that is still to be filled in, as it was not run.

    Attributes:
        path: Its file.
        line: The 1-based line where it begins.
        title: The case in words.
        passed_over: The key that keeps it from being run; empty where only this session did not.
    """

    path: Path
    line: int
    title: str
    passed_over: str = ""


class Gone(NamedTuple):
    """A comment or an anchor that its file no longer has: the line where it stood, and its text."""

    path: Path
    line: int
    text: str


class FillOutcome(NamedTuple):
    """
    What became of all files.

    Attributes:
        lines: The cases that were written, or that would have to be.
        left: Those in files that were written, or that were passed over, which are still to be filled in.
        gone: What went with what was replaced.
        unwritten: Files that would have been written, had the session not been stopped.
    """

    lines: tuple[CaseOutcome, ...] = ()
    left: tuple[Left, ...] = ()
    gone: tuple[Gone, ...] = ()
    unwritten: tuple[Path, ...] = ()


def write(notes: Iterable[Note], *, shown: Callable[[Path], str], is_stopped: Callable[[], bool]) -> FillOutcome:
    """
    Write what was observed into the case files.

    Args:
        notes: What was observed, in any order.
        shown: Names a file for messages.
        is_stopped: Says, before each file, whether it is not to be written any more.
    """
    found: list[FillOutcome] = []
    unwritten: list[Path] = []
    by_path = sorted(notes, key=lambda note: (note.path, note.line))
    for path, of_file in itertools.groupby(by_path, key=lambda note: note.path):
        merged = [_merged([*runs]) for _, runs in itertools.groupby(of_file, key=lambda note: note.name)]
        if not is_stopped():
            found.append(_write_file(Path(path), merged, shown))
        elif any(note.is_to_be_written and not note.problem for note in merged):
            unwritten.append(Path(path))
    return FillOutcome(
        tuple(line for one in found for line in one.lines),
        tuple(left for one in found for left in one.left),
        tuple(gone for one in found for gone in one.gone),
        tuple(unwritten),
    )


def _merged(runs: Sequence[Note]) -> Note:
    """Return what was observed of a case in all its runs."""
    first = next((note for note in runs if note.problem), None) or next(
        (note for note in runs if note.is_to_be_written), runs[0]
    )
    if first.problem or not first.is_to_be_written:
        return first
    if other := next((note for note in runs if not _is_same(note, first)), None):
        return first._replace(problem=_differing(first, other))
    missing = [version for version in first.versions if version not in {note.version for note in runs}]
    if missing:
        under = ", ".join(missing)
        return first._replace(problem=f"it was not run under Kubernetes {under}, so that its answer there is not known")
    return first


def _is_same(note: Note, other: Note) -> bool:
    return _canonical(note) == _canonical(other) and note.digest == other.digest


def _canonical(note: Note) -> str:
    return json.dumps([note.values, note.removed, note.renamed, note.is_removed], sort_keys=True)


def _differing(note: Note, other: Note) -> str:
    if note.version == other.version:
        return "its answers differ from one run to the next"
    versions = " and ".join(sorted((note.version, other.version)))
    return (
        f"its answers differ between Kubernetes {versions}: state what both have in common, as with `contains` or"
        " `containsErrors`, or give each its own file with a `kubernetesVersion`"
    )


def _write_file(path: Path, notes: Sequence[Note], shown: Callable[[Path], str]) -> FillOutcome:
    notes = [*_told_apart(notes, path, shown)]
    wanted = [note for note in notes if note.is_to_be_written and not note.problem]
    told = {note.name: note for note in notes if note.problem or note.is_to_be_written}
    passed_over = tuple(Left(path, one.line, one.title, one.passed_over) for one in notes if one.passed_over)
    if not wanted:
        return FillOutcome(
            tuple(CaseOutcome(path, note.line, note, note.problem) for note in told.values()), passed_over
        )
    problem = ""
    try:
        content = path.read_bytes()
        filereplacement.refuse_other(content, wanted[0].digest)
        written = _written(content, wanted, shown(path))
        if written.content != content:
            filereplacement.replace(path, written.content, old=wanted[0].digest)
    except filereplacement.ChangedError:
        problem = "the file has changed since it was read; nothing was written into it"
    except OSError as error:
        problem = f"the file cannot be written: {error.strerror}"
    if problem:
        return FillOutcome(
            tuple(CaseOutcome(path, note.line, note, note.problem or problem) for note in told.values()), passed_over
        )
    lines = (
        CaseOutcome(path, written.lines.get(name, note.line), note, note.problem or written.problems.get(name, ""))
        for name, note in told.items()
    )
    left = (one for name, one in _left(path, written.content, shown(path)) if name not in told)
    return FillOutcome(tuple(lines), tuple(left), tuple(Gone(path, *one) for one in written.lost))


def _written(content: bytes, notes: Sequence[Note], source: str) -> WrittenCases:
    """Return the file with what was observed; the lines of cases that are gone are those where they stood."""
    out = [note.name for note in notes if note.is_removed]
    left = removal.without(content, out, source=source) if out else LeftCases(content)
    kept = (note for note in notes if not note.is_removed)
    corrections = [Correction(note.name, note.values, note.removed, note.renamed) for note in kept]
    written = casetext.written(content if left is None else left.content, corrections, source=source)
    if left is None:
        return written._replace(problems={**written.problems, **dict.fromkeys(out, _NOT_TAKEN_OUT)})
    return written._replace(lost=(*left.lost, *written.lost))


def _told_apart(notes: Sequence[Note], path: Path, shown: Callable[[Path], str]) -> Iterator[Note]:
    """Yield *notes*, of which each gives its case a name that no other case of the file has, or gets."""
    taken: set[str] = set()
    if any(note.renamed for note in notes):
        with contextlib.suppress(OSError, InputError):  # which is said where the file is written
            parts = loader.load(path.read_bytes(), source=shown(path), fills=True)
            taken = {case.name for part in parts for case in part.cases}
    for note in notes:
        number, found = 1, note.renamed
        while found and found in taken:
            number += 1
            found = f"{note.renamed} ({number})"
        taken.add(found)
        yield note._replace(renamed=found)


def _left(path: Path, content: bytes, source: str) -> Iterator[tuple[str, Left]]:
    for part in loader.load(content, source=source, fills=True):
        for case in part.cases:
            if case.blanks or case.is_open:
                yield case.name, Left(path, case.line, case.title, case.passed_over)
