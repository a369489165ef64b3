"""
Run the same kubectl commands against a whole kube-apiserver and against `pytest-crd serve`, and compare the output.

Times, ages, generated names and other differences between any two servers are replaced.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from oracle import options as shared
from oracle.servers import kubeapiserver, ours
from oracle.servers.ours import Served

CRD: Final[Mapping[str, Any]] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "ovens.kubectl.example.com"},
    "spec": {
        "group": "kubectl.example.com",
        "scope": "Namespaced",
        "names": {
            "plural": "ovens",
            "singular": "oven",
            "kind": "Oven",
            "listKind": "OvenList",
            "shortNames": ["ov"],
            "categories": ["kitchen"],
        },
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                        "labelSelectorPath": ".status.selector",
                    },
                },
                "additionalPrinterColumns": [
                    {"name": "Heat", "type": "integer", "jsonPath": ".spec.heat"},
                    {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas", "priority": 1},
                ],
                "schema": {
                    "openAPIV3Schema": {
                        "description": "An oven.",
                        "type": "object",
                        "properties": {
                            "spec": {
                                "description": "What is wanted.",
                                "type": "object",
                                "required": ["heat"],
                                "properties": {
                                    "heat": {"description": "In degrees.", "type": "integer", "maximum": 300},
                                    "replicas": {"type": "integer", "default": 1},
                                    "trays": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["name"],
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {"name": {"type": "string"}, "of": {"type": "string"}},
                                        },
                                    },
                                },
                            },
                            "status": {
                                "type": "object",
                                "properties": {
                                    "phase": {"type": "string"},
                                    "replicas": {"type": "integer"},
                                    "selector": {"type": "string"},
                                    "conditions": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
                                        },
                                    },
                                },
                            },
                        },
                    }
                },
            }
        ],
    },
}


def _oven(name: str, heat: Any, **spec: Any) -> str:
    metadata = {"name": name, "labels": {"in": "kitchen"}}
    value = {
        "apiVersion": "kubectl.example.com/v1",
        "kind": "Oven",
        "metadata": metadata,
        "spec": {"heat": heat, **spec},
    }
    return json.dumps(value)


_MAP: Final = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "menu"}, "data": {"monday": "soup"}}'
_SHIFT: Final = json.dumps(
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "cooks"},
        "spec": {
            "selector": {"matchLabels": {"app": "cooks"}},
            "template": {
                "metadata": {"labels": {"app": "cooks"}},
                "spec": {"containers": [{"name": "cook", "image": "cook:1"}]},
            },
        },
    }
)
# Commands with their standard input.
COMMANDS: Final[Sequence[tuple[str, str]]] = (
    ("api-resources --api-group kubectl.example.com", ""),
    ("api-versions", ""),
    ("get crd", ""),
    ("get ovens", ""),
    ("create -f -", _oven("a", 180)),
    ("create -f -", _oven("a", 180)),
    ("create -f -", _oven("b", 400)),
    ("create -f -", _oven("b", "hot")),
    ("create -f -", _oven("b", 200, cold=True)),
    ("create --validate=warn -f -", _oven("b", 200, cold=True)),
    ("create --dry-run=server -o yaml -f -", _oven("c", 200)),
    ("get ov", ""),
    ("get kitchen", ""),
    ("get ovens -o wide", ""),
    ("get ovens -o name", ""),
    ("get ovens --no-headers", ""),
    ("get oven a -o yaml", ""),
    ("get ovens -o json", ""),
    ("get ovens -l in=kitchen --show-labels", ""),
    ("get ovens -l in=cellar", ""),
    ("get ovens --field-selector metadata.name=b", ""),
    ("get ovens -o jsonpath={.items[*].spec.heat}", ""),
    ("get ovens --sort-by .spec.heat", ""),
    ("get ovens -o custom-columns=N:.metadata.name,H:.spec.heat", ""),
    ("get ovens -A", ""),
    ("get oven none", ""),
    ("get stoves", ""),
    ("get ovens.v2.kubectl.example.com", ""),
    ("describe oven a", ""),
    ("describe ovens", ""),
    ("explain oven", ""),
    ("explain oven.spec.heat", ""),
    ("explain oven.spec --recursive", ""),
    ("explain oven.spec.none", ""),
    ("apply -f -", _oven("a", 190)),
    ("apply -f -", _oven("a", 190)),
    ("apply -f -", _oven("d", 170, trays=[{"name": "low", "of": "steel"}])),
    ("diff -f -", _oven("d", 175, trays=[{"name": "low", "of": "steel"}])),
    ("apply --server-side -f -", _oven("e", 160)),
    ("apply --server-side -f -", _oven("e", 160)),
    ("apply --server-side --field-manager other -f -", _oven("e", 165)),
    ("apply --server-side --field-manager other --force-conflicts -f -", _oven("e", 165)),
    ("apply --server-side -f -", _oven("d", 180)),
    ('patch oven a --type merge -p {"spec":{"heat":100}}', ""),
    ('patch oven a --type merge -p {"spec":{"heat":100}}', ""),
    ('patch oven a --type json -p [{"op":"replace","path":"/spec/heat","value":110}]', ""),
    ('patch oven a --type json -p [{"op":"remove","path":"/spec/none"}]', ""),
    ('patch oven a --type merge -p {"spec":{"heat":1000}}', ""),
    ('patch oven a -p {"spec":{"heat":120}}', ""),
    (
        'patch oven a --subresource status --type merge -p {"status":{"phase":"Warm","conditions":[{"type":"Ready","status":"True"}]}}',
        "",
    ),
    ("wait oven/a --for jsonpath={.status.phase}=Warm --timeout 5s", ""),
    ("wait oven/a --for condition=Ready --timeout 5s", ""),
    ("wait oven/b --for condition=Ready --timeout 1s", ""),
    ("label oven a floor=2", ""),
    ("label oven a floor=3", ""),
    ("label oven a floor=3 --overwrite", ""),
    ("label oven a floor-", ""),
    ("annotate oven a note=hot", ""),
    ("scale oven a --replicas 3", ""),
    ("scale oven a --replicas 4 --current-replicas 1", ""),
    ("get oven a --subresource scale -o yaml", ""),
    ("replace -f -", _oven("a", 150)),
    ("replace -f -", _oven("none", 150)),
    ("create namespace cellar", ""),
    ("create -n cellar -f -", _oven("a", 140)),
    ("create -n nowhere -f -", _oven("a", 140)),
    ("get ovens -n cellar", ""),
    ("get ovens -A", ""),
    ("get namespaces", ""),
    ("apply -f -", _MAP),
    ("get configmap menu", ""),
    ("get configmap menu -o yaml", ""),
    ("describe configmap menu", ""),
    ("apply --server-side -f -", _SHIFT),
    ("set image deployment/cooks cook=cook:2", ""),
    ("get deployment cooks -o jsonpath={.spec.template.spec.containers[0].image}", ""),
    ("get deployment cooks", ""),
    ("get deployments -o wide", ""),
    ("scale deployment cooks --replicas 2", ""),
    ("get deployments", ""),
    ("run waiter --image waiter:1", ""),
    ("get pods -o wide", ""),
    ("create job once --image cook:1", ""),
    ("get jobs", ""),
    ("create service externalname door --external-name door.example.com", ""),
    ("get service door -o wide", ""),
    ("create secret generic key --from-literal a=b", ""),
    ("get secrets", ""),
    ("create serviceaccount cook", ""),
    ("get serviceaccounts", ""),
    ("get events,leases,statefulsets,persistentvolumeclaims", ""),
    ("delete oven b", ""),
    ("delete oven b", ""),
    ("delete oven b --ignore-not-found", ""),
    ("delete ovens -l in=cellar", ""),
    ("delete ovens --all", ""),
    ("get ovens", ""),
    ("get ovens -n cellar -o name", ""),
    ("delete crd ovens.kubectl.example.com", ""),
    ("get ovens", ""),
)
# Known differences, because few built-in kinds are served here and none is validated or defaulted: see
# `docs/how-to/test-operators.md`.
KNOWN: Final[Mapping[str, str]] = {
    "api-versions": "few built-in groups are served here",
}
_NORMAL: Final[Sequence[tuple[str, str]]] = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"(uid: |\"uid\": \")[0-9a-f-]{36}", r"\1UID"),
    (r"(UID: +)[0-9a-f-]{36}", r"\1UID"),
    (r"(resourceVersion\"?: \"?|Resource Version: +)\d+", r"\1RV"),
    (r"(?m)(\s)(\d+[smh])+(?=\s|$)", r"\1AGE"),
    (r"(?m)^(diff|---|\+\+\+) .*$", r"\1"),
    (r"(?<=[ /])(LIVE|MERGED)-\d+", r"\1"),
)


class Kubectl:
    """kubectl with the kubeconfig of one server."""

    def __init__(self, program: str, served: Served, folder: Path) -> None:
        """Write a kubeconfig to *folder*."""
        folder.mkdir()
        (folder / "config").write_text(json.dumps(ours.kubeconfig(served)), encoding="utf-8")
        self._program = program
        self._environment = {**os.environ, "KUBECONFIG": str(folder / "config"), "HOME": str(folder)}

    def run(self, command: str, sent: str) -> str:
        """Run a command; return exit code and output, with varying texts replaced."""
        process = subprocess.run(
            [self._program, *command.split(" ")],
            input=sent,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        text = f"exit code {process.returncode}\n{process.stdout}{process.stderr}"
        for pattern, replacement in _NORMAL:
            text = re.sub(pattern, replacement, text)
        return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the version and the server."""
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Run the commands; return 1 if the differing commands are not exactly the known ones."""
    program = shutil.which("kubectl")
    if program is None:
        raise shared.UsageError("there is no kubectl")
    with (
        tempfile.TemporaryDirectory() as name,
        ours.serving([CRD]) as served,
        kubeapiserver.at(options.server, options.kubernetes_version) as url,
    ):
        reference = Kubectl(program, Served(url, kubeapiserver.TOKEN), Path(name, "there"))
        reference.run("create -f -", json.dumps(CRD))
        reference.run("wait crd/ovens.kubectl.example.com --for condition=Established --timeout 20s", "")
        own = Kubectl(program, served, Path(name, "here"))
        differing = [*_compare(reference, own)]
    print(f"{len(COMMANDS)} commands, {len(differing)} print something different, {len(KNOWN)} of them are known")
    return int({*differing} != KNOWN.keys())


def _compare(reference: Kubectl, own: Kubectl) -> Iterator[str]:
    """Yield the commands with different output, and print the differences of unknown ones."""
    for command, sent in COMMANDS:
        theirs, ours_ = reference.run(command, sent), own.run(command, sent)
        if theirs == ours_:
            continue
        yield command
        if command not in KNOWN:
            print(f"kubectl {command}")
            lines = difflib.unified_diff(
                theirs.splitlines(), ours_.splitlines(), "kube-apiserver", "pytest-crd", lineterm=""
            )
            print(*(f"  {line}" for line in lines), sep="\n", flush=True)
