"""Several operators in a repository, each with a `config` folder; and files as editors on Windows write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.git import commit

from pytest_crd.discovery import search

if TYPE_CHECKING:
    from support.sessions import Project

SAMPLE = "apiVersion: stories.example.com/v1\nkind: {kind}\nmetadata: {{name: eden}}\n"


@pytest.fixture
def operators(project: Project) -> Project:
    """A project with an operator in its root folder, and others in folders of their own."""
    for number, folder in enumerate(("pond", "operators/lake", "vendor/sea", "testdata/bog")):
        kind = folder.rpartition("/")[2].title()
        path = project.crd(f"{folder}/config/crd/bases/{kind}.yaml", plural=f"{kind.lower()}s", kind=kind)
        text = path.read_text(encoding="utf-8").replace("singular: garden", f"singular: {kind.lower()}{number}")
        path.write_text(text, encoding="utf-8")
        project.write(f"{folder}/config/samples/{kind}.yaml", SAMPLE.format(kind=kind))
    project.write("config/samples/garden.yaml", SAMPLE.format(kind="Garden"))
    return project


def test_each_operator_is_checked_with_its_samples(operators: Project) -> None:
    result = operators.run("--crd-checks")

    result.assert_outcomes(passed=3 * 7)
    result.stdout.fnmatch_lines(
        [
            "crd: 3 CRDs, 3 versions from config/crd/bases operators/lake/config/crd/bases pond/config/crd/bases; *",
            "crd: 21 checks in 6 files; 3 samples",
        ]
    )


def test_the_upgrade_of_each_operator_is_judged(operators: Project) -> None:
    commit(operators.path)

    operators.run("--crd-baseline", "git:HEAD").assert_outcomes(passed=3)


def test_folders_of_operators_are_recognized() -> None:
    names = [
        "config/crd/bases/a.yaml",
        "b/config/crd/bases/b.yaml",
        "b/config/crd/patches/b.yaml",
        "c/config/crd/c.yaml",
        "x/y/config/crds/d.yaml",
        "x/y/z/config/crd/e.yaml",
        "f/config/manager/f.yaml",
        "config.yaml",
    ]

    assert search.find_operators(names) == {
        "b/config/crd/bases": ["b/config/crd/bases/b.yaml"],
        "c/config/crd": ["c/config/crd/c.yaml"],
        "x/y/config/crds": ["x/y/config/crds/d.yaml"],
    }


def test_files_with_crlf_are_read_like_others(gardener: Project) -> None:
    gardener.write(
        "config/samples/garden.yaml", f"# crd: refused spec.rows\n{SAMPLE.format(kind='Garden')}spec: {{rows: 0}}\n"
    )
    gardener.write(
        "config/samples/more.yaml",
        f"---\n{SAMPLE.format(kind='Garden')}---\n# crd: ignore it is old\n{SAMPLE.format(kind='Garden')}",
    )
    gardener.ini("crd_paths =", "  config/crd", "crd_checks = true")
    before = gardener.run("-v").outlines
    for path in [*gardener.path.rglob("*.yaml"), gardener.path / "pytest.ini"]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    result = gardener.run("-v")

    result.assert_outcomes(passed=3 + 5 + 3)
    assert [line for line in result.outlines if " in " not in line] == [line for line in before if " in " not in line]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "pytest.ini",
            "[pytest]\ncrd_paths = config\\crd\\bases\ncrd_samples = my\\own !my\\own\\old 'my\\spaced out'\n",
        ),
        ("setup.cfg", "[tool:pytest]\ncrd_paths = .\\config\\crd\ncrd_samples = my\\*\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\ncrd_paths = ['config\\crd']\ncrd_samples = ['my\\own', 'my/spaced out']\n",
        ),
    ],
)
def test_paths_may_have_backslashes(project: Project, name: str, text: str) -> None:
    for folder in ("own", "spaced out", *(["own/old"] if name == "pytest.ini" else [])):
        project.write(f"my/{folder}/garden.yaml", SAMPLE.format(kind="Garden"))
    project.crd("old/bases/gardens.yaml")
    project.write(name, text)

    project.run("--crd-checks").assert_outcomes(passed=5 + 2 * 2)
    if name != "pytest.ini":
        return
    project.run("--crd-checks", "--crd-path", "config\\crd\\bases").assert_outcomes(passed=5 + 2 * 2)
    project.run("--crd-baseline", "old\\bases").assert_outcomes(passed=1)
    project.run("--crd-checks", "-o", "crd_samples=my/own/garden.yaml").assert_outcomes(passed=5 + 2)


def test_a_file_name_with_a_backslash_stays(project: Project) -> None:
    project.crd("odd\\name/gardens.yaml")

    project.run("--crd-checks", "--crd-path", "odd\\name").assert_outcomes(passed=6)
