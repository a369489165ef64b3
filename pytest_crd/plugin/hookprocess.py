"""
The process that calls `pytest_crd_manifests` in a checkout of another commit, with the Python code of that commit.

It runs pytest in the checkout as far as the configuration. Its import path has the folders of today's imports, as they are in the checkout.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import site
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from pytest_crd.discovery import commands, git
from pytest_crd.discovery.checkouts import Checkout
from pytest_crd.discovery.madecrds import MadeManifests
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.plugin import hookspecs, manifests, options, sessioncrds, testrun
from pytest_crd.temporaryfolders import TemporaryFolder

_PROGRAM: Final = f"import sys, {__name__} as process; sys.exit(process.main(*sys.argv[1:]))"
_ENCODING: Final = "latin-1"  # keeps any bytes
_PACKAGES: Final = frozenset({"site-packages", "dist-packages"})


def make(
    checkout: Checkout, folder: Path, waiting: Callable[[], None], *, hooks: Sequence[Any]
) -> Sequence[MadeManifests]:
    """
    Call the hooks of a checkout in a process of their own, and return their manifests; empty if no file of the checkout has the hook.

    Args:
        checkout: The checkout.
        folder: The folder of the project in it.
        waiting: Called repeatedly until the process has ended.
        hooks: Today's implementations, whose files may be outside of the folders that pytest reads by itself.

    Raises:
        CrdError: A hook has mistakes, or the process fails; the message has the last lines of its output.
    """
    paths = [file.parent for file in _moved((_file_of(hook.plugin) for hook in hooks), checkout)]
    others = [str(path) for path in dict.fromkeys(paths) if path != folder and path.is_dir()]
    environment = git.environment() | {"PYTHONPATH": os.pathsep.join(_import_path(checkout))}
    environment.pop("PYTEST_ADDOPTS", None)
    with TemporaryFolder() as parent:
        answer = parent.path / "answer.json"
        program = (sys.executable, "-P", "-c", _PROGRAM, str(answer), str(checkout.repository), str(checkout.root))
        try:
            commands.run(shlex.join((*program, *others)), folder=folder, waiting=waiting, environment=environment)
        except CrdError as error:
            raise CrdError([Mistake(manifests.HOOK, 0, item.message) for item in error.mistakes]) from None
        fields = json.loads(answer.read_bytes())
    if fields["mistakes"]:
        raise CrdError([Mistake(*mistake) for mistake in fields["mistakes"]])
    return [
        MadeManifests(source, {name: text.encode(_ENCODING) for name, text in texts.items()})
        for source, texts in fields["made"]
    ]


def main(answer: str, repository: str, root: str, *paths: str) -> int:
    """
    Run pytest as far as its configuration, call the hooks of the checkout, and write their answer; return the exit code.

    Args:
        answer: The file to write.
        repository: The folder of the repository today.
        root: The folder of the checkout.
        paths: Folders with hooks, besides those that pytest reads by itself.
    """
    caller = _Caller(Checkout(Path(repository).resolve(), Path(root).resolve()))
    blocked = ("-p", "no:crd", "-p", f"no:{hookspecs.__package__}", "-p", "no:cacheprovider")
    code = pytest.main([*testrun.ini_options(has_python=True), *blocked, *paths], [caller])
    if caller.answer is None:
        return int(code) or int(pytest.ExitCode.INTERNAL_ERROR)
    Path(answer).write_text(json.dumps(caller.answer), encoding="utf-8")
    return 0


class _Caller:
    """Plugin that calls the hooks in place of a test run."""

    def __init__(self, checkout: Checkout) -> None:
        self.answer: dict[str, Any] | None = None
        self._checkout = checkout

    def pytest_addhooks(self, pluginmanager: pytest.PytestPluginManager) -> None:
        pluginmanager.add_hookspecs(hookspecs)

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        options.declare(parser)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Call the hooks whose plugins are files of the checkout."""
        hooks = manifests.implementations(config.pluginmanager)
        own = [hook for hook in hooks if _is_below(_file_of(hook.plugin), self._checkout.root)]
        all_manifests: Sequence[MadeManifests] = ()
        try:
            all_manifests = sessioncrds.call_hooks(own, config, Path.cwd().resolve())
            mistakes = list(_find_foreign_imports(self._checkout))
        except CrdError as error:
            mistakes = list(error.mistakes)
        texts = ({name: text.decode(_ENCODING) for name, text in item.texts.items()} for item in all_manifests)
        self.answer = {
            "made": [*zip((item.source for item in all_manifests), texts, strict=True)],
            "mistakes": [*map(dataclasses.astuple, mistakes)],
        }
        pytest.exit("the hooks are called", 0)


def _import_path(checkout: Checkout) -> Iterable[str]:
    """Return the folders from which this process imports the project, as they are in the checkout, and the rest of PYTHONPATH."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    others = (path for path in inherited if not _is_of_project(Path(path), checkout.repository.resolve()))
    return dict.fromkeys((*map(str, _moved(_import_folders(), checkout)), *others))


def _import_folders() -> Iterator[Path]:
    """Yield the folders of imports: `sys.path`, and the folders of modules that other finders found."""
    yield from map(Path, sys.path)
    for name, module in [*sys.modules.items()]:
        if "." not in name and (file := _file_of(module)) is not None:
            yield file.parent.parent if file.stem == "__init__" else file.parent


def _moved(paths: Iterable[Path | None], checkout: Checkout) -> Iterator[Path]:
    """Yield the paths of the repository as they are in the checkout."""
    repository = checkout.repository.resolve()
    for path in paths:
        if path is not None and _is_of_project(path, repository):
            yield checkout.root / path.resolve().relative_to(repository)


def _find_foreign_imports(checkout: Checkout) -> Iterator[Mistake]:
    """Yield a mistake if modules were imported from the files of today."""
    files = sorted(
        file.resolve().relative_to(checkout.repository).as_posix()
        for file in map(_file_of, [*sys.modules.values()])
        if file is not None and _is_of_project(file, checkout.repository) and not _is_below(file, checkout.root)
    )
    if files:
        message = f"the commit's code imports {' '.join(files)} of today; name a folder with its CRDs: crd_baseline = released/"
        yield Mistake(manifests.HOOK, 0, message)


def _file_of(plugin: object) -> Path | None:
    """Return the Python file of a plugin; None if it is built in."""
    module = plugin if isinstance(plugin, ModuleType) else sys.modules.get(type(plugin).__module__)
    file = getattr(module, "__file__", None)
    return Path(file) if file else None


def _is_of_project(path: Path, repository: Path) -> bool:
    """Return whether a file or folder is below a repository and not in a Python environment."""
    prefixes = map(Path, {sys.prefix, sys.base_prefix, *site.PREFIXES})
    # A repository may be below the prefix of the system: /usr/src/app.
    environments = [folder for folder in prefixes if repository in folder.resolve().parents]
    is_installed = any(_is_below(path, folder) for folder in environments)
    return _is_below(path, repository) and not is_installed and _PACKAGES.isdisjoint(path.parts)


def _is_below(path: Path | None, folder: Path) -> bool:
    return path is not None and path.resolve().is_relative_to(folder.resolve())
