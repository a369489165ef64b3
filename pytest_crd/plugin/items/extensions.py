"""Where features take part in what is run: a server is asked beside it, and what a case leaves out is filled in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import pytest

if TYPE_CHECKING:
    from pytest_crd.casefiles.notes import Note
    from pytest_crd.cases.caseresult import CaseResult
    from pytest_crd.cases.model import Case


class TestPlace(NamedTuple):
    """Where a test stands, and what it is called."""

    path: Path
    line: int
    title: str


class Companion(Protocol):
    """Who asks a server, too, what tests ask."""

    def beside(self, place: TestPlace) -> AbstractContextManager[None]:
        """Ask the server what a test asks until the end of the `with` block."""


class FilledContent(Protocol):
    """A file with cases that is filled in."""

    def observe(self, case: Any, run: Callable[[Any], CaseResult], *, version: str) -> tuple[CaseResult, Note]:
        """Return the outcome of *case*, as it will be once it is written, and what is to be written."""

    def passed_over(self, case: Case) -> Note:
        """Return that what *case* leaves out stays so, as it is skipped or known to fail."""


class Filler(Protocol):
    """Who fills in what cases leave out."""

    def content(self, path: Path, text: bytes, *, is_suite: bool) -> FilledContent:
        """Return the file at *path*, which holds *text*."""


COMPANION: Final = pytest.StashKey[Companion]()
FILLER: Final = pytest.StashKey[Filler]()


def beside(config: pytest.Config, place: TestPlace) -> AbstractContextManager[None]:
    """Ask a server what a test asks until the end of the `with` block, where one is asked at all."""
    companion = config.stash.get(COMPANION, None)
    return contextlib.nullcontext() if companion is None else companion.beside(place)
