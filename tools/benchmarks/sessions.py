"""
What `pytest -k alone` takes in a project of 22 CRDs and 250 samples, beside an empty test without the plugin.

The project is made here: the example project's Backup under 22 names, each with so many fields that all CRDs have two megabytes. Times
are processor times of whole processes; the median of five rounds counts.
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
        CalledProcessError: It fails.
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
    """Write the project."""
    [document] = yamlreader.read(BACKUPS.read_text(encoding="utf-8"), source=BACKUPS.name)
    for index in range(_CRDS):
        crd = _crd(document.value, index)
        path = folder / f"config/crd/bases/{crd['metadata']['name']}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_dumped(crd), encoding="utf-8")
        if not index:
            (folder / "test_backups.crd.yaml").write_text(_CASES.format(name=crd["metadata"]["name"]), encoding="utf-8")
    for number in range(_SAMPLES):
        sample = backup(crd["spec"]["group"])
        sample |= {"kind": f"Backup{number % _CRDS}", "metadata": {"name": f"nightly{number}"}}
        path = folder / f"config/samples/sample{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_dumped(sample), encoding="utf-8")
    (folder / "pytest.ini").write_text(f"[pytest]\ncrd_checks = {'on' if checks else 'off'}\n", encoding="utf-8")


def _crd(backups: Any, index: int) -> Any:
    """Return the CRD of that number: Backup, with parts of a spec that are what its spec is."""
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


def _dumped(value: Any) -> str:
    class Written(yaml.SafeDumper):
        """Writes each part, and no anchor in the place of one that was there."""

        def ignore_aliases(self, _: object) -> bool:
            return True

    return yaml.dump(value, Dumper=Written)


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Write the projects, run them in turns, take the median of each."""
    with tempfile.TemporaryDirectory() as name:
        empty = Path(name, "empty")
        empty.mkdir()
        (empty / "test_nothing.py").write_text("def test():\n    pass\n", encoding="utf-8")
        folders = {title: Path(name, title) for title in ("checks off", "checks on")}
        for title, folder in folders.items():
            write(folder, checks=title == "checks on")
        rounds = [dict(_round(empty, folders)) for _ in range(_ROUNDS)]
    middle = {what: statistics.median(took[what] for took in rounds) for what in rounds[0]}
    empty_test = middle.pop("an empty test")
    for what, took in middle.items():
        print(f"{what}: {took:.2f} s, {took - empty_test:.2f} s above an empty test ({empty_test:.2f} s)")
        yield Figure(what, took / empty_test, "an empty test without the plugin")


def _round(empty: Path, folders: dict[str, Path]) -> Iterator[tuple[str, float]]:
    yield "an empty test", seconds(empty)
    for title, folder in folders.items():
        for what, arguments in (("one case", ("-k", "alone")), ("a listing", ("--collect-only",))):
            yield f"{what}, {title}", seconds(folder, "-p", "crd", *arguments)
