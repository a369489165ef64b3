"""
The pytest plugin `crd`: hooks, in the order in which pytest calls them, and nothing else.

A session without CRDs and cases pays for this module alone; what a hook needs, it imports.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_crd import options
from pytest_crd.fixtures import MARKERS, crd, crd_case, crd_version, crds, parametrize

__all__ = ["crd", "crd_case", "crd_version", "crds"]

# As an entry point or by `-p crd`, and as a module in `pytest_plugins`.
_NAMES = ("crd", "pytest_crd.plugin")
_ENDINGS = (".yaml", ".yml", ".json")
# What every case file has, and hardly any other: enough to tell whose file it is that was named on the command line.
_CASE_FILE = re.compile(rb"""^["']?(crd|crdName)["']?\s*:|^\s*\{\s*["']?(crd|crdName)["']?\s*:""", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the settings, and make sure that the plugin is not registered again under its other name."""
    for name in _NAMES:
        if pluginmanager.get_plugin(name) is None:
            pluginmanager.set_blocked(name)
    options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, and declare the markers."""
    options.check(config)
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files: by the patterns of crd_case_files, or named on the command line."""
    if file_path.suffix not in _ENDINGS:
        return None
    is_case_file = any(file_path.match(pattern) for pattern in options.of(parent.config).case_files)
    if not is_case_file and not (parent.session.isinitpath(file_path) and _CASE_FILE.search(file_path.read_bytes())):
        return None
    from pytest_crd import nodes  # noqa: PLC0415 - only a session with cases loads what runs them

    return nodes.CaseFileCollector.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a CRD, a version or a case once for each."""
    parametrize(metafunc)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """Say what was loaded, and from where."""
    return options.header(config)
