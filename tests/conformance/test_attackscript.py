"""Conversations with a server that were written to find differences: the program in the folder that CRD_ATTACKS names plays them here."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ATTACKS: Final = os.environ.get("CRD_ATTACKS", "")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not ATTACKS, reason="CRD_ATTACKS names no folder with conversations"),
]
_METHOD: Final = "the HTTP library refuses methods that HTTP does not define, and CONNECT"
_DEPTH: Final = "objects nested more than 256 levels deep are refused"
_CLOCK: Final = "the age of an object that is six years old: the recording is of another day"
# Requests with another answer than the recorded one, and the reason; docs/how-to/test-operators.md tells users.
DIFFERENT: Final = {
    "table types #2": _CLOCK,
    "table types #3": _CLOCK,
    "paths #47": _METHOD,
    "paths #51": _METHOD,
    "paths #52": _METHOD,
    "versions that are deprecated #17": _METHOD,
    "versions that are deprecated #35": _METHOD,
    "sizes #16": _DEPTH,
    "sizes #17": _DEPTH,
    "sizes #20": _DEPTH,
}


@pytest.mark.session
def test_answers_differ_from_recorded_ones_only_as_listed(tmp_path: Path) -> None:
    serve = shlex.join([sys.executable, "-m", "pytest_crd", "serve"])
    recording = Path(ATTACKS, "conversations-1.37.json.gz")
    program = [sys.executable, str(Path(ATTACKS, "conversations.py"))]
    run = subprocess.run(
        [*program, "check", str(recording), "--verbose", "--limit", "0", "--serve", serve],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
    )

    assert "62 conversations" in run.stdout, run.stdout + run.stderr
    assert {*re.findall(r"^([a-zA-Z ]+ #\d+): ", run.stdout, re.MULTILINE)} == DIFFERENT.keys()
