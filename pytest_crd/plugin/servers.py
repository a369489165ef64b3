"""Summary of the servers that tests had; the counts travel with the test reports, also from workers of pytest-xdist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

# The properties of a test with counts: objects that its server stored without validation, objects that change the answers of a cluster
# but not of its server, and requests for kinds that only a cluster serves, all by kind; and requests that met a fault, by fault.
UNVALIDATED: Final = "crd_unvalidated"
UNENFORCED: Final = "crd_unenforced"
UNSERVED: Final = "crd_unserved"
FAULTS: Final = "crd_faults"
_LEADS: Final = {
    UNVALIDATED: "stored without validation",
    UNENFORCED: "stored without effect on other requests",
    UNSERVED: "answered with 404 requests for kinds that only a cluster serves",
    FAULTS: "played faults on requests",
}


def summarize(reports: Iterable[Any]) -> list[str]:
    """Return the lines of the summary; empty if no test has such objects or requests."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in _LEADS}
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name in counts and report.when == "call":
                counts[name].update(value)
    return [
        f"crd: crd_server {_LEADS[name]}: {', '.join(f'{count} {kind}' for kind, count in sorted(counter.items()))}"
        for name, counter in counts.items()
        if counter
    ]
