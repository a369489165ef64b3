"""
Notes about the runs of cases, and the update of the case files when all notes are there.

Notes travel between processes. A case that ran several times, as under several Kubernetes versions, is written if its
answers agree. Errors that differ between versions go into `errorsUnder`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd import folders
from pytest_crd.casefiles import casetext, filereplacement, removal
from pytest_crd.casefiles.casetext import Correction, WrittenCases
from pytest_crd.casefiles.removal import LeftCases
from pytest_crd.cases import loader
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue

_NOT_TAKEN_OUT: Final = (
    "it is about a field that the CRD no longer has, but cannot be taken out of the file: remove it yourself"
)


_ERRORS: Final = "errors"


class Note(NamedTuple):
    """
    The observations of a case in one run.

    Attributes:
        path: The case file.
        digest: The digest of the file's content.
        name: The name of the case.
        title: The title of the case.
        line: The 1-based line of the case.
        version: The Kubernetes version; empty if there is only one.
        versions: All Kubernetes versions of the case.
        values: The keys to write, with their values.
        removed: The keys to remove.
        filled: The keys that were left to be filled in.
        turn: The change of the verdict, as in `accepted -> refused`; empty if it stays.
        problem: The reason why a needed change cannot be written; empty if there is none.
        passed_over: The key that keeps the case from being run and filled in; may be empty.
        suggestions: Known fields that newly listed pruned fields may stand for, by the pruned path.
        renamed: The new name, if the old one is no longer true; else empty.
        is_named_by_hand: Whether its verdict changes while its name, chosen by hand, stays.
        is_removed: Whether the case is removed, as its field no longer exists.
        errors_under: The errors that the case states for other Kubernetes versions.
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
    suggestions: Mapping[str, str] = {}
    renamed: str = ""
    is_named_by_hand: bool = False
    is_removed: bool = False
    errors_under: Mapping[str, JSONValue] = {}

    @property
    def is_to_be_written(self) -> bool:
        """Whether the note changes the file."""
        return bool(self.values) or self.is_removed

    def to_json(self) -> str:
        """Return the note as text, for another process."""
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> Note:
        """Return the note from its text form."""
        note = cls(**json.loads(text))
        return note._replace(versions=tuple(note.versions), removed=tuple(note.removed), filled=tuple(note.filled))


class CaseOutcome(NamedTuple):
    """
    The outcome of writing a case.

    Attributes:
        path: The case file.
        line: The 1-based line of the case in the new file.
        note: The observations.
        problem: The reason why it was not written; empty if it was.
    """

    path: Path
    line: int
    note: Note
    problem: str = ""


class UnfilledCase(NamedTuple):
    """
    A case that is still to be filled in, because it was not run.

    Attributes:
        path: Its file.
        line: The 1-based line of the case.
        title: The title of the case.
        passed_over: The key that keeps it from being run; empty if only this session did not run it.
    """

    path: Path
    line: int
    title: str
    passed_over: str = ""


class LostText(NamedTuple):
    """A lost comment or anchor: its line in the old file, and its text."""

    path: Path
    line: int
    text: str


class FillOutcome(NamedTuple):
    """
    The outcome for all files.

    Attributes:
        lines: The cases that were written, or should have been.
        left: Cases in these files that are still to be filled in.
        gone: Comments and anchors that were lost.
        unwritten: Files that were not written because the session was stopped.
    """

    lines: tuple[CaseOutcome, ...] = ()
    left: tuple[UnfilledCase, ...] = ()
    gone: tuple[LostText, ...] = ()
    unwritten: tuple[Path, ...] = ()


def write(notes: Iterable[Note], *, display_name: Callable[[Path], str], is_stopped: Callable[[], bool]) -> FillOutcome:
    """
    Write the observations into the case files.

    Args:
        notes: The observations, in any order.
        display_name: Function that returns the name of a file for messages.
        is_stopped: Function that returns True if no more files are to be written.
    """
    outcomes: list[FillOutcome] = []
    unwritten: list[Path] = []
    by_path = sorted(notes, key=lambda note: (note.path, note.line))
    for path, of_file in itertools.groupby(by_path, key=lambda note: note.path):
        merged = [_merge([*runs]) for _, runs in itertools.groupby(of_file, key=lambda note: note.name)]
        if not is_stopped():
            outcomes.append(_write_file(Path(path), merged, display_name))
        elif any(note.is_to_be_written and not note.problem for note in merged):
            unwritten.append(Path(path))
    return FillOutcome(
        tuple(line for outcome in outcomes for line in outcome.lines),
        tuple(case for outcome in outcomes for case in outcome.left),
        tuple(gone for outcome in outcomes for gone in outcome.gone),
        tuple(unwritten),
    )


def _merge(runs: Sequence[Note]) -> Note:
    """Return the combined note of all runs of a case."""
    first = next((note for note in runs if note.problem), None) or next(
        (note for note in runs if note.is_to_be_written), runs[0]
    )
    if first.problem or not first.is_to_be_written:
        return first
    if _differ_in_errors(runs):
        first = _combine_errors(first, {note.version: note for note in runs})
    elif conflicting := next((note for note in runs if not _is_same(note, first)), None):
        return first._replace(problem=_differing(first, conflicting))
    missing = [version for version in first.versions if version not in {note.version for note in runs}]
    if missing:
        under = ", ".join(missing)
        return first._replace(problem=f"it was not run under Kubernetes {under}, so that its answer there is not known")
    return first


