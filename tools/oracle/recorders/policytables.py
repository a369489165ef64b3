"""Run upstream's tests of admission policies, and record their calls and results: tests/conformance/policytables.jsonl."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from conformance import policytables

from oracle.recorders import files, merging
from oracle.servers import programs

_WRAPPERS: Final = programs.REFERENCE / "policies"
_PACKAGES: Final = (
    "cel",
    "policy/generic",
    "policy/matching",
    "policy/mutating",
    "policy/validating",
    "webhook/generic",
    "webhook/matchconditions",
    "webhook/predicates",
)


def recorded_facts() -> list[Any]:
    """Return the facts of a run of the tests, in the reference's version of `k8s.io/apiserver`."""
    with tempfile.TemporaryDirectory() as folder:
        sources, out = Path(folder, "module"), Path(folder, "facts.jsonl")
        merging.copy(merging.module("k8s.io/apiserver"), sources)
        merging.lay_over(sources, _WRAPPERS)
        packages = [f"./pkg/admission/plugin/{package}/..." for package in _PACKAGES]
        command = ("go", "test", "-vet=off", "-count=1", "-p=1", *packages)
        environment = os.environ | {"RECORDING": str(out)}
        subprocess.run(command, cwd=sources, env=environment, stdout=sys.stderr, check=True)
        return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the facts; return 1 if a check finds a difference."""
    changed = files.keep(policytables.PATH, policytables.text_of(recorded_facts()), check=options.check)
    return files.outcome(int(changed), check=options.check)
