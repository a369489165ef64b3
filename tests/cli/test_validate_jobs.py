"""`pytest-crd validate` with several processes and its progress: the same answers as with one process, and no object in memory."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from pytest_crd import __main__ as program
from pytest_crd import progress
from pytest_crd.cli import forks, objectfiles, verdicts

# A test may run in a worker of pytest-xdist, which has threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, x-kubernetes-validations: [{rule: self < 9}]}
"""
OTHERS = (
    "apiVersion: example.com/v1\nkind: Tap\nmetadata: {name: a}\n---\napiVersion: example.org/v1\nkind: Memo\n"
    "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
)

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"


def tab(size: int) -> str:
    return f"apiVersion: example.com/v1\nkind: Tab\nmetadata: {{name: a{size}}}\nsize: {size}\n"


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with files of all sorts, and make steps small."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verdicts, "_STEP", 100)
    folder = tmp_path / "objects"
    folder.mkdir()
    (tmp_path / "crds.yaml").write_text(CRD)
    for size in range(7):
        (folder / f"{size}.yaml").write_text(tab(size))
    (folder / "large.yaml").write_text("---\n".join(map(tab, range(6, 12))))
    (folder / "broken.yaml").write_text(f"a: b: c{' ' * 200}\n")
    (folder / "others.yaml").write_text(OTHERS)
    return folder


@pytest.fixture
def validate(objects: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Validate:
    """Run the command for the folder, and return its code and output."""

    def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = program.main(["validate", objects.name, "--crd", "crds.yaml", "--skip", "secret", *arguments])
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [(["--show"], ["2", "3"]), (["-o", "json"], ["3"]), (["-o", "junit"], ["3"]), (["-o", "tap"], ["3"])],
)
def test_several_processes_answer_as_one_process_does(
    arguments: Sequence[str], numbers: Sequence[str], validate: Validate
) -> None:
    expected = validate(*arguments, "--jobs", "1")

    for jobs in numbers:
        assert validate(*arguments, "--jobs", jobs) == expected
    assert expected[0] == 2
    assert expected[2].count("broken.yaml:1: ") == 1


def test_all_objects_are_counted(validate: Validate) -> None:
    _, out, _ = validate("--jobs", "2")

    assert out.endswith(
        "13 custom resources, 3 refused; 1 built-in object, 0 refused; 1 object of a misspelt kind; 1 object of other kinds,"
        " not judged (1 Memo of example.org/v1); 1 object skipped (1 Secret); Kubernetes 1.37\n"
    )


def test_the_parts_of_a_stream_have_its_objects_in_order(validate: Validate) -> None:
    _, out, _ = validate("-f", "-", "-o", "json", "--jobs", "4", given="---\n".join(map(tab, range(5))))

    names = [item["name"] for item in json.loads(out)["objects"] if item["path"] == "stdin"]
    assert names == [f"Tab/a{size}" for size in range(5)]


def test_an_error_of_another_process_ends_the_command(objects: Path, validate: Validate) -> None:
    (objects.parent / "crds.yaml").write_text(CRD.replace("self < 9", "self < "))

    code, out, _ = validate("--jobs", "2")

    assert code == 2
    assert "the server refuses the CRD" in out


def test_objects_are_no_longer_in_memory_when_they_are_judged(objects: Path) -> None:
    read = objectfiles.read([objects.name])

    assert read.in_memory == []
    assert [text.items for text in read.texts] == [None] * 10


def test_a_file_that_is_gone_before_it_is_judged_is_an_error(
    objects: Path, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = objectfiles.read

    def read_and_remove(*arguments: Sequence[str], **named: str) -> objectfiles.ReadObjects:
        loaded = read(*arguments, **named)
        (objects / "large.yaml").unlink()
        return loaded

    monkeypatch.setattr(objectfiles, "read", read_and_remove)

    code, out, err = validate("--jobs", "2")

    assert code == 2
    assert err.count("objects/large.yaml: cannot be read: No such file or directory\n") == 1
    assert "7 custom resources" in out


@pytest.mark.parametrize(("step", "jobs"), [(100, 3), (1000, 1)])
def test_a_process_for_each_core_judges_if_there_is_enough(
    step: int, jobs: int, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []
    monkeypatch.setattr(verdicts, "_STEP", step)
    monkeypatch.setattr(forks, "count_cores", lambda: 3)
    run = forks.run

    def note(judge: Callable[[int], verdicts.TextVerdicts], count: int, jobs: int) -> object:
        used.append(jobs)
        return run(judge, count, 1)

    monkeypatch.setattr(forks, "run", note)
    validate("--jobs", "auto")

    assert used == [jobs]


def test_more_processes_than_work_read_a_large_file_as_often_as_it_has_parts(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[tuple[int, int]] = []

    def note(judge: Callable[[int], verdicts.TextVerdicts], count: int, jobs: int) -> Iterator[verdicts.TextVerdicts]:
        counts.append((count, jobs))
        yield from map(judge, range(count))

    monkeypatch.setattr(forks, "run", note)
    validate("--jobs", "100000")

    assert counts == [(14, 14)]


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5", ""])
def test_a_number_of_processes_is_from_1(jobs: str, validate: Validate, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        validate("--jobs", jobs)

    assert f"argument --jobs: {jobs!r} is neither auto nor a number from 1" in capsys.readouterr().err


class Terminal(io.StringIO):
    """Stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("is_shown", [True, False])
def test_progress_is_shown_on_a_terminal_that_does_not_show_the_verdicts(
    validate: Validate, monkeypatch: pytest.MonkeyPatch, *, is_shown: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "__stderr__", terminal)
    monkeypatch.setattr("sys.stdout.isatty", lambda: not is_shown)
    monkeypatch.setattr(progress, "PAUSE", 0)

    validate()

    expected = "\r\x1b[KKiB judged: 1 of 1\r\x1b[K"
    assert terminal.getvalue().endswith(expected if is_shown else "")
    assert bool(terminal.getvalue()) is is_shown


def test_no_progress_is_shown_without_a_terminal(validate: Validate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stderr__", None)

    assert "KiB" not in validate()[2]
