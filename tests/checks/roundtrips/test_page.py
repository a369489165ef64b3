"""The failure on the page about webhooks is the output of the check."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks.roundtrips.roundtripcrds import judge, keep
from handbook import markdown, parts
from support.webhooks import FixedWebhooks, FunctionConverter

from pytest_crd import engine
from pytest_crd.report import checkwords

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.storage.example.com}
spec:
  group: storage.example.com
  scope: Namespaced
  names: {plural: backups, singular: backup, kind: Backup, listKind: BackupList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: default, name: webhook}}
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
            properties:
              schedule: {type: string}
              retentionDays: {type: integer}
              # A remark for people.
              note: {type: string}
  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {schedule: {type: string}, retentionDays: {type: integer}}
"""


def test_the_page_shows_the_output_for_a_lost_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (parts.DOCS / "how-to/webhooks.md").read_text(encoding="utf-8")
    (output,) = (
        block.text for block in markdown.blocks(page) if "roundtrip[Backup]" in block.text and block.kind == "console"
    )
    monkeypatch.chdir(tmp_path)
    path = Path("config/crd/bases/backups.yaml")
    path.parent.mkdir(parents=True)
    path.write_text(CRD, encoding="utf-8")
    crd = engine.load(path)[0].with_webhooks(FixedWebhooks(FunctionConverter(keep)))

    title = f"{path}:1: roundtrip[{crd.kind}], Kubernetes {crd.kubernetes_version}"
    lines = [*checkwords.lines(title, judge(crd))]

    assert lines == output.splitlines()[2:]
