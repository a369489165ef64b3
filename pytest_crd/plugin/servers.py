"""Summary of the servers that tests had; the counts travel with the test reports, also from workers of pytest-xdist."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.wording import counted

# The properties of a test with counts: objects that its server stored without validation, objects that change the answers of a cluster
# but not of its server, and requests for kinds that only a cluster serves, all by kind; requests that met a fault, by fault; requests
# that no role allowed; and objects with a simulated status, by kind.
UNVALIDATED: Final = "crd_unvalidated"
UNENFORCED: Final = "crd_unenforced"
UNSERVED: Final = "crd_unserved"
FAULTS: Final = "crd_faults"
FORBIDDEN: Final = "crd_forbidden"
SIMULATED: Final = "crd_simulated"
# The property with the parts of rules, as `InstalledRoles.count_needs` returns them.
NEEDS: Final = "crd_needs"
_LEADS: Final = {
    UNVALIDATED: "stored without validation",
    UNENFORCED: "stored without effect on other requests",
    UNSERVED: "answered with 404 requests for kinds that only a cluster serves",
    FAULTS: "played faults on requests",
    FORBIDDEN: "refused requests that no role allows",
    SIMULATED: "simulated the status, as nothing runs",
}


def summarize(reports: Iterable[Any]) -> list[str]:
    """Return the lines of the summary of reports with properties; empty if no test has such objects or requests."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in _LEADS}
    needs: dict[str, bool] = {}
    for report in reports:
        for name, value in report.user_properties:
            if name in counts and report.when == "call":
                counts[name].update(value)
            elif name == NEEDS and report.when == "call":
                needs |= {key: needs.get(key, False) or is_needed for key, is_needed in value.items()}
    lines = [
        f"crd: crd_server {_LEADS[name]}: {', '.join(f'{count} {kind}' for kind, count in sorted(counter.items()))}"
        for name, counter in counts.items()
        if counter
    ]
    return [*lines, *_describe_needs(needs)]


def _describe_needs(needs: Mapping[str, bool]) -> Iterator[str]:
    """Yield lines about the rules that no request of a test needed."""
    idle: dict[tuple[str, str], dict[str, list[str]]] = {}
    for key in (key for key, is_needed in needs.items() if not is_needed):
        place, role, verb, target = json.loads(key)
        idle.setdefault((place, role), {}).setdefault(target, []).append(verb)
    if not idle:
        return
    count = sum(not is_needed for is_needed in needs.values())
    yield f"crd: crd_server_rbac: no request needed {count} of {counted(len(needs), 'permission')}"
    for (place, role), verbs in sorted(idle.items()):
        described = "; ".join(f"{', '.join(names)} {target}" for target, names in verbs.items())
        yield f"  {place}: {role}: {described}"
