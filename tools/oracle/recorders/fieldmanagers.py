"""
Run the tests of apimachinery's managedfields, in the reference's version, and record their calls and results.

`merging` does the same for structured-merge-diff. The tests look for the OpenAPI document of Kubernetes beside the
module in its own repository; here it comes from the module k8s.io/kubernetes. The clock of the tests advances by a
second with each call.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from conformance import fieldmanagers

from oracle.recorders import files, merging
from oracle.servers import programs
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue

_WRAPPERS: Final = programs.REFERENCE / "managedfields"
_MODULE: Final = "k8s.io/apimachinery"
_PACKAGE: Final = "pkg/util/managedfields"
# The path of the module in the repository of Kubernetes.
_STAGING: Final = "staging/src/k8s.io/apimachinery"
_CLOCKED: Final = "internal/managedfieldsupdater.go"


def recorded_facts() -> Iterator[JSONValue]:
    """Yield the facts of a run of all tests, and the schemas of their types."""
    with tempfile.TemporaryDirectory() as folder:
        sources, out = Path(folder, _STAGING), Path(folder, "facts.jsonl")
        merging.copy(merging.module(_MODULE), sources)
        merging.lay_over(sources / _PACKAGE, _WRAPPERS)
        clocked = sources / _PACKAGE / _CLOCKED
        text = clocked.read_text(encoding="utf-8").replace("time.Now().UTC()", "Now()").replace('\t"time"\n', "")
        clocked.write_text(text, encoding="utf-8")
        Path(folder, "api").mkdir()
        Path(folder, "api/openapi-spec").symlink_to(_kubernetes() / "api/openapi-spec")
        environment = os.environ | {"RECORDING": str(out)}
        command = ("go", "test", "-vet=off", "-count=1", "-p=1", f"./{_PACKAGE}/...")
        subprocess.run(command, cwd=sources, env=environment, stdout=sys.stderr, check=True)
        with out.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _kubernetes() -> Path:
    """Return the folder of Kubernetes in Go's module cache."""
    module = programs.SOURCES / "kube"
    command = ("go", "list", f"-modfile=k8s-{NEWEST}.mod", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
    return Path(subprocess.run(command, cwd=module, capture_output=True, text=True, check=True).stdout.strip())


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the facts; return 1 if a check finds a difference."""
    changed = [
        files.keep(fieldmanagers.FOLDER / name, text, check=options.check)
        for name, text in fieldmanagers.file_texts(recorded_facts()).items()
    ]
    return files.outcome(sum(changed), check=options.check)
