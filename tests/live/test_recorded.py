"""
`--crd-live` beside real API servers, with recorded answers.

To record them anew, run this file with CRD_LIVE_SERVER set to the URL of a server, and `-k` with its version.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from live import exchanges

if TYPE_CHECKING:
    from support.sessions import Project

FILES = sorted((Path(__file__).parent / "recorded").glob("*.json"))
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.stories.example.com, labels: {a: b}}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [depth]
            properties:
              depth: {type: integer, maximum: 9}
              fish: {type: string, default: carp, enum: [carp, pike]}
              owner: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: is not for sale}]}
          status: {type: object, properties: {level: {type: string}}}
"""
CASES = """\
crd: ponds.stories.example.com
pruning:
- name: a misspelt field is dropped
  input: {spec: {depht: 1}, status: {level: low, color: green}}
  expected: {spec: {}, status: {level: low}}
  pruned: [spec.depht, status.color]
defaulting:
- name: there are carps
  input: {spec: {depth: 1, fish: null}}
  expected: {spec: {depth: 1, fish: carp}}
create:
- name: a pond is made
  input: {metadata: {generateName: pond-, namespace: park}, spec: {depth: 2, bridge: wood}}
  expected: {metadata: {generateName: pond-, namespace: park}, spec: {depth: 2, fish: carp}}
  pruned: [spec.bridge]
- name: two things are wrong with it
  input: {spec: {depth: 10, fish: shark}}
  errors:
  - {field: spec.depth, type: Invalid}
  - {field: spec.fish, type: NotSupported}
update:
- name: it stays with its owner
  old: {metadata: {name: a, finalizers: [stories.example.com/frog]}, spec: {depth: 1, owner: me}, status: {level: low}}
  input: {spec: {depth: 1, owner: you}}
  error: is not for sale
- name: it was deeper before
  oldCRD: {patch: [{op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/depth/maximum}]}
  old: {spec: {depth: 20}}
  input: {spec: {depth: 20, owner: me}}
  warnings: []
updateStatus:
- name: it dries up
  old: {spec: {depth: 1}, status: {level: low}}
  input: {status: {level: none}}
  contains: {spec: {depth: 1}, status: {level: none}}
patch:
- name: a fish is let in
  old: {metadata: {name: b}, spec: {depth: 1}}
  patch: [{op: add, path: /spec/fish, value: pike}]
  expected: {metadata: {name: b}, spec: {depth: 1, fish: pike}}
patchStatus:
- name: it fills up
  old: {spec: {depth: 1}, status: {level: low}}
  patch: {status: {level: full}, spec: {depth: 2}}
  contains: {spec: {depth: 1}, status: {level: full}}
apply:
- name: two keep a pond
  steps:
  - {manager: owner, input: {spec: {depth: 1, owner: me}}}
  - {manager: fisher, input: {spec: {fish: pike}}}
  - {manager: owner, input: {spec: {depth: 2, owner: me}}}
  managers: {owner: [spec.depth, spec.owner], fisher: [spec.fish]}
- name: two depths
  old: {spec: {depth: 1}}
  steps: [{manager: digger, input: {spec: {depth: 2}}}]
  conflicts: [{manager: before-first-apply, field: spec.depth}]
"""


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a server; requests are the same in each run, down to object names."""
    exchanges.ask_alike_each_time(monkeypatch)
    real = os.environ.get("CRD_LIVE_SERVER", "")
    with exchanges.answered_by(request.param, real) as url:
        yield url


@pytest.mark.replay
def test_the_engine_answers_as_the_server_does(empty: Project, server: str) -> None:
    empty.write("crds/ponds.yaml", CRD)
    empty.write(
        "samples/pond.yaml",
        "apiVersion: stories.example.com/v1\nkind: Pond\nmetadata: {name: a}\nspec: {depth: 3}\n",
    )
    empty.cases(CASES)

    result = empty.run("--crd-live", server, "--crd-checks")

    result.assert_outcomes(passed=18)
    result.stdout.fnmatch_lines(
        [
            "crd: live: 16 agreed, 0 disagreed, 2 not asked, 0 no answer",
            "crd: live: 1 agreed: asked of a CRD of the same structure that checks no values",
            "crd: live: 1 not asked: no request asks what the check 'published' looks for",
            "crd: live: 1 not asked: the test itself asks nothing that has an answer",
        ]
    )
    result.stdout.no_fnmatch_line("*left on the server*")
