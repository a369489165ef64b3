"""Record the type warnings of kube-controller-manager about admission policies: tests/conformance/typechecking.jsonl."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Final

from conformance import typechecking
from conformance.typechecking import API_VERSION, TABLE, VERSION

from oracle.recorders import files
from oracle.servers import controllermanager, kubeapiserver
from oracle.servers.dialogue import Cluster

_POLICIES: Final = f"/apis/{API_VERSION}/validatingadmissionpolicies"
_PATIENCE: Final = 60.0


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the table; return 1 if a check finds a difference."""
    with kubeapiserver.started(VERSION) as url, controllermanager.running(VERSION, url, kubeapiserver.TOKEN):
        cluster = Cluster(url, kubeapiserver.TOKEN)
        cluster.install(typechecking.crds())
        rows = [_record(cluster, policy) for policy in typechecking.policies()]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    changed = files.keep(TABLE, text, check=options.check)
    return files.outcome(int(changed), check=options.check)


def _record(cluster: Cluster, policy: Any) -> dict[str, Any]:
    """
    Return the warnings about a policy.

    Raises:
        RuntimeError: The policy is refused, or its status stays empty.
    """
    code, text = cluster.request("POST", _POLICIES, policy)
    if code != 201:
        raise RuntimeError(text)
    name, until = policy["metadata"]["name"], time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        status = json.loads(cluster.request("GET", f"{_POLICIES}/{name}")[1]).get("status") or {}
        if status.get("observedGeneration"):
            warnings = (status.get("typeChecking") or {}).get("expressionWarnings") or []
            return {"name": name, "warnings": typechecking.masked(warnings)}
        time.sleep(0.2)
    raise RuntimeError(f"{name} has no status")
