"""Tracebacks of mistakes in tests: they end at the line of the test."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

import pytest_crd

_PACKAGE: Final = Path(pytest_crd.__file__).parent


def shorten(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """
    Remove the frames of the package from the end of a traceback if its exception is one of the package's own.

    Such an exception tells a mistake in a call of the API, a mistake in a file, or a refusal. Any other exception is a bug of the
    package and keeps all frames, and so does an exception without a frame of the project.
    """
    if not type(excinfo.value).__module__.startswith(f"{pytest_crd.__name__}."):
        return
    last, entry = None, excinfo.value.__traceback__
    while entry is not None:
        if _PACKAGE not in Path(entry.tb_frame.f_code.co_filename).parents:
            last = entry
        entry = entry.tb_next
    if last is not None and last.tb_next is not None:
        last.tb_next = None
        excinfo.traceback = type(excinfo.traceback)(excinfo.tb)  # pytest may have read it before
