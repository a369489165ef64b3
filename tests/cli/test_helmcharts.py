"""`pytest-crd validate --helm-charts` and `--skip`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from pytest_crd import __main__ as program

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
"""
# Prints its arguments as the name of a ConfigMap, and the values file as a Tab.
HELM = """\
#!/bin/sh
case "$2" in broken) echo 'Error: found in Chart.yaml, but missing in charts/ directory: a' >&2; exit 1;; esac
case "$2" in odd) echo 'a: ['; exit;; esac
printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: %s}\\ndata: {arguments: "%s"}\\n---\\n' "$2" "$*"
for file; do :; done
if [ -f "$file" ]; then cat "$file"; fi
"""


@pytest.fixture
def validate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Validate:
    """Run the command with a fake helm, and return its code and output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/helm").write_text(HELM)
    (tmp_path / "bin/helm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/tabs.yaml").write_text(CRD)

    def run(*arguments: str) -> tuple[int, str, str]:
        return program.main(["validate", *arguments]), *capsys.readouterr()

    return run


@pytest.fixture
def chart(tmp_path: Path) -> Callable[..., Path]:
    """Write a chart below the folder `apps`."""

    def write(name: str = "tab", text: str = "name: tab\n", values: str = "") -> Path:
        folder = tmp_path / "apps" / name
        (folder / "templates").mkdir(parents=True)
        (folder / "Chart.yaml").write_text(text)
        (folder / "templates/tab.yaml").write_text("{{ if .Values.on }}\nkind: Tab\n{{ end }}\n")
        if values:
            (folder / "ci").mkdir()
            (folder / "ci/large-values.yaml").write_text(values)
        return folder

    return write


@pytest.mark.session
def test_charts_are_rendered_with_the_default_and_each_ci_values_file(
    chart: Callable[..., Path], validate: Validate
) -> None:
    chart(values="apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nsize: x\n")

    code, out, _ = validate("apps", "--helm-charts", "--kubernetes-version", "1.36")

    assert code == 1
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert lines == [
        "apps/tab:1: ConfigMap/tab of apps/tab: accepted",
        "apps/tab (ci/large-values.yaml):1: ConfigMap/tab of apps/tab (ci/large-values.yaml): accepted",
        (
            "apps/tab (ci/large-values.yaml):6: Tab/a of apps/tab (ci/large-values.yaml): refused (422) by "
            "tabs.example.com v1 (crds/tabs.yaml:1)"
        ),
        "1 custom resource, 1 refused; 2 built-in objects, 0 refused; Kubernetes 1.36",
    ]


@pytest.mark.session
def test_helm_gets_the_kubernetes_version(chart: Callable[..., Path], validate: Validate) -> None:
    chart()

    out = validate("apps", "--helm-charts", "--show")[1]

    assert "template tab . --include-crds --kube-version 1.37.0" in out
    assert "--api-versions apiregistration.k8s.io/v1 --api-versions apiregistration.k8s.io/v1/APIService" in out


@pytest.mark.session
def test_a_chart_that_helm_does_not_render_makes_the_verdict_incomplete(
    chart: Callable[..., Path], validate: Validate
) -> None:
    chart("broken")
    chart("odd")
    chart("fine")

    code, out, error = validate("apps", "--helm-charts")

    assert code == 2
    assert "ConfigMap/fine of apps/fine: accepted\n" in out
    broken, reason, odd = error.splitlines()
    assert broken.startswith("apps/broken/Chart.yaml: `helm template broken . ")
    assert reason == "  Error: found in Chart.yaml, but missing in charts/ directory: a"
    assert odd.startswith("apps/odd:")


def test_without_helm_the_error_names_the_first_chart(
    chart: Callable[..., Path], tmp_path: Path, validate: Validate
) -> None:
    chart()
    (tmp_path / "bin/helm").unlink()

    assert validate("apps", "--helm-charts") == (
        2,
        "",
        "--helm-charts: apps/tab: helm is not installed; install it, or write helm template … | pytest-crd validate -\n",
    )


@pytest.mark.parametrize("name", ["apps", "apps/map.yaml"])
def test_no_chart_to_render_is_an_error(name: str, tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")

    words = f"no folder among {name} has a chart: name a folder with a Chart.yaml in or below it"
    assert validate(name, "--helm-charts") == (2, "", f"--helm-charts: {words}\n")


def test_a_library_is_no_chart_of_its_own(chart: Callable[..., Path], tmp_path: Path, validate: Validate) -> None:
    chart(text="name: tab\ntype: library\n")
    (tmp_path / "apps/map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")

    assert validate("apps", "--helm-charts")[:2] == (
        0,
        "apps/map.yaml:1: ConfigMap/a: accepted\n0 custom resources, 0 refused; 1 built-in object, 0 refused; Kubernetes 1.37\n",
    )


def test_a_chart_without_a_readable_file_is_a_mistake(
    chart: Callable[..., Path], tmp_path: Path, validate: Validate
) -> None:
    (chart() / "Chart.yaml").unlink()
    (tmp_path / "apps/tab/Chart.yaml").symlink_to("none")

    code, _, error = validate("apps", "--helm-charts")

    assert code == 2
    assert error == "apps/tab/Chart.yaml: cannot be read: No such file or directory\n"


def test_skipped_kinds_are_counted(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/a.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: A_}\n---\n"
        "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: A_}\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    )

    code, out, _ = validate("apps", "--skip", "secret", "--skip", "Tab.example.com")

    assert code == 0
    assert out.endswith("1 built-in object, 0 refused; 2 objects skipped (1 Secret, 1 Tab); Kubernetes 1.37\n")
    assert json.loads(validate("apps", "--skip", "Secret", "-o", "json")[1])["skipped"] == 1
    assert validate("apps", "--skip", "Tab.example.org")[0] == 1
