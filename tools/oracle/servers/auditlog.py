"""Audit annotations of a kube-apiserver, from its audit log."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

# The loopback client of the server sends many requests.
_POLICY: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived", "ResponseStarted"],
    "rules": [{"level": "None", "users": ["system:apiserver"]}, {"level": "Metadata"}],
}
_PATIENCE: Final = 10.0
_LAST_STAGES: Final = frozenset({"ResponseComplete", "Panic"})


class AuditLog:
    """The audit log of a server that has been started with its flags."""

    def __init__(self, folder: Path) -> None:
        """Write the audit policy into a folder, where the server writes its log."""
        self._path = folder / "audit.log"
        self._policy = folder / "audit-policy.json"
        self._policy.write_text(json.dumps(_POLICY), encoding="utf-8")
        self._annotations: dict[str, Mapping[str, str]] = {}
        self._offset = 0
        self._lock = threading.Lock()

    @property
    def flags(self) -> Sequence[str]:
        """The flags of the server."""
        return (f"--audit-log-path={self._path}", f"--audit-policy-file={self._policy}")

    def find_annotations(self, audit_ids: Sequence[str]) -> list[Mapping[str, str]]:
        """
        Return the annotations of requests by their headers `Audit-Id`; an empty id has none.

        Raises:
            RuntimeError: The log has no entry for a request after some seconds.
        """
        until = time.monotonic() + _PATIENCE
        missing = {id_ for id_ in audit_ids if id_}
        while missing:
            self._read()
            missing -= self._annotations.keys()
            if missing and time.monotonic() > until:
                numbers = [number for number, id_ in enumerate(audit_ids) if id_ in missing]
                raise RuntimeError(f"no entry in the audit log for requests {numbers}")
            time.sleep(0.1 if missing else 0)
        return [self._annotations[id_] if id_ else {} for id_ in audit_ids]

    def _read(self) -> None:
        """Read the entries since the last call, up to the end of a line."""
        with self._lock:
            with self._path.open("rb") as log:
                log.seek(self._offset)
                content = log.read()
            complete = content[: content.rfind(b"\n") + 1]
            self._offset += len(complete)
            for line in complete.splitlines():
                event = json.loads(line)
                if event["stage"] in _LAST_STAGES:
                    self._annotations[event["auditID"]] = event.get("annotations", {})
