"""
Run an operator built with controller-runtime against `pytest-crd serve`, including its cache and leader election.

Before that, Go's own client installs, changes and removes a CRD, and reads its OpenAPI documents.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from oracle.comparisons import kubectl
from oracle.servers import ours, programs

# The expected output of the program.
_EXPECTED: Final = (
    "ok a CRD is stored as it is sent",
    "ok a CRD is there once",
    "ok a CRD is refused",
    "ok a CRD is established",
    "ok a CRD is changed",
    "ok OpenAPI v2 is read in protobuf",
    "ok OpenAPI v3 is read in protobuf",
    "ok a CRD is watched until it has gone",
    "ok CRDs are sent and got in protobuf alone",
    "ok all are warm, with a map each",
    "ok a map comes back",
    "ok a change is followed",
    "ok all are gone, finalizers removed",
)


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Run the program; return 1 if its output is not the expected one."""
    program = programs.build("controller", programs.SOURCES / "controller", ".")
    with tempfile.TemporaryDirectory() as name, ours.serving([kubectl.CRD]) as served:
        kubectl.Kubectl("", served, Path(name, "home"))
        environment = {**os.environ, "KUBECONFIG": str(Path(name, "home", "config"))}
        process = subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=False)
    lines = process.stdout.splitlines()
    print(*lines, *([] if process.returncode == 0 else process.stderr.splitlines()[-5:]), sep="\n")
    return int(process.returncode != 0 or [line for line in lines if not line.startswith("{")] != [*_EXPECTED])
