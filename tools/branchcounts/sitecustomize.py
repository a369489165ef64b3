"""Start of the count of branches in a Python process, if `BRANCH_COUNTS` names the folder for the counts; `BRANCH_COUNTS_OF` may name the only modules to count."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if os.environ.get("BRANCH_COUNTS"):
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from branchcounts import counting

    counting.start(Path(os.environ["BRANCH_COUNTS"]), os.environ.get("BRANCH_COUNTS_OF", "").split())
