"""
Record the answers of kube-apiservers to valid and invalid admission policies and bindings: tests/conformance/policyobjects.jsonl.

MutatingAdmissionPolicies are `v1beta1` in Kubernetes 1.34, and need its feature gate.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any, Final

from conformance import policyobjects
from conformance.policyobjects import TABLE, VERSIONS, Case

from oracle.recorders import files
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster

_FLAGS: Final[Mapping[str, tuple[str, ...]]] = {
    "1.34": (
        "--feature-gates=MutatingAdmissionPolicy=true",
        "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
    )
}


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the table; return 1 if a check finds a difference."""
    cases = policyobjects.cases()
    answers = {version: _record(version, cases) for version in VERSIONS}
    newest, *older = VERSIONS
    lines = []
    for case in cases:
        row = {"name": case.name, newest: answers[newest][case.name]}
        row |= {version: answers[version][case.name] for version in older if answers[version][case.name] != row[newest]}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    changed = files.keep(TABLE, "".join(lines), check=options.check)
    return files.outcome(int(changed), check=options.check)


def _record(version: str, cases: list[Case]) -> dict[str, Any]:
    with kubeapiserver.started(version, _FLAGS.get(version, ())) as url:
        send = Cluster(url, kubeapiserver.TOKEN).sender()
        return {case.name: policyobjects.ask(send, case, version) for case in cases}
