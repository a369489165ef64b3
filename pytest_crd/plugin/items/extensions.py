"""Extension points of cases and checks for features: a live server gets the same requests, and incomplete cases are filled in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.casefiles.notes import Note
    from pytest_crd.cases.caseresult import CaseResult
    from pytest_crd.cases.model import Case, CaseFile


class TestPlace(NamedTuple):
    """File, line and title of a test."""

    path: Path
    line: int
    title: str


class Companion(Protocol):
    """Live server that gets the requests of tests, too."""

    def mirror(self, place: TestPlace) -> AbstractContextManager[None]:
        """Send the requests of a test to the live server, too, until the end of the `with` block."""


class FilledContent(Protocol):
    """Case file that is filled in."""

    def observe(self, case: Any, run: Callable[[Any], CaseResult], *, version: str) -> tuple[CaseResult, Note]:
        """Return the result of *case* as it will be once its file is written, and the note to write."""

    def passed_over(self, case: Case) -> Note:
        """Return the note that nothing is filled into *case*, because it is skipped or expected to fail."""


class Filler(Protocol):
    """Source of the files that are filled in."""

    def content(self, path: Path, text: bytes, *, is_suite: bool) -> FilledContent:
        """Return the file at *path*, which has the content *text*."""

    def repair(self, path: Path, text: bytes, parts: Sequence[CaseFile]) -> bytes:
        """Return the content of the file at *path* after repairs that concern many cases; *text* and its *parts* are the old one."""


COMPANION: Final[pytest.StashKey[Companion]] = pytest.StashKey()
FILLER: Final[pytest.StashKey[Filler]] = pytest.StashKey()


def mirror_requests(config: pytest.Config, place: TestPlace) -> AbstractContextManager[None]:
    """Send the requests of a test to the live server, too, until the end of the `with` block; do nothing without a live server."""
    companion = config.stash.get(COMPANION, None)
    return contextlib.nullcontext() if companion is None else companion.mirror(place)
