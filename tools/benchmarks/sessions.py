"""
The time of `pytest -k alone` in a project with 22 CRDs and 250 samples, relative to an empty test without the plugin.

The project is generated: the example project's Backup under 22 names, with so many fields that the CRDs take two
megabytes in total. Times are processor times of whole processes, the median of five rounds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from benchmarks.figures import Figure
from benchmarks.subjects import BACKUPS, backup
from pytest_crd.engine.yaml import yamlreader

_ROUNDS: Final = 5
_CRDS, _SAMPLES, _PARTS = 22, 250, 36
_CASES: Final = """\
crd: {name}
version: v1
create:
- name: alone
  input: {{spec: {{schedule: "@daily"}}}}
  accepted: true
- name: another
  input: {{spec: {{}}}}
  error: "spec.schedule: Required value"
"""


def seconds(folder: Path, *arguments: str) -> float:
    """
    Return the processor time of a session in *folder*, in seconds.

    Raises:
        CalledProcessError: The session fails.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", *arguments]
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    before = os.times()
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def write(folder: Path, *, checks: bool) -> None:
    """Write the project to *folder*, with or without the automatic checks."""
    [document] = yamlreader.read(BACKUPS.read_text(encoding="utf-8"), source=BACKUPS.name)
    for index in range(_CRDS):
        crd = _crd(document.value, index)
        path = folder / f"config/crd/bases/{crd['metadata']['name']}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_to_yaml(crd), encoding="utf-8")
        if not index:
            (folder / "test_backups.crd.yaml").write_text(_CASES.format(name=crd["metadata"]["name"]), encoding="utf-8")
    for number in range(_SAMPLES):
        sample = backup(crd["spec"]["group"])
        sample |= {"kind": f"Backup{number % _CRDS}", "metadata": {"name": f"nightly{number}"}}
        path = folder / f"config/samples/sample{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_to_yaml(sample), encoding="utf-8")
    (folder / "pytest.ini").write_text(f"[pytest]\ncrd_checks = {'on' if checks else 'off'}\n", encoding="utf-8")


def _crd(backups: Any, index: int) -> Any:
    """Return CRD number *index*: Backup with extra fields in its spec that each have the schema of the spec."""
    plural, spec = f"backup{index}s", backups["spec"]
    names = {"kind": f"Backup{index}", "listKind": f"Backup{index}List", "plural": plural, "singular": f"backup{index}"}
    version = spec["versions"][-1]
    schema = version["schema"]["openAPIV3Schema"]
    whole = schema["properties"]["spec"]
    grown = {**whole["properties"], **{f"part{number}": whole for number in range(_PARTS)}}
    properties = {**schema["properties"], "spec": {**whole, "properties": grown}}
    versions = [{**version, "schema": {"openAPIV3Schema": {**schema, "properties": properties}}}]
    metadata = {"name": f"{plural}.{spec['group']}"}
    return {**backups, "metadata": metadata, "spec": {**spec, "names": names, "versions": versions}}


def _to_yaml(value: Any) -> str:
    class WithoutAliases(yaml.SafeDumper):
        """Dumper that writes shared values in full instead of as aliases."""

        def ignore_aliases(self, _: object) -> bool:
            return True

    return yaml.dump(value, Dumper=WithoutAliases)


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Write the projects, run them in turns, and yield the ratios of the medians."""
    with tempfile.TemporaryDirectory() as name:
        empty = Path(name, "empty")
        empty.mkdir()
        (empty / "test_nothing.py").write_text("def test():\n    pass\n", encoding="utf-8")
        folders = {title: Path(name, title) for title in ("checks off", "checks on")}
        for title, folder in folders.items():
            write(folder, checks=title == "checks on")
        rounds = [dict(_round(empty, folders)) for _ in range(_ROUNDS)]
    medians = {title: statistics.median(times[title] for times in rounds) for title in rounds[0]}
    empty_test = medians.pop("an empty test")
    for title, median in medians.items():
        print(f"{title}: {median:.2f} s, {median - empty_test:.2f} s above an empty test ({empty_test:.2f} s)")
        yield Figure(title, median / empty_test, "an empty test without the plugin")


def _round(empty: Path, folders: dict[str, Path]) -> Iterator[tuple[str, float]]:
    yield "an empty test", seconds(empty)
    for title, folder in folders.items():
        for session, arguments in (("one case", ("-k", "alone")), ("a listing", ("--collect-only",))):
            yield f"{session}, {title}", seconds(folder, "-p", "crd", *arguments)
