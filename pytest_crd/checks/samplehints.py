"""Hints about objects that are not checked: unnamed custom resources of the project's kinds, and objects of similar kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Final

from pytest_crd.checks import samplefiles
from pytest_crd.checks.samplefiles import Claims, Samples
from pytest_crd.discovery import projectfiles, samplepaths
from pytest_crd.discovery.samplepaths import Lists
from pytest_crd.engine import ManifestError
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.progress import Progress, each, silent

# The depth and number of folders in a hint.
_DEPTH: Final = 2
_MOST_FOLDERS: Final = 5


def find_hints(  # noqa: PLR0913 - the facts of a project
    samples: Samples,
    claims: Claims,
    patterns: Sequence[str],
    sample_files: Sequence[ManifestFile],
    *,
    folder: Path,
    progress: Progress = silent,
    lists: Lists = projectfiles.files,
) -> Iterator[str]:
    """
    Yield hints about objects that are not samples.

    Args:
        samples: The contents of the sample files.
        claims: The CRDs.
        patterns: The setting `crd_samples`; if it names samples, no others are suggested.
        sample_files: The files of the setting, or the usual ones.
        folder: The folder of the project.
        progress: Progress reporting while files are searched.
        lists: Function that lists the files of the project.
    """
    for (kind, api_version), places in samples.strangers.items():
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        groups = ", ".join(dict.fromkeys(group for group, item in claims if item.casefold() == kind.casefold()))
        yield f"{places[0]}{more}: no sample, for kind {kind} of {api_version} is not the project's, which is of {groups}"
    if not patterns or all(pattern.startswith("!") for pattern in patterns):
        others = select_files(samplepaths.elsewhere(patterns, folder=folder, known=sample_files, lists=lists), claims)
        with progress("looking for samples elsewhere") as report_step:
            read = samplefiles.read(each(others, report_step, lambda item: item.name), claims)
        counts = Counter(_folder(item.path, folder) for item in read.samples)
        if counts:
            yield _counted(counts, [*patterns, *samplepaths.usual_folders(folder)])


def select_files(files: Iterable[ManifestFile], claims: Claims) -> list[ManifestFile]:
    """Return the *files* that may contain custom resources; files that the setting names are not read, but always returned."""
    return [file for file in files if samplepaths.AUTO not in file.patterns or _may_hold(file, claims)]


def _may_hold(file: ManifestFile, claims: Claims) -> bool:
    try:
        content = file.read()
    except ManifestError:
        return False
    return samplefiles.may_hold(content, claims)


def _folder(path: Path, project: Path) -> str:
    """Return at most two leading folders of *path* in the project; the file name if it is in the project folder itself."""
    parts = path.relative_to(project).parts
    return PurePath(*parts[: min(_DEPTH, len(parts) - 1)] or parts).as_posix()


def _counted(counts: Counter[str], written: Sequence[str]) -> str:
    total = counts.total()
    listed = [f"{count} in {name}" for name, count in counts.most_common(_MOST_FOLDERS)]
    more = [f"others in {len(counts) - _MOST_FOLDERS} more folders"] if len(counts) > _MOST_FOLDERS else []
    line = " ".join([*written, *sorted(counts)]) if not more else samplepaths.AUTO
    objects = "1 object of the project's kinds is" if total == 1 else f"{total} objects of the project's kinds are"
    return f"{objects} no sample: {', '.join([*listed, *more])}; to check more: crd_samples = {line}"
