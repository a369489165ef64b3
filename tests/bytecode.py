"""
Shared bytecode of workers of pytest-xdist, and of the processes that tests start.

If PYTHONDONTWRITEBYTECODE is set, these processes would compile the same modules again and again. Therefore they write
bytecode to a temporary folder, which workers of pytest-xdist share and which is removed at the end of the run. The process
of the tests itself still writes no bytecode.

Each worker imports all test modules. In a new checkout each would rewrite the assertions of all. Therefore each first rewrites its share.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.assertion import rewrite  # nothing public writes rewritten modules without running them

_PREFIX: Final = "PYTHONPYCACHEPREFIX"
_UNWANTED: Final = "PYTHONDONTWRITEBYTECODE"


def pytest_configure(config: pytest.Config) -> None:
    """Let processes share bytecode until the run ends; do nothing if the environment allows bytecode, or in a worker."""
    if not os.environ.get(_UNWANTED) or hasattr(config, "workerinput"):
        return
    folder = tempfile.mkdtemp(prefix="pytest-crd-bytecode-")
    before = {name: os.environ.get(name) for name in (_PREFIX, _UNWANTED)}
    os.environ[_PREFIX] = folder
    del os.environ[_UNWANTED]

    def restore() -> None:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(folder, ignore_errors=True)

    config.add_cleanup(restore)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Rewrite this worker's share of the test modules; do nothing in a run without workers, or if bytecode is not wanted."""
    worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if worker and not sys.dont_write_bytecode:
        modules = sorted(set(_test_modules(session.config)))
        for module in modules[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            _rewrite(module, session.config)


def _test_modules(config: pytest.Config) -> Iterator[Path]:
    """Yield the test modules of the folders that the command line or the settings name."""
    for argument in config.args:
        yield from (config.invocation_params.dir / argument).rglob("test_*.py")


def _rewrite(module: Path, config: pytest.Config) -> None:
    """Write the bytecode of *module* with rewritten assertions, unless it is there; leave mistakes to the collector."""
    folder = rewrite.get_cache_dir(module)
    file = folder / f"{module.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(module, file) is None and rewrite.try_makedirs(folder):
        with contextlib.suppress(SyntaxError, UnicodeError):
            source, code = rewrite._rewrite_test(module, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, file)
