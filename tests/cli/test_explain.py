"""`pytest-crd explain`, compared with the output of kubectl (`python -m oracle record explain`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from support import crds

from pytest_crd import __main__ as program

_FOLDER: Final = Path(__file__).parent / "explained"
FILES: Final = (_FOLDER / "widgets.json", _FOLDER / "widgets.yaml")
_RECORDED: Final = json.loads(FILES[0].read_text(encoding="utf-8"))
_CRD: Final = FILES[1].read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "widgets.yaml").write_text(_CRD, encoding="utf-8")
    return tmp_path


def _id(recorded: Any) -> str:
    return f"{recorded['version']} {recorded['field'] or 'all'}{' recursive' if recorded['recursive'] else ''}"


@pytest.mark.replay
@pytest.mark.parametrize("recorded", _RECORDED, ids=_id)
def test_fields_are_explained_as_kubectl_does(
    recorded: Any, capsys: pytest.CaptureFixture[str], compared: Callable[[str, int], None]
) -> None:
    field = [recorded["field"]] if recorded["field"] else []
    options = ["--recursive"] if recorded["recursive"] else []

    assert program.main(["explain", f"widgets/{recorded['version']}", *field, *options]) == recorded["code"]

    assert capsys.readouterr() == (recorded["stdout"], recorded["stderr"])
    compared("explanations of kubectl", 1)


@pytest.mark.parametrize(
    "named", ["Widget", "widget", "widgets", "wd", "widgets.shop.example.com", "crds/widgets.yaml"]
)
def test_a_crd_has_the_names_that_kubectl_takes(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", f"{named}/v2", "spec"]) == 0
    assert program.main(["explain", named, "spec"]) == 0

    assert capsys.readouterr().out.count("\nVERSION:    v2\n\nFIELD: spec <Object>\n") == 2


def test_an_unknown_kind_and_an_unknown_version_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "Wodget"]) == 2
    assert program.main(["explain", "Widget/v9"]) == 2

    output = "no CRD is called 'Wodget'; did you mean 'Widget'?\nwidgets.shop.example.com has no version 'v9'; it has: v1, v2\n"
    assert capsys.readouterr() == ("", output)


def test_a_map_of_any_values_has_no_fields(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "properties": {"any": {"type": "object", "additionalProperties": True}}}
    (folder / "crds" / "tabs.json").write_text(json.dumps(crds.manifest(schema)), encoding="utf-8")

    assert program.main(["explain", "Tab", "any", "--recursive"]) == 0

    out, err = capsys.readouterr()
    assert ("FIELD: any <" in out, "FIELDS:" in out, err) == (True, False, "")


def test_a_refused_crd_is_not_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "crds" / "widgets.yaml").write_text(_CRD.replace("scope: Namespaced", "scope: Space"), encoding="utf-8")

    assert program.main(["explain", "Widget"]) == 1

    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(
        "widgets.shop.example.com is refused, so that nothing of it is published: CustomResourceDefinition"
    )
    assert 'spec.scope: Unsupported value: "Space"' in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["widget.spec"],
        ["widgets", "spec"],
        ["Widget/v1.spec"],
        ["crds/widgets.yaml", "spec"],
        ["widgets.shop.example.com/v1.spec"],
    ],
)
def test_a_field_is_named_as_for_kubectl(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", *arguments]) == 0
    out = capsys.readouterr().out
    assert "FIELD: spec <Object>" in out


@pytest.mark.parametrize("named", ["wigdet.spec", "wigdet"])
def test_an_unknown_kind_gets_the_nearest_as_a_suggestion(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", named]) == 2
    assert capsys.readouterr().err.startswith("no CRD is called 'wigdet'")


@pytest.mark.parametrize(
    ("named", "heading", "field"),
    [
        ("configmap.data", "KIND:       ConfigMap\nVERSION:    v1\n", "FIELD: data <map[string]string>\n"),
        ("po.spec.restartPolicy", "KIND:       Pod\nVERSION:    v1\n", "ENUM:\n    Always\n    Never\n    OnFailure\n"),
        ("Deployments.apps.spec", "GROUP:      apps\nKIND:       Deployment\n", "FIELD: spec <DeploymentSpec>\n"),
        ("deployments.apps/v1.spec", "GROUP:      apps\nKIND:       Deployment\n", "FIELD: spec <DeploymentSpec>\n"),
        ("hpa.spec", "GROUP:      autoscaling\nKIND:       HorizontalPodAutoscaler\nVERSION:    v2\n", "FIELD: spec <"),
        (
            "hpa/v1.spec",
            "GROUP:      autoscaling\nKIND:       HorizontalPodAutoscaler\nVERSION:    v1\n",
            "FIELD: spec <",
        ),
        ("events.note", "KIND:       Event\nVERSION:    v1\n", 'error: field "note" does not exist'),
        ("events.events.k8s.io.note", "GROUP:      events.k8s.io\nKIND:       Event\n", "FIELD: note <string>\n"),
    ],
)
def test_built_in_kinds_are_explained(named: str, heading: str, field: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = program.main(["explain", named])
    output, errors = capsys.readouterr()
    assert (code, output.startswith(heading)) == (int(bool(errors)), True)
    assert field in output + errors


@pytest.mark.session
def test_a_built_in_kind_needs_no_crd_in_the_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "crds" / "widgets.yaml").unlink()

    assert program.main(["explain", "configmap.data"]) == 0
    assert "FIELD: data <map[string]string>\n" in capsys.readouterr().out
    assert program.main(["explain", "widget"]) == 2
    assert f"{folder}: no CRD was found" in capsys.readouterr().err
    assert program.main(["explain", "configmap", "--crd-path", "crds/widgets.yaml"]) == 2
    assert "crds/widgets.yaml" in capsys.readouterr().err


def test_kubernetes_1_21_explains_no_built_in_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "configmap", "--kubernetes-version", "1.21"]) == 1
    assert capsys.readouterr().err == "Kubernetes 1.21 publishes no OpenAPI v3\n"


def test_a_name_of_neither_a_crd_nor_a_built_in_kind_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for named in ("configmapx.data", "deployments/v7.spec", "deployments.spec/v1"):
        assert program.main(["explain", named]) == 2
        assert capsys.readouterr().err.startswith("no CRD is called")
