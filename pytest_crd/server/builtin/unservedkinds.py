"""
Built-in kinds of kube-apiserver that this server answers with 404, so that reports can name them.

Only stable versions are listed: a cluster serves others only if configured to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.server.builtin.builtinkinds import BuiltInRecord
from pytest_crd.server.http.requestinfo import RequestInfo

# Kinds by group version and plural.
KINDS: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("", "v1"): {
        "componentstatuses": "ComponentStatus",
    },
}


def is_unserved(record: BuiltInRecord) -> bool:
    """Return whether this server lacks a recorded kind."""
    return record.plural in KINDS.get((record.group, record.version), {})


def find_kind(info: RequestInfo | None) -> str:
    """Return the kind of a request if a cluster serves it; empty if not."""
    return "" if info is None else KINDS.get((info.group, info.version), {}).get(info.resource, "")
