"""A small project to tell stories about: one CRD, in the place where kubebuilder keeps it."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from pathlib import Path

import deepdiff
import pytest

import pytest_crd

# Sessions in this process share what is imported here: PyYAML's C extension cannot be imported twice in one process, and modules of
# the package that are imported twice would not know each other's types.
SHARED = (
    deepdiff,
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


@dataclass(frozen=True, slots=True)
class Project:
    """A project in a folder of its own."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        return self.pytester.path

    def write(self, name: str, text: str) -> Path:
        """Write a file below the project's folder."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

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

    def run(self, *arguments: str | Path) -> pytest.RunResult:
        """Run pytest in this process, in which the plugin is installed."""
        return self.pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


@pytest.fixture
def empty(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project without anything."""
    # A test file that is written again within a second, with as many bytes, would be read from the cache.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Project(pytester)


@pytest.fixture
def project(empty: Project) -> Project:
    """A project with one CRD."""
    empty.crd()
    return empty


@pytest.fixture
def gardener(project: Project) -> Project:
    """A project with one CRD and one case file whose cases hold."""
    project.cases()
    return project
