"""Observations from several runs are combined, and written by file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_crd.casefiles import filereplacement, notes
from pytest_crd.casefiles.notes import FillOutcome, LostText, Note

TEXT = """\
crd: x
create:
- {name: a, input: {}, expected: TODO}
- {name: b, input: {}}
- {name: c, input: &c {}, expected: &d {}}
- {name: d, input: *d, accepted: true}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A case file."""
    actual = tmp_path / "test_a.crd.yaml"
    actual.write_text(TEXT, encoding="utf-8")
    return actual


def note(path: Path, name: str = "a", **rest: Any) -> Note:
    line = {"a": 3, "b": 4, "c": 5}[name]
    return Note(str(path), filereplacement.digest(TEXT.encode()), name, f'create case "{name}"', line, **rest)


def write(*found: Note) -> FillOutcome:
    return notes.write(found, display_name=lambda path: path.name, is_stopped=lambda: False)


def test_a_note_travels_as_text(path: Path) -> None:
    item = note(
        path,
        version="1.36",
        versions=("1.36", "1.37"),
        values={"expected": {"a": [1, 1.5, None, "é"]}},
        removed=("errors",),
        filled=("expected",),
        turn="a -> b",
        problem="p",
    )

    assert Note.from_json(item.to_json()) == item


def test_the_same_answer_of_several_runs_is_written_once(path: Path) -> None:
    outcome = write(*(note(path, values={"expected": {"k": 1}}) for _ in range(3)))

    assert [(item.line, item.problem) for item in outcome.lines] == [(3, "")]
    assert path.read_text(encoding="utf-8") == TEXT.replace("TODO", "{k: 1}")
    assert [(item.line, item.title) for item in outcome.left] == [(4, 'create case "b"')]


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        pytest.param(
            {"values": {"expected": {"k": 1}}}, {"values": {"expected": {"k": 2}}}, "from one run to", id="values"
        ),
        pytest.param({"values": {"expected": {"k": 1}}}, {}, "from one run to", id="one run holds"),
        pytest.param(
            {"values": {"expected": {"k": 1}}, "removed": ("errors",)},
            {"values": {"expected": {"k": 1}}},
            "from one run to",
            id="what is taken away",
        ),
        pytest.param(
            {"values": {"expected": {"k": 1}}, "version": "1.37"},
            {"values": {"expected": {"k": 2}}, "version": "1.36"},
            "between Kubernetes 1.36 and 1.37",
            id="Kubernetes versions",
        ),
        pytest.param({"values": {"expected": {"k": 1}}}, {"problem": "it fails"}, "it fails", id="one run fails"),
        pytest.param(
            {"values": {"expected": {"k": 1}}, "version": "1.37", "versions": ("1.35", "1.36", "1.37")},
            {"values": {"expected": {"k": 1}}, "version": "1.35", "versions": ("1.35", "1.36", "1.37")},
            "it was not run under Kubernetes 1.36, ",
            id="a version is missing",
        ),
    ],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_answers_that_differ_are_not_written(
    path: Path, first: dict[str, Any], second: dict[str, Any], problem: str, *, is_turned: bool
) -> None:
    runs = [note(path, **first), note(path, **second)]

    outcome = write(*(reversed(runs) if is_turned else runs))

    (line,) = outcome.lines
    assert problem in line.problem
    assert path.read_text(encoding="utf-8") == TEXT


INVALID = [{"field": "a", "type": "Invalid"}]
SHORT = [{"field": "a", "type": "TooShort"}]


@pytest.mark.parametrize(
    ("runs", "written"),
    [
        pytest.param(
            {"1.37": {}, "1.38": {"values": {"errors": SHORT}}},
            {"errorsUnder": {"1.38": SHORT}},
            id="one version holds",
        ),
        pytest.param(
            {"1.37": {"values": {"errors": INVALID}}, "1.38": {"values": {"errors": SHORT}}},
            {"errors": INVALID, "errorsUnder": {"1.38": SHORT}},
            id="both versions differ",
        ),
        pytest.param(
            {"1.36": {"values": {"errors": INVALID}}, "1.37": {"values": {"errors": INVALID}}},
            {"errors": INVALID},
            id="both versions agree",
        ),
        pytest.param(
            {
                "1.37": {"errors_under": {"1.36": INVALID, "1.38": INVALID}},
                "1.38": {"errors_under": {"1.36": INVALID, "1.38": INVALID}, "values": {"errors": SHORT}},
            },
            {"errorsUnder": {"1.36": INVALID, "1.38": SHORT}},
            id="further versions stay",
        ),
        pytest.param(
            {
                "1.37": {"errors_under": {"1.38": INVALID}, "values": {"errors": SHORT}},
                "1.38": {"errors_under": {"1.38": INVALID}},
            },
            {"errors": SHORT},
            id="the other version holds by its own errors",
        ),
    ],
)
def test_errors_that_differ_between_versions_are_written_by_version(
    path: Path, runs: dict[str, dict[str, Any]], written: dict[str, Any]
) -> None:
    text = TEXT.replace("{name: b, input: {}}", "{name: b, input: {}, errors: [{field: z}]}")
    path.write_text(text, encoding="utf-8")
    observed = (note(path, "b", version=version, versions=tuple(runs), **run) for version, run in runs.items())

    outcome = write(*(item._replace(digest=filereplacement.digest(text.encode())) for item in observed))

    assert [(line.note.values, line.problem) for line in outcome.lines] == [(written, "")]
    assert ("errorsUnder" in path.read_text(encoding="utf-8")) is ("errorsUnder" in written)


def test_nothing_is_written_once_it_is_stopped(path: Path) -> None:
    actual = [note(path, values={"expected": {"k": 1}}), note(path.with_name("other"), problem="it fails")]

    outcome = notes.write(actual, display_name=lambda path: path.name, is_stopped=lambda: True)

    assert outcome == FillOutcome(unwritten=(path,))
    assert path.read_text(encoding="utf-8") == TEXT


def test_a_passed_case_is_not_printed(path: Path) -> None:
    assert write(note(path), note(path, "c")) == FillOutcome()


def test_a_file_in_which_nothing_can_be_written_is_not_touched(path: Path) -> None:
    before = path.stat().st_ino

    outcome = write(note(path, "c", values={"expected": {"k": 1}}), note(path, "b", problem="it fails"))

    assert [(item.line, item.problem.partition(";")[0]) for item in outcome.lines] == [
        (4, "it fails"),
        (5, "it cannot be written in place, as others share what is anchored by &c"),
    ]
    assert path.stat().st_ino == before
    assert path.read_text(encoding="utf-8") == TEXT


def test_a_removed_file_is_reported(path: Path) -> None:
    path.unlink()

    outcome = write(note(path, values={"expected": {"k": 1}}), note(path, "b", problem="it fails"))

    assert [item.problem for item in outcome.lines] == [
        "the file cannot be written: No such file or directory",
        "it fails",
    ]


def test_an_unwritable_file_is_reported_once(path: Path) -> None:
    outcome = write(note(path, values={"expected": {"k": 1}}), note(path, "b", problem="it fails"))

    assert [(item.line, item.problem) for item in outcome.lines] == [(3, ""), (4, "it fails")]
    assert not outcome.left


def test_comments_lost_with_replaced_values_are_reported(path: Path) -> None:
    text = TEXT.replace("expected: TODO", "absent: &gone [x]")
    path.write_text(text, encoding="utf-8")
    values = {"errors": [{"field": "spec", "type": "Invalid"}]}

    outcome = write(
        note(path, values=values, removed=("absent",))._replace(digest=filereplacement.digest(text.encode()))
    )

    assert outcome.gone == (LostText(path, 3, "&gone"),)


@pytest.mark.parametrize("changed", [f"{TEXT}# changed\n", "crd: x\ncreate: [{name: other, input: {}}]\n", "{", ""])
def test_a_file_that_has_changed_is_left_alone(path: Path, changed: str) -> None:
    actual = note(path, values={"expected": {"k": 1}})
    path.write_text(changed, encoding="utf-8")

    outcome = write(actual)

    assert [item.problem for item in outcome.lines] == [
        "the file has changed since it was read; nothing was written into it"
    ]
    assert path.read_text(encoding="utf-8") == changed
