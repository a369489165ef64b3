"""
The calls of Python functions for a write to a server and for a page of a list, beside 1 to 150 CRDs, and for a case of a policy.

They are counted in a warm process: each operation is done twice before it is counted, and the least count of several rounds counts.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Figure
from benchmarks.subjects import BACKUPS, backup
from pytest_crd.cases import loader, objectsources
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.policies import caseserver, policyrunner, policysubjects
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.policies import reading
from pytest_crd.policies.params import NoParams
from pytest_crd.policies.policycontext import PolicyListeners
from pytest_crd.policies.projectadmission import ProjectAdmission, ProjectFacts
from pytest_crd.server.api import Api
from pytest_crd.server.authorization import admissionauthorizer
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

_ONE: Final = "one call"
_NUMBERS: Final = (1, 10, 50, 150)
_PROJECTS: Final = (3, 20, 60)
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_WARM: Final = 2
_PAGE: Final = 20
# A round may include the callbacks of the garbage collector, which are no part of the operation.
_ROUNDS: Final = 4
_MERGE: Final = "application/merge-patch+json"
_JSON: Final = "application/json"
_POLICY: Final = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: daily}}
spec:
  matchConstraints: {{resourceRules: [{{apiGroups: [{group}], apiVersions: [v1], operations: [CREATE], resources: [backups]}}]}}
  validations: [{{expression: "object.spec.schedule == '@daily'", message: once a day}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: daily}}
spec: {{policyName: daily, validationActions: [Deny]}}
"""
_CASES: Final = """
policy: daily
cases:
- name: once an hour
  input: {{apiVersion: {group}/v1, kind: Backup, spec: {{schedule: "@hourly"}}}}
  denied: [{{by: daily, message: once a day}}]
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the numbers of CRDs."""
    parser.add_argument("--crds", nargs="*", type=int, default=_NUMBERS, help="numbers of CRDs on the server of writes")
    parser.add_argument("--projects", nargs="*", type=int, default=_PROJECTS, help="numbers of CRDs beside a policy")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Count the calls of writes, then those of cases."""
    manifests = _make_crds(max(*options.crds, *options.projects))
    for number in options.crds:
        yield from _report(f"beside {number} CRDs", _count_writes(manifests[:number]))
    for number in options.projects:
        yield from _report(f"in a project of {number} CRDs", _count_case(manifests[:number]))


def _report(where: str, counts: Iterator[tuple[str, int]]) -> Iterator[Figure]:
    for title, calls in counts:
        print(f"{title} {where}: {calls:,} calls", flush=True)
        yield Figure(f"{title} {where}", calls, _ONE, is_counted=True)


def _make_crds(number: int) -> list[Any]:
    """Return the example project's CRD, and copies with other names in the same group."""
    [document] = yamlreader.read(BACKUPS.read_text(encoding="utf-8"), source=BACKUPS.name)
    backups: Any = document.value
    return [backups, *(_rename(backups, index) for index in range(1, number))]


def _rename(backups: Any, index: int) -> Any:
    plural, spec = f"backup{index}s", backups["spec"]
    names = {"kind": f"Backup{index}", "listKind": f"Backup{index}List", "plural": plural, "singular": f"backup{index}"}
    return {**backups, "metadata": {"name": f"{plural}.{spec['group']}"}, "spec": {**spec, "names": names}}


