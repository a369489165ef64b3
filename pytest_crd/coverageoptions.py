"""What is set about coverage: its reports and where they go, how much must be covered, and what need not be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pytest_crd.options import Setting

if TYPE_CHECKING:
    from pytest_crd.coverage.lines import Exclusion

SETTINGS: Final = (
    Setting(
        "crd_cov",
        "--crd-cov",
        "bool",
        "Measure what of the schemas the tests exercise.",
    ),
    Setting(
        "crd_cov_report",
        "--crd-cov-report",
        "args",
        "Reports on that: `term` (if unset), `term-missing`, `json`, `html`, `lcov` or `cobertura`, all but the first two with"
        " `:FILE` for where they go; an empty one for none.",
        replaces="crd_cov_report",
    ),
    Setting(
        "crd_cov_fail_under",
        "--crd-cov-fail-under",
        "string",
        "Fail where less than this percentage of the schemas is held by cases.",
        replaces="crd_cov_fail_under",
        is_single=True,
    ),
    Setting(
        "crd_cov_seen",
        "--crd-cov-seen",
        "bool",
        "Count also what requests have only seen, though no case states what follows.",
    ),
    Setting(
        "crd_cov_exclude",
        "",
        "linelist",
        "What need not be exercised, one a line: `NAME PATH` or `NAME/VERSION PATH`, the path and what is below it.",
    ),
    Setting(
        "",
        "--crd-cov-append",
        "bool",
        "Count what earlier runs have exercised, too, as `.crd_coverage` has it.",
    ),
)
DATA_FILE: Final = ".crd_coverage"
_IN_TERMINAL: Final = ("term", "term-missing")
_FILES: Final = {
    "json": "crd_coverage.json",
    "html": "crd_coverage.html",
    "lcov": "crd_coverage.lcov",
    "cobertura": "crd_coverage.xml",
}
# What CRDs, cases and tests end in: no report does.
_OF_OTHERS: Final = (".yaml", ".yml", ".py", ".toml", ".ini", ".cfg")
_KINDS: Final = (*_IN_TERMINAL, *_FILES)


class Report(NamedTuple):
    """
    A report that is asked for.

    Attributes:
        kind: `term`, `json` …
        path: Where it goes; None for the terminal.
    """

    kind: str
    path: Path | None


class CoverageSettings(NamedTuple):
    """
    What is set about coverage.

    Attributes:
        reports: The reports.
        fail_under: The percentage that must be reached.
        exclusions: What need not be covered.
        counts_seen: Whether what is only seen counts too.
        appends: Whether what earlier runs have reached counts too.
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
        """Where what was reached is kept."""
        return self.root / DATA_FILE


def read(config: pytest.Config) -> CoverageSettings | None:
    """
    Return what is set; None where nothing is measured.

    Raises:
        UsageError: Something that cannot be, or an option that has no effect.
    """
    if not _is_on(config):
        return None
    root = config.inipath.parent if config.inipath else config.rootpath
    return CoverageSettings(
        _reports(config, root),
        _fail_under(config),
        _exclusions(config),
        _is_set(config, "crd_cov_seen"),
        bool(config.getoption("crd_cov_append")),
        root,
    )


def _is_on(config: pytest.Config) -> bool:
    if is_on := _is_set(config, "crd_cov"):
        return is_on
    for name in ("crd_cov_report", "crd_cov_fail_under", "crd_cov_seen", "crd_cov_append"):
        if config.getoption(name) is not None:
            raise pytest.UsageError(f"--{name.replace('_', '-')} does nothing without --crd-cov")
    return False


def _is_set(config: pytest.Config, name: str) -> bool:
    """Return whether something is switched on, on the command line or in the ini file."""
    if config.getoption(name):
        return True
    try:
        return bool(config.getini(name))
    except (TypeError, ValueError, pytest.UsageError) as error:
        raise pytest.UsageError(f"{name}: {error}; write true or false") from None


def _reports(config: pytest.Config, root: Path) -> tuple[Report, ...]:
    named: list[str] | None = config.getoption("crd_cov_report")
    said_by, base = "--crd-cov-report", config.invocation_params.dir
    if named is None:
        named, said_by, base = config.getini("crd_cov_report"), "crd_cov_report", root
    words = ["term"] if named is None else [word for word in named if word]
    reports = tuple(dict.fromkeys(_report(word, said_by, base) for word in words))
    paths = [report.path for report in reports if report.path is not None]
    for path in paths:
        if paths.count(path) > 1:
            raise pytest.UsageError(f"{said_by}: several reports go to {path}")
        if path == root / DATA_FILE:
            raise pytest.UsageError(f"{said_by}: {DATA_FILE} keeps what runs have reached; name another file")
        if path.suffix in _OF_OTHERS:
            raise pytest.UsageError(f"{said_by}: {path} would be replaced by a report; give the report another ending")
    return reports


def _report(word: str, said_by: str, base: Path) -> Report:
    kind, colon, file = word.partition(":")
    if kind not in _KINDS:
        raise pytest.UsageError(f"{said_by}: there is no report {kind!r}; there are {', '.join(_KINDS)}")
    if kind in _IN_TERMINAL:
        if colon:
            raise pytest.UsageError(f"{said_by}: {word!r}: {kind} goes to the terminal, not to a file")
        return Report(kind, None)
    if colon and not file:
        raise pytest.UsageError(f"{said_by}: {word!r}: name a file behind the colon")
    path = base / (file or _FILES[kind])
    if path.is_dir():
        raise pytest.UsageError(f"{said_by}: {word!r}: {path} is a folder; name a file in it")
    return Report(kind, path)


def _fail_under(config: pytest.Config) -> float:
    on_command_line: str | None = config.getoption("crd_cov_fail_under")
    said_by = "crd_cov_fail_under" if on_command_line is None else "--crd-cov-fail-under"
    value = config.getini("crd_cov_fail_under") or "0" if on_command_line is None else on_command_line
    try:
        percent = float(value.strip().removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 <= percent <= 100:
        raise pytest.UsageError(f"{said_by}: {value!r}: write a percentage from 0 to 100")
    return percent


def _exclusions(config: pytest.Config) -> tuple[Exclusion, ...]:
    from pytest_crd.coverage.lines import read_exclusion  # noqa: PLC0415 - only a session that measures loads it

    try:
        return tuple(map(read_exclusion, config.getini("crd_cov_exclude") or ()))
    except ValueError as error:
        raise pytest.UsageError(f"crd_cov_exclude: {error}") from None
