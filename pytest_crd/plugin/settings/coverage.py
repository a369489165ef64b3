"""Settings of coverage: the reports, the least percentage, and the exclusions."""

from __future__ import annotations

import enum
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd import folders
from pytest_crd.plugin.settings import generate, setting
from pytest_crd.plugin.settings.setting import SettingEntry, define
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.coverage.lines import Exclusion

DATA_FILE: Final = folders.COVERAGE_DATA
# Endings of CRDs, cases, tests and settings, which a report must not replace.
_OF_OTHERS: Final = (".yaml", ".yml", ".py", ".toml", ".ini", ".cfg")


class ReportKind(enum.StrEnum):
    """Kind of a coverage report; the value is the word of the user."""

    TERM = "term"
    TERM_MISSING = "term-missing"
    JSON = "json"
    HTML = "html"
    LCOV = "lcov"
    COBERTURA = "cobertura"


_FILES: Final = {
    ReportKind.JSON: "crd_coverage.json",
    ReportKind.HTML: "crd_coverage.html",
    ReportKind.LCOV: "crd_coverage.lcov",
    ReportKind.COBERTURA: "crd_coverage.xml",
}


class Report(NamedTuple):
    """
    A coverage report.

    Attributes:
        kind: The kind of report.
        path: The file or folder; None for the terminal.
        is_folder: Whether the report is several files in a folder.
    """

    kind: ReportKind
    path: Path | None
    is_folder: bool = False


def _reports(entry: SettingEntry) -> tuple[Report, ...]:
    reports = tuple(dict.fromkeys(_report(word, entry) for word in entry.value if word))
    paths = [report.path for report in reports if report.path is not None]
    for report in reports:
        path = report.path
        if path is not None and paths.count(path) > 1:
            raise entry.error(f"several reports go to {path}")
        if path is not None and path.suffix in _OF_OTHERS and not report.is_folder:
            raise entry.error(f"{path} would be replaced by a report; give the report another ending")
    return reports


def _report(word: str, entry: SettingEntry) -> Report:
    name, colon, file = word.partition(":")
    if name not in {*ReportKind}:
        raise entry.error(f"there is no report {name!r}; there are {', '.join(ReportKind)}")
    kind = ReportKind(name)
    if kind not in _FILES:
        if colon:
            raise entry.error(f"{word!r}: {kind} goes to the terminal, not to a file")
        return Report(kind, None)
    if colon and not file:
        raise entry.error(f"{word!r}: name a file behind the colon")
    entry.require_output(file or _FILES[kind])
    path = entry.base / (file or _FILES[kind])
    is_folder = path.is_dir() or file.endswith(("/", os.sep))
    if is_folder and kind is not ReportKind.HTML:
        raise entry.error(f"{word!r}: {path} is a folder; name a file in it")
    return Report(kind, path, is_folder)


def _percentage(entry: SettingEntry) -> float:
    try:
        percent = float(entry.value.strip().removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 <= percent <= 100:
        raise entry.error(f"{entry.value!r}: write a percentage from 0 to 100")
    return percent


def _exclusions(entry: SettingEntry) -> tuple[Exclusion, ...]:
    from pytest_crd.coverage.lines import read_exclusion  # noqa: PLC0415 - only a session that measures coverage loads it

    try:
        return tuple(map(read_exclusion, entry.value))
    except ValueError as error:
        raise entry.error(str(error)) from None


COVERAGE: Final = define("--crd-cov", setting.switch)
REPORTS: Final = define("--crd-cov-report", _reports, default=(ReportKind.TERM,), may_be_empty=True)
FAIL_UNDER: Final = define("--crd-cov-fail-under", _percentage, default="0")
SEEN: Final = define("--crd-cov-seen", setting.switch)
EXCLUDED: Final = define("--crd-cov-exclude", _exclusions, default=())
APPEND: Final = define("--crd-cov-append", setting.switch)
SETTINGS: Final = (COVERAGE, REPORTS, FAIL_UNDER, SEEN, EXCLUDED, APPEND)


class CoverageSettings(NamedTuple):
    """
    Values of the settings of coverage.

    Attributes:
        reports: The reports.
        fail_under: The least percentage, from 0 to 100.
        exclusions: Points that need not be covered.
        counts_seen: Whether points count that no case states anything about.
        appends: Whether points count that earlier runs have reached.
        root: The folder of the project.
    """

    reports: tuple[Report, ...]
    fail_under: float
    exclusions: tuple[Exclusion, ...]
    counts_seen: bool
    appends: bool
    root: Path

    @property
    def data_file(self) -> Path:
        """The file that stores the coverage."""
        return self.root / DATA_FILE


def read(config: pytest.Config) -> CoverageSettings | None:
    """
    Return the settings of coverage; None if it is not measured.

    Raises:
        UsageError: A setting has a wrong value, or an option has no effect.
    """
    is_generating = generate.GENERATE.find_entry(config).is_set
    if not COVERAGE.read_value(config):
        for option in (REPORTS, FAIL_UNDER, SEEN, APPEND, *(() if is_generating else (EXCLUDED,))):
            if config.getoption(option.dest) is not None:
                raise pytest.UsageError(f"{option.option} does nothing without {COVERAGE.option}")
        return None
    settings = CoverageSettings(
        REPORTS.read_value(config),
        FAIL_UNDER.read_value(config),
        EXCLUDED.read_value(config),
        SEEN.read_value(config),
        APPEND.read_value(config),
        setting.folder(config),
    )
    if any(report.path == settings.data_file for report in settings.reports):
        raise REPORTS.find_entry(config).error(f"{DATA_FILE} keeps what runs have reached; name another file")
    # A session that runs no tests must not overwrite the coverage of other runs.
    return None if is_generating else settings
