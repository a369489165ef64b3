"""
The time of a create that ten admission policies see, relative to the same create without policies.

Eight policies validate, with variables, a param and message expressions; two mutate. `--kube-apiserver` sends the same create with
the same policies to a kube-apiserver, as a dry run.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Iterator
from typing import Any, Final

from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.ours import Client, Served

from benchmarks import peers
from benchmarks.figures import Figure
from benchmarks.subjects import BACKUPS, backup
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.policies import definitions, invocations
from pytest_crd.policies.invocations import PolicySet
from pytest_crd.policies.policycontext import PolicyListeners
from pytest_crd.policies.projectadmission import ProjectAdmission, ProjectFacts, ProjectPolicies
from pytest_crd.server import installedparams
from pytest_crd.server.api import Api
from pytest_crd.server.policyparams import StoredParams

_VALIDATING: Final = 8
_API: Final = "admissionregistration.k8s.io/v1"
_SETTLED: Final = 3.0  # seconds in which a server picks policies up
_LIMITS: Final = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "limits", "namespace": "default"},
    "data": {"volumes": "100"},
}
# Other threads and processes do a part of the work.
_best = functools.partial(peers.best, rounds=5, calls=20, clock=time.perf_counter)


def policies(group: str) -> Iterator[Any]:
    """Yield ten policies, each followed by its binding, for the backups of an API *group*."""
    rule = {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["backups"]}
    constraints = {"resourceRules": [rule], "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
    for number in range(10):
        is_validating = number < _VALIDATING
        kind = definitions.VALIDATING if is_validating else definitions.MUTATING
        spec: dict[str, Any] = {
            "matchConstraints": constraints,
            "failurePolicy": "Fail",
            "matchConditions": [{"name": "named", "expression": f"object.metadata.name != 'n{number}'"}],
            "variables": [{"name": "volumes", "expression": "object.spec.volumes"}],
        }
        binding: dict[str, Any] = {"policyName": f"p{number}"}
        if is_validating:
            spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
            spec["validations"] = [
                {
                    "expression": "size(variables.volumes) <= int(params.data.volumes)",
                    "messageExpression": "'at most ' + params.data.volumes",
                },
                {"expression": "variables.volumes.all(volume, volume.path.startsWith('/') && volume.name != '')"},
            ]
            reference = {"name": "limits", "namespace": "default", "parameterNotFoundAction": "Deny"}
            binding |= {"validationActions": ["Deny"], "paramRef": reference}
        else:
            expression = f"Object{{metadata: Object.metadata{{labels: {{'by': 'p{number}'}}}}}}"
            spec["mutations"] = [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}]
            spec["reinvocationPolicy"] = "Never"
        metadata = {"metadata": {"name": f"p{number}"}}
        yield {"apiVersion": _API, "kind": kind, **metadata, "spec": spec}
        yield {"apiVersion": _API, "kind": definitions.BINDING_OF[kind], **metadata, "spec": binding}


def _admission(group: str) -> ProjectAdmission:
    objects = [*policies(group)]

    def bound(kind: str) -> tuple[invocations.BoundPolicy, ...]:
        read = [definitions.read_policy(item) for item in objects if item["kind"] == kind]
        bindings = [definitions.read_binding(item) for item in objects if item["kind"] == definitions.BINDING_OF[kind]]
        return invocations.group(read, bindings)

    api = Api()
    project = ProjectPolicies(PolicySet(bound(definitions.MUTATING), bound(definitions.VALIDATING)))
    installedparams.install(api, (), (_LIMITS,), [item.policy for item in project.policies.validating])
    params = StoredParams(api.store, api.catalog.find_kinds)
    return ProjectAdmission(ProjectFacts(lambda _: project, PolicyListeners(), lambda *_: params, _never))


def _never(*_: object) -> Any:
    """Fail: no expression asks an authorizer."""
    raise AssertionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the comparison with a server."""
    parser.add_argument("--kube-apiserver", action="store_true", help="compare with a kube-apiserver; needs Go")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the example project's Backup."""
    crd = engine.load([BACKUPS])["Backup"]
    resource = backup(crd.group)
    versions = [item.version("v1") for item in (crd, crd.with_webhooks(_admission(crd.group)))]
    for version in versions:
        version.create(resource).assert_accepted()
    plain, checked = _best([functools.partial(version.create, resource) for version in versions])
    print(f"Backup: {plain * 1000:.2f} ms without policies; ten policies add {(checked - plain) * 1000:.2f} ms")
    yield Figure("create with ten policies", checked / plain, "no policies")
    if options.kube_apiserver:
        theirs = _measure_server(crd, resource)
        print(
            f"kube-apiserver: a dry run takes {theirs[0] * 1000:.2f} ms; ten policies add {(theirs[1] - theirs[0]) * 1000:.2f} ms"
        )
        yield Figure("what ten policies add", (checked - plain) / max(theirs[1] - theirs[0], 1e-6), "a kube-apiserver")


def _measure_server(crd: engine.CustomResourceDefinition, resource: Any) -> tuple[float, float]:
    """Return the seconds of a dry run without and with the policies on a kube-apiserver."""
    with kubeapiserver.started(profile.DEFAULT) as url:
        Cluster(url, kubeapiserver.TOKEN).install([crd.declared])
        client = Client(Served(url, kubeapiserver.TOKEN))
        path = f"/apis/{crd.group}/v1/namespaces/default/backups?dryRun=All"
        send = functools.partial(client.request, "POST", path, resource)
        (plain,) = _best([send])
        client.request("POST", "/api/v1/namespaces/default/configmaps", _LIMITS)
        for item in policies(crd.group):
            plural = (
                f"{item['kind'].lower().removesuffix('policy')}policies"
                if item["kind"].endswith("Policy")
                else f"{item['kind'].lower()}s"
            )
            code, answer = client.request("POST", f"/apis/{_API}/{plural}", item)
            if code != 201:
                raise RuntimeError(answer["message"])
        time.sleep(_SETTLED)
        code, answer = send()
        if "by" not in answer.get("metadata", {}).get("labels", {}):
            raise RuntimeError(f"the policies have no effect: {code}: {answer}")
        return plain, _best([send])[0]
