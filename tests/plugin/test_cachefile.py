"""What sessions keep in pytest's cache: it saves reading, and is never in the way."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

FILE: Final = ".pytest_cache/d/crd/contents.json"
CACHED: Final = ("-p", "cacheprovider", "-W", "ignore")
SAMPLE: Final = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {size: 1}\n"


def _shown(result: pytest.RunResult) -> list[str]:
    """Return what a session has printed, but for how long it took."""
    return [line.partition(" in ")[0] for line in result.outlines]


def _refuse(*_: object, **__: object) -> NoReturn:
    raise PermissionError


@pytest.fixture
def checked(gardener: Project) -> Project:
    """A project with a CRD, cases and a sample, all checked."""
    gardener.ini("crd_checks = on")
    gardener.write("config/samples/a.yaml", SAMPLE)
    return gardener


def test_a_second_session_says_the_same_and_sees_what_has_changed(checked: Project) -> None:
    first = _shown(checked.run(*CACHED))
    kept = checked.read(FILE)

    assert _shown(checked.run(*CACHED)) == first
    assert checked.read(FILE) == kept
    assert [path.name for path in (checked.path / FILE).parent.iterdir()] == [Path(FILE).name]
    checked.write("config/crd/bases/gardens.yaml", "kind: CustomResourceDefinition\nspec: [\n")
    broken = checked.run(*CACHED)
    assert broken.ret == pytest.ExitCode.INTERRUPTED
    assert _shown(broken) == _shown(checked.run(*CACHED)) == _shown(checked.run())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x y\n{}", b"{"])
def test_a_cache_that_is_not_whole_is_ignored(checked: Project, content: bytes) -> None:
    first = _shown(checked.run(*CACHED))
    kept = checked.read(FILE)
    (checked.path / FILE).write_bytes(content)

    assert _shown(checked.run(*CACHED)) == first
    assert checked.read(FILE) == kept


def test_a_folder_that_cannot_be_written_to_is_no_obstacle(checked: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _shown(checked.run())

    with monkeypatch.context() as patch:
        patch.setattr(pytest.Cache, "mkdir", _refuse)
        assert _shown(checked.run(*CACHED)) == first
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkstemp", _refuse)
        assert _shown(checked.run(*CACHED)) == first
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _refuse)
        assert _shown(checked.run(*CACHED)) == first
    assert list((checked.path / FILE).parent.iterdir()) == []


def test_a_session_that_asks_for_no_crd_keeps_nothing(empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")

    empty.run(*CACHED).assert_outcomes(passed=1)

    assert not (empty.path / FILE).exists()
