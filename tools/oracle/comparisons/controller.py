"""
Run an operator that is made with controller-runtime, cache and leader election included, against `pytest-crd serve`.

Before that a CRD is installed, changed and removed by Go's own client of CRDs, and what is published of it is read.
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

# What the program says that has come about.
_STORY: Final = (
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
    """Add nothing."""


def main(_options: argparse.Namespace) -> int:
    """Return 1 where something does not come about."""
    program = programs.build("controller", programs.SOURCES / "controller", ".")
    with tempfile.TemporaryDirectory() as name, ours.serving([kubectl.CRD]) as served:
        kubectl.Kubectl("", served, Path(name, "home"))
        environment = {**os.environ, "KUBECONFIG": str(Path(name, "home", "config"))}
        done = subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    print(*said, *([] if done.returncode == 0 else done.stderr.splitlines()[-5:]), sep="\n")
    return int(done.returncode != 0 or [line for line in said if not line.startswith("{")] != [*_STORY])
