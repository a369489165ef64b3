"""
pytest sessions that tests start in a small project with one CRD, placed as kubebuilder places it.

A session in this process takes a twentieth of the time of one in its own process, which has to import pytest and the
engine. Both kinds load the plugin themselves; tests of how the plugin is loaded start pytest on their own.
"""

from __future__ import annotations

import functools
import gc
import importlib
import io
import os
import pkgutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TextIO

import deepdiff
import jsonschema
import pytest
from _pytest.fixtures import FixtureManager  # nothing public

import pytest_crd
from pytest_crd import plugin

# Sessions in this process share these imports: PyYAML's C extension cannot be imported twice in one process, and types
# of modules that are imported twice would differ. Modules that only some sessions import are here because importing
# them is slow.
SHARED = (
    deepdiff,
    jsonschema,
    *(
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(pytest_crd.__path__, "pytest_crd.")
        if not module.name.endswith("__main__")
    ),
)

GARDEN = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 3}
              label: {type: string}
              note: {type: string}
              soil: {type: string, enum: [clay, sand]}
              rows: {type: integer, minimum: 1, maximum: 10}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              watering: {type: object, default: {}, properties: {hour: {type: integer, default: 6}}}
              beds:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, plant: {type: string}, rows: {type: integer, default: 1}}
          status: {type: object, properties: {phase: {type: string, enum: [Dry, Wet]}}}
"""
CASES = """\
crd: gardens.stories.example.com
pruning:
- name: unknown fields go
  input: {spec: {size: 1, bogus: x}}
  expected: {spec: {size: 1}}
- name: known fields stay
  input: {spec: {size: 1}}
  expected: {spec: {size: 1}}
defaulting:
- name: the size is filled in
  input: {spec: {watering: {hour: 7}}}
  expected: {spec: {size: 3, watering: {hour: 7}}}
"""

# Sessions in this process share all installed modules. Modules of a project are dropped after its session.
_INSTALLED: Final = tuple(map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")))

# Half of the time of a session goes into looking for installed plugins and registering them and unused plugins of
# pytest.
_NO_AUTOLOAD: Final = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
_UNUSED: Final = (
    *("cacheprovider", "doctest", "faulthandler", "legacypath", "logging", "pastebin", "setuponly", "setupplan"),
    *("subtests", "threadexception", "unittest", "unraisableexception"),
)
_WITHOUT: Final = tuple(word for name in _UNUSED for word in ("-p", f"no:{name}"))


class _NativeTracebacks:
    """Plugin that keeps pytest from reading the source of its frames when collection errors interrupt a session."""

    @staticmethod
    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Format the traceback in Python's style, which needs no source of whole functions."""
        excinfo.getrepr = functools.partial(excinfo.getrepr, style="native")  # type: ignore[method-assign]


class _ConfigurationKeeper:
    """
    Plugin that stores the configuration, and ends pytest before a session starts.

    Attributes:
        config: The configuration; None before pytest has parsed it.
    """

    def __init__(self) -> None:
        """Create a keeper without a configuration."""
        self.config: pytest.Config | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        """Store the configuration, and return the exit code."""
        self.config = config
        return 0


_parse_fixtures: Final = FixtureManager.parsefactories


def _parse_known_fixtures(manager: FixtureManager, *args: Any, **kwargs: Any) -> None:
    """
    Register the fixtures of a plugin.

    For modules of pytest and of this project only their fixtures are passed on, as looking for them takes a third of a session.
    """
    if args:
        _parse_fixtures(manager, _fixtures(args[0]), *args[1:], **kwargs)
    else:
        _parse_fixtures(manager, **{**kwargs, "holder": _fixtures(kwargs["holder"])})


def _fixtures(holder: Any) -> Any:
    """Return a module with the fixtures alone if *holder* is a module or an object of pytest, else *holder*."""
    if isinstance(holder, ModuleType):
        return _fixtures_alone(holder) if holder.__name__.startswith("_pytest.") else holder
    # Only modules of pytest have fixtures, not its objects.
    is_pytests = type(holder).__module__.startswith("_pytest.") and not isinstance(holder, pytest.Collector)
    return None if is_pytests else holder


@functools.cache
def _fixtures_alone(module: ModuleType) -> ModuleType:
    fixtures = ModuleType(module.__name__)
    for name, value in vars(module).items():
        # Before pytest 8.4 a fixture was a function with an attribute.
        if type(value).__name__ == "FixtureFunctionDefinition" or "_pytestfixturefunction" in getattr(
            value, "__dict__", ()
        ):
            setattr(fixtures, name, value)
    return fixtures


def count_frozen() -> int:
    """
    Return the number of frozen objects, as far as a session can tell.

    A run freezes its tests, and counting them takes longer than the rest of a session.
    """
    return 1


