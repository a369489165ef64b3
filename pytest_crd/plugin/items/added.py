"""Items that features add to the collected ones."""

from __future__ import annotations

import abc
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.plugin.items.failures import MistakenCollectError

if TYPE_CHECKING:
    from pytest_crd.engine import InputError


class FileAdder(abc.ABC):
    """Base of hooks that add files to the collected ones; these may lie outside of the collected folders."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the files to the session."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.extend(self.additional_files(collector))
        return report

    @abc.abstractmethod
    def additional_files(self, collector: pytest.Session) -> Iterator[pytest.File]:
        """Yield the files to add."""


class MistakenFile(pytest.File):
    """Collector that reports a mistake in place of items that cannot be created."""

    def __init__(self, *, problem: InputError, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._problem = problem

    def collect(self) -> Iterator[pytest.Item]:
        """Raise the mistake."""
        raise MistakenCollectError(self._problem)


def are_named(paths: Iterable[Path], session: pytest.Session) -> bool:
    """Return whether the command line names a file of *paths* itself, not only a folder above it."""
    return any(path.is_file() and session.isinitpath(path) for path in paths)


def names_items(config: pytest.Config) -> bool:
    """Return whether the command line names node ids, so that features add no items."""
    return any("::" in argument.partition("[")[0] for argument in config.args)
