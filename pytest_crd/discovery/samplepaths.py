"""The paths of a project's samples: custom resources that show its users what to write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_crd.discovery import projectfiles
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.folders import RealPaths

if TYPE_CHECKING:
    from pytest_crd.discovery.filetrees import Tree

# Lists the YAML and JSON files below a folder that belong to the project.
Lists: TypeAlias = Callable[[Path], list[Path]]

FOLDERS: Final = ("config/samples", "examples", "samples")
# Where operators in folders of their own have theirs.
_OF_OPERATORS: Final = ("*/config/samples", "*/*/config/samples")
# What stands for every file of the project, test data aside.
AUTO: Final = "auto"


def patterns(given: Sequence[str]) -> tuple[str, ...]:
    """Return what names samples: what is *given*, or the usual folders where that only leaves some out."""
    return (*((*FOLDERS, *_OF_OPERATORS) if _only_leaves_out(given) else ()), *given)


def files(given: Sequence[str], *, folder: Path) -> list[ManifestFile]:
    """
    Return the files that may hold samples.

    Args:
        given: Files, folders, globs, and `!pattern` for what is left out; where all are that, of the usual folders.
        folder: What they are relative to.

    Raises:
        ManifestError: A pattern names nothing that exists, or leaves out nothing.
    """
    named = [pattern for pattern in given if pattern != AUTO]
    if len(named) < len(given):
        wanted = manifest.files([] if _only_leaves_out(named) else named, base=folder)
        return [*wanted, *elsewhere(given, folder=folder, known=wanted)]
    if _only_leaves_out(given):
        usual = usual_folders(folder)
        return manifest.files([*usual, *given], base=folder) if usual or given else []
    return manifest.files(given, base=folder)


def usual_folders(folder: Path) -> list[str]:
    """Return the usual folders that hold something, those of operators in folders of their own too, test data aside."""
    matches = (path for pattern in _OF_OPERATORS for path in sorted(folder.glob(pattern)))
    own = [path.relative_to(folder) for path in matches]
    of_operators = [
        path.as_posix()
        for path in own
        if not projectfiles.is_for_tests(path, Path())
        and not any(part.startswith(".") or part in projectfiles.OF_OTHERS for part in path.parts)
    ]
    return [name for name in (*FOLDERS, *of_operators) if any(manifest.below(folder / name))]


def elsewhere(
    given: Sequence[str], *, folder: Path, known: Sequence[ManifestFile], lists: Lists = projectfiles.files
) -> list[ManifestFile]:
    """
    Return the files of the project that are neither *known* nor test data, nor left out by `!pattern`; *lists* lists those below a folder.

    Raises:
        ManifestError: What is to be left out is not there.
    """
    patterns = [pattern.removeprefix(manifest.LEFT_OUT) for pattern in given if pattern.startswith(manifest.LEFT_OUT)]
    left_out = manifest.files(patterns, base=folder) if patterns else []
    real = RealPaths()
    as_named = {file.path for file in known}  # told apart from others in a tenth of the time that real paths take
    seen = {real.resolve(file.path) for file in (*known, *left_out)}
    found = {
        real.resolve(path): ManifestFile(path, manifest.name_of(path, folder), named=False, patterns=(AUTO,))
        for path in lists(folder)
        if path not in as_named and path.is_file() and not projectfiles.is_for_tests(path, folder)
    }
    return [file for path, file in found.items() if path not in seen]


def names(tree: Tree, given: Sequence[str]) -> list[str]:
    """Return the files of a tree that *given* names, all but test data where that has `auto`."""
    named = tree.names([pattern for pattern in given if pattern != AUTO])
    if AUTO not in given:
        return named
    left_out = {
        *tree.names([one.removeprefix(manifest.LEFT_OUT) for one in given if one.startswith(manifest.LEFT_OUT)])
    }
    here = PurePosixPath()
    others = (name for name in tree.every() if not projectfiles.is_for_tests(PurePosixPath(name), here))
    return [name for name in dict.fromkeys((*named, *others)) if name not in left_out]


def _only_leaves_out(given: Sequence[str]) -> bool:
    return all(pattern.startswith(manifest.LEFT_OUT) for pattern in given)
