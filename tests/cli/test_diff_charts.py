"""`pytest-crd diff` with the archives of Helm charts, and with the output of helm."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from pytest_crd import __main__ as program
from pytest_crd.discovery import chartarchives

Diff: TypeAlias = "Callable[..., tuple[int, str, str]]"

OLD = """\
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
NEW = OLD.replace("integer", "string")
TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nsize: 1\n"


@pytest.fixture
def diff(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Diff:
    """Compare CRDs by their effects on an object, with a text as standard input, and return the code and the output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.yaml").write_text(OLD)
    (tmp_path / "tab.yaml").write_text(TAB)

    def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        return program.main(["diff", *arguments, "--objects", "tab.yaml"]), *capsys.readouterr()

    return run


def _pack(folder: Path, files: Mapping[str, str]) -> None:
    with tarfile.open(folder / "chart.tgz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("tabs/link.yaml"))
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


@pytest.mark.parametrize("place", ["tabs/crds/tabs.yaml", "tabs/charts/inner/crds/tabs.yaml"])
def test_the_crds_of_a_chart_and_its_subcharts_are_compared(place: str, tmp_path: Path, diff: Diff) -> None:
    _pack(tmp_path, {"tabs/Chart.yaml": "name: tabs\n", "tabs/readme.md": "", place: NEW})

    code, out, error = diff("old.yaml", "chart.tgz")

    assert (code, error) == (1, "")
    assert 'size: Invalid value: "integer": size in body must be of type string: "integer"\n' in out


def test_what_helm_prints_is_compared(diff: Diff) -> None:
    assert diff("old.yaml", "-", given=f"---\n# Source: a\n{OLD}---\nkind: ConfigMap\n")[0] == 0
    assert diff("old.yaml", "-", given="kind: ConfigMap\n") == (
        2,
        "",
        "stdin: no CustomResourceDefinition in what it prints\n",
    )


def test_standard_input_is_named_once(diff: Diff) -> None:
    assert diff("-", "-")[::2] == (2, "-: there is one standard input: name - once\n")


def test_a_chart_whose_crds_are_templates_is_an_error_with_the_command(tmp_path: Path, diff: Diff) -> None:
    _pack(tmp_path, {"tabs/templates/crds.yaml": f"{{{{- if .Values.crds }}}}\n{OLD}{{{{- end }}}}\n"})

    assert diff("old.yaml", "chart.tgz")[::2] == (
        2,
        (
            "chart.tgz: no CustomResourceDefinition in the archive; render its templates: "
            "helm template --include-crds chart.tgz > FILE\n"
        ),
    )


def test_a_broken_crd_of_a_chart_is_an_error_with_its_file(tmp_path: Path, diff: Diff) -> None:
    _pack(tmp_path, {"tabs/crds/tabs.yaml": f"{OLD}\n  a: [\n"})

    code, _, error = diff("old.yaml", "chart.tgz")

    assert code == 2
    assert error.startswith("chart.tgz/tabs/crds/tabs.yaml:")


@pytest.mark.parametrize(
    "content",
    [b"text", gzip.compress(b"no archive" * 200), gzip.compress(OLD.encode())[:-9]],
    ids=["no gzip", "no tar", "cut"],  # not the content, which holds the time
)
def test_a_file_that_is_no_archive_is_an_error(content: bytes, tmp_path: Path, diff: Diff) -> None:
    (tmp_path / "chart.tgz").write_bytes(content)

    code, _, error = diff("old.yaml", "chart.tgz")

    assert code == 2
    assert error.startswith("chart.tgz: cannot be read as the archive of a chart: ")


def test_the_limits_of_helm_count(tmp_path: Path, diff: Diff, monkeypatch: pytest.MonkeyPatch) -> None:
    _pack(tmp_path, {"tabs/crds/tabs.yaml": OLD})
    monkeypatch.setattr(chartarchives, "_LARGEST_FILE", 10)
    assert diff("old.yaml", "chart.tgz")[2].startswith("chart.tgz/tabs/crds/tabs.yaml: is larger than 5 MiB")
    monkeypatch.setattr(chartarchives, "_MOST_BYTES", 10)
    assert diff("old.yaml", "chart.tgz")[2] == "chart.tgz: has more than 100 MiB, which helm refuses\n"
