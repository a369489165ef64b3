"""The paths of a project's samples: custom resources that serve users as examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_crd.boundary import ProjectBoundary
from pytest_crd.discovery import projectfiles
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.folders import RealPaths

if TYPE_CHECKING:
    from pytest_crd.discovery.filetrees import Tree

# Lists the YAML and JSON files below a folder that belong to the project.
Lists: TypeAlias = Callable[[Path], list[Path]]

FOLDERS: Final = ("config/samples", "examples", "example", "samples")
# The folders of samples if each operator has a folder of its own.
_OF_OPERATORS: Final = ("*/config/samples", "*/*/config/samples")
# The pattern for every file of the project except test data.
AUTO: Final = "auto"


def patterns(settings: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of samples: *settings*, preceded by the conventional folders if they are only exclusions."""
    return (*((*FOLDERS, *_OF_OPERATORS) if _has_only_exclusions(settings) else ()), *settings)


def files(settings: Sequence[str], *, folder: Path) -> list[ManifestFile]:
    """
    Return the files that may contain samples.

    Args:
        settings: Files, folders, globs, and `!pattern` for exclusions; if there are only exclusions, of the conventional folders.
        folder: The folder that they are relative to.

    Raises:
        ManifestError: A pattern matches nothing.
    """
    names = [pattern for pattern in settings if pattern != AUTO]
    if len(names) < len(settings):
        wanted = manifest.files([] if _has_only_exclusions(names) else names, base=folder)
        return [*wanted, *elsewhere(settings, folder=folder, known=wanted)]
    if _has_only_exclusions(settings):
        usual = usual_folders(folder)
        return manifest.files([*usual, *settings], base=folder, named=settings) if usual or settings else []
    return manifest.files(settings, base=folder)


def usual_folders(folder: Path) -> list[str]:
    """Return the conventional folders that are not empty, including folders of single operators and excluding test data."""
    matches = (path for pattern in _OF_OPERATORS for path in sorted(folder.glob(pattern)))
    candidates = [path.relative_to(folder) for path in matches]
    of_operators = [
        path.as_posix()
        for path in candidates
        if not projectfiles.is_for_tests(path, Path())
        and not any(part.startswith(".") or part in projectfiles.OF_OTHERS for part in path.parts)
    ]
    return [name for name in (*FOLDERS, *of_operators) if any(manifest.below(folder / name))]


def elsewhere(
    settings: Sequence[str], *, folder: Path, known: Sequence[ManifestFile], lists: Lists = projectfiles.files
) -> list[ManifestFile]:
    """
    Return the other files of the project: neither in *known* nor test data nor excluded; *lists* lists the files below a folder.

    Raises:
        ManifestError: An exclusion matches nothing.
    """
    patterns = [
        pattern.removeprefix(manifest.LEFT_OUT) for pattern in settings if pattern.startswith(manifest.LEFT_OUT)
    ]
    left_out = manifest.files(patterns, base=folder) if patterns else []
    real, limits = RealPaths(), ProjectBoundary(folder)
    as_named = {file.path for file in known}  # comparing paths as written first takes a tenth of the time of real paths
    excluded = {real.resolve(file.path) for file in (*known, *left_out)}
    others = {
        real.resolve(path): path
        for path in lists(folder)
        if path not in as_named and path.is_file() and not projectfiles.is_for_tests(path, folder)
    }
    return [
        ManifestFile(
            path,
            manifest.name_of(path, folder),
            named=False,
            patterns=(AUTO,),
            is_outside=not limits.holds(resolved),
        )
        for resolved, path in others.items()
        if resolved not in excluded
    ]


def names(tree: Tree, settings: Sequence[str]) -> list[str]:
    """Return the files of a tree that *settings* match; with `auto`, all except test data and exclusions."""
    matches = tree.names([pattern for pattern in settings if pattern != AUTO])
    if AUTO not in settings:
        return matches
    exclusions = (pattern for pattern in settings if pattern.startswith(manifest.LEFT_OUT))
    left_out = {*tree.names([pattern.removeprefix(manifest.LEFT_OUT) for pattern in exclusions])}
    here = PurePosixPath()
    others = (name for name in tree.every() if not projectfiles.is_for_tests(PurePosixPath(name), here))
    return [name for name in dict.fromkeys((*matches, *others)) if name not in left_out]


def _has_only_exclusions(settings: Sequence[str]) -> bool:
    return all(pattern.startswith(manifest.LEFT_OUT) for pattern in settings)
