"""What a session says of the servers that its tests had: it travels with their reports, from the workers of pytest-xdist, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

# The properties of a test with the objects that its server stored without validation, and the requests for kinds that only a cluster
# serves: counts by kind.
UNVALIDATED: Final = "crd_unvalidated"
UNSERVED: Final = "crd_unserved"
_LEADS: Final = {
    UNVALIDATED: "stored without defaults or validation",
    UNSERVED: "answered with 404 requests for kinds that only a cluster serves",
}


def summarize(reports: Iterable[Any]) -> list[str]:
    """Return the lines of the summary about the servers of all tests; empty without such objects and requests."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in _LEADS}
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name in counts and report.when == "call":
                counts[name].update(value)
    return [
        f"crd: crd_server {_LEADS[name]}: {', '.join(f'{count} {kind}' for kind, count in sorted(found.items()))}"
        for name, found in counts.items()
        if found
    ]
