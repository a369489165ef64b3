"""Recognition of case files, and of files that only look like one."""

from __future__ import annotations

import fnmatch
import re
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
_PART: Final = ".crd"
_VISITED: Final = pytest.StashKey[set[str]]()
_MOST_NAMED: Final = 5
_UNMATCHED: Final = pytest.StashKey[list[Path]]()


def is_case_file(path: Path, config: pytest.Config, *, is_named: bool) -> bool:
    """
    Return whether a YAML or JSON file is collected as a case file.

    Args:
        path: The file.
        config: The configuration of the session.
        is_named: Whether the command line names the file: then its content counts, too.
    """
    config.stash.setdefault(_VISITED, set()).add(str(path))
    return has_name(path, config) or (is_named and _CASE_FILE.search(folders.read_file(path)) is not None)


def has_name(path: Path, config: pytest.Config) -> bool:
    """Return whether a path matches a pattern of `crd_case_files` from its end, as `folders.matches`, which takes longer for a name alone."""
    name = path.name
    for pattern in project.get_settings(config).case_files:
        cased = folders.ignore_ending_case(pattern)
        if folders.matches(path, cased) if "/" in pattern else fnmatch.fnmatchcase(name, cased):
            return True
    return False


def note_unmatched(path: Path, config: pytest.Config) -> None:
    """Remember a visited file that is named like a case file but matches no pattern."""
    name = path.name.lower()
    if _PART in name and fnmatch.fnmatchcase(name, f"*{_PART}*.y*ml") and not _CRD.search(folders.read_file(path)):
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
    # The names of a project are many, and nearly all were visited.
    unseen = [root / name for name in session.list_names(config, root) if f"{root}/{name}" not in visited]
    paths = [path for path in unseen if has_name(path, config) and (path.is_file() or path.is_symlink())]
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