@dataclass(frozen=True, slots=True)
class Folder:
    """A project in its own folder."""

    path: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file below the project's folder."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        """Return the text of a file below the project's folder."""
        return (self.path / name).read_text(encoding="utf-8")

    def crd(
        self, name: str = "config/crd/bases/gardens.yaml", *, plural: str = "gardens", kind: str = "Garden"
    ) -> Path:
        """Write the CRD, with *plural* and *kind* as its names."""
        return self.write(name, GARDEN.replace("gardens", plural).replace("Garden", kind))

    def cases(self, text: str = CASES, name: str = "test_garden.crd.yaml") -> Path:
        """Write a case file."""
        return self.write(name, text)

    def ini(self, *lines: str) -> Path:
        """Write `pytest.ini` with *lines*."""
        return self.write("pytest.ini", "\n".join(["[pytest]", *lines, ""]))

    def run(self, *arguments: str | Path) -> pytest.RunResult:
        """
        Run pytest in this process, and return to its folder and environment.

        `-p NAME` enables a plugin that is off by default. Tests that start xdist workers pass `-p pytest_crd.plugin`
        too, because workers load only plugins that are named.
        """
        with pytest.MonkeyPatch.context() as patch:
            enter(self.path, patch)
            return _run(arguments)

    def parse(self, *arguments: str) -> pytest.Config:
        """
        Return the configuration of a session that is not started, which takes a third of the time of a short session.

        Raises:
            UsageError: pytest refuses the arguments, or the ini file.
        """
        keeper = _ConfigurationKeeper()
        with pytest.MonkeyPatch.context() as patch:
            enter(self.path, patch)
            result = _run(arguments, keeper)
        if keeper.config is None:
            raise pytest.UsageError(str(result.stderr))
        return keeper.config

    def start(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in its own process, with the environment of a user."""
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "TOX_", "GITHUB_", "GITLAB_"))
        }
        environment = {**own, _NO_AUTOLOAD: "1", "HOME": str(self.path), "PY_COLORS": "0"}
        command = [sys.executable, "-m", "pytest", "-p", "crd", *_WITHOUT, *arguments]
        start = time.monotonic()
        process = subprocess.run(
            command, cwd=self.path, env=environment, check=False, capture_output=True, encoding="utf-8"
        )
        return pytest.RunResult(
            process.returncode, process.stdout.splitlines(), process.stderr.splitlines(), time.monotonic() - start
        )


class Project(Folder):
    """A project in the folder of one test, which is the current one; the test may change its environment."""

    __slots__ = ()

    def run(self, *arguments: str | Path) -> pytest.RunResult:
        """Run pytest in this process, as `Folder.run` does, in the environment of the test."""
        return _run(arguments)


def enter(path: Path, patch: pytest.MonkeyPatch) -> None:
    """Change to a folder, with an environment that has nothing of the session that runs."""
    patch.chdir(path)
    for name in ("PYTEST_ADDOPTS", "TOX_ENV_DIR"):
        patch.delenv(name, raising=False)
    for name, value in (("PYTEST_DEBUG_TEMPROOT", path.parent), ("HOME", path), ("PY_COLORS", 0)):
        patch.setenv(name, str(value))


def _run(arguments: Iterable[str | Path], *plugins: object) -> pytest.RunResult:
    """
    Run pytest in this process, with *plugins*.

    `pytester` would record each call of a hook, too, which takes a tenth of a session.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2))
    start = time.monotonic()
    modules, paths, finders = dict(sys.modules), [*sys.path], [*sys.meta_path]
    importlib.invalidate_caches()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv(_NO_AUTOLOAD, "1")
        # Python would load a stale .pyc for a test file that is rewritten within a second with the same size.
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setattr(sys, "stdin", io.StringIO())
        patch.setattr(FixtureManager, "parsefactories", _parse_known_fixtures)
        patch.setattr(gc, "get_freeze_count", count_frozen)
        try:
            status = pytest.main([*_WITHOUT, *map(str, arguments)], plugins=[plugin, _NativeTracebacks(), *plugins])
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            for name in sys.modules.keys() - modules.keys():
                if not (getattr(sys.modules[name], "__file__", None) or "").startswith(_INSTALLED):
                    del sys.modules[name]
            sys.modules.update(modules)
            sys.path[:], sys.meta_path[:] = paths, finders
    # Shown if the test fails.
    printed, errors = (_copy(written, shown) for written, shown in ((out, sys.stdout), (err, sys.stderr)))
    return pytest.RunResult(status, printed, errors, time.monotonic() - start)


def _copy(written: TextIO, shown: TextIO) -> list[str]:
    """Copy a stream to another one, and return its lines."""
    written.seek(0)
    text = written.read()
    shown.write(text)
    return text.splitlines()
