"""
Try the plugin on repositories as a new user would, with no settings: what it finds, in how long, and what fails.

Each folder in the folder is a repository. With `--flat` it has folders `crds` and `samples` with a folder for each repository, in whose
file names `__` stands for `/`. Exit code 1: in a repository there is none, or what is found cannot be read.
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
    What came of one repository.

    Attributes:
        name: Its name.
        seconds: How long it took until its CRDs were there.
        found: How many CRDs and alternatives there are, and where, in words.
        notes: What was passed over.
        mistakes: Why nothing could be used; empty where something could.
        refused: The CRDs that a server would not take, and why.
    """

    name: str
    seconds: float = 0.0
    found: str = ""
    notes: tuple[str, ...] = ()
    mistakes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def trial(repository: Path, kubernetes_version: str) -> Trial:
    """Return what becomes of the repository in a folder."""
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
    result.found = f"{len(crds)} CRD{'s' * (len(crds) > 1)}{alternatives} from {sources.places}"
    result.notes = crds.notes
    result.refused = [f"{crds.id_of(crd)}: {crd.response.message}" for crd in crds if not crd.response.accepted]
    return result


def lines(result: Trial) -> Iterator[str]:
    """Yield what there is to say of a repository."""
    yield f"{result.name}: {result.found or 'nothing'} ({result.seconds:.2f} s)"
    for title, told in (("FAILED", result.mistakes), ("refused", result.refused), ("note", result.notes)):
        yield from (f"  {title}: {line[:200]}" for line in told[:_MOST_LINES])
        if len(told) > _MOST_LINES:
            yield f"  {title}: … and {len(told) - _MOST_LINES} more"


def rebuild(corpus: Path, target: Path) -> None:
    """Give the files of *corpus* their places below *target* back."""
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
    parser.add_argument("--flat", action="store_true", help="their layout is in the file names")
    shared.add_version(parser, choices=None, default=profile.DEFAULT)


def main(options: argparse.Namespace) -> int:
    """Try each repository, and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        if options.flat:
            rebuild(options.folder, Path(folder))
        root = Path(folder) if options.flat else options.folder.absolute()
        results = [trial(path, options.kubernetes_version) for path in sorted(root.iterdir()) if path.is_dir()]
    for result in results:
        print("\n".join(lines(result)))
    failed = [result for result in results if result.mistakes]
    print(f"{len(results) - len(failed)} of {len(results)} repositories work without settings")
    return 1 if failed else 0