def _count_writes(manifests: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """Yield the title and the calls of each write."""
    api = Api([CustomResourceDefinition.from_manifest(item) for item in manifests])
    api.store.clock.freeze()  # times of field managers differ in each round
    group, name = manifests[0]["spec"]["group"], manifests[0]["metadata"]["name"]
    path = f"/apis/{group}/v1/namespaces/default/backups"
    _send(api, "POST", path, {**backup(group), "spec": {"schedule": "@daily"}})

    def patch(turn: int) -> HTTPAnswer:
        return _send(api, "PATCH", f"{path}/nightly", {"spec": {"schedule": f"{turn} 1 * * *"}}, _MERGE)

    def create(turn: int) -> HTTPAnswer:
        return _send(api, "POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": f"c{turn}"}})

    def read(turn: int) -> Any:
        """Return the CRD as a client has read and changed it, which is no part of the write."""
        stored: Any = copy.deepcopy(api.answer(HTTPRequest("GET", f"{_DEFINITIONS}/{name}", {})).value)  # type: ignore[union-attr]
        stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = str(turn)
        return stored

    def update(_turn: int, crd: Any) -> HTTPAnswer:
        return _send(api, "PUT", f"{_DEFINITIONS}/{name}", crd)

    def fill(turn: int) -> str:
        """Return the path of a namespace with objects that nothing has read since they were written."""
        _send(api, "POST", "/api/v1/namespaces", {"metadata": {"name": f"n{turn}"}})
        for number in range(_PAGE):
            job = {**backup(group), "metadata": {"name": f"b{number}"}, "spec": {"schedule": "@daily"}}
            _send(api, "POST", path.replace("/default/", f"/n{turn}/"), job)
        return path.replace("/default/", f"/n{turn}/")

    def list_page(_turn: int, filled: str) -> object:
        return api.answer(HTTPRequest("GET", f"{filled}?limit={_PAGE}", {}))

    yield "PATCH of a custom resource", _count(patch)
    yield "POST of a ConfigMap", _count(create)
    yield "PUT of a CRD", _count(update, read)
    yield f"a page of {_PAGE} custom resources", _count(list_page, fill)


def _send(api: Api, method: str, path: str, body: Any, media_type: str = _JSON) -> HTTPAnswer:
    api.store.clock.advance(1)
    answer = api.answer(HTTPRequest(method, path, {"content-type": media_type}, json.dumps(body).encode()))
    if not isinstance(answer, HTTPAnswer) or answer.code not in (200, 201):
        raise RuntimeError(f"{method} {path}: {answer}")
    return answer


def _count_case(manifests: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """Yield the calls of a case of a policy, and those of the server that it opens."""
    group = manifests[0]["spec"]["group"]
    (case_file,) = loader.load(_CASES.format(group=group), source="cases.yaml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.joinpath("crds.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))
        catalog = Catalog(
            Sources(folder, ("crds.json",), folder=folder), profile.DEFAULT, find_webhooks=lambda _: _admission(group)
        )
        subject = policysubjects.find(case_file, catalog)
    case = objectsources.resolve(case_file.cases[0], Path())
    if not isinstance(case, PolicyCase):
        raise TypeError(case)

    def run(_turn: int) -> None:
        if not policyrunner.run(case, subject).holds:
            raise RuntimeError("the case does not hold")

    yield "a case of a policy", _count(run)
    yield "the server of a case", _count(lambda _turn: caseserver.open_server(case, subject))


def _admission(group: str) -> ProjectAdmission:
    manifests = tuple(manifest.read(_POLICY.format(group=group).encode(), source="policies.yaml"))
    facts = ProjectFacts(
        lambda named: reading.read(manifests, named),
        PolicyListeners(),
        lambda *_: NoParams(),
        admissionauthorizer.is_granted,
    )
    return ProjectAdmission(facts)


def _count(operation: Callable[..., object], prepare: Callable[[int], object] | None = None) -> int:
    """Return the least number of calls of Python functions in a round of an operation, which gets the number of the round, and an input."""
    for turn in range(_WARM):
        operation(turn, *_prepared(prepare, turn))
    rounds = range(_WARM, _WARM + _ROUNDS)
    return min(_count_round(operation, turn, *_prepared(prepare, turn)) for turn in rounds)


def _prepared(prepare: Callable[[int], object] | None, turn: int) -> tuple[object, ...]:
    return () if prepare is None else (prepare(turn),)


def _count_round(operation: Callable[..., object], *arguments: object) -> int:
    calls = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(note)
    try:
        operation(*arguments)
    finally:
        sys.setprofile(None)
    return calls
