"""Settings of `pytest-crd validate` in `pytest-crd.toml` and `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from support import crds

from pytest_crd import __main__ as program
from pytest_crd.cli import repositorysettings

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"

TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\n"
NOTE = "apiVersion: example.org/v1\nkind: Note\nmetadata: {name: a}\n"
KEYS = "files, crd, skip, local-sources, helm-charts, strict, kubernetes-version"
ACCEPTED = "apps/tab.yaml:1: Tab/a: accepted\n1 custom resource, 0 refused; "


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a CRD, an object, and an object without a CRD."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/tabs.yaml").write_text(crds.text("plural: tabs, kind: Tab", "type: object"))
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/tab.yaml").write_text(TAB)
    (tmp_path / "apps/note.yaml").write_text(NOTE)
    return tmp_path


@pytest.fixture
def validate(folder: Path, capsys: pytest.CaptureFixture[str]) -> Validate:
    """Run the command, and return its code and output."""
    del folder

    def run(*arguments: str) -> tuple[int, str, str]:
        return program.main(["validate", *arguments]), *capsys.readouterr()

    return run


def write(folder: Path, text: str, name: str = "pytest-crd.toml") -> None:
    (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "table"), [("pytest-crd.toml", "validate"), ("pyproject.toml", "tool.pytest-crd.validate")]
)
def test_settings_are_as_options(name: str, table: str, folder: Path, validate: Validate) -> None:
    settings = 'files = ["apps"]\ncrd = ["schemas"]\nskip = ["Note"]\nkubernetes-version = "1.36"\n'
    write(folder, f"[{table}]\n{settings}", name)

    assert validate() == (0, f"{ACCEPTED}1 object skipped (1 Note); Kubernetes 1.36\n", "")


def test_options_replace_settings(folder: Path, validate: Validate) -> None:
    write(folder, '[validate]\nfiles = ["apps"]\ncrd = ["nowhere"]\nskip = ["Tab"]\nstrict = true\n')

    code, out, _ = validate("apps/tab.yaml", "apps/note.yaml", "--crd", "schemas", "--skip", "Secret", "--no-strict")

    assert (code, out) == (
        0,
        f"{ACCEPTED}1 object of other kinds, not judged (1 Note of example.org/v1); Kubernetes 1.37\n",
    )
    assert validate("apps", "--crd", "schemas", "--skip", "Secret")[0] == 1
    assert validate("apps", "--crd-live", "x")[2].startswith("--crd-live: ")  # no error about two places of CRDs


def test_settings_of_a_folder_above_count_with_its_paths(
    folder: Path, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, '[validate]\nfiles = ["apps"]\ncrd = ["schemas", "!schemas/*.json"]\n')
    (folder / "schemas/a.json").write_text("[")
    monkeypatch.chdir(folder / "apps")

    code, out, _ = validate()

    assert code == 0
    assert "tab.yaml:1: Tab/a: accepted\n" in out


FLUX = (
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: b}\n"
    "spec: {path: more, sourceRef: {kind: Bucket, name: c}}\n"
)


def test_folders_of_sources_are_relative_to_the_settings(
    folder: Path, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, '[validate]\ncrd = ["schemas"]\nlocal-sources = ["Bucket/b/c=source"]\n')
    (folder / "source/more").mkdir(parents=True)
    (folder / "source/more/tab.yaml").write_text(TAB)
    (folder / "apps/flux.yaml").write_text(FLUX)
    monkeypatch.chdir(folder / "apps")

    assert "Tab/a of ../source/more by Kustomization/a: accepted\n" in validate("flux.yaml")[1]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('local-sources = ["Bucket/b/c=../elsewhere"]', "Bucket/b/c=../elsewhere: it leads out"),
        ('local-sources = ["Bucket/b/c=a/[b]/../../../x"]', "Bucket/b/c=a/[b]/../../../x: it leads out"),
        ('local-sources = ["Bucket/b/c=[b]x/link"]', "Bucket/b/c=[b]x/link: it leads out"),
        ('local-sources = ["Bucket/b/c=.,Bucket/b/d=/"]', "Bucket/b/c=.,Bucket/b/d=/: write a text for each source"),
        ('files = ["apps/[b]/../../../x"]', "apps/[b]/../../../x: it leads out"),
    ],
)
def test_settings_name_no_path_out_of_the_project(setting: str, message: str, folder: Path, validate: Validate) -> None:
    (folder / "[b]x").mkdir()
    (folder / "[b]x/link").symlink_to(folder.parent)
    write(folder, f"[validate]\n{setting}\n")

    assert validate("apps")[2].startswith(f"pytest-crd.toml:2: {setting.partition(' ')[0]}: {message}")


def test_settings_above_the_repository_do_not_count(
    folder: Path, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "[validate]\nunknown = 1\n")
    (folder / "apps/.git").mkdir()
    monkeypatch.chdir(folder / "apps")

    assert validate() == (2, "", "name files with objects, - for standard input, or `files` in pytest-crd.toml\n")


def test_other_tables_of_a_project_are_no_settings(folder: Path, validate: Validate) -> None:
    write(folder, "tool = 1\n", "pyproject.toml")

    assert validate()[2] == "name files with objects, - for standard input, or `files` in pytest-crd.toml\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[validate]\n\nstrct = true\n", "3: no setting is strct; did you mean strict?"),
        ('files = ["apps"]\n', "1: files is a setting of validate: write it below [validate]"),
        ("[validate]\nx = 1\n", f"2: no setting is x; there are {KEYS}"),
        ("[other]\n[validate]\n", "1: no setting is other; there are validate"),
        ("[valid]\n", "1: no setting is valid; did you mean validate?"),
        ("validate = 1\n", "1: write the settings of validate as a table"),
        ("[validate]\nfiles = 'apps'\n", "2: files: write a list of texts"),
        ("[validate]\nskip = [1]\n", "2: skip: write a list of texts"),
        ("[validate]\ncrd = ['']\n", "2: crd: write a list of texts"),
        ("[validate]\nstrict = 'no'\n", "2: strict: write true or false"),
        ("[validate]\nkubernetes-version = 1.30\n", "2: kubernetes-version: write a text"),
        ("[validate]\nkubernetes-version = ['1.30']\n", "2: kubernetes-version: write a text"),
        ("[validate]\nfiles = ['-']\n", "2: files: - is standard input, which only the command line names"),
        (
            "[validate]\nfiles = [\n  'apps',\n  '../a',\n]\n",
            "4: files: ../a: it leads out of the project; copy the file into the project",
        ),
        ("[validate]\ncrd = ['!/etc/**']\n", "2: crd: !/etc/**: it leads out of the project; copy the file into"),
    ],
)
def test_wrong_settings_are_mistakes_with_their_lines(
    text: str, problem: str, folder: Path, validate: Validate
) -> None:
    write(folder, text)

    code, out, err = validate("apps")

    assert (code, out) == (2, "")
    assert err.removeprefix("pytest-crd.toml:").startswith(problem)


def test_all_mistakes_are_named_at_once(folder: Path, validate: Validate) -> None:
    write(folder, "[validate]\nx = 1\nstrict = 1\nkubernetes-version = '1.2'\n")

    assert [line.partition(": ")[0] for line in validate("apps")[2].splitlines()] == [
        f"pytest-crd.toml:{line}" for line in (2, 3, 4)
    ]


@pytest.mark.parametrize("content", [b"[", b"\xff"])
def test_a_file_that_cannot_be_read_is_a_mistake(content: bytes, folder: Path, validate: Validate) -> None:
    (folder / "pytest-crd.toml").write_bytes(content)

    assert validate("apps")[2].startswith("pytest-crd.toml: cannot be read: ")


def test_two_tables_in_a_folder_are_a_mistake(folder: Path, validate: Validate) -> None:
    write(folder, "[validate]\n")
    write(folder, "\n[tool.pytest-crd.validate]\nstrict = true\n", "pyproject.toml")

    assert validate("apps") == (
        2,
        "",
        "pyproject.toml:2: the settings are in pytest-crd.toml, too: keep one of the two tables\n",
    )


def test_charts_are_rendered_where_named_folders_have_some(folder: Path, validate: Validate) -> None:
    write(folder, "[validate]\nfiles = ['apps']\ncrd = ['schemas']\nhelm-charts = true\n")

    assert validate()[2].startswith("--helm-charts: no folder among apps has a chart")
    assert validate("apps/tab.yaml")[0] == 0
    (folder / "charts/a").mkdir(parents=True)
    (folder / "charts/a/Chart.yaml").write_text("type: library\n")
    assert validate("apps/tab.yaml", "charts", "--no-helm-charts")[2].startswith("charts: ") is False


def test_without_a_repository_only_the_current_folder_counts(tmp_path: Path) -> None:
    assert repositorysettings._find_file(tmp_path) is None
    assert repositorysettings._find_file(Path("/")) is None


@pytest.mark.parametrize("name", ["pytest_crd", "Pytest-CRD"])
def test_a_misspelt_table_of_a_project_is_an_error(name: str, folder: Path, validate: Validate) -> None:
    write(folder, f"[project]\n[tool.{name}.validate]\nstrict = true\n", "pyproject.toml")

    assert validate("apps") == (2, "", f"pyproject.toml:2: no table is {name}; did you mean pytest-crd?\n")


@pytest.mark.parametrize("text", ["[project]\n", "tool = 1\n", "[tool.other_tool]\n"])
def test_a_project_without_a_table_of_settings_has_none(text: str, folder: Path, validate: Validate) -> None:
    write(folder, text, "pyproject.toml")

    assert validate("apps", "--crd", "schemas")[0] == 0
