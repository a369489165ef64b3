"""
Conversations with an API server that has admission policies, in the form in which they are declared, recorded and compared.

`policies/TOPIC.yaml` declares conversations. Each has a `name` and

- `crds`: names in `policies/crds.yaml` and `webhooks/crds.yaml`, or mappings with `base` and a merge patch `with` for the
  spec; an empty list makes the conversation one about ConfigMaps;
- `labels`: the labels of the namespace;
- `objects`: manifests of params, roles and other objects, which exist before the policies;
- `policies`, `bindings`, `mutations` and `mutationBindings`: the specs of validating and mutating policies and of their
  bindings, by name. Each policy without a binding of its name gets one. A binding has `policy` for another name. A spec
  has defaults: rules for the CRD or for ConfigMaps, and a namespace selector of a binding for ConfigMaps. A null removes
  a field. Short forms: mappings for `variables`, `matchConditions` and `auditAnnotations`, texts for `validations` and
  `mutations`;
- `differs`: the reason why our server differs from the recording; without it, both are equal;
- `requests`: see `policymanifests.request`.

`VERSION/policies/TOPIC.jsonl` has the `answers` of a server to the requests, and `audit`: the audit annotations of
policies by the number of the request. `alike` lists other Kubernetes versions with the same recording.

Kubernetes 1.34 has MutatingAdmissionPolicies behind a feature gate, so that conversations about them are recorded for later
versions alone. In all texts `{ns}` stands for the namespace of the conversation.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from conformance import exchanges, policymanifests, webhookconversations
from conformance.exchanges import Raw, Request
from conformance.policymanifests import KINDS
from pytest_crd.engine.jsonvalue import JSONValue

DECLARED: Final = Path(__file__).parent / "policies"
# The recorded Kubernetes versions, the newest first.
VERSIONS: Final = ("1.37", "1.34")
# The Kubernetes versions that serve MutatingAdmissionPolicies by default.
MUTATES: Final = frozenset({"1.37"})
_KEYS: Final = frozenset({"name", "crds", "labels", "objects", "requests", "differs", *KINDS})
# Audit annotations of other parts of a server begin so.
_OTHERS: Final = (
    "authorization.k8s.io/",
    "apiserver.latency.k8s.io/",
    "pod-security.kubernetes.io/",
    "authentication.k8s.io/",
    "k8s.io/",
)

_ATOMICS: Final = re.compile(r"(may not mutate atomic arrays, maps or structs: )([^\"\\\\]+)")


class Conversation(NamedTuple):
    """
    A declared conversation.

    Attributes:
        topic: The name of its file.
        name: Its name.
        crds: The CRDs.
        objects: The manifests of the objects that exist at the start, policies included.
        labels: The labels of the namespace.
        requests: The HTTP requests.
        differs: The reason why our server differs, or empty.
    """

    topic: str
    name: str
    crds: Sequence[JSONValue]
    objects: Sequence[JSONValue]
    labels: Mapping[str, str]
    requests: Sequence[Request]
    differs: str = ""

    def filled(self, namespace: str) -> Conversation:
        """Return a copy with placeholders filled for a namespace."""
        return Conversation(self.topic, self.name, *(fill(value, namespace) for value in self[2:]))

    def is_about(self, version: str) -> bool:
        """Return whether a Kubernetes version serves the policies of the conversation."""
        return version in MUTATES or "MutatingAdmissionPolicy" not in json.dumps([self.objects, self.requests])


def fill(value: Any, namespace: str) -> Any:
    """Return *value* with the placeholder `{ns}` filled."""
    return json.loads(json.dumps(value, ensure_ascii=False).replace("{ns}", namespace))


def topics() -> list[Path]:
    """Return the paths of the files with conversations."""
    return webhookconversations.topics(DECLARED)


def read(path: Path) -> list[Conversation]:
    """Return the conversations in a file; see `webhookconversations.read_as`."""
    return webhookconversations.read_as(path, conversation)


def recording(version: str, topic: str) -> Path:
    """Return the path of the recording of a *topic*."""
    return DECLARED.parent / version / "policies" / f"{topic}.jsonl"


def recordings(names: Collection[str]) -> Iterator[tuple[str, Conversation, JSONValue]]:
    """Yield the Kubernetes version, the conversation and its recording for the conversations of some topics."""
    for path in filter(lambda path: path.stem in names, topics()):
        newest, *others = (webhookconversations.recorded(recording(version, path.stem)) for version in VERSIONS)
        conversations = read(path)
        requests = {each.name: len(each.requests) for each in conversations}
        assert {name: len(line["answers"]) for name, line in newest.items()} == requests
        for each in conversations:
            line = newest[each.name]
            yield VERSIONS[0], each, line
            for version, own in zip(VERSIONS[1:], others, strict=True):
                if not each.is_about(version):
                    continue
                yield version, each, line if version in line.get("alike", ()) else own[each.name]


@functools.cache
def _crd_specs() -> Mapping[str, Any]:
    folders = (webhookconversations.DECLARED, DECLARED)
    return {name: spec for folder in folders for name, spec in webhookconversations.crd_specs(folder).items()}


def conversation(topic: str, value: Mapping[str, Any]) -> Conversation:
    """
    Return a declared conversation; see the module.

    Raises:
        ValueError: It has an unknown key.
    """
    if unknown := value.keys() - _KEYS:
        raise ValueError(f"{topic}: {value.get('name')}: unknown {sorted(unknown)}")
    crds = [webhookconversations.crd(_crd_specs(), base) for base in value.get("crds", ["plain"])]
    scope = crds[0]["spec"]["scope"] if crds else "Namespaced"
    requests = [
        policymanifests.request(request, scope, number, is_builtin=not crds)
        for number, request in enumerate(value["requests"])
    ]
    objects = [*value.get("objects", ()), *_policies(value, is_builtin=not crds)]
    return Conversation(
        topic, value["name"], crds, objects, value.get("labels", {}), requests, value.get("differs", "")
    )


def _policies(value: Mapping[str, Any], *, is_builtin: bool) -> Iterator[JSONValue]:
    for policies, bindings in (("policies", "bindings"), ("mutations", "mutationBindings")):
        declared: dict[str, Any] = {**value.get(bindings, {})}
        bound = {(binding or {}).get("policy", name) for name, binding in declared.items()}
        declared |= {name: {} for name in value.get(policies, {}) if name not in bound}
        for name, spec in value.get(policies, {}).items():
            yield policymanifests.manifest(policies, name, spec, is_builtin=is_builtin)
        for name, spec in declared.items():
            if spec is not None:
                yield policymanifests.manifest(bindings, name, spec, is_builtin=is_builtin)


def run(requests: Sequence[Request], send: Callable[[Request], Any], namespace: str) -> Iterator[Raw]:
    """
    Yield the raw answer to each request.

    Args:
        requests: The requests of a conversation, with filled placeholders of the conversation.
        send: Sends a request; see `exchanges.run`.
        namespace: The namespace of the conversation.
    """
    raws: list[Raw] = []
    for request in requests:
        raws.append(send(exchanges.fill(request, raws, namespace)))
        yield raws[-1]


def normalize(
    results: Sequence[Raw], annotations: Sequence[Mapping[str, str]], requests: Sequence[Request], namespace: str
) -> JSONValue:
    """
    Return answers and audit annotations without values that differ between runs.

    Args:
        results: The results of `run`.
        annotations: The audit annotations of each request; others than those of policies are left out.
        requests: The requests.
        namespace: The namespace of the conversation.
    """
    normalizer = exchanges.Normalizer(namespace)
    answers, audit = [], {}
    for number, (raw, own, request) in enumerate(zip(results, annotations, requests, strict=True)):
        answers.append(normalizer.answer(raw, request))
        visible = {key: value for key, value in own.items() if not key.startswith(_OTHERS)}
        if visible:
            audit[str(number)] = normalizer.value(json.dumps(visible))
    recorded = {"answers": answers, **({"audit": audit} if audit else {})}
    # Protocol buffers write a blank of their own in errors, in half of all builds.
    text = json.dumps(recorded, ensure_ascii=False).replace("proto:\u00a0", "proto: ")
    return json.loads(_ATOMICS.sub(_sort_atomics, text))


def _sort_atomics(match: re.Match[str]) -> str:
    """Return the end of a message about atomic fields, which the server lists in a random order."""
    return match[1] + ", ".join(sorted(match[2].split(", ")))
