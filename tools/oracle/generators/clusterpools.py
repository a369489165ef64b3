"""Values of fields of kinds that operators write besides workloads: storage, scheduling, networking, autoscaling, policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oracle.generators.validatedkinds import ABSENT, Kind

KINDS: Final[Mapping[str, Kind]] = {
    "scheduling.k8s.io/v1 PriorityClass": Kind(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        {"value": 10},
        {
            "value": (0, -1, 10, 11, 1000000000, 1000000001, 2000000000, 2000001000, 2147483647, ABSENT),
            "preemptionPolicy": ("Never", "PreemptLowerPriority", "", "Other", "<b>", None, ABSENT),
            "globalDefault": (True, False),
            "description": ("", "text"),
            "metadata.name": ("system-node-critical", "system-cluster-critical", "system-a"),
        },
        is_dry=True,
        mutated=0.3,
    ),
}
