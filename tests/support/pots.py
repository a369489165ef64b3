"""A CRD that is loaded from a file."""

from __future__ import annotations

from pathlib import Path

from pytest_crd import engine
from pytest_crd.engine import CustomResourceDefinition

POTS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pots.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: pots, singular: pot, kind: Pot, listKind: PotList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size:
                type: integer
                minimum: 1
              old:
                type: object
                properties:
                  label: {type: string, maxLength: 5}
              soil:
                type: string
                enum:
                - clay
                - sand
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
  - name: v1alpha1
    served: false
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object}
"""


def read(folder: Path, text: str = POTS, name: str = "pots.yaml") -> CustomResourceDefinition:
    """Write *text* to a file in *folder* and return the CRD loaded from it."""
    (folder / name).write_text(text, encoding="utf-8")
    [crd] = engine.load([name], base=folder)
    return crd
