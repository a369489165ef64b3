"""What features add to what is collected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.plugin.items.failures import MistakenCollectError

if TYPE_CHECKING:
    from pytest_crd.engine import InputError


class MistakenFile(pytest.File):
    """What stands for items that cannot be made."""

    def __init__(self, *, problem: InputError, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._problem = problem

    def collect(self) -> Iterator[pytest.Item]:
        """Raise what is wrong."""
        raise MistakenCollectError(self._problem)


def are_named(paths: Iterable[Path], session: pytest.Session) -> bool:
    """Return whether the command line names one of the files among *paths*; a folder stands for all that a run has."""
    return any(path.is_file() and session.isinitpath(path) for path in paths)


def names_items(config: pytest.Config) -> bool:
    """Return whether the command line names items, by their node ids: nothing is added to these."""
    return any("::" in argument.partition("[")[0] for argument in config.args)
