"""Names of a case of an admission policy on a live server: of its Namespaces, policy and bindings, and of the groups of its CRDs."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.policies import caseserver, policysubjects
from pytest_crd.cases.policies.caserequests import CaseRequest
from pytest_crd.cases.policies.policysubjects import PolicySubject
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.yaml import manifest
from pytest_crd.live.grouprenaming import replaced
from pytest_crd.live.policies import rehearsals
from pytest_crd.live.stages import NotAskedError, Stage, Stages
from pytest_crd.server import installedparams, installing
from pytest_crd.server.api import Api

_RULES: Final = ("resourceRules", "excludeResourceRules")


class LiveNames(NamedTuple):
    """
    A case under the names on a server.

    Attributes:
        subject: The policy.
        manifests: The policy and its bindings.
        policy: The name of the policy.
        namespaces: The Namespaces by their names in the project.
        label: The value of the label of the Namespace of the request.
        params: The params, each with the URL path of its collection.
        sent: The object to send; None for a deletion.
        old: The object to store before, with the path of its collection; None without one.
        original: The names in the project by those on the server.
    """

    subject: PolicySubject
    manifests: tuple[JSONObject, ...]
    policy: str
    namespaces: Mapping[str, str]
    label: str
    params: tuple[tuple[str, JSONObject], ...]
    sent: JSONObject | None
    old: tuple[str, JSONObject] | None
    original: Mapping[str, str]

    def restore(self, value: JSONValue) -> JSONValue:
        """Return a value with the names of the project in its texts."""
        return replaced(value, self.original)


def choose(case: PolicyCase, subject: PolicySubject, request: CaseRequest, stages: Stages) -> LiveNames:
    """
    Return a case under new names, with its CRDs served.

    Args:
        case: The case.
        subject: The policy.
        request: The request under the project's names.
        stages: The CRDs on the server.

    Raises:
        NotAskedError: A CRD cannot be served, or a param is an object of the cluster.
        NoAnswerError: The server does not answer.
        DisagreementError: The server refuses a CRD.
    """
    params = _find_params(case, subject)
    served = _serve(subject, [*params, *filter(None, (request.sent, request.old))], stages)
    renaming = _Renaming(served, _choose_namespaces(subject, request, params), secrets.token_hex(5))
    manifests = renaming.of_policy(subject)
    policy = str(manifests[0]["metadata"]["name"])
    text = "\n---\n".join(map(json.dumps, manifests))
    renamed = policysubjects.reread(
        subject._replace(objects=()),  # all params are params of the case
        tuple(manifest.read(text.encode(), source="")),
        tuple(stage.crd for stage in served.values()),
    )
    api = caseserver.start(renamed)
    try:
        return LiveNames(
            renamed,
            manifests,
            policy,
            renaming.namespaces,
            renaming.label,
            tuple(renaming.of_param(value, api, is_own=_kind_of(value) in served) for value in params),
            request.sent and renaming.of_object(request.sent),
            None if request.old is None else renaming.locate(renaming.of_object(request.old), api),
            renaming.original(subject, manifests),
        )
    finally:
        api.close()


def _find_params(case: PolicyCase, subject: PolicySubject) -> list[JSONObject]:
    """Return the objects of the case and of the project that the policy may read as params."""
    kind = subject.bound.policy.param_kind
    others = (item.value for item in installedparams.find_unreplaced(subject.objects, case.params or ()))
    objects = [*(case.params or ()), *others]
    return [
        value
        for value in objects
        if kind is not None and _kind_of(value) == installedparams.group_kind(kind.api_version, kind.kind)
    ]


def _serve(subject: PolicySubject, values: Iterable[JSONObject], stages: Stages) -> dict[tuple[str, str], Stage]:
    """Return the CRDs of some objects as they are served, by group and kind."""
    kinds = {_kind_of(value) for value in values}
    policy = subject.bound.policy
    if policy.param_kind is not None:
        kinds.add(installedparams.group_kind(policy.param_kind.api_version, policy.param_kind.kind))
    return {key: stages.serve(crd) for crd in subject.crds if (key := (crd.group, crd.kind)) in kinds}


def _choose_namespaces(subject: PolicySubject, request: CaseRequest, params: Iterable[JSONObject]) -> dict[str, str]:
    """Return new names of the Namespaces of the request, the params and the bindings."""
    own = [request.namespace, *((value.get("metadata") or {}).get("namespace") for value in params)]
    own += [binding.param_ref.namespace for binding in subject.bound.bindings if binding.param_ref is not None]
    if params:
        own.append(installing.DEFAULT_NAMESPACE)
    return {name: rehearsals.make_name() for name in dict.fromkeys(filter(None, own))}


class _Renaming(NamedTuple):
    """
    New names.

    Attributes:
        served: The CRDs on the server, by group and kind in the project.
        namespaces: The Namespaces by their names in the project.
        label: The value of the label of the Namespace of the request.
    """

    served: Mapping[tuple[str, str], Stage]
    namespaces: Mapping[str, str]
    label: str

    def of_object(self, value: JSONObject) -> JSONObject:
        """Return an object in its group and Namespace on the server."""
        metadata = dict(value.get("metadata") or {})
        if "namespace" in metadata:
            metadata["namespace"] = self.namespaces.get(metadata["namespace"], metadata["namespace"])
        return {**value, "apiVersion": self.of_version(value["apiVersion"], value["kind"]), "metadata": metadata}

    def of_version(self, api_version: str, kind: str) -> str:
        """Return the apiVersion of a kind on the server."""
        stage = self.served.get(installedparams.group_kind(api_version, kind))
        if stage is None:
            return api_version
        return f"{stage.renaming.other_group}/{api_version.rpartition('/')[2]}"

    def of_param(self, value: JSONObject, api: Api, *, is_own: bool) -> tuple[str, JSONObject]:
        """
        Return a param with the path of its collection.

        Raises:
            NotAskedError: It is an object of the cluster, of a kind that others use.
        """
        metadata = value.get("metadata") or {}
        type_ = installing.find_type(api, self.of_version(value["apiVersion"], value["kind"]), value["kind"])
        assert type_ is not None  # noqa: S101 - the engine has stored it
        if type_.is_namespaced:
            named = {**metadata, "namespace": metadata.get("namespace") or installing.DEFAULT_NAMESPACE}
            return self.locate(self.of_object({**value, "metadata": named}), api)
        if not is_own:
            raise NotAskedError(f"a param is a {value['kind']}, which others see, too")
        return self.locate(self.of_object(value), api)

    def locate(self, value: JSONObject, api: Api) -> tuple[str, JSONObject]:
        """Return an object on the server with the path of its collection."""
        type_ = installing.find_type(api, value["apiVersion"], value["kind"])
        assert type_ is not None  # noqa: S101 - the engine has stored it
        return installing.path_of(type_, value["metadata"].get("namespace", "")), value

    def of_policy(self, subject: PolicySubject) -> tuple[JSONObject, ...]:
        """Return the policy, and its bindings in the order of their names."""
        own = [item.value for item in subject.manifests]
        policy = next(value for value in own if value["kind"] == subject.bound.policy.kind)
        bindings = sorted((value for value in own if value is not policy), key=lambda value: value["metadata"]["name"])
        spec, name = policy["spec"], rehearsals.make_name()
        constraints = self._of_matching(spec["matchConstraints"])
        constraints["namespaceSelector"] = rehearsals.select_namespace(constraints.get("namespaceSelector"), self.label)
        changed: dict[str, JSONValue] = {"matchConstraints": constraints}
        if kind := spec.get("paramKind"):
            changed["paramKind"] = {**kind, "apiVersion": self.of_version(kind["apiVersion"], kind["kind"])}
        renamed = [{**policy, "metadata": {"name": name}, "spec": {**spec, **changed}}]
        names = sorted(rehearsals.make_name() for _ in bindings)
        return (*renamed, *(self._of_binding(*pair, name) for pair in zip(bindings, names, strict=True)))

    def _of_binding(self, binding: JSONObject, name: str, policy: str) -> JSONObject:
        spec = {**binding["spec"], "policyName": policy}
        if resources := spec.get("matchResources"):
            spec["matchResources"] = self._of_matching(resources)
        reference = spec.get("paramRef")
        if reference and "namespace" in reference:
            spec["paramRef"] = {**reference, "namespace": self.namespaces[reference["namespace"]]}
        return {**binding, "metadata": {"name": name}, "spec": spec}

    def _of_matching(self, resources: JSONObject) -> dict[str, JSONValue]:
        """Return match resources with the groups on the server."""
        return {**resources, **{key: [*map(self._of_rule, resources[key] or ())] for key in _RULES if key in resources}}

    def _of_rule(self, rule: JSONObject) -> JSONObject:
        groups: list[str] = []
        for group in rule.get("apiGroups") or ():
            stages = [stage for (own, _), stage in self.served.items() if own == group]
            groups += [stage.renaming.other_group for stage in stages] or [group]
        return {**rule, "apiGroups": groups}

    def original(self, subject: PolicySubject, manifests: Sequence[JSONObject]) -> dict[str, str]:
        """Return the names in the project by those on the server."""
        bindings = sorted(binding.name for binding in subject.bound.bindings)
        names = [subject.bound.policy.name, *bindings]
        there = [str(value["metadata"]["name"]) for value in manifests]
        groups = {stage.renaming.other_group: group for (group, _), stage in self.served.items()}
        spaces = {name: own for own, name in self.namespaces.items()}
        return {**dict(zip(there, names, strict=True)), **groups, **spaces}


def _kind_of(value: JSONObject) -> tuple[str, str]:
    return installedparams.group_kind(value["apiVersion"], value["kind"])
