"""`pytest-crd check`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_crd import __main__ as program

GOOD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""
REFUSED = GOOD.replace("Namespaced", "Namespacd").replace("tabs", "caps").replace("Tab", "Cap")
MISSPELT = GOOD.replace("type: object", "type: object, nulable: true").replace("tabs", "pads").replace("Tab", "Pad")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_crd_that_the_server_takes_is_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tabs.yaml").write_text(GOOD)

    assert program.main(["check", "tabs.yaml"]) == 0
    assert capsys.readouterr() == (
        "tabs.yaml:1: tabs.example.com (v1): accepted\n1 CRD, 0 refused; Kubernetes 1.37\n",
        "",
    )


def test_a_preview_is_called_a_preview(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tabs.yaml").write_text(GOOD)

    assert program.main(["check", "--kubernetes-version", "1.38", "tabs.yaml"]) == 0
    assert capsys.readouterr().out.endswith("Kubernetes 1.38 (preview, not compared with a server)\n")


def test_a_refusal_is_reported_in_the_words_of_the_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "all.yaml").write_text(f"{GOOD}---\n{REFUSED}---\n{MISSPELT}")

    assert program.main(["check", "."]) == 1
    assert capsys.readouterr().out == (
        "all.yaml:1: tabs.example.com (v1): accepted\n"
        "all.yaml:11: caps.example.com (v1): refused (422)\n"
        '  spec.scope: Unsupported value: "Namespacd": supported values: "Cluster", "Namespaced"\n'
        "all.yaml:21: pads.example.com (v1): refused (400)\n"
        '  CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: strict decoding error: '
        'unknown field "spec.versions[0].schema.openAPIV3Schema.nulable"\n'
        "3 CRDs, 2 refused; Kubernetes 1.37\n"
    )


def test_notes_about_an_accepted_crd_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD.replace("type: object", "type: object, properties: {a: {type: string, format: colour}}")
    rival = GOOD.replace("{name: tabs", "{name: tablets").replace("plural: tabs", "plural: tablets")
    (folder / "a.yaml").write_text(text)
    (folder / "b.yaml").write_text(rival)
    (folder / "c.yaml").write_text(text)

    assert program.main(["check", "."]) == 0
    assert capsys.readouterr().out == (
        "note: c.yaml:1: passed over, a copy of tabs.example.com in a.yaml:1\n"
        "a.yaml:1: tabs.example.com (v1): accepted\n"
        '  warning: unrecognized format "colour"\n'
        "b.yaml:1: tablets.example.com (v1): accepted\n"
        '  NamesAccepted is False (ListKindConflict): "TabList" is already in use\n'
        "  Established is False (NotAccepted): not all names are accepted\n"
        "2 CRDs, 0 refused; Kubernetes 1.37\n"
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nope.yaml"], "nope.yaml: no such file or folder"),
        (["tabs.yaml", "--kubernetes-version", "1.2"], "'1.2'"),
    ],
)
def test_an_unreadable_file_is_another_failure(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    (folder / "tabs.yaml").write_text(GOOD)

    assert program.main(["check", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert problem in printed.err


def test_an_older_version_answers_on_demand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = GOOD.replace("/v1", "/v1beta1").replace(", schema: {openAPIV3Schema: {type: object}}", "")
    (folder / "tabs.yaml").write_text(old)

    assert program.main(["check", "tabs.yaml", "--kubernetes-version", "1.21"]) == 0
    assert program.main(["check", "tabs.yaml"]) == 1
    assert "refused (404)\n  the server could not find the requested resource\n" in capsys.readouterr().out


@pytest.mark.session
def test_the_program_ends_with_the_code_of_its_command(folder: Path) -> None:
    (folder / "caps.yaml").write_text(REFUSED)

    done = subprocess.run([sys.executable, "-m", "pytest_crd", "check", "caps.yaml"], capture_output=True, check=False)

    assert done.returncode == 1


@pytest.mark.session
def test_crds_are_named_or_those_of_the_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config/crd/bases").mkdir(parents=True)
    (folder / "config/crd/bases/all.yaml").write_text(f"{GOOD}---\n{REFUSED}")
    (folder / "more.yaml").write_text(MISSPELT)

    def checked(*arguments: str) -> list[str]:
        program.main(["check", *arguments])
        return [line.split()[1] for line in capsys.readouterr().out.splitlines() if ".yaml:" in line]

    assert checked() == ["tabs.example.com", "caps.example.com"]
    assert checked("Tab") == checked("tabs") == ["tabs.example.com"]
    assert checked("more.yaml", "tab") == ["pads.example.com", "tabs.example.com"]
    assert checked("--crd-path", "more.yaml") == ["pads.example.com"]
    assert program.main(["check", "zzz"]) == 2
    assert "no CRD is called 'zzz'" in capsys.readouterr().err
    assert program.main(["check", "config/none"]) == 2
    assert "config/none" in capsys.readouterr().err
