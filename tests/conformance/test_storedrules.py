"""Rules that servers reject, in CRDs that an older version stored: `python -m oracle record storedrules`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_crd import engine

TABLE = Path(__file__).with_name("storedrules.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
VERSIONS = ("1.32", "1.35", "1.36", "1.37")
GROUP = "stored.example.com"


def crd(name: str, schema: Any, *, unpruned: bool) -> dict[str, Any]:
    """Return a CRD with *schema* for `spec`; with *unpruned* it preserves unknown fields, as v1beta1 allows."""
    whole = {"type": "object", "properties": {"spec": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}s.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {"plural": f"{name}s", "singular": name, "kind": name.title(), "listKind": f"{name.title()}List"},
            "scope": "Cluster",
            "conversion": {"strategy": "None"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": whole}}],
            "preserveUnknownFields": unpruned,
        },
    }


def _answer(response: engine.Response, accepted_value: Any) -> list[Any]:
    return [response.code, accepted_value if response.accepted else response.message]


@pytest.mark.replay
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_stored_rules_are_answered_as_by_the_server(
    row: dict[str, Any], version: str, compared: Callable[[str, int], None]
) -> None:
    expected = next(answers for key, answers in row.items() if version in key.split())
    manifest = crd(row["name"], row["schema"], unpruned=bool(row.get("unpruned")))
    stored = engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version=version)

    created = stored.version("v1").create({"metadata": {"name": "x"}, "spec": row["spec"]})
    written = stored.update_from(stored)

    assert _answer(created, (created.stored_if_accepted or {}).get("spec")) == expected["create"]
    assert _answer(written, None) == expected["update"]
    compared("answers about rules that no server takes", 2)


def test_stored_rules_are_recorded() -> None:
    assert len(ROWS) > 15
