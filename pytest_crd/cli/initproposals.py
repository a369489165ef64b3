"""Proposals of files that a repository needs to test its CRDs: new files, and lines for existing ones."""

from __future__ import annotations

import functools
import glob
import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd import folders
from pytest_crd.casefiles import filereplacement, reports
from pytest_crd.checks import allowedchecks
from pytest_crd.cli.repository import CHECKS, SAMPLES, Repository
from pytest_crd.discovery import inifiles, samplepaths
from pytest_crd.engine import (
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.engine.yaml import manifest
from pytest_crd.generation import NothingToStateError, filenames, generate
from pytest_crd.progress import Progress, silent
from pytest_crd.wording import counted

# With all tags, to find the last release.
_GITHUB_JOB: Final = """\
name: crds
on:
  push: { branches: [BRANCH] }
  pull_request:
permissions: { contents: read }
jobs:
  crds:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with: { fetch-depth: 0 } # releases, for what an upgrade does
      - run: pipx run pytest-crd test
"""
_GITLAB_JOB: Final = """\
crds:
  image: python:3.13
  variables: { GIT_DEPTH: "0" } # releases, for what an upgrade does
  script:
    - pip install pytest-crd
    - pytest-crd test
"""
_GITHUB_FILE: Final = ".github/workflows/crds.yml"
_GITLAB_FILE: Final = ".gitlab-ci.yml"
_SETTINGS_FILE: Final = "pytest.ini"
# The reason for a check that fails before its repository uses pytest-crd.
_KNOWN: Final = "known when pytest-crd was added"
_IGNORED_FILE: Final = ".gitignore"
_ON: Final = "true"


class NothingWrittenError(Exception):
    """A file that was not written; the message has the reason."""


class ProposedFile(NamedTuple):
    """
    A file that a repository needs.

    Attributes:
        path: The file, relative to the repository.
        purpose: Its purpose, as in "states what … does today".
        make: Function that takes the progress reporter, and returns the text and a remark for the user, which may be empty.
        is_there: Whether the file exists, so that the text must be added by hand.
        is_appended: Whether the text is added to the end of the file if it exists.
    """

    path: str
    purpose: str
    make: Callable[[Progress], tuple[str, str]]
    is_there: bool = False
    is_appended: bool = False

    def write(self, folder: Path, progress: Progress = silent) -> str:
        """
        Create the file and return the remark; an existing file is never replaced.

        Raises:
            NothingWrittenError: The file cannot be created, or exists.
        """
        path = folder / self.path
        try:
            text, remark = self.make(progress)
            content = text.encode()
            if not path.parent.resolve().is_relative_to(folder.resolve()):
                raise NothingWrittenError(f"{self.path}: not written: a link leads its folder out of the repository")
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.is_appended and path.exists():
                reports.append(path, text if folders.read_file(path).endswith(b"\n") else f"\n{text}")
            else:
                filereplacement.create(path, content)
        except OSError as error:
            raise NothingWrittenError(f"{self.path}: not written: {error.strerror or error}") from None
        return remark


class Decisions(NamedTuple):
    """
    Decisions about the checks that fail today.

    Attributes:
        allowed: The checks whose findings become warnings, each as `CHECK SUBJECT`.
        left_out: The files that are not taken for samples.
        has_more_samples: Whether samples are looked for in the whole project.
    """

    allowed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    has_more_samples: bool = False


def propose_files(repository: Repository, decisions: Decisions) -> Iterator[ProposedFile]:
    """Yield the files that a repository needs, in the order of writing."""
    if settings := dict(_settings(repository, decisions)):
        yield _of_settings(repository, settings)
    yield from (_of_cases(repository, crds) for crds in _by_name(repository.untested()))
    if not repository.ignores_coverage:
        data = folders.COVERAGE_DATA
        purpose = f"keeps {data}, the data of --crd-cov, out of commits"
        yield ProposedFile(_IGNORED_FILE, purpose, _plain(f"{data}\n"), is_appended=True)
    if not repository.has_job and repository.forge:
        github = _GITHUB_JOB.replace("BRANCH", json.dumps(repository.branch))
        name, text = (_GITLAB_FILE, _GITLAB_JOB) if repository.forge == "gitlab" else (_GITHUB_FILE, github)
        is_there = (repository.folder / name).exists()
        yield ProposedFile(name, "runs all of it for each change", _plain(text), is_there)


def needs_more_samples(repository: Repository) -> bool:
    """Return True if the usual folders have no samples, and others have some."""
    return not repository.samples and bool(repository.other_samples)


def allow(check: str, subject: str) -> str:
    """Return a check as `crd_checks_allow` names it."""
    return f"{check} {'*'.join(subject.split())}"


def _plain(text: str) -> Callable[[Progress], tuple[str, str]]:
    return lambda _: (text, "")


def _settings(repository: Repository, decisions: Decisions) -> Iterator[tuple[str, bool | list[str]]]:
    """Yield the settings with other values than the default: a switch, words of samples, or lines."""
    changed = decisions.has_more_samples or decisions.allowed
    if changed and not repository.has_checks:
        yield CHECKS, True  # without checks, the settings below would be errors of each session
    if decisions.has_more_samples:
        left_out = (f"{manifest.LEFT_OUT}{glob.escape(path)}" for path in decisions.left_out)
        yield SAMPLES, [samplepaths.AUTO, *left_out]
    if decisions.allowed:
        yield allowedchecks.SETTING, [f"{check} [warn]: {_KNOWN}" for check in decisions.allowed]


def _of_settings(repository: Repository, settings: dict[str, bool | list[str]]) -> ProposedFile:
    ini = repository.ini
    name = ini.name if ini else _SETTINGS_FILE
    is_toml = ini is not None and ini.suffix == ".toml"
    section = inifiles.section(ini) if ini else "pytest"
    entries = (_toml_entry(*item) if is_toml else _ini_entry(*item) for item in settings.items())
    text = "\n".join((f"[{section}]", *entries, ""))
    return ProposedFile(name, f"has settings: {', '.join(settings)}", _plain(text), ini is not None)


def _ini_entry(key: str, value: bool | list[str]) -> str:  # noqa: FBT001 - the value of a setting
    if isinstance(value, bool):
        return f"{key} = {_ON}"
    if key == SAMPLES:
        value = [*map(shlex.quote, value)]
    return f"{key} = {value[0]}" if value == [samplepaths.AUTO] else "\n    ".join((f"{key} =", *value))


def _toml_entry(key: str, value: bool | list[str]) -> str:  # noqa: FBT001 - the value of a setting
    if isinstance(value, bool) or len(value) == 1:
        return f"{key} = {json.dumps(value)}"
    return "\n".join((f"{key} = [", *(f"    {json.dumps(line)}," for line in value), "]"))


def _by_name(crds: Iterable[CustomResourceDefinition]) -> Iterator[list[CustomResourceDefinition]]:
    """Yield CRDs grouped by name, so that alternatives are together."""
    named: dict[str, list[CustomResourceDefinition]] = {}
    for crd in crds:
        named.setdefault(crd.name, []).append(crd)
    yield from named.values()


def _of_cases(repository: Repository, crds: Sequence[CustomResourceDefinition]) -> ProposedFile:
    crd = crds[0]
    try:
        name = filenames.file_name(filenames.usual_version(crd), repository.crds)
    except NothingToStateError:
        name = f"test_{crd.name.partition('.')[0]}.crd.yaml"  # not written either, for the same reason
    path, purpose = f"{repository.case_folder}/{name}", f"states what {crd.name} does today"
    return ProposedFile(path, purpose, functools.partial(_cases, crds))


def _cases(crds: Sequence[CustomResourceDefinition], progress: Progress) -> tuple[str, str]:
    """
    Return the text of a case file, and the share of the schema that it holds.

    Raises:
        NothingWrittenError: Nothing can be stated about a CRD.
    """
    crd, *others = crds
    if others:
        raise NothingWrittenError(
            f"{crd.source}: no cases are written about {crd.name}, of which there are alternatives"
        )
    if not crd.first_response.accepted:
        raise NothingWrittenError(f"{crd.source}: the server refuses {crd.name}: {crd.first_response.message}")
    try:
        generated = generate([filenames.usual_version(crd)], progress=progress)
    except (InputError, NothingToStateError, UnsupportedConstructError, UnsupportedExpressionError) as error:
        raise NothingWrittenError(f"{crd.source}: no cases are written about {crd.name}: {error}") from None
    count = generated.points - len(generated.missed)
    return generated.text, f"{counted(generated.cases, 'case')} hold {count:,} of {generated.points:,} points"
