"""
CRDs and ValidatingAdmissionPolicies, and the type warnings that kube-controller-manager writes.

`typechecking.yaml` declares them; `typechecking.jsonl` has the name of each policy with its `expressionWarnings`. Random numbers
at the end of the names of types are `0`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

_FOLDER: Final = Path(__file__).parent
TABLE: Final = _FOLDER / "typechecking.jsonl"
VERSION: Final = "1.37"
GROUP: Final = "typecheck.example.com"
API_VERSION: Final = "admissionregistration.k8s.io/v1"
_UNIQUE: Final = re.compile(r"\b(Gadget|Limit)\d+")


def crds() -> list[dict[str, Any]]:
    """Return the CRDs."""
    return [_crd(value) for value in _declared()["crds"]]


def policies() -> list[dict[str, Any]]:
    """Return the policies; their names are the declared names with dashes."""
    return [_policy(value) for value in _declared()["policies"]]


def masked(warnings: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """Return the path and the text of each warning without random numbers."""
    return [[item["fieldRef"], _UNIQUE.sub(r"\g<1>0", item["warning"])] for item in warnings]


def recorded() -> dict[str, list[list[str]]]:
    """Return the warnings by the names of policies."""
    lines = map(json.loads, TABLE.read_text(encoding="utf-8").splitlines())
    return {line["name"]: line["warnings"] for line in lines}


def _declared() -> Any:
    text = (_FOLDER / "typechecking.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text.replace("{group}", GROUP))


def _crd(value: Mapping[str, Any]) -> dict[str, Any]:
    versions = [
        {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}}
        for name, schema in value["versions"].items()
    ]
    plural, kind = value["name"], value["kind"]
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": value["scope"], "names": names, "versions": versions},
    }


def _policy(value: Mapping[str, Any]) -> dict[str, Any]:
    own = [{"apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["gadgets"]}]
    validations = [{"expression": text} for text in value.get("expressions", ())]
    validations += [{"expression": "true", "messageExpression": text} for text in value.get("messages", ())]
    spec = {
        "matchConstraints": {"resourceRules": value.get("rules", own)},
        "validations": validations,
        **{key: value[key] for key in ("variables", "paramKind") if value.get(key)},
    }
    name = value["name"].lower().replace(" ", "-")
    return {"apiVersion": API_VERSION, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name}, "spec": spec}