def _differ_in_errors(runs: Sequence[Note]) -> bool:
    """Return whether the runs of a case are under several versions, and change nothing but its errors."""
    is_one_file = len({note.digest for note in runs}) == 1
    is_simple = all(
        note.values.keys() <= {_ERRORS} and not (note.removed or note.is_removed or note.renamed) for note in runs
    )
    return is_one_file and is_simple and len({note.version for note in runs}) == len(runs) > 1


def _combine_errors(first: Note, notes: Mapping[str, Note]) -> Note:
    """Return a note that writes other errors of some Kubernetes versions into `errorsUnder`."""
    errors = {version: note.values[_ERRORS] for version, note in notes.items() if note.values}
    stays = any(not note.values and version not in first.errors_under for version, note in notes.items())
    # Versions in `errorsUnder` do not decide about `errors`.
    of_all = [value for version, value in errors.items() if version not in first.errors_under]
    base = None if stays or not of_all else of_all[0]
    under = {version: value for version, value in errors.items() if value != base or version in first.errors_under}
    values: dict[str, JSONValue] = {} if base is None else {_ERRORS: base}
    if under:
        values["errorsUnder"] = {**first.errors_under, **under}
    return first._replace(values=values)


def _is_same(note: Note, second: Note) -> bool:
    return _canonical(note) == _canonical(second) and note.digest == second.digest


def _canonical(note: Note) -> str:
    return json.dumps([note.values, note.removed, note.renamed, note.is_removed], sort_keys=True)


def _differing(note: Note, second: Note) -> str:
    if note.version == second.version:
        return "its answers differ from one run to the next"
    versions = " and ".join(sorted((note.version, second.version)))
    return (
        f"its answers differ between Kubernetes {versions}: state what both have in common, as with `contains` or"
        " `containsErrors`, or give each its own file with a `kubernetesVersion`"
    )


def _write_file(path: Path, notes: Sequence[Note], display_name: Callable[[Path], str]) -> FillOutcome:
    notes = [*_make_unique(notes, path, display_name)]
    wanted = [note for note in notes if note.is_to_be_written and not note.problem]
    reported = {note.name: note for note in notes if note.problem or note.is_to_be_written}
    passed_over = tuple(
        UnfilledCase(path, item.line, item.title, item.passed_over) for item in notes if item.passed_over
    )
    if not wanted:
        return FillOutcome(
            tuple(CaseOutcome(path, note.line, note, note.problem) for note in reported.values()), passed_over
        )
    problem = ""
    try:
        content = folders.read_file(path)
        filereplacement.require_digest(content, wanted[0].digest)
        written = _written(content, wanted, display_name(path))
        if written.content != content:
            filereplacement.replace(path, written.content, old=wanted[0].digest)
    except filereplacement.ChangedError:
        problem = "the file has changed since it was read; nothing was written into it"
    except OSError as error:
        problem = f"the file cannot be written: {error.strerror}"
    if problem:
        return FillOutcome(
            tuple(CaseOutcome(path, note.line, note, note.problem or problem) for note in reported.values()),
            passed_over,
        )
    lines = (
        CaseOutcome(path, written.lines.get(name, note.line), note, note.problem or written.problems.get(name, ""))
        for name, note in reported.items()
    )
    unfilled = (
        item for name, item in _find_unfilled(path, written.content, display_name(path)) if name not in reported
    )
    return FillOutcome(tuple(lines), tuple(unfilled), tuple(LostText(path, *item) for item in written.lost))


def _written(content: bytes, notes: Sequence[Note], source: str) -> WrittenCases:
    """Return the new file; cases that are removed keep their old lines."""
    out = [note.name for note in notes if note.is_removed]
    without_removed = removal.remove_cases(content, out, source=source) if out else LeftCases(content)
    remaining_notes = (note for note in notes if not note.is_removed)
    corrections = [Correction(note.name, note.values, note.removed, note.renamed) for note in remaining_notes]
    written = casetext.write_corrections(
        content if without_removed is None else without_removed.content, corrections, source=source
    )
    if without_removed is None:
        return written._replace(problems={**written.problems, **dict.fromkeys(out, _NOT_TAKEN_OUT)})
    return written._replace(lost=(*without_removed.lost, *written.lost))


def _make_unique(notes: Sequence[Note], path: Path, display_name: Callable[[Path], str]) -> Iterator[Note]:
    """Yield *notes* with new names that are unique in the file."""
    used_names: set[str] = set()
    if any(note.renamed for note in notes):
        with contextlib.suppress(OSError, InputError):  # reported when the file is written
            parts = loader.load(folders.read_file(path), source=display_name(path), fills=True)
            used_names = {case.name for part in parts for case in part.cases}
    for note in notes:
        number, new_name = 1, note.renamed
        while new_name and new_name in used_names:
            number += 1
            new_name = f"{note.renamed} ({number})"
        used_names.add(new_name)
        yield note._replace(renamed=new_name)


def _find_unfilled(path: Path, content: bytes, source: str) -> Iterator[tuple[str, UnfilledCase]]:
    for part in loader.load(content, source=source, fills=True):
        for case in part.cases:
            if case.blanks or case.is_open:
                yield case.name, UnfilledCase(path, case.line, case.title, case.passed_over)
