"""`pytest-crd json-schema`."""

from __future__ import annotations

import json
from pathlib import Path

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
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tabs.yaml").write_text(_CRD, encoding="utf-8")
    (tmp_path / "caps.yaml").write_text(_CRD.replace("tabs", "caps").replace("Tab", "Cap"), encoding="utf-8")
    return tmp_path


def test_each_served_version_has_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["json-schema", "--out", "made/schemas"]) == 0

    names = [f"{kind}-example.com-{version}.json" for kind in ("cap", "tab") for version in ("v1", "v1beta1")]
    assert sorted(path.name for path in Path("made/schemas").iterdir()) == names
    assert sorted(capsys.readouterr().out.split()) == [str(Path("made/schemas") / name) for name in names]
    for version in engine.load("tabs.yaml")[0].versions[:2]:
        content = json.loads(Path(f"made/schemas/tab-example.com-{version.name}.json").read_text(encoding="utf-8"))
        assert content == version.json_schema()


def test_a_catalogue_has_a_folder_for_each_group() -> None:
    assert program.main(["json-schema", "Tab", "--out", "made", "--layout", "catalog"]) == 0

    names = sorted(str(path.relative_to("made")) for path in Path("made").rglob("*.json"))
    assert names == ["example.com/tab_v1.json", "example.com/tab_v1beta1.json"]


def test_a_link_of_a_catalogue_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (folder / "made").mkdir()
    outside = tmp_path_factory.mktemp("outside")
    (folder / "made/example.com").symlink_to(outside)

    assert program.main(["json-schema", "Tab", "--out", "made", "--layout", "catalog"]) == 2
    assert not list(outside.iterdir())


def test_only_the_named_ones_have_a_file() -> None:
    assert program.main(["json-schema", "Tab", "--out", "made"]) == 0

    assert sorted(path.name for path in Path("made").iterdir()) == [
        "tab-example.com-v1.json",
        "tab-example.com-v1beta1.json",
    ]


def test_all_mistakes_are_said_and_nothing_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tabs", "caps"):
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        (folder / f"{name}.yaml").write_text(text.replace("Namespaced", "Space"), encoding="utf-8")

    assert program.main(["json-schema", "--out", "made"]) == 1

    refused = [line.partition(" is refused")[0] for line in capsys.readouterr().err.splitlines()]
    assert refused == ["caps.example.com", "tabs.example.com"]
    assert not Path("made").exists()


def test_alternatives_would_have_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.yaml").write_text(_CRD.replace("Namespaced", "Cluster"), encoding="utf-8")

    assert program.main(["json-schema", "--out", "made"]) == 1

    output = capsys.readouterr().err
    assert output.startswith(
        "tab-example.com-v1.json would be of other.yaml:1 and tabs.yaml:1; say which CRD is meant\n"
    )
    assert not Path("made").exists()


def test_nothing_to_write_is_a_mistake(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tabs", "caps"):
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        (folder / f"{name}.yaml").write_text(text.replace("served: true", "served: false"), encoding="utf-8")

    assert program.main(["json-schema", "--out", "made"]) == 1

    assert capsys.readouterr().err == "no version is served\n"


def test_an_unknown_crd_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["json-schema", "Tub", "--out", "made"]) == 2

    assert capsys.readouterr().err == "no CRD is called 'Tub'; did you mean 'Tab'?\n"


def test_a_folder_that_cannot_be_created_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "made").write_text("")

    assert program.main(["json-schema", "--out", "made"]) == 2

    assert capsys.readouterr() == ("", "made: cannot be written: File exists\n")


@pytest.mark.parametrize("name", ["made", "made/tab-example.com-v1.json"])
def test_a_link_out_of_its_folder_is_not_followed(
    name: str, folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).symlink_to(outside if name == "made" else outside / "target")

    assert program.main(["json-schema", "tabs.yaml", "--out", "made"]) == 2
    assert capsys.readouterr().err.startswith("made: cannot be written: it is a link to ")
    assert [*outside.iterdir()] == []
