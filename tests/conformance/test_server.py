"""Our server answers conversations as kube-apiserver did when they were recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from oracle.generators import servergen

from conformance import exchanges, serverside

RECORDED = Path(__file__).parent / "server"


def _conversations() -> list[Any]:
    return [
        pytest.param(path.stem.partition("-")[0], json.loads(line), id=f"{path.stem}-{number}")
        for path in sorted(RECORDED.glob("*.jsonl"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
    ]


@pytest.mark.parametrize(("version", "recorded"), _conversations())
def test_each_answer_is_the_servers(version: str, recorded: Any) -> None:
    crds = recorded.get("crds") or servergen.crds()
    sender = serverside.sender(crds, version, [exchanges.NAMESPACE])
    assert exchanges.run(recorded["requests"], sender) == recorded["answers"]
