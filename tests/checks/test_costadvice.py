"""Advice about rules that cost too much."""

from __future__ import annotations

from pytest_crd.checks import costadvice
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.yaml import yamlreader

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: costs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: costs, singular: cost, kind: Cost, listKind: CostList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: array
            items: {type: string}
            allOf: [{minItems: 1}, {maxItems: 5}]
            x-kubernetes-validations: [{rule: "self.all(a, self.exists_one(b, a == b))"}]
"""


def test_a_limit_in_a_junctor_is_named_as_one_that_does_not_count() -> None:
    version = CustomResourceDefinition.from_manifest(yamlreader.read_one(CRD).value).version("v1")
    (rule,) = version.rules

    lines = costadvice.explain_rule(version, rule)

    assert lines[:2] == (
        "spec has no maxItems: the server counts the most that fits into a request",
        "its maxItems in allOf does not count for the cost: write it beside type",
    )
    assert lines[2].startswith("spec[*] has no maxLength")
