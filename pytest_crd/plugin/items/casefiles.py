"""Recognition of case files, and of files that only look like one."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest

from pytest_crd import folders, lazyre
from pytest_crd.plugin import commandline, session
from pytest_crd.plugin.settings import project

# A key that nearly only case files have; enough to recognize a file that the command line names.
_CASE_FILE: Final = lazyre.compile(
    rb"""^["']?(crd|crdName|policy)["']?\s*:|^[^\S\n]*\{\s*["']?(crd|crdName|policy)["']?\s*:""", re.MULTILINE
)
# A line that a CRD manifest has and a case file hardly ever.
_CRD: Final = lazyre.compile(rb"""^["']?kind["']?\s*:\s*["']?CustomResourceDefinition\b""", re.MULTILINE)
# A part of the names of files that look like case files.
PART: Final = ".crd"
# The visited files with the name of a case file.
_VISITED: Final[pytest.StashKey[set[str]]] = pytest.StashKey()
_MOST_NAMED: Final = 5
_UNMATCHED: Final[pytest.StashKey[list[Path]]] = pytest.StashKey()


def is_case_file(path: Path, config: pytest.Config, *, is_named: bool) -> bool:
    """
    Return whether a YAML or JSON file is collected as a case file.

    Args:
        path: The file.
        config: The configuration of the session.
        is_named: Whether the command line names the file: then its content counts, too.
    """
    if has_name(str(path), config):
        config.stash.setdefault(_VISITED, set()).add(str(path))
        return True
    return is_named and _CASE_FILE.search(folders.read_file(path)) is not None


def has_name(path: str, config: pytest.Config) -> bool:
    """Return whether a path matches a pattern of `crd_case_files` from its end."""
    is_name, paths = _patterns(config)
    if is_name(path):
        return True
    return bool(paths) and any(folders.matches(Path(path), pattern) for pattern in paths)


@functools.lru_cache(1)  # a stash takes three calls for each file
def _patterns(config: pytest.Config) -> tuple[Callable[[str], object], list[str]]:
    return _compile(project.get_settings(config).case_files)


def _compile(patterns: Iterable[str]) -> tuple[Callable[[str], object], list[str]]:
    """Return a function that tells whether a pattern matches the name of a path, and the patterns that match paths."""
    cased = [folders.ignore_ending_case(pattern) for pattern in patterns]
    names = [fnmatch.translate(pattern) for pattern in cased if "/" not in pattern]
    return re.compile(rf"(?:[^/]*+/)*+(?:{'|'.join(names) or '(?!)'})").match, [
        pattern for pattern in cased if "/" in pattern
    ]


def note_unmatched(path: Path, name: str, config: pytest.Config) -> None:
    """Remember a visited file if it looks like a case file and matches no pattern; *name*, in lower case, contains PART."""
    if fnmatch.fnmatchcase(name, f"*{PART}*.y*ml") and not _CRD.search(folders.read_file(path)):
        config.stash.setdefault(_UNMATCHED, []).append(path)


def unmatched(config: pytest.Config) -> list[str]:
    """Return a line for the header about case files that match no pattern; empty if there are none."""
    paths = config.stash.get(_UNMATCHED, [])
    names = ", ".join(map(session.display_path, paths))
    patterns = " ".join(project.get_settings(config).case_files) if paths else ""
    return [f"crd: not collected, as no pattern of crd_case_files ({patterns}) matches: {names}"] if paths else []


def unvisited(config: pytest.Config) -> list[str]:
    """Return a line for the header about case files of the project that a run of the whole project does not reach; empty if there are none."""
    if not commandline.is_whole(config) or config.option.keyword or config.option.markexpr:
        return []
    root, visited = config.rootpath, config.stash.get(_VISITED, set())
    named = [path for name in session.list_names(config, root) if has_name(path := f"{root}/{name}", config)]
    paths = [path for path in map(Path, named) if str(path) not in visited and (path.is_file() or path.is_symlink())]
    names = [f"{session.display_path(path)} ({_explain(path, config)})" for path in paths[:_MOST_NAMED]]
    more = [f"{len(paths) - _MOST_NAMED} more"] if len(paths) > _MOST_NAMED else []
    return [f"crd: case files that are not collected: {', '.join((*names, *more))}"] if paths else []


def _explain(path: Path, config: pytest.Config) -> str:
    if not path.exists():
        return "a broken link"
    if config.args_source is config.ArgsSource.TESTPATHS and not commandline.is_below(
        path, [config.rootpath / argument for argument in config.args]
    ):
        return "outside of testpaths"
    return "ignored by pytest, as by norecursedirs"
