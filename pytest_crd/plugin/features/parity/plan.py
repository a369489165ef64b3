"""The plan of a session's parity checks: classes of settings and hooks, each with its version of a CRD."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.classes import divergences, importpaths, paritychecks
from pytest_crd.classes.divergences import AllowedDivergence
from pytest_crd.classes.paritychecks import ParityCheck, ParityLine
from pytest_crd.engine import CrdError, CrdLookupError, CrdVersion, InputError, Mistake
from pytest_crd.plugin import hookspecs, manifests
from pytest_crd.plugin.settings import inilines, project, setting
from pytest_crd.plugin.settings.parity import ALLOWED, PARITY, ParitySettings
from pytest_crd.wording import counted


class ParsedSettings(NamedTuple):
    """
    Values of the settings.

    Attributes:
        lines: The classes in the settings, each with its version of a CRD.
        allowed: The allowed divergences.
    """

    lines: tuple[ParityLine, ...]
    allowed: tuple[AllowedDivergence, ...]


def parse_settings(settings: ParitySettings) -> ParsedSettings:
    """
    Return the values of the settings.

    Raises:
        UsageError: A line is wrong.
    """
    lines = setting.parse_lines(settings.classes, paritychecks.parse)
    return ParsedSettings(lines, setting.parse_lines(settings.allowed, divergences.parse))


class NamedClass(NamedTuple):
    """
    A class with its version of a CRD.

    Attributes:
        name: The name of the class for messages.
        model: The class.
        crd: The name of the CRD.
        version: The name of the version.
        source: The file, plugin or option that names it.
        line: The line of the setting; 0 without one.
    """

    name: str
    model: Any
    crd: str
    version: str
    source: str
    line: int = 0


@dataclass(frozen=True)
class ParityPlan:
    """
    The parity checks of a session.

    Attributes:
        checks: The checks by file, in the order of settings and hooks.
        general: The allowances about several checks.
        problem: The error that prevents the checks; None if there is none.
    """

    checks: Mapping[Path, Sequence[ParityCheck]] = field(default_factory=dict)
    general: Sequence[AllowedDivergence] = ()
    problem: InputError | None = None

    @property
    def words(self) -> str:
        """A summary of the checks."""
        return f"{counted(sum(map(len, self.checks.values())), 'parity check')} of classes"

    def find_outdated(self) -> list[AllowedDivergence]:
        """
        Return the allowances about several checks that allow nothing.

        Raises:
            CrdError: A class and its CRD cannot be compared.
        """
        used = {entry for same_file in self.checks.values() for check in same_file for entry in check.verdict.used}
        return [entry for entry in self.general if entry not in used]


def make_plan(
    config: pytest.Config, settings: ParsedSettings, catalogs: Sequence[Catalog], *, home: Path
) -> ParityPlan:
    """
    Return the parity checks of a session.

    Args:
        config: The configuration of the session.
        settings: The settings.
        catalogs: The CRDs of the project, once for each Kubernetes version.
        home: The file that shows checks of CRDs that are in no file.
    """
    try:
        classes = _find_classes(config, settings)
        checks = [
            check for catalog in catalogs for check in _make_checks(classes, catalog, is_single=len(catalogs) == 1)
        ]
        checks = _name_classes(checks)
        counts = {entry: sum(entry.is_about(check.target) for check in checks) for entry in settings.allowed}
        if unknown := [entry for entry, count in counts.items() if not count]:
            place = _place_of(config, ALLOWED)
            raise CrdError(
                Mistake(place.source, place.line, f"{ALLOWED.ini}: {entry}: no class is compared with this CRD")
                for entry in unknown
            )
    except InputError as error:
        return ParityPlan(problem=error)
    by_path: dict[Path, list[ParityCheck]] = {}
    for check in checks:
        allowed = tuple(entry for entry in settings.allowed if entry.is_about(check.target))
        by_path.setdefault(check.path or home, []).append(replace(check, allowed=allowed))
    return ParityPlan(by_path, [entry for entry, count in counts.items() if count > 1])


class _Place(NamedTuple):
    source: str
    line: int


def _place_of(config: pytest.Config, of_setting: Any) -> _Place:
    """Return the file and line of a setting; its option if the command line has it."""
    line = inilines.line_of(config, of_setting)
    is_in_file = line and config.inipath is not None
    return _Place(config.inipath.name if is_in_file and config.inipath else of_setting.find_entry(config).source, line)


def _find_classes(config: pytest.Config, settings: ParsedSettings) -> list[NamedClass]:
    """
    Return the classes of settings and hooks.

    Raises:
        CrdError: All mistakes in them.
    """
    classes: list[NamedClass] = []
    mistakes: list[Mistake] = []
    place = _place_of(config, PARITY)
    for line in settings.lines:
        try:
            model = importpaths.find_object(line.import_path)
        except importpaths.ImportPathError as error:
            mistakes.append(Mistake(place.source, place.line, f"{PARITY.ini}: {line.import_path}: {error}"))
        else:
            classes.append(NamedClass(line.import_path, model, line.crd, line.version, *place))
    for implementation in hookspecs.class_implementations(config.pluginmanager):
        maker = manifests.maker_of(implementation, project.get_settings(config).base)
        try:
            classes += _call(implementation, config, maker)
        except ValueError as error:
            mistakes.append(Mistake(maker, 0, f"{hookspecs.CLASS_HOOK} {error}"))
    if mistakes:
        raise CrdError(mistakes)
    return classes


def _call(implementation: Any, config: pytest.Config, maker: str) -> Iterator[NamedClass]:
    """
    Yield the classes that an implementation of the hook returns.

    Raises:
        ValueError: It raises (the message has its traceback), is a wrapper, or returns something else than classes.
    """
    if implementation.wrapper or implementation.hookwrapper:
        raise ValueError("cannot be a wrapper: each returns its own classes")
    try:
        returned = implementation.function(*((config,) if implementation.argnames else ()))
    except (Exception, SystemExit, pytest.skip.Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - shown as a mistake
        text = "".join(traceback.format_exception(error)).rstrip()
        raise ValueError(f"fails:\n{text}") from None
    if not isinstance(returned, Mapping) or not returned:
        raise ValueError(f"returns {returned!r}; return a mapping from CRD/VERSION to a class")
    for target, value in returned.items():
        crd, version = paritychecks.split_target(str(target))
        for model in value if isinstance(value, list) else [value]:
            yield NamedClass(f"{maker}[{paritychecks.name_of(model)}]", model, crd, version, maker)


def _make_checks(classes: Sequence[NamedClass], catalog: Catalog, *, is_single: bool) -> Iterator[ParityCheck]:
    """
    Yield the checks under one Kubernetes version.

    Raises:
        CrdError: There is no such CRD, or no such version.
    """
    places = {read.crd.source: read for read in catalog.sources.every(catalog.kubernetes_version)}
    mistakes: list[Mistake] = []
    for item in classes:
        try:
            version: CrdVersion = catalog.crds[item.crd].without_admission().version(item.version)
        except CrdLookupError as error:
            mistakes.append(Mistake(item.source, item.line, f"{item.name}: {error.args[0]}"))
            continue
        subject = f"{version.crd.name}-{version.name}{'' if is_single else f'-{catalog.kubernetes_version}'}"
        read = places.get(version.crd.source)
        path, line = (None, 0) if read is None or read.path is None else (read.path, read.manifest.line_of())
        yield ParityCheck(subject, item.model, item.name, version, path, line)
    if mistakes:
        raise CrdError(mistakes)


def _name_classes(checks: Sequence[ParityCheck]) -> list[ParityCheck]:
    """Return the checks, with the name of the class in names that several checks have."""
    counts = Counter(check.name for check in checks)
    return [
        check if counts[check.name] == 1 else replace(check, subject=f"{check.subject}-{check.class_name}")
        for check in checks
    ]
