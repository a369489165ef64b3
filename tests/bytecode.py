"""
Shared bytecode of the processes that tests start.

If PYTHONDONTWRITEBYTECODE is set, these processes would compile the same modules again and again. Therefore they write
bytecode to a temporary folder, which workers of pytest-xdist share and which is removed at the end of the run. The process
of the tests itself still writes no bytecode.
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
