"""The measurement of single changes that generated case files notice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from crdchanges import __main__, measure
from crdchanges.edits import find_edits
from support import crds

from pytest_crd import engine

TEXT: dict[str, Any] = {"type": "string"}
SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {**TEXT, "pattern": "^[a-z0-9]+$", "maxLength": 9},
        "mode": {**TEXT, "enum": ["a", "b"], "default": "a"},
        "soil": {**TEXT, "enum": ["a", "b"]},
        "on": {"type": "boolean", "default": True, "nullable": True},
        "size": {"type": "integer", "minimum": 1, "default": 3},
        "label": {**TEXT, "default": "x"},
        "date": {**TEXT, "format": "date"},
        "tags": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        "args": {"type": "array", "items": TEXT},
        "either": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
    "x-kubernetes-validations": [{"rule": "self.size < 30 || has(self.date)"}],
}
ROOT: dict[str, Any] = {"type": "object", "properties": {"spec": SPEC}}
# A CRD with a change of each kind that breaks users.
_FIELDS = {name: SPEC["properties"][name] for name in ("name", "mode", "size")}
SMALL: dict[str, Any] = {
    "type": "object",
    "properties": {"spec": {"type": "object", "required": ["name"], "properties": _FIELDS}},
}


def _crd() -> engine.CustomResourceDefinition:
    return engine.CustomResourceDefinition.from_manifest(crds.manifest(ROOT))


def test_each_change_is_another_crd_that_differs_in_the_named_keyword() -> None:
    crd = _crd()
    edits = [edit for node in crd.versions[0].schema_map for edit in find_edits(node)]

    changed = [measure.change(crd, edit) for edit in edits]

    assert {edit.kind for edit in edits} >= {"require", "new default", "bound", "rule", "pattern", "list type", "type"}
    assert len({str(item.manifest) for item in changed if item is not None}) == sum(
        item is not None for item in changed
    )
    assert all(item is None or item.manifest != crd.manifest for item in changed)


def test_changes_are_the_same_in_each_run() -> None:
    version = _crd().versions[0]

    first, second = ([edit.words for edit in measure.draw_edits(version, with_core_types=True)] for _ in range(2))

    assert first == second


def test_a_line_has_the_figures_of_a_crd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(yaml.safe_dump(crds.manifest(SMALL)), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["crdchanges", str(path), "--changes", "5", "--list"])

    __main__.main()

    first, *listed = capsys.readouterr().out.splitlines()
    assert " of 5 noticed, " in first
    assert len(listed) == 5 - int(first.split()[1])


def test_the_share_of_breaking_changes_is_printed_for_each_file_of_a_folder_and_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(crds.manifest(SMALL)), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["crdchanges", str(tmp_path), "--breaking", "--changes", "3", "--list"])

    __main__.main()

    of_one = "enum 3 of 3, bound 3 of 3, default 3 of 3, served 2 of 2"
    of_all = "enum 6 of 6, bound 6 of 6, default 6 of 6, served 4 of 4"
    assert capsys.readouterr().out.splitlines() == [f"Tab: {of_one}", f"Tab: {of_one}", f"2 CRDs: {of_all}"]


def test_points_are_counted_in_one_version_of_several(tmp_path: Path) -> None:
    manifest = crds.manifest(SMALL)
    schema = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
    manifest["spec"]["versions"].append(
        {"name": "v1beta1", "served": True, "storage": False, "schema": {"openAPIV3Schema": schema}}
    )
    path = tmp_path / "crd.yaml"
    path.write_text(yaml.safe_dump(manifest), encoding="utf-8")

    measured = measure.measure(path, 1, with_core_types=True)

    assert measured.held == measured.points


def test_unnoticed_breaking_changes_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(yaml.safe_dump(crds.manifest(SMALL)), encoding="utf-8")
    monkeypatch.setattr(measure, "is_noticed", lambda *_: False)

    __main__.print_breaking([path], 1, is_listing=True)

    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "Tab: enum 0 of 1, bound 0 of 1, default 0 of 1, served 0 of 1"
    assert "  served: serve v1 no longer" in printed


def test_a_file_without_the_cases_notices_nothing() -> None:
    crd = _crd()
    changed = [
        item
        for edit in measure.draw_edits(crd.versions[0], with_core_types=True)
        if (item := measure.change(crd, edit))
    ]

    assert not any(measure.is_noticed((), item) for item in changed)
