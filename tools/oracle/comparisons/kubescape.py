"""
Replay the tests of kubescape's cel-admission-library: ValidatingAdmissionPolicies with objects that they deny or let pass.

The folder is a checkout of github.com/kubescape/cel-admission-library. Each `controls/NAME` has a policy, and tests in
`tests.json`: an object in `test-resources` with changed fields, and the verdict that the authors expect of a cluster.
Our server takes the policy, a binding, a param and the object in a dry run.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from oracle import options as shared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

_NAMESPACE: Final = "test-namespace"
_CREATED: Final = 201
_INDEX: Final = re.compile(r"\[(\d+)\]")


class Case(NamedTuple):
    """
    A test of a control.

    Attributes:
        name: The name of the control and of the test.
        policy: The policy.
        binding: The binding.
        param: The param.
        object: The object to create.
        expected: `pass`, `fail` or `warn`.
    """

    name: str
    policy: JSONValue
    binding: JSONValue
    param: JSONValue
    object: JSONValue
    expected: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the version."""
    parser.add_argument("--folder", type=Path, required=True, help="a checkout of the library")
    shared.add_version(parser, choices=None)


def main(options: argparse.Namespace) -> int:
    """Print the number of cases, and those with another verdict; return 1 if there are any."""
    crd = _load(options.folder / "configuration" / "policy-configuration-definition.yaml")
    counts: Counter[str] = Counter()
    for path in sorted(options.folder.glob("controls/*/tests.json")):
        for case in cases(path, options.folder):
            counts["cases"] += 1
            verdict, message = judge(case, crd, options.kubernetes_version)
            counts["replayed"] += verdict != "error"
            counts["agreeing"] += verdict == case.expected
            if verdict != case.expected:
                print(f"{case.name}: {verdict} instead of {case.expected}: {message}")
    print(", ".join(f"{counts[name]} {name}" for name in ("cases", "replayed", "agreeing")))
    return int(counts["agreeing"] != counts["cases"])


def cases(path: Path, folder: Path) -> Iterator[Case]:
    """Yield the cases of a file of tests."""
    policy = _load(path.with_name("policy.yaml"))
    name = policy["metadata"]["name"]
    for test in json.loads(path.read_text(encoding="utf-8")):
        binding = _resource(folder, test.get("binding_template", "policy-binding.yaml"))
        binding["metadata"]["name"], binding["spec"]["policyName"] = f"{name}-binding", name
        binding["spec"].setdefault("paramRef", {})["name"] = f"{name}-params"
        param = _resource(folder, test.get("param_template", "default-control-configuration.yaml"))
        param["metadata"]["name"] = f"{name}-params"
        object_ = _resource(folder, test["template"])
        for change in test.get("field_change_list", ()):
            field, _, value = change.partition("=")
            put(object_, field.split("."), _value(value))
        yield Case(f"{path.parent.name}: {test['name']}", policy, binding, param, object_, test["expected"])


def put(container: Any, steps: Sequence[str], value: JSONValue) -> None:
    """Set a value at a path of names and of indices such as `[0]`; missing containers are created."""
    for step, following in itertools.pairwise(steps):
        key = _grow(container, step)
        content = container[key] if isinstance(container, list) else container.get(key)
        if content is None:
            content = container[key] = [] if _INDEX.fullmatch(following) else {}
        container = content
    container[_grow(container, steps[-1])] = value


def _grow(container: Any, step: str) -> Any:
    """Return the key of a step; a list gets nulls up to its index."""
    index = _INDEX.fullmatch(step)
    if index is None:
        return step
    container += [None] * (int(index[1]) + 1 - len(container))
    return int(index[1])


def judge(case: Case, crd: JSONValue, version: str) -> tuple[str, str]:
    """Return our verdict and its reason: `pass`, `fail`, `warn`, or `error` if another part of the server refuses the request."""
    api = Api(kubernetes_version=version)
    send = _sender(api)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}}
    for manifest in (namespace, crd, case.param, case.policy, case.binding):
        answer = send(manifest, "")
        if answer.code != _CREATED:
            return "error", answer.body.decode()
    answer = send(case.object, "?dryRun=All")
    name = case.policy["metadata"]["name"]
    if answer.code == _CREATED:
        warnings = [text for text in answer.warnings if name in text]
        return ("warn", warnings[0]) if warnings else ("pass", "")
    message = answer.body.decode()
    return ("fail" if name in message else "error"), message


def _sender(api: Api) -> Callable[[JSONValue, str], HTTPAnswer]:
    """Return a function that creates an object with a query."""

    def send(manifest: Mapping[str, Any], query: str) -> HTTPAnswer:
        group, _, version = manifest["apiVersion"].rpartition("/")
        (type_,) = (
            each
            for each in api.catalog.types()
            if (each.group, each.version, each.names.kind) == (group, version, manifest["kind"])
        )
        prefix = f"/apis/{group}" if group else "/api"
        namespace = manifest["metadata"].get("namespace", "default")
        place = f"namespaces/{namespace}/" if type_.is_namespaced else ""
        path = f"{prefix}/{version}/{place}{type_.names.plural}{query}"
        body = json.dumps(manifest).encode()
        answer = api.answer(HTTPRequest("POST", path, {"content-type": "application/json"}, body))
        assert isinstance(answer, HTTPAnswer)
        return answer

    return send


def _resource(folder: Path, name: str) -> Any:
    return copy.deepcopy(_load(folder / "test-resources" / name))


def _load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe one


def _value(text: str) -> JSONValue:
    try:
        return json.loads(text)
    except ValueError:
        return text
