"""Sessions of pytest that commands start in this process."""

from __future__ import annotations

import functools
import gc
import sys
from typing import Final

import pytest
from _pytest.fixtures import FixtureManager  # nothing public

# Plugins of pytest that no command needs. Two of them collect garbage several times at the end of a session.
_UNUSED: Final = (
    "faulthandler",
    "legacypath",
    "pastebin",
    "setuponly",
    "setupplan",
    "threadexception",
    "unraisableexception",
)


@pytest.fixture
def sessions_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the variables that commands set for pytest, and leave out the slowest parts of a session."""
    from support import sessions

    for name in ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_PLUGINS"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in _UNUSED))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(gc, "get_freeze_count", sessions.count_frozen)
    monkeypatch.setattr(FixtureManager, "parsefactories", sessions._parse_known_fixtures)
    # Python's style of a traceback needs no source of whole functions.
    getrepr = functools.partialmethod(pytest.ExceptionInfo.getrepr, style="native")
    monkeypatch.setattr(pytest.ExceptionInfo, "getrepr", getrepr)
