"""
What the command line names: folders that restrict a run, or nothing, so that Python files may have to be left out.

A worker of pytest-xdist may always have a path on its command line; what it is to know of this travels with the options then.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from pytest_crd.plugin.settings import checks, project, upgrades

# What is kept among the options: the folders that are named, None where no path is; and why Python files are left out, empty where
# they are not.
_FOLDERS: Final = "crd_named_folders"
_WITHOUT_PYTHON: Final = "crd_without_python"
_NO_SETTINGS: Final = f"as the project has no pytest settings; {project.PYTHON.option} collects them"
_LEFT_OUT: Final = pytest.StashKey[list[Path]]()
_PYPROJECT: Final = "pyproject.toml"


def read(config: pytest.Config) -> None:
    """Find out what is named, and keep it; a worker has been told."""
    if not hasattr(config.option, _FOLDERS):
        setattr(config.option, _FOLDERS, _named(config))
        setattr(config.option, _WITHOUT_PYTHON, _NO_SETTINGS if _is_without_python(config) else "")


def leave_out_python(config: pytest.Config, reason: str) -> None:
    """Leave out Python files, wherever they are, for a reason; to be called before the rest is found out."""
    setattr(config.option, _FOLDERS, _named(config))
    setattr(config.option, _WITHOUT_PYTHON, reason)


def is_without_python(config: pytest.Config) -> bool:
    """Return whether Python files are left out."""
    return bool(getattr(config.option, _WITHOUT_PYTHON))


def folders(config: pytest.Config) -> tuple[Path, ...]:
    """Return the folders that are named; none where no path is, or only files."""
    return tuple(map(Path, getattr(config.option, _FOLDERS) or ()))


def is_below(path: Path, named: Sequence[Path]) -> bool:
    """Return whether a file is in one of some folders, by its own way or by that of a link."""
    return any(path.is_relative_to(folder) or path.resolve().is_relative_to(folder.resolve()) for folder in named)


def leaves_out(path: Path, config: pytest.Config) -> bool:
    """Return whether a file is one of Python, and left out of the run; those that pytest would have collected are kept in mind."""
    if path.suffix != ".py" or not is_without_python(config):
        return False
    if any(path.match(pattern) for pattern in config.getini("python_files")):
        config.stash.setdefault(_LEFT_OUT, []).append(path)
    return True


def left_out(config: pytest.Config) -> list[str]:
    """Return a line about the Python files that are left out, also with `-q`, as tests are not run; none where there are none."""
    found = config.stash.get(_LEFT_OUT, [])
    if not found:
        return []
    first = found[0].relative_to(config.rootpath).as_posix()
    files = f"{len(found)} Python test files ({first} …) are" if len(found) > 1 else f"the Python test file {first} is"
    return [f"crd: {files} not collected, {getattr(config.option, _WITHOUT_PYTHON)}"]


def _named(config: pytest.Config) -> list[str] | None:
    if config.args_source is not config.ArgsSource.ARGS:
        return None
    base = config.invocation_params.dir
    paths = [base / argument.partition("::")[0] for argument in config.args]
    return [str(path.absolute()) for path in paths if path.is_dir()]


def _is_without_python(config: pytest.Config) -> bool:
    """Return whether a run is for CRDs alone, in a project that has not been made for pytest: scripts would be run."""
    is_for_crds = checks.CHECKS.of(config) or upgrades.BASELINE.given(config).is_set
    names_nothing = getattr(config.option, _FOLDERS) is None
    return is_for_crds and names_nothing and not project.PYTHON.of(config) and not _is_for_pytest(config)


def _is_for_pytest(config: pytest.Config) -> bool:
    """Return whether a project has settings of pytest, or a conftest.py."""
    if (config.rootpath / "conftest.py").is_file():
        return True
    if config.inipath is None or config.inipath.name != _PYPROJECT:
        return config.inipath is not None
    # Without a file of its own, pytest takes any pyproject.toml.
    import tomllib  # noqa: PLC0415 - few sessions need it

    return "pytest" in tomllib.loads(config.inipath.read_text(encoding="utf-8")).get("tool", {})
