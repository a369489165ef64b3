"""
The time of importing the modules that a case file needs, relative to importing pytest.

Each round is its own process. Times are processor times. The first round writes the byte code and does not count.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Final

from benchmarks.figures import Figure

_ROUNDS: Final = 15
_PROGRAM: Final = """\
import time
before = time.process_time()
import pytest
import _pytest.config, _pytest.main, _pytest.python, _pytest.terminal  # imported by every session
middle = time.process_time()
import {modules}
print(middle - before, time.process_time() - middle)
"""
# The modules that every session imports, and the modules that a session with a case file imports.
_HOOKS: Final = "pytest_crd.plugin"
_CASES: Final = "pytest_crd.plugin, pytest_crd.plugin.items.cases"


def seconds(modules: str, byte_code: str) -> tuple[float, float]:
    """Return the processor times of importing pytest, and of importing *modules* after it."""
    program = [sys.executable, "-c", _PROGRAM.format(modules=modules)]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": byte_code, "PYTHONDONTWRITEBYTECODE": ""}
    process = subprocess.run(program, check=True, capture_output=True, text=True, env=environment)
    pytest, own = map(float, process.stdout.split())
    return pytest, own


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure both sets of modules in turns, and yield the best ratio of each."""
    with tempfile.TemporaryDirectory() as byte_code:
        rounds = [(seconds(_HOOKS, byte_code), seconds(_CASES, byte_code)) for _ in range(_ROUNDS + 1)][1:]
    pytest = min(time for pair in rounds for time, _ in pair)
    for name, index in (("hooks alone", 0), ("what a case file needs", 1)):
        own = min(pair[index][1] for pair in rounds)
        print(f"{name}: {own * 1000:.0f} ms, {own / pytest:.2f} of importing pytest ({pytest * 1000:.0f} ms)")
        yield Figure(name, own / pytest, "importing pytest")
