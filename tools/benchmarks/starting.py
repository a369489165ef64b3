"""
The cost of small sessions in function calls and modules: an empty test, and one case of a project with 22 CRDs and 250 samples.

Each session runs in an environment of its own, in which the package is installed as a wheel. The project is generated: the example
project's Backup under 22 names, with so many fields that the CRDs take two megabytes in total.
"""

from __future__ import annotations

import argparse
import copy
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from benchmarks.figures import Figure
from benchmarks.installation import Count, Installation
from benchmarks.subjects import BACKUPS, backup
from pytest_crd import engine
from pytest_crd.engine.yaml import yamlreader

_CRDS, _SAMPLES, _PARTS = 22, 250, 36
_EMPTY: Final = "an empty test without the plugin"
_MODULE: Final = "one module"
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
    """Install the package, write the projects, and count the calls of each session."""
    with tempfile.TemporaryDirectory() as name:
        empty, project = Path(name, "empty"), Path(name, "project")
        empty.mkdir()
        (empty / "test_nothing.py").write_text("def test():\n    pass\n", encoding="utf-8")
        write(project, checks=False)
        installation = Installation(Path(name))
        print(f"{installation.modules} modules, {installation.rows} rows of RECORD")
        without, idle = installation.count(empty, "-p", "no:crd"), installation.count(empty)
        yield from _compared(
            "an empty test, above one without the plugin", idle, idle.calls - without.calls, without.calls
        )
        cold = [installation.count(empty, *words, writes_bytecode=False) for words in (("-p", "no:crd"), ())]
        above = cold[1].calls - cold[0].calls
        yield from _compared(
            "the same without bytecode of pytest, above one without the plugin", cold[1], above, cold[0].calls
        )
        for title, arguments in (("one case", ("-k", "alone")), ("a listing", ("--collect-only",))):
            count = installation.count(project, *arguments)
            yield from _compared(f"{title}, above an empty test", count, count.calls - idle.calls, without.calls)
        manifest: Any = yaml.safe_load(next(project.glob("config/crd/bases/*.yaml")).read_text(encoding="utf-8"))
    crd = engine.CustomResourceDefinition.from_manifest(manifest)
    ratio = _calls(lambda: crd.response) / _calls(lambda: copy.deepcopy(manifest))
    print(f"the answer to a CRD: {ratio:.2f} times the calls of a copy")
    yield Figure("the answer to a CRD", ratio, "copy.deepcopy", is_counted=True)


def _compared(title: str, count: Count, calls: int, peer: int) -> Iterator[Figure]:
    print(f"{title}: {calls:,} calls, {calls / peer:.3f} of {_EMPTY} ({peer:,}); {count.modules} modules", flush=True)
    yield Figure(title, calls / peer, _EMPTY, is_counted=True)
    yield Figure(f"modules of {title.partition(', above')[0]}", count.modules, _MODULE, is_counted=True)


def _calls(function: Callable[[], object]) -> int:
    """Return the number of function calls of *function*, in Python and C; 1 is the least."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return max(calls, 1)
