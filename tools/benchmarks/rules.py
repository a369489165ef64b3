"""
What CEL rules cost against the Go packages: all rules of a CRD compiled and costed, run on an object, and a whole create with them.

The CRDs are one with 250 rules and, with $CRD_CORPUS, real ones. Times are processor times, the best of several rounds. The texts of
the rules end differently in each round, so that nothing which was parsed before is found again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any, Final

from benchmarks import peers
from benchmarks import subjects as others
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.crds import decoded
from pytest_crd.engine.rules import ruleevaluation, ruletree
from pytest_crd.engine.rules.ruleevaluation import RuleSubject

JSONValue = Any

_ROUNDS = 5
_RULES: Final = "x-kubernetes-validations"
# Of each of the fields.
_OF_FIELDS: Final = (
    {"rule": "self.replicas <= self.max", "message": "replicas must not exceed max"},
    {"rule": "!has(self.name) || self.name.startsWith('a')"},
    {"rule": "self.items.all(item, item.size() < 20 && item.matches('^[a-z0-9]+$'))"},
    {"rule": "self.labels.all(key, key.contains('/') || self.labels[key] != '')"},
    {"rule": "size(self.items) == 0 || self.items.exists(item, item == 'one')", "reason": "FieldValueRequired"},
)
_FIELD: Final = {
    "type": "object",
    "required": ["replicas", "max", "items", "labels"],
    "properties": {
        "replicas": {"type": "integer"},
        "max": {"type": "integer"},
        "name": {"type": "string", "maxLength": 30},
        "items": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 30}},
        "labels": {"type": "object", "maxProperties": 10, "additionalProperties": {"type": "string", "maxLength": 30}},
    },
}
_VALUE: Final = {"replicas": 3, "max": 5, "name": "abc", "items": ["one", "two", "three"], "labels": {"a/b": "c"}}


def many_rules() -> tuple[JSONValue, JSONValue]:
    """Return a CRD with fifty fields of five rules each, and an object with all of them; every text is another one."""
    fields = {f"field{index}": {**_FIELD, _RULES: _of_field(index)} for index in range(50)}
    spec = {"type": "object", "properties": fields}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    group, names = "rules.example.com", {"plural": "manies", "kind": "Many"}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"manies.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    head = {"apiVersion": f"{group}/v1", "kind": "Many", "metadata": {"name": "many"}}
    return crd, {**head, "spec": dict.fromkeys(fields, _VALUE)}


def _of_field(index: int) -> list[JSONValue]:
    return [{**rule, "rule": f"{rule['rule']} || self.max > {1000 + index}"} for rule in _OF_FIELDS]


def subjects() -> Iterator[tuple[JSONValue, JSONValue]]:
    """Yield CRDs and an object of each."""
    yield many_rules()
    for subject in others.subjects(with_rules=True):
        if peers.without_rules(subject.crd) != subject.crd:
            yield subject.crd, subject.resource


def renewed(schema: JSONValue, end: str) -> JSONValue:
    """Return a manifest whose rules end in *end*."""
    if isinstance(schema, list):
        return [renewed(item, end) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: renewed(value, end) for key, value in schema.items() if key != _RULES}
    if _RULES in schema:
        changed[_RULES] = [{**rule, "rule": f"{rule['rule']}{end}"} for rule in schema[_RULES]]
    return changed


def response_seconds(manifest: JSONValue) -> float:
    """Return what defaulting, converting and validating a CRD takes, the rules compiled; raise ValueError for a refusal."""
    least = float("inf")
    for index in range(_ROUNDS):
        sent = decoded.decode_crd(renewed(manifest, " " * index), whole_paths=True)
        start = time.process_time()
        crd = engine.CustomResourceDefinition(CrdAnswers(sent, profile.named(profile.DEFAULT), None), CrdContext())
        response = crd.response
        least = min(least, time.process_time() - start)
        if not response.accepted:
            raise ValueError(response.message)
    return least


def measure(manifest: JSONValue, resource: JSONValue, reference: peers.Reference) -> Iterator[Figure]:
    """Print and yield the figures of one CRD."""
    namespace = resource["metadata"].get("namespace", "default")
    version = engine.CustomResourceDefinition.from_manifest(manifest).version(resource["apiVersion"].rpartition("/")[2])
    answer = version.create(resource, namespace=namespace)
    if not answer.accepted or answer.stored is None or version.schema is None:
        raise ValueError(answer.message)
    stored, named = answer.stored, profile.named(profile.DEFAULT)
    rules = ruletree.of_stored(version.schema, named, is_resource=True)
    if rules is None:
        raise ValueError("no rules")
    evaluated, created = peers.best(
        [
            lambda: ruleevaluation.validate(rules, RuleSubject(stored), named),
            lambda: version.create(resource, namespace=namespace),
        ]
    )
    ours = {"crd": response_seconds(manifest), "rules": evaluated, "create": created}
    its = reference.measure(manifest, resource, namespace=namespace, rounds=15, calls=50)
    print(f"{version.crd.kind}: times the Go packages")
    for what, called in (("crd", "CRD, rules compiled"), ("rules", "rules of an object"), ("create", "create")):
        print(f"  {called}: {ours[what] / its[what]:.2f} ({ours[what] * 1e3:.2f} ms against {its[what] * 1e3:.2f} ms)")
        yield Figure(f"{version.crd.kind}: {called}", ours[what] / its[what], "the Go packages")


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all of them."""
    with peers.needed_reference(profile.DEFAULT) as reference:
        for manifest, resource in subjects():
            yield from measure(manifest, resource, reference)
