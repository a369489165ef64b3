"""
Shared bytecode of the processes that tests start.

For the processes that tests start, where the environment asks for no bytecode, it lies in a folder of its own, which goes with the run
that made it; workers of pytest-xdist inherit it. In the tests' own process the plugin under test has its modules as they are compiled.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Final

import pytest

_PREFIX: Final = "PYTHONPYCACHEPREFIX"
_UNWANTED: Final = "PYTHONDONTWRITEBYTECODE"


def pytest_configure(config: pytest.Config) -> None:
    """Let processes share their bytecode until the run ends, unless the environment already does."""
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
