"""
Run the plugin on repositories as a new user would, without settings: CRDs found, duration, and failures.

Each subfolder is a repository. With `--flat` the folder has folders `crds` and `samples` with a subfolder per
repository, and `__` in file names stands for `/`. Exit code 1: a repository has no CRDs, or they cannot be read.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from oracle import options as shared
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import InputError, profile

_PARTS: Final = ("crds", "samples")
_SEPARATOR: Final = "__"
_MOST_LINES: Final = 5


@dataclass(slots=True)
class Trial:
    """
    The result for one repository.

    Attributes:
        name: Its name.
        seconds: The time until its CRDs were loaded.
        summary: A description of the number of CRDs and where they are.
        notes: Descriptions of skipped files.
        mistakes: The reasons why nothing could be loaded, or empty.
        refused: The CRDs that a server would reject, with reasons.
    """

    name: str
    seconds: float = 0.0
    summary: str = ""
    notes: tuple[str, ...] = ()
    mistakes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def try_repository(repository: Path, kubernetes_version: str) -> Trial:
    """Load the CRDs of a repository, and return the result."""
    result = Trial(repository.name)
    sources = Sources(repository)
    before = time.perf_counter()
    try:
        crds = sources.crds(kubernetes_version)
    except InputError as error:
        result.mistakes = str(error).splitlines()
        return result
    finally:
        result.seconds = time.perf_counter() - before
    names = {crd.name for crd in crds}
    alternatives = f" (of {len(names)} names)" if len(names) < len(crds) else ""
    result.summary = f"{len(crds)} CRD{'s' * (len(crds) > 1)}{alternatives} from {sources.places}"
    result.notes = crds.notes
    result.refused = [f"{crds.id_of(crd)}: {crd.response.message}" for crd in crds if not crd.response.accepted]
    return result


def lines(result: Trial) -> Iterator[str]:
    """Yield the lines of the report on a repository."""
    yield f"{result.name}: {result.summary or 'nothing'} ({result.seconds:.2f} s)"
    for title, texts in (("FAILED", result.mistakes), ("refused", result.refused), ("note", result.notes)):
        yield from (f"  {title}: {line[:200]}" for line in texts[:_MOST_LINES])
        if len(texts) > _MOST_LINES:
            yield f"  {title}: … and {len(texts) - _MOST_LINES} more"


def rebuild(corpus: Path, target: Path) -> None:
    """Copy the files of *corpus* to *target*, with their original paths."""
    for file in (file for part in _PARTS for file in sorted((corpus / part).rglob("*")) if file.is_file()):
        project, *rest = file.relative_to(
            corpus / next(part for part in _PARTS if file.is_relative_to(corpus / part))
        ).parts
        path = target.joinpath(project, *"/".join(rest).replace(_SEPARATOR, "/").split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, path)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder."""
    parser.add_argument("folder", type=Path, help="has a folder for each repository")
    parser.add_argument("--flat", action="store_true", help="the original paths are in the file names")
    shared.add_version(parser, choices=None, default=profile.DEFAULT)


def main(options: argparse.Namespace) -> int:
    """Try each repository and print the results; return 1 if one fails."""
    with tempfile.TemporaryDirectory() as folder:
        if options.flat:
            rebuild(options.folder, Path(folder))
        root = Path(folder) if options.flat else options.folder.absolute()
        results = [try_repository(path, options.kubernetes_version) for path in sorted(root.iterdir()) if path.is_dir()]
    for result in results:
        print("\n".join(lines(result)))
    failed = [result for result in results if result.mistakes]
    print(f"{len(results) - len(failed)} of {len(results)} repositories work without settings")
    return 1 if failed else 0
