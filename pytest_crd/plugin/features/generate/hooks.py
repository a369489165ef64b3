"""Hooks of a session that writes case files instead of running tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pytest_crd import boundary, folders, lazyre
from pytest_crd.casefiles import filereplacement
from pytest_crd.engine import (
    CrdLookupError,
    CrdVersion,
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.generation import Generated, NothingToStateError, Wanted, add, filenames, generate
from pytest_crd.plugin import progressline, session
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.settings import coverage, fill, live, project, setting
from pytest_crd.plugin.settings.generate import GENERATE, GenerateSettings
from pytest_crd.wording import escape_lines

if TYPE_CHECKING:
    from pytest_crd.cases.crdcatalog import Catalog

_FLAG: Final = GENERATE.option
_MOST_NAMED: Final = 5
# No version name has a dot, unlike a file name.
_NAME_AND_VERSION: Final = lazyre.compile(r"(.+)/([^/.]*)")
# Options that have no effect without a test run.
_OF_RUNS: Final = (*fill.SETTINGS, live.LIVE, project.PYTHON)


class WrittenFile(NamedTuple):
    """
    A file to write.

    Attributes:
        path: The file.
        versions: The CRD version, one for each Kubernetes version.
        generated: The new content.
        old: The digest of the old content; None for a new file.
    """

    path: Path
    versions: tuple[CrdVersion, ...]
    generated: Generated
    old: str | None = None


class Hooks:
    """Writes case files in place of collection."""

    def __init__(self, config: pytest.Config, settings: GenerateSettings) -> None:
        """
        Create the hooks with the session's configuration and the settings of generating.

        Raises:
            UsageError: An option of the command line has no effect without a test run.
        """
        if config.option.collectonly:
            raise pytest.UsageError(f"{_FLAG} writes files: leave out --collect-only")
        for option in _OF_RUNS:
            if option.find_entry(config).is_set:
                raise pytest.UsageError(f"{_FLAG} runs no tests: leave out {option.option}")
        self._config = config
        self._settings = settings
        self._written: list[WrittenFile] = []
        config.option.dist = "no"  # pytest-xdist must not wait for tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:
        """Write the files; return True, so that nothing is collected."""
        self._written = _write_all(self._settings, self._config)
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End a session that has written files with exit code 0 although it had no tests."""
        if self._written and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write a summary of the files, with the parts of the schemas that they leave out."""
        for written in self._written:
            for line in _summary(written, [file.versions[0] for file in self._written]):
                terminalreporter.write_line(escape_lines(line))


def _write_all(settings: GenerateSettings, config: pytest.Config) -> list[WrittenFile]:
    """
    Write a file for each CRD version of the command line, all or none, and return them.

    Raises:
        UsageError: A CRD or version does not exist, nothing can be stated about it, no run would collect its file, or the file cannot
            be written.
    """
    try:
        with progressline.get_progress(config)("generating"):
            chosen = dict.fromkeys(_versions(name, config) for name in settings.names)  # NAME may be NAME/VERSION
            wanted = Wanted(settings.paths, settings.is_whole, coverage.EXCLUDED.read_value(config))
            planned = [_plan(versions, wanted, config) for versions in chosen]
    except (
        CrdLookupError,
        InputError,
        NothingToStateError,
        UnsupportedConstructError,
        UnsupportedExpressionError,
    ) as error:
        raise pytest.UsageError(f"{_FLAG}: {error}") from None
    for written in planned:
        _write(written)
    return planned


def _summary(written: WrittenFile, written_versions: Sequence[CrdVersion]) -> Iterator[str]:
    version, generated = written.versions[0], written.generated
    count = f"{generated.cases} case{'' if generated.cases == 1 else 's'} about {version.crd.name} {version.name}"
    verb = "wrote" if written.old is None else "added to" if generated.cases else "nothing to add to"
    yield f"crd: {verb} {session.display_path(written.path)}{f': {count}' if generated.cases else ''}"
    covered = generated.points - len(generated.missed)
    yield f"crd:   {covered} of {generated.points} points of its schema are held"
    left_out = generated.left_out
    yield from (f"crd:   left out: {words}" for words in left_out[:_MOST_NAMED])
    if len(left_out) > _MOST_NAMED:
        yield f"crd:   left out: and {len(left_out) - _MOST_NAMED} more, of which the end of the file names the first"
    others = [served.name for served in version.crd.versions if served.served and served not in written_versions]
    if others:
        yield f"crd:   for other versions: {' '.join(f'{_FLAG} {version.crd.name}/{name}' for name in others)}"


def _versions(name: str, config: pytest.Config) -> tuple[CrdVersion, ...]:
    return tuple(_version(catalog, name) for catalog in session.catalogs(config))


def _plan(versions: tuple[CrdVersion, ...], wanted: Wanted, config: pytest.Config) -> WrittenFile:
    path = _folder(config) / filenames.file_name(versions[0], session.catalogs(config)[0].crds)
    if not casefiles.has_name(str(path), config):
        patterns = " ".join(project.get_settings(config).case_files)
        raise pytest.UsageError(
            f"{_FLAG}: no pattern of crd_case_files ({patterns}) matches {session.display_path(path)}, which no run would"
            f" collect: add {folders.CASE_FILES[0]}"
        )
    if not path.exists():
        return WrittenFile(path, versions, generate(versions, wanted, progress=progressline.get_progress(config)))
    try:
        content = folders.read_file(path)
    except OSError as error:
        raise pytest.UsageError(f"{_FLAG}: cannot read {session.display_path(path)}: {error.strerror}") from None
    name, progress = session.display_path(path), progressline.get_progress(config)
    generated = add(versions, content, source=name, folder=path.parent, wanted=wanted, progress=progress)
    return WrittenFile(path, versions, generated, filereplacement.digest(content))


def _version(catalog: Catalog, name: str) -> CrdVersion:
    """Return the version of *name*: the one behind the slash, else the storage version, else a served one."""
    match = _NAME_AND_VERSION.fullmatch(name)
    crd_name, version_name = match.groups() if match else (name, "")
    crd = _crd(catalog, crd_name)
    if crd.guard is not None:
        crd.guard(crd)
    if version_name:
        return crd.version(version_name)
    return filenames.usual_version(crd)


def _crd(catalog: Catalog, name: str) -> CustomResourceDefinition:
    """
    Return the CRD with a name, kind or file *name*.

    Raises:
        CrdLookupError: There is none, or several with different names.
        NothingToStateError: It has alternatives, so that a case file with its name would be ambiguous.
    """
    crds = catalog.crds
    match = next((crd for crd in crds if name in (crd.name, crd.kind)), None) or crds[name]
    if sum(crd.name == match.name for crd in crds) > 1:
        raise NothingToStateError(
            f"{match.name} has alternatives, so no file is generated: write one whose `crd:` is the path of an alternative"
        )
    return crds[name]


def _folder(config: pytest.Config) -> Path:
    """
    Return the folder for case files: the first of testpaths that exists, else `tests`, else the folder of the project.

    Raises:
        UsageError: It is outside of the project.
    """
    base = setting.folder(config)
    case_folder = filenames.folder(base, config.getini("testpaths")) or base
    if not boundary.is_inside(case_folder, boundary.find_project(config.rootpath)):
        raise pytest.UsageError(
            f"{_FLAG}: {session.display_path(case_folder)} leads out of the project; name another folder in testpaths"
        )
    return case_folder


def _write(written: WrittenFile) -> None:
    """Write the whole file, or nothing if it has no new cases."""
    if not written.generated.cases:
        return
    content = written.generated.text.encode()
    try:
        if written.old is None:
            filereplacement.create(written.path, content)
        else:
            filereplacement.replace(written.path, content, old=written.old)
    except OSError as error:
        raise pytest.UsageError(
            f"{_FLAG}: cannot write {session.display_path(written.path)}: {error.strerror}"
        ) from None
    except filereplacement.ChangedError:
        raise pytest.UsageError(
            f"{_FLAG}: {session.display_path(written.path)} was changed meanwhile: run it again"
        ) from None
