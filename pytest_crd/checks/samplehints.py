"""Hints at samples: objects of the project's kinds that nobody has named, and those that are nearly of such a kind."""

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

# So deep are the folders that are named, and so many of them are.
_DEPTH: Final = 2
_MOST_FOLDERS: Final = 5


def of(  # noqa: PLR0913 - what is known of a project
    found: Samples,
    claims: Claims,
    given: Sequence[str],
    known: Sequence[ManifestFile],
    *,
    folder: Path,
    progress: Progress = silent,
    lists: Lists = projectfiles.files,
) -> Iterator[str]:
    """
    Yield what is to be said of objects that are no samples.

    Args:
        found: What the sample files hold.
        claims: The CRDs.
        given: What is set about samples: whoever names them has chosen.
        known: The files that this names, or the usual ones.
        folder: The folder of the project.
        progress: Who is told while files are looked through.
        lists: Lists the files of the project.
    """
    for (kind, api_version), places in found.strangers.items():
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        groups = ", ".join(dict.fromkeys(group for group, one in claims if one.casefold() == kind.casefold()))
        yield f"{places[0]}{more}: no sample, for kind {kind} of {api_version} is not the project's, which is of {groups}"
    if not given or all(pattern.startswith("!") for pattern in given):
        others = telling(samplepaths.elsewhere(given, folder=folder, known=known, lists=lists), claims)
        with progress("looking for samples elsewhere") as tell:
            read = samplefiles.read(each(others, tell, lambda one: one.name), claims)
        counts = Counter(_folder(one.path, folder) for one in read.samples)
        if counts:
            yield _counted(counts, [*given, *samplepaths.usual_folders(folder)])


def telling(files: Iterable[ManifestFile], claims: Claims) -> list[ManifestFile]:
    """Return those *files* that may hold custom resources; all that were named."""
    return [file for file in files if samplepaths.AUTO not in file.patterns or _may_hold(file, claims)]


def _may_hold(file: ManifestFile, claims: Claims) -> bool:
    try:
        content = file.read()
    except ManifestError:
        return False
    return samplefiles.may_hold(content, claims)


def _folder(path: Path, project: Path) -> str:
    """Return the folder that a file is counted in, or the file where it is in none."""
    parts = path.relative_to(project).parts
    return PurePath(*parts[: min(_DEPTH, len(parts) - 1)] or parts).as_posix()


def _counted(counts: Counter[str], written: Sequence[str]) -> str:
    total = counts.total()
    listed = [f"{count} in {name}" for name, count in counts.most_common(_MOST_FOLDERS)]
    more = [f"others in {len(counts) - _MOST_FOLDERS} more folders"] if len(counts) > _MOST_FOLDERS else []
    line = " ".join([*written, *sorted(counts)]) if not more else samplepaths.AUTO
    objects = "1 object of the project's kinds is" if total == 1 else f"{total} objects of the project's kinds are"
    return f"{objects} no sample: {', '.join([*listed, *more])}; to check more: crd_samples = {line}"
