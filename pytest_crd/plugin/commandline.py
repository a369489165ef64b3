"""
Folders and files on the command line: they restrict a run, and without any, Python files may be left out.

A worker of pytest-xdist may always have a path on its command line, so the controller's findings travel to it with the options.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd import boundary, folders, lazyimport
from pytest_crd.plugin.settings import checks, project
from pytest_crd.plugin.settings.setting import Setting

if TYPE_CHECKING:
    from pytest_crd.plugin.settings import upgrades
else:
    upgrades = lazyimport.module("pytest_crd.plugin.settings.upgrades")

# Attributes of the options: the paths on the command line (None in a run of the whole project), all of these paths, its options,
# and the reason why Python files are left out (empty if they are not).
_PATHS: Final = "crd_named_paths"
_ARGUMENTS: Final = "crd_named_arguments"
_WRITTEN: Final = "crd_written_options"
_WITHOUT_PYTHON: Final = "crd_without_python"
_NO_SETTINGS: Final = f"as the project has no pytest settings; {project.PYTHON.option} collects them"
_LEFT_OUT: Final[pytest.StashKey[list[Path]]] = pytest.StashKey()
_PYPROJECT: Final = "pyproject.toml"


def read(config: pytest.Config) -> None:
    """Store in the options what the command line names and whether Python files are left out; a worker has it from its controller."""
    if not hasattr(config.option, _PATHS):
        setattr(config.option, _PATHS, _named(config))
        setattr(config.option, _ARGUMENTS, _arguments(config))
        setattr(config.option, _WRITTEN, [word.partition("=")[0] for word in config.invocation_params.args])
    if not hasattr(config.option, _WITHOUT_PYTHON):
        setattr(config.option, _WITHOUT_PYTHON, _NO_SETTINGS if _is_without_python(config) else "")


def leave_out_python(config: pytest.Config, reason: str) -> None:
    """Leave out all Python files for *reason*; to be called before `read`."""
    setattr(config.option, _WITHOUT_PYTHON, reason)


def is_whole(config: pytest.Config) -> bool:
    """Return whether the run is of the whole project: the command line names no path, or folders with all of `testpaths`."""
    return getattr(config.option, _PATHS) is None


def names_option(config: pytest.Config, setting: Setting[Any]) -> bool:
    """Return whether the command line has the option of *setting*; false if only the ini file sets it, `addopts` included."""
    return setting.option in getattr(config.option, _WRITTEN)


def is_without_python(config: pytest.Config) -> bool:
    """Return whether Python files are left out."""
    return bool(getattr(config.option, _WITHOUT_PYTHON))


def paths(config: pytest.Config) -> tuple[Path, ...]:
    """Return the paths that the command line names, each once; empty in a run of the whole project."""
    return tuple(map(Path, getattr(config.option, _PATHS) or ()))


def is_below(path: Path, parents: Sequence[Path]) -> bool:
    """Return whether *parents* contain *path* or a folder above it, as written or with links resolved."""
    return any(path.is_relative_to(parent) or path.resolve().is_relative_to(parent.resolve()) for parent in parents)


def require_inside(path: Path, config: pytest.Config) -> None:
    """
    Refuse a case file outside of the project, unless the command line names it or a folder around it.

    Raises:
        OSError: It is outside.
    """
    named: list[str] = getattr(config.option, _ARGUMENTS)
    if not boundary.is_inside(path, boundary.find_project(config.rootpath), *map(os.path.realpath, named)):
        raise OSError(errno.EACCES, boundary.OUTSIDE)


def leaves_out(path: Path, config: pytest.Config) -> bool:
    """Return whether *path* is a Python file that is left out; remember it if pytest would have collected it."""
    if not str(path).endswith(".py") or not is_without_python(config):
        return False
    if any(folders.matches(path, pattern) for pattern in config.getini("python_files")):
        config.stash.setdefault(_LEFT_OUT, []).append(path)
    return True


def left_out(config: pytest.Config) -> list[str]:
    """Return a line about the Python test files that are left out, even with `-q`; empty if there are none."""
    paths = config.stash.get(_LEFT_OUT, [])
    if not paths:
        return []
    first = paths[0].relative_to(config.rootpath).as_posix()
    files = f"{len(paths)} Python test files ({first} …) are" if len(paths) > 1 else f"the Python test file {first} is"
    return [f"crd: {files} not collected, {getattr(config.option, _WITHOUT_PYTHON)}"]


def _arguments(config: pytest.Config) -> list[str]:
    """Return the absolute paths of the command line, each once; none if the paths are from the ini file."""
    if config.args_source is not config.ArgsSource.ARGS:
        return []
    base = config.invocation_params.dir
    return list(dict.fromkeys(str((base / argument.partition("::")[0]).absolute()) for argument in config.args))


def _named(config: pytest.Config) -> list[str] | None:
    if config.args_source is not config.ArgsSource.ARGS:
        return None
    root, named = config.rootpath, list(map(Path, _arguments(config)))
    usual = [root / path for pattern in config.getini("testpaths") for path in folders.glob_paths(pattern, root)]
    is_whole = usual and all(is_below(path, named) for path in usual)
    return None if is_whole else list(map(str, named))


def _is_without_python(config: pytest.Config) -> bool:
    """Return whether a run is for CRDs alone in a project without pytest settings; its Python files may be scripts."""
    has_no_path = getattr(config.option, _PATHS) is None
    if not has_no_path or project.PYTHON.read_value(config) or _is_for_pytest(config):
        return False
    return bool(checks.CHECKS.read_value(config) or upgrades.BASELINE.find_entry(config).is_set)


def _is_for_pytest(config: pytest.Config) -> bool:
    """Return whether the project has settings for pytest, or a conftest.py."""
    if (config.rootpath / "conftest.py").is_file():
        return True
    if config.inipath is None or config.inipath.name != _PYPROJECT:
        return config.inipath is not None
    # Without a file of its own, pytest takes any pyproject.toml as its ini file.
    import tomllib  # noqa: PLC0415 - few sessions need it

    return "pytest" in tomllib.loads(config.inipath.read_text(encoding="utf-8")).get("tool", {})
