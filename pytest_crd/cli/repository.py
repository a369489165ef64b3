"""Survey of a repository for tests of its CRDs: CRDs, samples, case files, settings, CI."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_crd import folders
from pytest_crd.cases import loader
from pytest_crd.checks import allowedchecks, samplefiles, samplehints
from pytest_crd.discovery import git, inifiles, projectfiles, samplepaths, tags
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.discovery.samplepaths import Lists
from pytest_crd.discovery.tags import NoReleaseError
from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions, InputError, profile
from pytest_crd.generation import filenames

_WORKFLOWS: Final = ".github/workflows"
_GITLAB: Final = ".gitlab-ci.yml"
_USUAL_BRANCH: Final = "main"
# A job with this text tests CRDs.
_COMMAND: Final = b"pytest-crd"
CHECKS: Final = "crd_checks"
"""The setting that switches checks on."""
SAMPLES: Final = "crd_samples"
"""The setting with the places of samples."""


@dataclass(frozen=True, slots=True)
class Repository:
    """
    A repository.

    Attributes:
        folder: Its folder.
        ini: The file with settings of pytest; None if there is none.
        has_checks: Whether the setting `crd_checks` is written in it.
        allows: Whether the settings allow failing checks.
        ignores_coverage: Whether git ignores the data of coverage; True without git.
        crds: The CRDs.
        places: Their places in words.
        samples: The number of samples by folder, in the usual folders or those of the setting.
        other_samples: The number of other objects of the same kinds, by folder.
        tested: The names or files of the CRDs in case files.
        case_files: The number of case files.
        unread: Case files that cannot be read, with the reasons.
        forge: `github`, `gitlab` or empty.
        has_job: Whether a job of the CI tests CRDs.
        release: The tag of the last release, maybe with a remark; empty if there is none.
        branch: The default branch.
    """

    folder: Path
    ini: Path | None
    has_checks: bool
    allows: bool
    ignores_coverage: bool
    crds: CustomResourceDefinitions
    places: str
    samples: Counter[str]
    other_samples: Counter[str]
    tested: frozenset[str]
    case_files: int
    unread: tuple[str, ...]
    forge: str
    has_job: bool
    release: str
    branch: str

    @property
    def case_folder(self) -> str:
        """The folder for case files, relative to the repository; `tests` if no folder has any yet."""
        folder = filenames.folder(self.folder, inifiles.paths(self.ini, "testpaths") if self.ini else ())
        return "tests" if folder is None else folder.relative_to(self.folder).as_posix()

    def untested(self) -> list[CustomResourceDefinition]:
        """Return the CRDs without a case file."""
        return [crd for crd in self.crds if not {crd.name, crd.kind, crd.source.rpartition(":")[0]} & self.tested]


def look(folder: Path) -> Repository:
    """
    Return the survey of a repository.

    Raises:
        NoCrdError: There are no CRDs.
        InputError: A CRD cannot be read.
    """
    ini = inifiles.find_file(folder)
    sources = find_sources(folder, ini)
    # Copies that lag behind, such as those of a chart, are left to the check `copies`.
    crds = CustomResourceDefinitions(sources.select_main(sources.crds(profile.DEFAULT)))
    case_files = find_case_files(folder, ini, sources.listed)
    tested, unread = _tested(case_files, folder)
    samples, other_samples = _samples(folder, ini, crds, sources.listed)
    is_of_git = projectfiles.repository(folder) is not None
    return Repository(
        folder,
        ini,
        ini is not None and inifiles.read_value(ini, CHECKS) is not None,
        ini is not None and bool(inifiles.lines(ini, allowedchecks.SETTING)),
        not is_of_git or git.run(folder, "check-ignore", "--quiet", folders.COVERAGE_DATA).succeeded,
        crds,
        sources.places,
        samples,
        other_samples,
        frozenset(tested),
        len(case_files),
        tuple(unread),
        _forge(folder),
        any(map(_has_command, _jobs(folder))),
        _release(folder) if is_of_git else "",
        _branch(folder),
    )


def find_case_files(folder: Path, ini: Path | None, lists: Lists = projectfiles.files) -> list[Path]:
    """Return the case files of a repository; *lists* lists the files below a folder."""
    patterns = [folders.ignore_ending_case(pattern) for pattern in _patterns(ini)]
    # Files that git lists may be removed by now.
    listed = (path for path in lists(folder) if path.is_file())
    return [path for path in listed if any(folders.matches(path, pattern) for pattern in patterns)]


def find_sources(folder: Path, ini: Path | None) -> Sources:
    """Return the sources of CRDs: those in the settings, else the whole project."""
    paths = tuple(inifiles.paths(ini, "crd_paths")) if ini else ()
    commands = tuple(inifiles.lines(ini, "crd_commands")) if ini else ()
    return Sources(folder, paths, commands, folder) if paths or commands else Sources(folder)


def _patterns(ini: Path | None) -> Sequence[str]:
    return (inifiles.words(ini, "crd_case_files") if ini else ()) or folders.CASE_FILES


def _tested(case_files: Sequence[Path], folder: Path) -> tuple[set[str], list[str]]:
    """Return the CRDs that case files name, and the case files that cannot be read."""
    tested: set[str] = set()
    unread: list[str] = []
    for path in case_files:
        try:
            loaded = loader.load_any(folders.read_file(path), source=path.relative_to(folder).as_posix(), fills=True)
        except InputError as error:
            unread.append(str(error.mistakes[0]))
            continue
        except OSError as error:
            unread.append(f"{path.relative_to(folder).as_posix()}: {error.strerror}")
            continue
        for part in (part for part in loaded if not part.policy) if isinstance(loaded, tuple) else (loaded,):
            beside = (path.parent / part.crd).resolve()
            is_below = beside.is_relative_to(folder.resolve())
            tested |= {part.crd, *([beside.relative_to(folder.resolve()).as_posix()] if is_below else [])}
    return tested, unread


def _samples(
    folder: Path, ini: Path | None, crds: CustomResourceDefinitions, lists: Lists
) -> tuple[Counter[str], Counter[str]]:
    """Return the number of samples by folder: those with checks, and others."""
    patterns, claims = inifiles.paths(ini, SAMPLES) if ini else (), samplefiles.group_crds(crds)
    sample_files = samplepaths.files(patterns, folder=folder)
    others = samplehints.select_files(samplepaths.elsewhere((), folder=folder, known=sample_files, lists=lists), claims)
    counts = [
        Counter(sample.path.relative_to(folder).parent.as_posix() for sample in samplefiles.read(files, claims).samples)
        for files in (sample_files, others)
    ]
    return counts[0], counts[1]


def _has_command(path: Path) -> bool:
    """Return whether a file of the CI runs pytest-crd; a file that cannot be read does not."""
    with contextlib.suppress(OSError):
        return _COMMAND in folders.read_file(path)
    return False


def _jobs(folder: Path) -> Iterator[Path]:
    yield from sorted((folder / _WORKFLOWS).glob("*.y*ml"))
    if (folder / _GITLAB).is_file():
        yield folder / _GITLAB


def _forge(folder: Path) -> str:
    if (folder / _GITLAB).is_file():
        return "gitlab"
    return "github" if (folder / ".github").is_dir() else ""


def _branch(folder: Path) -> str:
    """Return the default branch of the remote `origin`, else the current branch."""
    remote = git.run(folder, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").line.removeprefix("origin/")
    return remote or git.run(folder, "symbolic-ref", "--short", "HEAD").line or _USUAL_BRANCH


def _release(folder: Path) -> str:
    try:
        releases = tags.find_releases(folder)
    except NoReleaseError:
        return ""
    if not releases.current:
        return releases.last.name
    if releases.current == releases.last.name:
        return f"{releases.current}, the current commit"
    return f"{releases.last.name}, before {releases.current}, the current commit"
