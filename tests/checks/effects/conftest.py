"""Warnings about CRDs that are written in a test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_crd.checks.effects import ruleeffects, schemaeffects
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml.manifest import ManifestFile


def _version(name: str, spec: Mapping[str, Any], *, storage: bool, **parts: Any) -> dict[str, Any]:
    properties = {"spec": spec, **parts.pop("properties", {})}
    root = {"type": "object", "properties": properties, "required": parts.pop("required", []), **parts.pop("root", {})}
    schema = {"openAPIV3Schema": root}
    return {"name": name, "served": True, "storage": storage, "schema": schema, **parts}


@pytest.fixture
def find_warnings(tmp_path: Any) -> Callable[..., list[str]]:
    """Return a function that returns the warnings about a CRD with a schema of its spec, without the names of files."""

    def find(
        spec: Mapping[str, Any],
        *,
        versions: tuple[str, ...] = ("v1",),
        kubernetes: str = "1.37",
        api: str = "v1",
        annotations: Any = None,
        shared: Any = None,
        **parts: Any,
    ) -> list[str]:
        group, plural = "effects.example.com", "pumps"
        names = {"plural": plural, "singular": "pump", "kind": "Pump", "listKind": "PumpList"}
        entries = [_version(name, spec, storage=name == versions[0], **dict(parts)) for name in versions]
        crd: dict[str, Any] = {
            "apiVersion": f"apiextensions.k8s.io/{api}",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "annotations": annotations or {}},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": entries},
        }
        if shared is not None:  # the form of v1beta1 with one schema for all versions
            crd["spec"] |= {"validation": entries[0].pop("schema"), **shared}
        path = tmp_path / "crd.yaml"
        path.write_text(json.dumps(crd, indent=1))
        files = CrdFiles(kubernetes)
        files.read(ManifestFile(path, "crd.yaml", named=True), FileOrigin.NAMED)
        assert not files.mistakes
        (read,) = files.read_crds
        found = (*schemaeffects.find_warnings(read), *ruleeffects.find_warnings(read))
        lines = path.read_text().splitlines()
        assert all(1 <= int(warning.place.rpartition(":")[2]) <= len(lines) for warning in found)
        assert all(warning.text.endswith(f" ({warning.name})") for warning in found)
        return [warning.text for warning in found]

    return find
