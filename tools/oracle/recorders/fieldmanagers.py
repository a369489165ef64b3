"""
Run the tests of apimachinery's managedfields that the reference is built with, and write down what these call and what it answers.

As `merging` does it. The tests look for the OpenAPI document of Kubernetes where it stands beside the module in its own repository; here it is
that of the module k8s.io/kubernetes. The clock of the tests is one that goes on by a second each time that it is asked.
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
from typing import Any, Final

from conformance import fieldmanagers

from oracle.recorders import files, merging
from oracle.servers import programs
from oracle.servers.versions import NEWEST

JSONValue = Any

_WRAPPERS: Final = programs.REFERENCE / "managedfields"
_MODULE: Final = "k8s.io/apimachinery"
_PACKAGE: Final = "pkg/util/managedfields"
# Where the module stands in the repository of Kubernetes.
_STAGING: Final = "staging/src/k8s.io/apimachinery"
_CLOCKED: Final = "internal/managedfieldsupdater.go"


def called() -> Iterator[JSONValue]:
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
    """Return the folder of Kubernetes itself in Go's cache."""
    module = programs.SOURCES / "kube"
    listed = ("go", "list", f"-modfile=k8s-{NEWEST}.mod", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
    return Path(subprocess.run(listed, cwd=module, capture_output=True, text=True, check=True).stdout.strip())


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds something else than the recorded."""
    changed = [
        files.keep(fieldmanagers.FOLDER / name, text, check=options.check)
        for name, text in fieldmanagers.written(called()).items()
    ]
    return files.outcome(sum(changed), check=options.check)
