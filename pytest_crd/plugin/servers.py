"""What a session says of the servers that its tests had: it travels with their reports, from the workers of pytest-xdist, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

# The property of a test with how often its server stored an object that it does not validate, by kind.
UNVALIDATED: Final = "crd_unvalidated"


def unvalidated(reports: Iterable[Any]) -> str:
    """Return, in words, how many objects were stored that nobody validates; empty where none was."""
    counts: Counter[str] = Counter()
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == UNVALIDATED and report.when == "call":
                counts.update(value)
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"crd: crd_server stored without defaults or validation: {listed}" if listed else ""
