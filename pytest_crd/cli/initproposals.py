"""Proposals of files that a repository needs to test its CRDs: new files, and lines for existing ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.casefiles import filereplacement
from pytest_crd.checks import allowedchecks
from pytest_crd.cli.repository import Repository
from pytest_crd.discovery import inifiles, samplepaths
from pytest_crd.engine import (
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.generation import NothingToStateError, filenames, generate

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


class NothingWrittenError(Exception):
    """A file that was not written; the message has the reason."""


class ProposedFile(NamedTuple):
    """
    A file that a repository needs.

    Attributes:
        path: The file, relative to the repository.
        purpose: Its purpose, as in "states what … does today".
        make: Function that returns its text.
        is_there: Whether the file exists, so that the text must be added by hand.
    """

    path: str
    purpose: str
    make: Callable[[], str]
    is_there: bool

    def write(self, folder: Path) -> None:
        """
        Create the file; an existing file is never replaced.

        Raises:
            NothingWrittenError: The file cannot be created, or exists.
        """
        path = folder / self.path
        try:
            content = self.make().encode()
            if not path.parent.resolve().is_relative_to(folder.resolve()):
                raise NothingWrittenError(f"{self.path}: not written: a link leads its folder out of the repository")
            path.parent.mkdir(parents=True, exist_ok=True)
            filereplacement.create(path, content)
        except OSError as error:
            raise NothingWrittenError(f"{self.path}: not written: {error.strerror or error}") from None


def propose_files(repository: Repository) -> Iterator[ProposedFile]:
    """Yield the files that a repository needs, in the order of writing."""
    if settings := dict(_settings(repository)):
        yield _of_settings(repository, settings)
    yield from (_of_cases(repository, crds) for crds in _by_name(repository.untested()))
    if not repository.has_job and repository.forge:
        github = _GITHUB_JOB.replace("BRANCH", json.dumps(repository.branch))
        name, text = (_GITLAB_FILE, _GITLAB_JOB) if repository.forge == "gitlab" else (_GITHUB_FILE, github)
        is_there = (repository.folder / name).exists()
        yield ProposedFile(name, "runs all of it for each change", lambda: text, is_there)


def _settings(repository: Repository) -> Iterator[tuple[str, str | list[str]]]:
    """Yield the settings with other values than the default: a text, or lines."""
    if not repository.samples and repository.other_samples:
        yield "crd_samples", samplepaths.AUTO
    if repository.failing:
        yield allowedchecks.SETTING, [f"{check} [warn]: {_KNOWN}" for check in repository.failing]


def _of_settings(repository: Repository, settings: dict[str, str | list[str]]) -> ProposedFile:
    ini = repository.ini
    name = ini.name if ini else _SETTINGS_FILE
    is_toml = ini is not None and ini.suffix == ".toml"
    section = inifiles.section(ini) if ini else "pytest"
    entries = (_toml_entry(*item) if is_toml else _ini_entry(*item) for item in settings.items())
    text = "\n".join((f"[{section}]", *entries, ""))
    return ProposedFile(name, f"has settings: {', '.join(settings)}", lambda: text, ini is not None)


def _ini_entry(key: str, value: str | list[str]) -> str:
    return f"{key} = {value}" if isinstance(value, str) else "\n    ".join((f"{key} =", *value))


def _toml_entry(key: str, value: str | list[str]) -> str:
    if isinstance(value, str):
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
    return ProposedFile(path, purpose, lambda: _cases(crds), is_there=False)


def _cases(crds: Sequence[CustomResourceDefinition]) -> str:
    """
    Return the text of a case file.

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
        return generate([filenames.usual_version(crd)]).text
    except (InputError, NothingToStateError, UnsupportedConstructError, UnsupportedExpressionError) as error:
        raise NothingWrittenError(f"{crd.source}: no cases are written about {crd.name}: {error}") from None
