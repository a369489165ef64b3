"""`pytest-crd crd`."""

from __future__ import annotations

import sys
from pathlib import Path

import pydantic  # noqa: F401 - the project's module shares it
import pytest
import yaml

from pytest_crd import __main__ as program

MODELS = """\
print("imported")
from pydantic import BaseModel

class BackupSpec(BaseModel):
    schedule: str
    days: int = 30

class Odd(BaseModel):
    size: int | bool

NEITHER = 1
"""
COMMAND = ("crd", "backupmodels:BackupSpec", "--group", "example.com", "--kind", "Backup")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "backupmodels.py").write_text(MODELS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "backupmodels", raising=False)
    return tmp_path


def _print(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert program.main([*COMMAND, *more]) == 0
    return capsys.readouterr().out


def test_the_crd_of_a_class_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    manifest = yaml.safe_load(_print(capsys))

    assert manifest["metadata"] == {"name": "backups.example.com"}
    (version,) = manifest["spec"]["versions"]
    assert (version["name"], version["storage"]) == ("v1", True)
    fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert fields == {"schedule": {"type": "string"}, "days": {"type": "integer", "default": 30}}


def test_options_set_names_versions_and_scope(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--plural=bkps", "--version=v1beta1", "--version=v1", "--scope=Cluster", "--short-name=b")
    spec = yaml.safe_load(_print(capsys, *options))["spec"]

    assert (spec["names"]["plural"], spec["names"]["shortNames"], spec["scope"]) == ("bkps", ["b"], "Cluster")
    assert [(item["name"], item["storage"]) for item in spec["versions"]] == [("v1beta1", False), ("v1", True)]


def test_a_file_with_the_same_crd_agrees(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labelled = _print(capsys).replace("metadata:", "metadata:\n  labels: {a: b}")
    Path("crds.yaml").write_text(f"# generated\n{labelled}---\na: 1\n", encoding="utf-8")

    assert program.main([*COMMAND, "--check", "crds.yaml"]) == 0
    assert capsys.readouterr().out == ""


def test_a_file_with_another_crd_is_shown_as_a_diff(capsys: pytest.CaptureFixture[str]) -> None:
    Path("crds.yaml").write_text(_print(capsys).replace("default: 30", "default: 7"), encoding="utf-8")

    assert program.main([*COMMAND, "--check", "crds.yaml"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("--- crds.yaml\n+++ the class\n")
    changed = [line.replace(" ", "") for line in shown.splitlines() if line[0] in "-+"][2:]
    assert changed == ["-default:7", "+default:30"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent:Spec"], "absent:Spec: there is no module absent; install the project, or set pythonpath"),
        (["backupmodels:Odd"], "Odd, size: a union of boolean and integer; a structural schema has one type"),
        (["backupmodels:NEITHER"], "1 has no model_json_schema()"),
        (["backupmodels:BackupSpec", "--check", "none.yaml"], "none.yaml: cannot be read: No such file or directory"),
        (["backupmodels:BackupSpec", "--check", "other.yaml"], "other.yaml: it has no CRD backupspecs.example.com"),
        (["backupmodels:BackupSpec", "--check", "broken.yaml"], "broken.yaml"),
    ],
)
def test_mistakes_are_wrong_use(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.yaml").write_text("metadata: {name: others}\n", encoding="utf-8")
    Path("broken.yaml").write_text("a: [", encoding="utf-8")

    assert program.main(["crd", *arguments, "--group", "example.com"]) == 2
    assert message in capsys.readouterr().err


def test_a_class_is_imported_from_the_current_folder_only_if_the_command_line_names_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["schema"]) == 0
    assert "imported" not in "".join(capsys.readouterr())
    assert str(folder) not in sys.path

    assert program.main(COMMAND) == 0
    out, err = capsys.readouterr()
    assert yaml.safe_load(out)["kind"] == "CustomResourceDefinition"
    assert err == "imported\n"
