"""
Sessions of pytest that tests start, about a small project: one CRD, in the place where kubebuilder keeps it.

A session in this process takes a twentieth of one in a process of its own, which imports pytest and the engine first. What both load
is what they need: whoever tests how the plugin comes into a session starts pytest himself.
"""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import deepdiff
import jsonschema
import pytest
from _pytest.fixtures import FixtureManager  # nothing public

import pytest_crd
from pytest_crd import plugin

# Sessions in this process share what is imported here: PyYAML's C extension cannot be imported twice in one process, and modules of
# the package that are imported twice would not know each other's types. And what only some sessions import takes each of them a while.
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

# Looking for plugins that are installed, and registering them and those of pytest that no story is about, is more than half of a session.
_NO_AUTOLOAD: Final = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
_UNUSED: Final = (
    *("cacheprovider", "doctest", "faulthandler", "legacypath", "logging", "pastebin", "setuponly", "setupplan"),
    *("subtests", "threadexception", "unittest", "unraisableexception"),
)
_WITHOUT: Final = tuple(word for name in _UNUSED for word in ("-p", f"no:{name}"))


class _Unread:
    """Keeps pytest from reading the source of its own frames where errors in collecting interrupt a session; none of it is shown."""

    @staticmethod
    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Have the traceback as Python prints it, which is found without the source of whole functions."""
        excinfo.getrepr = functools.partial(excinfo.getrepr, style="native")  # type: ignore[method-assign]


_parse_fixtures: Final = FixtureManager.parsefactories


def _parse_known_fixtures(manager: FixtureManager, *given: Any, **named: Any) -> None:
    """Register the fixtures of a plugin, of pytest's own those that are known: to look for them is a third of a session."""
    if given:
        _parse_fixtures(manager, _fixtures(given[0]), *given[1:], **named)
    else:
        _parse_fixtures(manager, **{**named, "holder": _fixtures(named["holder"])})


def _fixtures(holder: Any) -> Any:
    """Return what has the fixtures of a module of pytest and nothing else, and of anything else itself."""
    is_pytests = isinstance(holder, ModuleType) and holder.__name__.startswith("_pytest.")
    return _fixtures_alone(holder) if is_pytests else holder


@functools.cache
def _fixtures_alone(module: ModuleType) -> ModuleType:
    alone = ModuleType(module.__name__)
    for name, value in vars(module).items():
        # Before pytest 8.4 it was a function with an attribute.
        if type(value).__name__ == "FixtureFunctionDefinition" or "_pytestfixturefunction" in getattr(
            value, "__dict__", ()
        ):
            setattr(alone, name, value)
    return alone


@dataclass(frozen=True, slots=True)
class Folder:
    """A project in a folder of its own."""

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
        """Write the CRD, under another name where one is given."""
        return self.write(name, GARDEN.replace("gardens", plural).replace("Garden", kind))

    def cases(self, text: str = CASES, name: str = "test_garden.crd.yaml") -> Path:
        """Write a case file."""
        return self.write(name, text)

    def ini(self, *lines: str) -> Path:
        """Write the ini file."""
        return self.write("pytest.ini", "\n".join(["[pytest]", *lines, ""]))

    def start(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in a process of its own, as a user does whose folder this is."""
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "TOX_", "GITHUB_", "GITLAB_"))
        }
        environment = {**own, _NO_AUTOLOAD: "1", "HOME": str(self.path), "PY_COLORS": "0"}
        command = [sys.executable, "-m", "pytest", "-p", "crd", *_WITHOUT, *arguments]
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=self.path, env=environment, check=False, capture_output=True, encoding="utf-8"
        )
        return pytest.RunResult(
            done.returncode, done.stdout.splitlines(), done.stderr.splitlines(), time.monotonic() - began
        )


@dataclass(frozen=True, slots=True)
class Project(Folder):
    """A project in the folder of one test."""

    pytester: pytest.Pytester

    def run(self, *arguments: str | Path) -> pytest.RunResult:
        """
        Run pytest in this process.

        `-p NAME` brings back a plugin that sessions do without; who starts workers names `pytest_crd.plugin` too, as they know what is named alone.
        """
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(_NO_AUTOLOAD, "1")
            # A test file that is written again within a second, with as many bytes, would be read from the cache.
            patch.setattr(sys, "dont_write_bytecode", True)
            patch.setattr(FixtureManager, "parsefactories", _parse_known_fixtures)
            return self.pytester.runpytest_inprocess(
                *_WITHOUT, *arguments, plugins=[plugin, _Unread()], no_reraise_ctrlc=True
            )


def project(pytester: pytest.Pytester) -> Project:
    """Return the project in the folder of a test."""
    return Project(pytester.path, pytester)
