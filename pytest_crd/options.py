"""What the user can set: ini settings and command line options, read into one frozen Settings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import pytest

from pytest_crd import folders

CASE_FILES: Final = ("test_*.crd.yaml", "test_*.crd.yml")


class Setting(NamedTuple):
    """
    One setting.

    Attributes:
        ini: Its name in the ini file; empty where it has none.
        flag: Its name on the command line; empty where it has none.
        ini_type: How pytest reads it from the ini file: `args` is a list of words, `linelist` one of lines, `string` one text,
            `bool` a switch.
        help: One sentence, for `--help` and for the README.
        replaces: What the option replaces of the ini file, in words; empty where there is no option.
        is_single: Whether the option has one value, however often it is given.
    """

    ini: str
    flag: str
    ini_type: Literal["args", "linelist", "string", "bool"]
    help: str
    replaces: str = ""
    is_single: bool = False


SETTINGS: Final = (
    Setting(
        "crd_paths",
        "--crd-path",
        "args",
        "Files, folders and globs with CustomResourceDefinitions, and `!pattern` for what is left out; unset: the conventional"
        " places, else wherever in the project they are.",
        replaces="crd_paths and crd_commands",
    ),
    Setting(
        "crd_commands",
        "",
        "linelist",
        "Commands whose output is read as manifests, one a line, run without a shell in the folder of the ini file.",
    ),
    Setting(
        "crd_stored",
        "",
        "args",
        "Names of CRDs that are taken for stored though today's server refuses them.",
    ),
    Setting(
        "crd_case_files",
        "",
        "args",
        f"Name patterns of case files to collect; unset: {' '.join(CASE_FILES)}.",
    ),
    Setting(
        "crd_kubernetes_version",
        "--crd-kubernetes-version",
        "string",
        "The Kubernetes versions whose behaviour and words the answers have: with several, every test runs once for each;"
        " unset: the newest known.",
        replaces="crd_kubernetes_version",
    ),
    Setting(
        "crd_checks",
        "--crd-checks",
        "bool",
        "Check every CRD and every sample, without a case: each check is a test.",
    ),
    Setting(
        "crd_samples",
        "",
        "args",
        "Files, folders and globs with custom resources that the server must take as they are, and that upgrades are judged by,"
        " and `!pattern` for what is left out; unset: `config/samples`, `examples` and `samples`.",
    ),
    Setting(
        "crd_warnings",
        "",
        "string",
        "What the server's warnings do in checks: `show` (if unset) or `error`.",
    ),
    Setting(
        "crd_lints",
        "",
        "args",
        "Mistakes that a server takes and that checks look for: their names, of which none is set by default.",
    ),
    Setting(
        "crd_rule_budget",
        "",
        "string",
        "Which part of the server's budget CEL rules may take in checks: `50%`; unset: all of it.",
    ),
    Setting(
        "crd_baseline",
        "--crd-baseline",
        "string",
        "The CustomResourceDefinitions that users have, a folder, a file or `git:REF` (`git:latest-tag` is the last release): what"
        " an upgrade to those of today does to objects is a test for each.",
        replaces="crd_baseline",
        is_single=True,
    ),
    Setting(
        "crd_baseline_allow",
        "",
        "linelist",
        "What upgrades may do, one a line: `NAME PATH KIND`, as a failure states it.",
    ),
    Setting("", "--crd-fill", "bool", "Write what is observed into case files, where it is left out or is `TODO`."),
    Setting("", "--crd-update", "bool", "Fill in, and correct cases that fail and stay accepted, or refused."),
    Setting(
        "", "--crd-update-verdicts", "bool", "Update, also where what was accepted is refused now, or the reverse."
    ),
    Setting(
        "",
        "--crd-generate",
        "args",
        "Write a case file that states what a CustomResourceDefinition does, instead of running tests: `NAME` or"
        " `NAME/VERSION`.",
    ),
)


class Settings(NamedTuple):
    """
    What is set, wherever it was set.

    Attributes:
        crd_paths: Files, folders and globs, and `!pattern`; empty where nothing is set.
        said_by: What names them: the name of the setting, or of the option.
        base: What relative paths among them, and the conventional places, are relative to.
        stored: Names of CRDs that are taken for stored, whatever today's server says of them.
        crd_commands: Commands that print manifests.
        folder: Where they are run.
        case_files: Name patterns of case files.
        kubernetes_versions: As the user wrote them; empty where nothing is set.
        checks: Whether CRDs and samples are checked.
        samples: Files, folders and globs, and `!pattern`; empty where nothing is set.
        warnings_fail: Whether a check fails of which the server warns.
        lints: Names of lints.
        rule_budget: Which part of the server's budget rules may take.
        baseline: The CRDs that users have: a folder, a file or `git:REF`; empty where nothing is set.
        baseline_base: What a path there is relative to.
        baseline_allow: What upgrades may do, as the user wrote it.
    """

    crd_paths: tuple[str, ...]
    said_by: str
    base: Path
    stored: frozenset[str]
    crd_commands: tuple[str, ...]
    folder: Path
    case_files: tuple[str, ...]
    kubernetes_versions: tuple[str, ...]
    checks: bool
    samples: tuple[str, ...]
    warnings_fail: bool
    lints: tuple[str, ...]
    rule_budget: float
    baseline: str
    baseline_base: Path
    baseline_allow: tuple[str, ...]


_KEY: Final = pytest.StashKey[Settings]()


def add(parser: pytest.Parser, settings: Sequence[Setting] = SETTINGS) -> None:
    """Declare *settings*."""
    group = parser.getgroup("crd", "Kubernetes CustomResourceDefinitions")
    for setting in settings:
        if setting.ini:
            parser.addini(setting.ini, setting.help, type=setting.ini_type, default=None)
        dest = setting.ini or setting.flag.removeprefix("--").replace("-", "_")
        if setting.ini_type == "bool":
            group.addoption(setting.flag, action="store_true", default=None, dest=dest, help=setting.help)
        elif setting.flag:
            several = "" if setting.is_single else " May be given several times."
            action = "store" if setting.is_single else "append"
            replaces = f" Replaces {setting.replaces}." if setting.replaces else ""
            words = f"{setting.help}{several}{replaces}"
            group.addoption(setting.flag, action=action, dest=dest, metavar="VALUE", help=words)


def are_declared(config: pytest.Config) -> bool:
    """Return whether there are settings; there are none where the plugin is switched off but its module is loaded."""
    return hasattr(config.option, SETTINGS[0].ini)


def of(config: pytest.Config) -> Settings:
    """Return the settings of a session, as `check` has found them."""
    return config.stash[_KEY]


def is_case_file(path: Path, config: pytest.Config) -> bool:
    """Return whether a file is collected for its name."""
    return any(path.match(folders.widened(pattern)) for pattern in of(config).case_files)


def generate(config: pytest.Config) -> tuple[str, ...]:
    """Return the CRDs, each with a version or without, that case files are written for."""
    named: Sequence[str] = config.getoption("crd_generate") or ()
    return tuple(dict.fromkeys(named))


def has_checks(config: pytest.Config) -> bool:
    """Return whether CRDs and samples are checked."""
    return are_declared(config) and of(config).checks


def writing(config: pytest.Config) -> int:
    """Return how much is written into case files: 0 for nothing, else the value of a `writing.observation.Mode`."""
    names = ("crd_fill", "crd_update", "crd_update_verdicts")
    return max((level for level, name in enumerate(names, start=1) if config.getoption(name)), default=0)


def check(config: pytest.Config) -> None:
    """
    Read the settings.

    Raises:
        UsageError: A path that names nothing, a command that cannot be one, or a Kubernetes version that nobody recorded.
    """
    config.stash[_KEY] = settings = _read(config)
    for path in settings.crd_paths:
        wanted = path.removeprefix("!")
        found = (settings.base / wanted).exists() or folders.matching(wanted, settings.base)
        if not wanted or not found:
            raise pytest.UsageError(f"{settings.said_by}: {path!r} matches nothing in {settings.base}")
    if settings.crd_commands:
        from pytest_crd.sources import commands  # noqa: PLC0415 - a session that sets nothing loads nothing

        for problem in filter(None, map(commands.problem_of, settings.crd_commands)):
            raise pytest.UsageError(f"crd_commands: {problem}")
    if settings.kubernetes_versions:
        kubernetes_versions(config)
    if settings.baseline_allow:
        from pytest_crd.upgrades import allowances  # noqa: PLC0415 - a session that sets nothing loads nothing

        for line in settings.baseline_allow:
            try:
                allowances.read(line)
            except ValueError as error:
                raise pytest.UsageError(f"crd_baseline_allow: {error}") from None


def _read(config: pytest.Config) -> Settings:
    of_project = config.inipath.parent if config.inipath else config.rootpath
    named: Sequence[str] | None = config.getoption("crd_paths")
    versions = config.getoption("crd_kubernetes_version") or [config.getini("crd_kubernetes_version") or ""]
    return Settings(
        crd_paths=tuple(named or config.getini("crd_paths") or ()),
        said_by="--crd-path" if named else "crd_paths",
        base=config.invocation_params.dir if named else of_project,
        stored=frozenset(config.getini("crd_stored") or ()),
        crd_commands=() if named else tuple(config.getini("crd_commands") or ()),
        folder=of_project,
        case_files=tuple(config.getini("crd_case_files") or CASE_FILES),
        kubernetes_versions=tuple(version for words in versions for version in words.split()),
        checks=_are_on(config),
        samples=tuple(config.getini("crd_samples") or ()),
        warnings_fail=_warnings_fail(config),
        lints=_lints(config),
        rule_budget=_rule_budget(config),
        baseline=_baseline(config),
        baseline_base=config.invocation_params.dir if config.getoption("crd_baseline") is not None else of_project,
        baseline_allow=tuple(config.getini("crd_baseline_allow") or ()),
    )


# What only checks look at.
_OF_CHECKS: Final = ("crd_samples", "crd_warnings", "crd_lints", "crd_rule_budget")


def _are_on(config: pytest.Config) -> bool:
    """Return whether checks are on; settings that only they look at have an effect, or are said to have none."""
    if config.getoption("crd_checks"):
        return True
    try:
        value = config.getini("crd_checks")
    except (TypeError, ValueError, pytest.UsageError) as error:
        raise pytest.UsageError(f"crd_checks: {error}; write true or false") from None
    if value in (True, False):
        return bool(value)
    for name in _OF_CHECKS:
        if config.getini(name) and not (name == "crd_samples" and _baseline(config)):
            raise pytest.UsageError(
                f"{name} does nothing without checks: set crd_checks = true, or crd_checks = false to leave it to --crd-checks"
            )
    return False


def _warnings_fail(config: pytest.Config) -> bool:
    value = config.getini("crd_warnings") or "show"
    if value not in ("show", "error"):
        raise pytest.UsageError(f"crd_warnings: {value!r}: write show or error")
    return bool(value == "error")


def _lints(config: pytest.Config) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(config.getini("crd_lints") or ()))
    if names:
        from pytest_crd.checks.lints import LINTS  # noqa: PLC0415 - a session that sets nothing loads nothing

        for name in names:
            if name not in LINTS:
                raise pytest.UsageError(f"crd_lints: there is no {name!r}; there are {', '.join(LINTS)}")
    return names


def _rule_budget(config: pytest.Config) -> float:
    value = config.getini("crd_rule_budget") or "100%"
    number = re.fullmatch(r"(\d+(?:\.\d+)?)%", value)
    if number is None or not 0 < float(number[1]) <= 100:
        raise pytest.UsageError(f"crd_rule_budget: {value!r}: write a part of the server's budget, such as 50%")
    return float(number[1]) / 100


def _baseline(config: pytest.Config) -> str:
    on_command_line: str | None = config.getoption("crd_baseline")
    if on_command_line is not None and not on_command_line.strip():
        raise pytest.UsageError("--crd-baseline: name a folder, a file or git:REF")
    return (on_command_line or config.getini("crd_baseline") or "").strip()


def has_baseline(config: pytest.Config) -> bool:
    """Return whether upgrades are judged."""
    return are_declared(config) and bool(of(config).baseline)


def kubernetes_versions(config: pytest.Config) -> tuple[str, ...]:
    """
    Return the Kubernetes versions of a session, each once: the newest known where none is set.

    Raises:
        UsageError: One that nobody recorded.
    """
    from pytest_crd.engine import profile  # noqa: PLC0415 - a session that sets nothing loads nothing

    try:
        named = [profile.named(version).version for version in of(config).kubernetes_versions or (profile.DEFAULT,)]
    except profile.UnknownVersionError as error:
        raise pytest.UsageError(f"crd_kubernetes_version: {error}") from None
    return tuple(dict.fromkeys(named))
