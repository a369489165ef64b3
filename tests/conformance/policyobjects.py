"""
Policies and bindings that are created and updated, and the answers of servers.

`policyobjects.yaml` declares the cases; `policyobjects.jsonl` has a line for each: its `name`, and the answer by Kubernetes
version. A version with the answer of the newest one has none of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from conformance import exchanges
from conformance.exchanges import Request
from pytest_crd.policies.definitions import GROUP, MUTATING, MUTATING_BINDING, VALIDATING, VALIDATING_BINDING

_FOLDER: Final = Path(__file__).parent
TABLE: Final = _FOLDER / "policyobjects.jsonl"
# The newest first.
VERSIONS: Final = ("1.37", "1.34")
_GENERATED: Final = re.compile(r"gen-[a-z0-9]{5}")
_LONG: Final = 6000
_MANY: Final = 65
_KINDS: Final = {"V": VALIDATING, "M": MUTATING, "VB": VALIDATING_BINDING, "MB": MUTATING_BINDING}
PLURALS: Final = {
    VALIDATING: "validatingadmissionpolicies",
    MUTATING: "mutatingadmissionpolicies",
    VALIDATING_BINDING: "validatingadmissionpolicybindings",
    MUTATING_BINDING: "mutatingadmissionpolicybindings",
}
_CONSTRAINTS: Final = {
    "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
}
_SPECS: Final[Mapping[str, Any]] = {
    VALIDATING: {"matchConstraints": _CONSTRAINTS, "validations": [{"expression": "true"}]},
    MUTATING: {
        "matchConstraints": _CONSTRAINTS,
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}],
        "reinvocationPolicy": "Never",
    },
    VALIDATING_BINDING: {"policyName": "none", "validationActions": ["Deny"]},
    MUTATING_BINDING: {"policyName": "none"},
}


class Case(NamedTuple):
    """
    A policy or binding that is created, or that replaces another one.

    Attributes:
        name: The name of the case.
        kind: The kind of the object.
        new: The sent object, without its version.
        old: The stored object that it replaces; None for a new object.
    """

    name: str
    kind: str
    new: Mapping[str, Any]
    old: Mapping[str, Any] | None

    def api_version(self, version: str) -> str:
        """Return the newest API version of its kind in a Kubernetes version."""
        return f"{GROUP}/{'v1beta1' if version == '1.34' and self.kind in (MUTATING, MUTATING_BINDING) else 'v1'}"


def cases() -> list[Case]:
    """Return the declared cases."""
    declared = exchanges.load_yaml((_FOLDER / "policyobjects.yaml").read_text(encoding="utf-8"))
    return [_case(value) for value in declared]


def _case(value: Mapping[str, Any]) -> Case:
    kind = _KINDS[value["kind"]]
    old = None if "old" not in value else _object(kind, value["old"], {})
    new = _object(kind, value.get("spec") or {}, value.get("metadata") or {})
    return Case(value["name"], kind, {**new, **({"status": value["status"]} if "status" in value else {})}, old)


def _object(kind: str, patch: Any, metadata: Mapping[str, Any]) -> dict[str, Any]:
    named = _merged({"name": "probe"}, _filled(metadata))
    return {"kind": kind, "metadata": named, "spec": _merged(_SPECS[kind], _filled(patch))}


def _merged(value: Any, patch: Any) -> Any:
    """Return *value* with a merge patch."""
    if not isinstance(patch, dict):
        return patch
    merged = {**value} if isinstance(value, dict) else {}
    for key, item in patch.items():
        if item is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), item)
    return merged


def _filled(value: Any) -> Any:
    """Return a value with long texts and lists for `LONG` and `MANY`."""
    if isinstance(value, dict):
        return {key: _many(key) if item == "MANY" else _filled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    if value == "LONGNAME":
        return ".".join(["a" * 60] * 4)
    return f"'{'x' * _LONG}'" if value == "LONG" else value


def _many(field: str) -> list[Any]:
    if field == "auditAnnotations":
        return [{"key": f"a{number}", "valueExpression": "'x'"} for number in range(21)]
    return [{"name": f"a{number}", "expression": "true"} for number in range(_MANY)]


def answer(code: int, body: Any, warnings: list[str]) -> dict[str, Any]:
    """Return the recorded form of an answer: code, errors or message or spec, and warnings."""
    recorded: dict[str, Any] = {"code": code}
    causes = (body.get("details") or {}).get("causes")
    if causes:
        recorded["errors"] = [
            _GENERATED.sub("gen-xxxxx", f"{cause.get('field')}: {cause['message']}") for cause in causes
        ]
    elif code >= 400:
        recorded["message"] = body["message"]
    else:
        recorded["generation"] = body["metadata"]["generation"]
        recorded["spec"] = body.get("spec")
        recorded |= {"status": body["status"]} if body.get("status") else {}
    return recorded | ({"warnings": warnings} if warnings else {})


def ask(send: Callable[[Request], Any], case: Case, version: str) -> dict[str, Any]:
    """
    Return the answer to the create or the update of a case, and delete the object.

    Raises:
        RuntimeError: The object before the update is refused.
    """
    folder = f"/apis/{case.api_version(version)}/{PLURALS[case.kind]}"
    new = {"apiVersion": case.api_version(version), **case.new}
    path = folder
    if case.old is not None:
        created = send({"method": "POST", "path": folder, "body": {"apiVersion": new["apiVersion"], **case.old}})
        if created.code != 201:
            raise RuntimeError(f"{case.name}: {created.text}")
        stored = json.loads(created.text)["metadata"]
        new["metadata"] = {**new["metadata"], "resourceVersion": stored["resourceVersion"]}
        path = f"{folder}/{stored['name']}"
    method = "POST" if case.old is None else "PUT"
    raw = send({"method": method, "path": path, "body": new})
    body = json.loads(raw.text)
    name = (body.get("metadata") or {}).get("name") or case.new["metadata"].get("name")
    send({"method": "DELETE", "path": f"{folder}/{name}"})
    return answer(raw.code, body, list(raw.headers.get("warning", ())))


def recorded() -> Iterator[tuple[str, Case, Mapping[str, Any]]]:
    """Yield the Kubernetes version, the case and the answer for all cases."""
    lines = {line["name"]: line for line in map(json.loads, TABLE.read_text(encoding="utf-8").splitlines())}
    for case in cases():
        for version in VERSIONS:
            yield version, case, lines[case.name].get(version) or lines[case.name][VERSIONS[0]]
