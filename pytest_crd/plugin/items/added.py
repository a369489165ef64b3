"""Items that features add to the collected ones."""

from __future__ import annotations

import abc
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_crd import folders
from pytest_crd.plugin import commandline
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.items.failures import MistakenCollectError
from pytest_crd.plugin.settings.setting import Setting
from pytest_crd.wording import counted

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


class Selection(NamedTuple):
    """
    The files with tests of a feature that take part in a run.

    Attributes:
        added: Files to add.
        named: Files that the command line names, so that pytest itself collects them.
        left_out: Files that the command line does not choose.
        option: The option that adds all if the command line chooses none.
    """

    added: Sequence[Path]
    named: Sequence[Path] = ()
    left_out: Sequence[Path] = ()
    option: str = ""

    @property
    def restriction(self) -> str:
        """Words for the header about the files that are left out, with a semicolon before them; empty if there are none."""
        if not self.left_out:
            return ""
        chosen = len(self.added) + len(self.named)
        files = f"{chosen or 'none'} of {counted(chosen + len(self.left_out), 'file')}"
        return f"; the command line chooses {files}{'' if chosen else f', {self.option} adds all'}"


def may_take_part(path: Path, config: pytest.Config) -> bool:
    """Return whether a path on the command line may have tests of features; false for Python files and case files."""
    is_case_file = (
        folders.is_manifest(path.name) and path.is_file() and casefiles.is_case_file(path, config, is_named=True)
    )
    return path.suffix != ".py" and not is_case_file


def is_chosen(config: pytest.Config, setting: Setting[Any]) -> bool:
    """Return whether tests of the feature of *setting* may take part in a run, as `select` describes, before their files are known."""
    if names_items(config):
        return False
    is_added = commandline.is_whole(config) or commandline.names_option(config, setting)
    return is_added or any(may_take_part(path, config) for path in commandline.paths(config))


def select(files: Sequence[Path], session: pytest.Session, setting: Setting[Any]) -> Selection:
    """
    Select the files that take part in a run, from *files*, all files with tests of the feature of *setting*.

    All take part in a run of the whole project. Otherwise the command line chooses them: the files that it names, and those below its
    folders. If these are none and it has the option of *setting*, all take part.
    """
    if commandline.is_whole(session.config):
        return Selection(files)
    chosen = [path for path in files if commandline.is_below(path, commandline.paths(session.config))]
    if not chosen and commandline.names_option(session.config, setting):
        return Selection(files)
    named = [path for path in chosen if path.is_file() and session.isinitpath(path)]
    unnamed = [path for path in chosen if path not in named]
    return Selection(unnamed, named, [path for path in files if path not in chosen], setting.option)


def names_items(config: pytest.Config) -> bool:
    """Return whether the command line names node ids, so that features add no items."""
    return any("::" in argument.partition("[")[0] for argument in config.args)
