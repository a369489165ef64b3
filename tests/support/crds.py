"""CRDs with one version for tests of schemas, as texts and as manifests."""

from __future__ import annotations

import re
import textwrap
from typing import Any, Final

from pytest_crd.engine import profile
from pytest_crd.engine.loading.crdfiles import CrdFiles, ReadCrd

_IN_VERSION: Final = " " * 8


def text(names: str, schema: str, *, group: str = "example.com") -> str:
    """
    Return the text of a CRD whose schema begins on line 14.

    Args:
        names: The names of the CRD, the plural first: `plural: tabs, kind: Tab`.
        schema: YAML, indented in any way.
        group: The API group.
    """
    plural = re.match(r"plural: (\w+)", names)
    assert plural is not None, names
    return f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural[1]}.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names: {{{names}}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
{textwrap.indent(textwrap.dedent(schema), _IN_VERSION)}"""


def manifest(schema: dict[str, Any], *, scope: str = "Namespaced", **version: Any) -> dict[str, Any]:
    """Return the manifest of a CRD of kind `Tab` with *schema*; *version* adds fields to its version."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": scope,
            "names": {"plural": "tabs", "kind": "Tab"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
            ],
        },
    }


# A rule that compares two fields.
TABS: Final = text(
    "plural: tabs, kind: Tab",
    """\
    type: object
    properties:
      spec:
        type: object
        x-kubernetes-validations:
        - rule: self.replicas <= self.max
          message: too many
        properties:
          max: {type: integer, default: 10}
          replicas: {type: integer}
    """,
)


def read(text: str, source: str) -> ReadCrd:
    """Return the CRD of *text*, as if *source* had printed it."""
    files = CrdFiles(profile.DEFAULT)
    files.take_output(text.encode(), source=source)
    (crd,) = files.read_crds
    return crd
