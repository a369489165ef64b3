"""A run imports only the packages that it needs, because each import takes time in every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

# Each package of the engine, and each tier above the engine.
OF_READING = {
    *(
        "cases",
        "discovery",
        "boundary",
        "folders",
        "lazyimport",
        "lazyre",
        "plugin",
        "progress",
        "records",
        "wording",
    ),
    *(
        "engine",
        "engine.cel",
        "engine.crds",
        "engine.api",
        "engine.client",
        "engine.errors",
        "engine.fieldpath",
        "engine.golang",
    ),
    *("engine.inputerror", "engine.jsonvalue", "engine.loading", "engine.metadata", "engine.observer"),
    *("engine.profile", "engine.registry", "engine.schema", "engine.yaml"),
    "yaml",
}
# The syntax of case files, and the validation of a CRD before its cases.
OF_CASES = {
    *OF_READING,
    "engine.registry.fieldmanager",
    "engine.formats",
    "engine.passes",
    "engine.values",
}
TELLS_MODULES = """\
import json, sys

def pytest_unconfigure():
    own = {name.removeprefix("pytest_crd.") for name in sys.modules if name.startswith("pytest_crd.")}
    parts = {".".join(name.split(".")[:2]) if name.startswith("engine.") else name.split(".")[0] for name in own}
    parts |= {"engine.registry.fieldmanager"} & own
    others = {"deepdiff", "jsonschema", "re2", "yaml"} & sys.modules.keys()
    with open("modules.json", "w") as file:
        json.dump(sorted(parts | others), file)
"""


def _loaded(project: Project, *options: str) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "crd", *options],
        cwd=project.path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return set(json.loads(project.read("modules.json")))


@pytest.mark.long
@pytest.mark.session
def test_a_run_imports_only_the_packages_that_it_needs(project: Project) -> None:
    project.write("conftest.py", TELLS_MODULES)

    assert _loaded(project, "--crd-checks", "--collect-only") == OF_READING | {"checks", "suggestions"}
    project.cases()
    assert _loaded(project) == OF_CASES
    assert _loaded(project, "--collect-only") == OF_READING
