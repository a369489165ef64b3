"""
The time of CEL rules relative to the Go packages: compiling and costing, running on an object, and a whole create.

The CRDs are one with 250 rules and, with $CRD_CORPUS, real ones. Times are processor times, the best of several rounds.
Each round appends spaces to the texts of the rules, so that no cache of parsed rules is hit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Final

from benchmarks import peers
from benchmarks import subjects as shared_subjects
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.crds import decoded
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.rules import evaluation, tree
from pytest_crd.engine.rules.evaluation import RuleSubject

_ROUNDS = 5
_RULES: Final = "x-kubernetes-validations"
# The rules of each field.
_FIELD_RULES: Final = (
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
    """Return a CRD with fifty fields of five rules each, all with different texts, and an object with all fields."""
    fields = {f"field{index}": {**_FIELD, _RULES: _numbered_rules(index)} for index in range(50)}
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


def _numbered_rules(index: int) -> list[JSONValue]:
    return [{**rule, "rule": f"{rule['rule']} || self.max > {1000 + index}"} for rule in _FIELD_RULES]


def subjects() -> Iterator[tuple[JSONValue, JSONValue]]:
    """Yield CRDs with rules, each with an object."""
    yield many_rules()
    for subject in shared_subjects.subjects(with_rules=True):
        if peers.without_rules(subject.crd) != subject.crd:
            yield subject.crd, subject.resource


def append_to_rules(schema: JSONValue, end: str) -> JSONValue:
    """Return a copy of *schema* with *end* appended to the text of each rule."""
    if isinstance(schema, list):
        return [append_to_rules(item, end) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: append_to_rules(value, end) for key, value in schema.items() if key != _RULES}
    if _RULES in schema:
        changed[_RULES] = [{**rule, "rule": f"{rule['rule']}{end}"} for rule in schema[_RULES]]
    return changed


def response_seconds(manifest: JSONValue) -> float:
    """
    Return the best time of defaulting, converting and validating a CRD, including the compilation of its rules.

    Raises:
        ValueError: The CRD is rejected.
    """
    least = float("inf")
    for index in range(_ROUNDS):
        sent = decoded.decode_crd(append_to_rules(manifest, " " * index), whole_paths=True)
        start = time.process_time()
        crd = engine.CustomResourceDefinition(
            CrdAnswers(sent, profile.named(profile.DEFAULT), None), CrdContext(Observer())
        )
        response = crd.response
        least = min(least, time.process_time() - start)
        if not response.accepted:
            raise ValueError(response.message)
    return least


def measure(manifest: JSONValue, resource: JSONValue, reference: peers.Reference) -> Iterator[Figure]:
    """
    Print and yield the figures of one CRD.

    Raises:
        ValueError: The object is rejected, or the CRD has no rules.
    """
    namespace = resource["metadata"].get("namespace", "default")
    version = engine.CustomResourceDefinition.from_manifest(manifest).version(resource["apiVersion"].rpartition("/")[2])
    answer = version.create(resource, namespace=namespace)
    if not answer.accepted or version.schema is None:
        raise ValueError(answer.message)
    stored, named = answer.stored, profile.named(profile.DEFAULT)
    rules = tree.build_stored(version.schema, named, is_resource=True)
    if rules is None:
        raise ValueError("no rules")
    evaluated, created = peers.best(
        [
            lambda: evaluation.validate(rules, RuleSubject(stored), named),
            lambda: version.create(resource, namespace=namespace),
        ]
    )
    ours = {"crd": response_seconds(manifest), "rules": evaluated, "create": created}
    times = reference.measure(manifest, resource, namespace=namespace, rounds=15, calls=50)
    print(f"{version.crd.kind}: times the Go packages")
    for key, title in (("crd", "CRD, rules compiled"), ("rules", "rules of an object"), ("create", "create")):
        print(f"  {title}: {ours[key] / times[key]:.2f} ({ours[key] * 1e3:.2f} ms against {times[key] * 1e3:.2f} ms)")
        yield Figure(f"{version.crd.kind}: {title}", ours[key] / times[key], "the Go packages")


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all CRDs."""
    with peers.needed_reference(profile.DEFAULT) as reference:
        for manifest, resource in subjects():
            yield from measure(manifest, resource, reference)
