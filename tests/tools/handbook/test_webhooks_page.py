"""The functions and the kopf operator of the page about webhooks answer reviews."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from handbook import markdown, parts

from pytest_crd.webhooks import endpoints
from pytest_crd.webhooks.commands import CommandTransport
from pytest_crd.webhooks.functiontransport import FunctionTransport

PAGE: Final = (parts.DOCS / "how-to/webhooks.md").read_text(encoding="utf-8")
BLOCKS: Final = {block.title: block.text for block in markdown.blocks(PAGE) if block.kind != "ini"}
CRD: Final = (parts.ROOT / "example_project/config/crd/bases/backups.yaml").read_text(encoding="utf-8")


def _review(days: int) -> dict[str, Any]:
    backup = {"apiVersion": "storage.example.com/v1", "kind": "Backup", "metadata": {"name": "a"}}
    resource = {"group": "storage.example.com", "version": "v1", "resource": "backups"}
    request = {
        "uid": "u",
        "operation": "CREATE",
        "resource": resource,
        "name": "a",
        "namespace": "default",
        "userInfo": {},
        "dryRun": False,
        "object": {**backup, "spec": {"retentionDays": days}},
        "oldObject": None,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def test_the_lines_of_the_page_are_right() -> None:
    (lines,) = (block.text for block in markdown.blocks(PAGE) if "crd_webhooks" in block.text and block.kind == "ini")

    assert [endpoints.parse(line.strip())[0] for line in lines.splitlines()[2:]] == ["conversion", "admission"]


def test_the_functions_of_the_page_answer() -> None:
    module: dict[str, Any] = {}
    exec(BLOCKS["conftest.py"], module)  # noqa: S102 - the page's own code
    functions = module["pytest_crd_webhooks"](None)

    def answer(which: str, review: object) -> Any:
        reply = FunctionTransport(functions[which], source="").post("", json.dumps(review).encode(), 1)
        return json.loads(reply.body)["response"]

    assert [answer("vbackup.kb.io", _review(days))["allowed"] for days in (365, 366)] == [True, False]
    request = {"uid": "u", "desiredAPIVersion": "a/v2", "objects": [{"apiVersion": "a/v1"}]}
    converted = answer("conversion", {"apiVersion": "", "kind": "", "request": request})
    assert converted["convertedObjects"] == [{"apiVersion": "a/v2"}]


@pytest.mark.slow
@pytest.mark.session
def test_the_kopf_operator_of_the_page_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("webhooks.sh", "operator.py"):
        (tmp_path / name).write_text(BLOCKS[name], encoding="utf-8")
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/backups.yaml").write_text(CRD, encoding="utf-8")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    transport = CommandTransport("sh webhooks.sh", folder=tmp_path, source="pytest.ini:3")
    try:
        replies = [
            transport.post("https://a.b.svc:443/retention?timeout=10s", json.dumps(_review(days)).encode(), 30)
            for days in (365, 366)
        ]
        assert [json.loads(reply.body)["response"]["allowed"] for reply in replies] == [True, False]
    finally:
        assert transport.close() == ""
