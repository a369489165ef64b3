"""The Kubernetes version of a session or case file, and unknown versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_crd.plugin.settings import project as projectsettings

if TYPE_CHECKING:
    from support.sessions import Project


def test_the_option_may_be_given_several_times_and_replaces_the_ini_file(project: Project) -> None:
    project.ini("crd_kubernetes_version = 1.35")
    project.write("test_it.py", "def test_it(crd, request):\n    assert crd.kubernetes_version in request.node.name\n")

    result = project.run("--crd-kubernetes-version=1.36", "--crd-kubernetes-version", "1.21")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["crd: 1 CRD, 1 version from config/crd/bases; Kubernetes 1.36, 1.21"])


def test_the_newest_version_is_the_default_and_an_unknown_one_is_a_usage_error(
    unset_config: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    projectsettings.read(unset_config)
    assert projectsettings.kubernetes_versions(unset_config) == ("1.37",)

    monkeypatch.setattr(unset_config.option, projectsettings.KUBERNETES_VERSION.dest, ["1.99"])
    with pytest.raises(pytest.UsageError, match=r"^crd_kubernetes_version: unknown Kubernetes version '1.99'; known versions: .*1\.37"):  # fmt: skip
        projectsettings.read(unset_config)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("[tool.pytest.ini_options]", "quote it"),
        pytest.param(
            "[tool.pytest]",
            "'crd_kubernetes_version' expects a string, got float: 1.3",
            marks=pytest.mark.skipif(
                pytest.version_tuple < (9,), reason="[tool.pytest] is known to pytest 9 and later"
            ),
        ),
    ],
)
def test_an_unquoted_version_in_toml_is_an_error_that_says_so(empty: Project, section: str, words: str) -> None:
    empty.write("pyproject.toml", f"{section}\ncrd_kubernetes_version = 1.30\n")

    with pytest.raises(pytest.UsageError, match=words):
        projectsettings.read(empty.parse())


@pytest.fixture
def two(gardener: Project) -> Project:
    """A project that runs its tests for two versions."""
    gardener.ini("crd_kubernetes_version = 1.34 v1.37.0 1.34")
    return gardener


def test_several_versions_run_every_case_once_for_each_unless_a_case_file_sets_its_own(two: Project) -> None:
    two.cases(
        "crd: gardens.stories.example.com\npruning:\n- {name: a, input: {spec: {}}, expected: {spec: {}}}\n"
        "- {name: b, input: {spec: {}}, expected: {spec: {size: 2}}}\n"
        '---\ncrd: gardens.stories.example.com\nkubernetesVersion: "1.36"\n'
        "pruning:\n- {name: c, input: {spec: {}}, expected: {spec: {size: 2}}}\n"
    )

    result = two.run("-v")

    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "crd: 1 CRD, 1 version from config/crd/bases; Kubernetes 1.34, 1.37",
            *(
                f"test_garden.crd.yaml::{name} *"
                for name in ("a[[]1.34[]]", "b[[]1.34[]]", "a[[]1.37[]]", "b[[]1.37[]]", "c")
            ),
            "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.34",
            "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.37",
            "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.36",
        ]
    )


# Arguments of a test, with the ids of its runs.
IDS = {
    "crds": ["1.34", "1.37"],
    "crd": ["gardens.stories.example.com-1.34", "gardens.stories.example.com-1.37"],
    "crd_version": ["gardens.stories.example.com-v1-1.34", "gardens.stories.example.com-v1-1.37"],
    "crd_version, crd, crds": ["gardens.stories.example.com-v1-1.34", "gardens.stories.example.com-v1-1.37"],
    "crd_case": ["known fields stay[1.34]", "known fields stay[1.37]", "once"],
    "crds, crd_case": ["known fields stay[1.34]", "once", "known fields stay[1.37]"],
    "crd, crd_case": [
        "gardens.stories.example.com-known fields stay[1.34]",
        "gardens.stories.example.com-once",
        "gardens.stories.example.com-known fields stay[1.37]",
    ],
}


def test_several_versions_run_every_test_once_for_each_and_never_mix(two: Project) -> None:
    """Fixtures of a session have them, too; a test that asks for CRDs at run time is refused."""
    head = "crd: gardens.stories.example.com\n"
    case = "pruning:\n- {name: NAME, input: {spec: {size: 1}}, expected: {spec: {size: 1}}}\n"
    (two.path / "test_garden.crd.yaml").unlink()
    two.cases(head + case.replace("NAME", "known fields stay"), name="cases/a.yaml")
    two.cases(f'{head}kubernetesVersion: "1.36"\n{case.replace("NAME", "once")}', name="cases/b.yaml")
    expressions = {
        "crds": "{crd.kubernetes_version for crd in crds}",
        "crd": "{crd.kubernetes_version}",
        "crd_version": "{crd_version.crd.kubernetes_version}",
        "crd_case": "({crd_case.kubernetes_version} - {''})",
    }
    for number, arguments in enumerate(IDS):
        names = [name.strip() for name in arguments.split(",")]
        mark = "@pytest.mark.crd_cases('cases/*.yaml')\n" if "crd_case" in names else ""
        check = "    crd_case.check()\n" if "crd_case" in names else ""
        two.write(
            f"test_{number}.py",
            f"import pytest\n\n{mark}def test_it({arguments}):\n"
            f"    assert len({' | '.join(expressions[name] for name in names)}) <= 1\n{check}",
        )

    two.write(
        "test_shared.py",
        "import pytest\n\n@pytest.fixture(scope='session')\ndef shared(crds):\n    return crds[0].kubernetes_version\n\n"
        "def test_it(shared, crd):\n    assert crd.kubernetes_version == shared\n",
    )
    two.write("test_late.py", "def test_it(request):\n    request.getfixturevalue('crds')\n")

    expected = [f"test_{number}.py::test_it[{id_}]" for number, ids in enumerate(IDS.values()) for id_ in ids]
    expected += [f"test_shared.py::test_it[{id_}]" for id_ in IDS["crd"]]
    result = two.run("-v")
    assert sorted(line.rpartition(" PASSED")[0] for line in result.outlines if " PASSED" in line) == sorted(expected)
    result.assert_outcomes(passed=len(expected), failed=1)
    result.stdout.fnmatch_lines(["crds must be an argument of the test, not asked for by name"])


def test_v1beta1_twins_count_under_versions_that_serve_them(project: Project) -> None:
    text = (project.path / "config/crd/bases/gardens.yaml").read_text(encoding="utf-8")
    project.write("config/crd/bases/old.yaml", text.replace("k8s.io/v1", "k8s.io/v1beta1"))
    project.write("test_it.py", "def test_it(crd): pass\n")
    project.ini("crd_kubernetes_version = 1.21 1.37")

    result = project.run("--collect-only", "-q")

    ids = [line for line in result.outlines if "::" in line]
    name = "test_it.py::test_it[gardens.stories.example.com"
    assert ids == [
        f"{name}@config/crd/bases/gardens.yaml-1.21]",
        f"{name}@config/crd/bases/old.yaml-1.21]",
        f"{name}-1.37]",
    ]
