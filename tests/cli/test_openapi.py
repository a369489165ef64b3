"""`pytest-crd openapi`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_crd import __main__ as program
from pytest_crd import engine

pytestmark = pytest.mark.session

_CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v2beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, description: Tab é}}}
  - {name: v3, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tabs.yaml").write_text(_CRD, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "version"),
    [("Tab", "v1"), ("tabs.yaml", "v1"), ("tabs.example.com/v2beta1", "v2beta1"), ("./tabs.yaml/v2beta1", "v2beta1")],
)
@pytest.mark.parametrize(("options", "form"), [([], 3), (["--v2"], 2)])
def test_the_document_is_printed(
    asked: str, version: str, options: list[str], form: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["openapi", asked, *options]) == 0

    expected = engine.load("tabs.yaml")["Tab"].version(version).openapi(form)
    assert json.loads(capsys.readouterr().out) == expected


def test_texts_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["openapi", "Tab/v2beta1"]) == 0

    assert '"description": "Tab é"' in capsys.readouterr().out


def test_crds_are_looked_for_where_the_command_line_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other").mkdir()
    (folder / "tabs.yaml").rename(folder / "other" / "x.yaml")
    (folder / "tabs.yaml").write_text(_CRD.replace("name: v1,", "name: v4,"), encoding="utf-8")

    assert program.main(["openapi", "Tab", "--crd-path", "other", "--crd-path", "tabs.yaml"]) == 2
    assert "'Tab' names several CRDs" in capsys.readouterr().err
    assert program.main(["openapi", "Tab", "--crd-path", "other"]) == 0

    assert "/apis/example.com/v1/tabs" in json.loads(capsys.readouterr().out)["paths"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["Tab/v3"], 1, "tabs.example.com/v3 is not served, so that it is not published\n"),
        (["Tab", "--kubernetes-version", "1.21"], 1, "Kubernetes 1.21 publishes no OpenAPI v3\n"),
        (["Tab/v4"], 2, "tabs.example.com has no version 'v4'; it has: v1, v2beta1, v3\n"),
        (["Tub"], 2, "no CRD is called 'Tub'; did you mean 'Tab'?\n"),
        (["Tab", "--kubernetes-version", "1.2"], 2, "unknown Kubernetes version '1.2'"),
    ],
)
def test_why_there_is_no_document_is_said(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["openapi", *arguments]) == code

    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(words)


def test_kubernetes_1_21_has_v2(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["openapi", "Tab", "--v2", "--kubernetes-version", "1.21"]) == 0

    assert "parameters" not in json.loads(capsys.readouterr().out)


def test_a_crd_without_served_versions_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tabs.yaml").write_text(_CRD.replace("served: true", "served: false"), encoding="utf-8")

    assert program.main(["openapi", "Tab"]) == 2

    assert capsys.readouterr().err == "tabs.example.com serves no version\n"


def test_a_crd_with_names_of_another_crd_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ubs.yaml").write_text(_CRD.replace("tabs", "ubs"), encoding="utf-8")

    assert program.main(["openapi", "ubs.example.com"]) == 1

    assert capsys.readouterr().err == "ubs.example.com is not established, so that nothing of it is published\n"


def test_a_file_with_several_crds_needs_a_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = _CRD.replace("tabs", "caps").replace("Tab", "Cap")
    (folder / "tabs.yaml").write_text(f"{_CRD}---\n{second}", encoding="utf-8")

    assert program.main(["openapi", "tabs.yaml"]) == 2

    assert capsys.readouterr().err.startswith("'tabs.yaml' names several CRDs: tabs.example.com (")
