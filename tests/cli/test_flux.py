"""`pytest-crd validate` of the folders that Kustomizations of Flux apply."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from pytest_crd import __main__ as program
from pytest_crd.cli import fluxvariables
from pytest_crd.cli.fluxvariables import SubstitutionError

Run: TypeAlias = "Callable[..., tuple[int, Any]]"

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
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\n"
GIT = "{kind: GitRepository, name: flux-system}"
WITH_FILES = "add --local-sources {}=FOLDER if its files are here"


def flux(name: str, path: str, more: str = "", *, source: str = GIT) -> str:
    """Return a Kustomization of Flux."""
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux-system}}\nspec:\n  sourceRef: {source}\n  path: {path}\n{more}"
    )


def repository(url: str, *, name: str = "flux-system", namespace: str = "flux-system") -> str:
    return (
        "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{url: {url}}}\n"
    )


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Write files, run the command, and return its code and JSON."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))

    def go(files: Mapping[str, str], *arguments: str) -> tuple[int, Any]:
        for name, text in {"crds/tabs.yaml": CRD, **files}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        code = program.main(["validate", *(arguments or ["clusters"]), "-o", "json"])
        return code, json.loads(capsys.readouterr().out)

    return go


def stored(answer: Any, kind: str = "Tab") -> list[Any]:
    """Return the objects of a kind as they are stored."""
    objects = (item["stored"] for item in answer["objects"] if item["name"].startswith(f"{kind}/"))
    return [{key: value for key, value in item.items() if key not in {"apiVersion", "kind"}} for item in objects]


def places(answer: Any) -> list[tuple[Any, ...]]:
    return [
        (item["name"], item.get("kustomization"), item.get("appliedBy"))
        for item in answer["objects"]
        if not re.match("Kustomization/|GitRepository/|ArtifactGenerator/", item["name"])
    ]


def test_patches_components_names_and_metadata_are_applied_as_the_controller_does(run: Run) -> None:
    changes = """\
  targetNamespace: web
  namePrefix: x-
  nameSuffix: -y
  components: [../part]
  commonMetadata: {labels: {team: b}, annotations: {note: c}}
  patches:
  - patch: '[{"op": "add", "path": "/size", "value": 1}]'
    target: {kind: Tab}
  patchesStrategicMerge: [{apiVersion: example.com/v1, kind: Tab, metadata: {name: a}, colour: red}]
  patchesJson6902: [{target: {kind: Tab, name: x-a-y}, patch: [{op: add, path: /last, value: 2}]}]
"""
    part = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Tab}\n"
        '  patch: \'[{"op": "add", "path": "/part", "value": true}]\'\n'
    )
    files = {
        "clusters/apps.yaml": flux("apps", "./apps", changes),
        "apps/kustomization.yaml": "resources: [tab.yaml]\nnamespace: other\nnamePrefix: z-\n",
        "apps/tab.yaml": TAB.replace("{name: a}", "{name: a, labels: {team: a, tier: c}}"),
        "part/kustomization.yaml": part,
    }

    code, answer = run(files)

    assert (code, answer["problems"], answer["unbuilt"]) == (0, [], [])
    assert places(answer) == [("Tab/x-a-y", "apps", "Kustomization/apps")]
    [tab] = stored(answer)
    assert {key: tab["metadata"][key] for key in ("namespace", "labels", "annotations")} == {
        "namespace": "web",
        "labels": {"team": "b", "tier": "c"},
        "annotations": {"note": "c"},
    }
    assert {key: value for key, value in tab.items() if key != "metadata"} == {
        "size": 1, "colour": "red", "last": 2, "part": True,
    }  # fmt: skip


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: 'web:1'}, {name: b, image: side}]}\n"


@pytest.mark.parametrize(
    ("own", "change", "images"),
    [
        ("", "{name: web, newTag: '2'}", ["web:2", "side"]),
        ("{name: web, newTag: '2'}", "{name: web, newName: net}", ["net:2", "side"]),
        ("{name: web, newTag: '2'}", "{name: web, digest: 'sha256:12'}", ["web@sha256:12", "side"]),
        ("{name: web, digest: 'sha256:12'}", "{name: web, newTag: '3', newName: ''}", ["web:3", "side"]),
        ("{name: side, newTag: '2'}", "{name: web, newTag: '3'}", ["web:3", "side:2"]),
    ],
)
def test_images_of_flux_are_merged_into_the_images_of_the_kustomization(
    own: str, change: str, images: list[str], run: Run
) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", "apps", f"  images: [{change}]\n"),
        "apps/kustomization.yaml": f"resources: [pod.yaml]\nimages: [{own}]\n",
        "apps/pod.yaml": POD,
    }

    [pod] = stored(run(files)[1], "Pod")

    assert [container["image"] for container in pod["spec"]["containers"]] == images


def test_a_folder_without_a_kustomization_has_all_files_and_the_kustomizations_below(run: Run) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", "./apps", "  namePrefix: x-\n"),
        "apps/a.yaml": TAB,
        "apps/deep/b.yml": TAB.replace("name: a", "name: b"),
        "apps/built/kustomization.yaml": "resources: [c.yaml]\nnameSuffix: -y\n",
        "apps/built/c.yaml": TAB.replace("name: a", "name: c"),
        "apps/built/unused.yaml": TAB.replace("name: a", "name: d"),
        "apps/.github/workflow.yaml": "jobs: {}\n",
        "apps/.sops.yaml": "creation_rules: []\n",
        "apps/notes.json": "{}",
    }

    code, answer = run(files, "clusters")

    assert (code, answer["problems"]) == (0, [])
    assert sorted(item["name"] for item in answer["objects"]) == [
        "Kustomization/apps", "Tab/x-a", "Tab/x-b", "Tab/x-c-y",
    ]  # fmt: skip


def test_files_outside_of_the_folder_are_allowed_as_in_flux(run: Run) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", "./apps/prod"),
        "apps/prod/kustomization.yaml": "resources: [../tab.yaml]\n",
        "apps/tab.yaml": TAB,
    }

    assert places(run(files)[1]) == [("Tab/a", "apps/prod", "Kustomization/apps")]
    code, answer = run(files, ".")
    assert (code, answer["problems"]) == (0, [])
    assert places(answer) == [("CustomResourceDefinition/tabs.example.com", None, None), ("Tab/a", "apps/prod", "Kustomization/apps")]  # fmt: skip


def test_a_build_of_flux_replaces_the_files_and_kustomizations_that_it_uses(run: Run) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", "./apps/prod", "  namePrefix: x-\n"),
        "apps/base/kustomization.yaml": "resources: [tab.yaml]\n",
        "apps/base/tab.yaml": TAB,
        "apps/prod/kustomization.yaml": "resources: [../base]\n",
        "apps/dev/kustomization.yaml": "resources: [../base]\n",
        "apps/beside.yaml": TAB.replace("name: a", "name: b"),
    }

    _, answer = run(files, "clusters", "apps")

    assert places(answer) == [
        ("Tab/a", "apps/dev", None), ("Tab/b", None, None), ("Tab/x-a", "apps/prod", "Kustomization/apps"),
    ]  # fmt: skip
    assert ("Tab/a", None, None) in places(run(files, "clusters", "apps/base/tab.yaml")[1])


def test_kustomizations_that_flux_changes_count_as_changed(run: Run) -> None:
    patch = '  patches: [{target: {kind: Kustomization, name: apps}, patch: \'[{"op": "add", "path": "/spec/namePrefix", "value": "x-"}]\'}]\n'
    files = {
        "clusters/prod/root.yaml": flux("root", "./clusters/prod", patch),
        "clusters/prod/apps.yaml": flux("apps", "./apps"),
        "apps/tab.yaml": TAB,
        "apps/more.yaml": flux("more", "./more"),
        "more/tab.yaml": TAB,
    }

    assert places(run(files, ".")[1])[1:] == [
        ("Tab/x-a", "apps", "Kustomization/apps"), ("Tab/a", "more", "Kustomization/x-more"),
    ]  # fmt: skip


def test_a_kustomization_that_changes_itself_is_built_as_changed(run: Run) -> None:
    patch = '  patches: [{target: {kind: Kustomization}, patch: \'[{"op": "add", "path": "/spec/nameSuffix", "value": "-x"}]\'}]\n'
    files = {"clusters/root.yaml": flux("root", "./clusters", patch), "clusters/tab.yaml": TAB}

    assert sorted(item["name"] for item in run(files)[1]["objects"]) == ["Kustomization/root-x", "Tab/a-x"]


def test_kustomizations_that_apply_each_other_are_built_once(run: Run) -> None:
    files = {
        "clusters/one/a.yaml": flux("a", "./clusters/two"),
        "clusters/two/b.yaml": flux("b", "./clusters/one"),
    }

    assert [item["name"] for item in run(files)[1]["objects"]] == ["Kustomization/b", "Kustomization/a"]


WRONG_FORMS = [
    (flux("x", "a\\0b").replace("a\\0b", '"a\\0b"'), 6, "Kustomization/x: `spec.path`"),
    (flux("x", "./apps", "  postBuild: [a]\n"), 7, "Kustomization/x: `spec.postBuild`"),
    (flux("x", "./apps", "  postBuild: {substituteFrom: [a]}\n"), 7, "Kustomization/x: `spec.postBuild`"),
    (flux("x", "./apps", "  commonMetadata: {labels: [a]}\n"), 7, "Kustomization/x: `spec.commonMetadata`"),
    (flux("x", "./apps", "  postBuild: {substituteFrom: [{kind: ConfigMap, name: c}]}\n---\n"
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: [a]\n"), 12, "ConfigMap/c: `data`"),
    (flux("x", "./apps", "  postBuild: {substituteFrom: [{kind: Secret, name: c}]}\n---\n"
          "apiVersion: v1\nkind: Secret\nmetadata: {name: c}\ndata: {A: a}\n"), 12, "Secret/c: `data`"),
    (flux("x", "./apps") + repository("a").replace("{url: a}", "[a]"), 11, "GitRepository/flux-system: `spec`"),
    (flux("x", "./apps") + "---\napiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\n"
     "metadata: {name: g}\nspec: {sources: [a]}\n", 11, "ArtifactGenerator/g: `spec`"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "field"), WRONG_FORMS)
def test_an_object_of_another_form_than_flux_reads_is_an_error(text: str, line: int, field: str, run: Run) -> None:
    code, answer = run({"clusters/x.yaml": text, "apps/tab.yaml": TAB})

    place = f"clusters/x.yaml:{line}: "
    assert (code, answer["problems"]) == (2, [f"{place}{field} has another form than Flux reads"])


def test_a_source_with_wrong_metadata_has_no_namespace(run: Run) -> None:
    source = repository("https://example.com/a/b").replace(
        "metadata: {name: flux-system, namespace: flux-system}", "metadata: a"
    )

    code, answer = run({"clusters/x.yaml": flux("x", "./apps") + source, "apps/tab.yaml": TAB})

    assert (code, answer["problems"]) == (0, [])


@pytest.mark.parametrize(
    ("more", "line", "message"),
    [
        ("  patches: [{target: {kind: Tab}, patch: '- {op: remove, path: /a}'}]\n", 1, "write flux build kustomization apps --path apps --kustomization-file clusters/apps.yaml --dry-run | pytest-crd validate -"),
        ("  patches: [a]\n", 5, "Kustomization/apps: its patches, images or components have another form than Flux reads"),
        ("  images: [{newTag: a}]\n", 5, "Kustomization/apps: its patches, images or components have another form than Flux reads"),
        ("  buildMetadata: [originAnnotations]\n", 1, "`buildMetadata` is not known here: write flux build kustomization apps"),
        ("  components: [../none]\n", 1, "../none: no folder with a Component"),
        ("  postBuild: {substitute: {A: 1}}\n", 7, "Kustomization/apps: the variable A is no text: write quotes"),
        ("  postBuild: {substitute: {a-b: x}}\n", 7, "Kustomization/apps: 'a-b' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'"),
    ],
)  # fmt: skip
def test_a_kustomization_that_cannot_be_built_makes_the_verdict_incomplete(
    more: str, line: int, message: str, run: Run
) -> None:
    files = {"clusters/apps.yaml": flux("apps", "./apps", more), "apps/tab.yaml": TAB}

    code, answer = run(files, "clusters", "apps")

    assert code == 2
    [problem] = answer["problems"]
    assert problem.startswith(f"clusters/apps.yaml:{line}: ")
    assert message in problem


def test_missing_components_are_left_out_on_demand(run: Run) -> None:
    more = "  components: [../none]\n  ignoreMissingComponents: true\n"

    assert run({"clusters/apps.yaml": flux("apps", "./apps", more), "apps/tab.yaml": TAB})[0] == 0


@pytest.mark.parametrize(
    ("source", "path", "problem"),
    [
        ("{kind: OCIRepository, name: apps}", "./apps", f"OCIRepository/apps is elsewhere: {WITH_FILES.format('OCIRepository/flux-system/apps')}"),
        ("{kind: Bucket, name: apps, namespace: b}", "./apps", f"Bucket/apps is elsewhere: {WITH_FILES.format('Bucket/b/apps')}"),
        (GIT, "./none", "`spec.path` is ./none, which is no folder of this repository"),
        (GIT, "../../outside", "`spec.path` is ../../outside, which is no folder of this repository"),
        (GIT, "./${CLUSTER}", "`spec.path` is ./${CLUSTER}"),
        ("{kind: GitRepository}", "./apps", "`spec.sourceRef` names no source"),
        ("a", "./apps", "`spec.sourceRef` names no source"),
    ],
)  # fmt: skip
def test_folders_that_are_not_known_are_said(source: str, path: str, problem: str, run: Run) -> None:
    files = {"clusters/apps.yaml": flux("apps", path, source=source), "apps/tab.yaml": TAB, "crds/tab.yaml": TAB}

    code, answer = run(files, "clusters", "crds")

    assert (code, answer["problems"]) == (0, [])
    assert answer["unbuilt"] == [
        {"path": "clusters/apps.yaml", "line": 1, "name": "Kustomization/apps", "message": problem}
    ]


def test_folders_that_are_not_known_are_counted_in_each_format(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    problem = "`spec.path` is ./none, which is no folder of this repository"
    run({"clusters/apps.yaml": flux("apps", "./none"), "crds/tab.yaml": TAB}, "clusters", "crds")

    assert program.main(["validate", "clusters", "crds"]) == 0
    out = capsys.readouterr().out
    assert f"clusters/apps.yaml:1: Kustomization/apps: its folder is not judged: {problem}\n" in out
    assert "; 1 folder of Flux not judged; Kubernetes" in out
    assert program.main(["validate", "clusters", "crds", "-o", "tap"]) == 0
    assert "the folder of Kustomization/apps # SKIP" in capsys.readouterr().out
    assert program.main(["validate", "clusters", "crds", "--strict", "-o", "tap"]) == 1
    assert " - clusters/apps.yaml: the folder of Kustomization/apps\n" in capsys.readouterr().out


def test_a_missing_folder_of_a_known_source_is_a_mistake(run: Run, tmp_path: Path) -> None:
    _create_remote(tmp_path, "https://github.com/team/fleet.git")
    apps = flux("apps", "./none") + repository("ssh://git@github.com/Team/fleet")

    code, answer = run({"clusters/apps.yaml": apps})

    assert (code, answer["unbuilt"]) == (2, [])
    assert answer["problems"] == [
        "clusters/apps.yaml:6: Kustomization/apps: `spec.path` is ./none, which is no folder of this repository"
    ]


def _create_remote(folder: Path, url: str) -> None:
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text(
        f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n\tfetch = +refs/*\n[submodule "a"]\n\turl = https://github.com/other/fleet\n'
    )


ELSEWHERE = "GitRepository/flux-system is https://github.com/other/fleet, not a remote of this repository"


@pytest.mark.parametrize(
    ("remote", "path", "is_built"),
    [
        ("git@github.com:other/fleet.git", "./apps", True),
        ("https://github.com/team/apps", "./apps", False),
        ("https://github.com/team/apps", "./clusters", False),
        ("https://github.com/team/fleet", "./apps", False),
        ("https://github.com/team/fleet", "./clusters", True),  # a fork: it applies the file that names it
        ("https://github.com/team/fleet", ".", False),
        ("", "./apps", False),
        ("", "./clusters", True),
        ("", ".", False),
    ],
)
def test_a_repository_is_known_by_its_remotes(
    remote: str,
    path: str,
    is_built: bool,  # noqa: FBT001 - a parameter of the table
    run: Run,
    tmp_path: Path,
) -> None:
    if remote:
        _create_remote(tmp_path, remote)
    files = {
        "clusters/apps.yaml": flux("apps", path) + repository("https://github.com/other/fleet"),
        "clusters/tab.yaml": TAB,
        "apps/tab.yaml": TAB,
    }

    _, answer = run(files)

    assert [item["message"].partition(":")[0] for item in answer["unbuilt"]] == (
        [] if is_built else ["GitRepository/flux-system is https"]
    )
    assert all(item["message"].startswith(ELSEWHERE) for item in answer["unbuilt"])
    assert any("appliedBy" in item for item in answer["objects"]) == is_built


def test_a_repository_of_the_same_name_in_another_namespace_is_another_one(run: Run, tmp_path: Path) -> None:
    _create_remote(tmp_path, "https://github.com/team/fleet")
    apps = repository("https://github.com/other/apps", namespace="other")

    assert run({"clusters/apps.yaml": flux("apps", "./apps") + apps, "apps/tab.yaml": TAB})[1]["unbuilt"] == []


def test_an_artifact_with_a_kustomization_that_applies_its_own_file_is_this_repository(run: Run) -> None:
    oci = "{kind: OCIRepository, name: fleet}"
    files = {
        "clusters/root.yaml": flux("root", "./clusters", source=oci),
        "clusters/apps.yaml": flux("apps", "./apps", source=oci),
        "apps/tab.yaml": TAB,
    }

    assert places(run(files)[1]) == [("Tab/a", "apps", "Kustomization/apps")]


def generator(copies: str, *, alias: str = "repo") -> str:
    """Return an ArtifactGenerator with an artifact `apps`."""
    return (
        "---\napiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\n"
        "metadata: {name: flux-system, namespace: flux-system}\nspec:\n"
        "  sources: [{alias: repo, kind: GitRepository, name: flux-system}]\n"
        f"  artifacts: [{{name: apps, copy: [{copies}]}}, {{name: other}}]\n".replace("@repo", f"@{alias}")
    )


BASE = "{from: '@repo/apps/base/**', to: '@artifact/base/'}"
PROD = "{from: '@repo/apps/prod/**', to: '@artifact/prod/'}"
ARTIFACT = "{kind: ExternalArtifact, name: apps}"
APPS_ELSEWHERE = f"ExternalArtifact/apps is elsewhere: {WITH_FILES.format('ExternalArtifact/flux-system/apps')}"


@pytest.mark.parametrize(
    ("artifacts", "path", "problem"),
    [
        (generator(f"{BASE}, {PROD}"), "./prod", ""),
        (generator("{from: '@repo/apps/**', to: '@artifact/'}"), "prod", ""),
        (generator("{from: '@repo/**', to: '@artifact/'}"), "apps/prod", ""),
        (generator(BASE), "./prod", "`spec.path` is ./prod, which is no folder of apps"),
        (generator(PROD), "./prod", "Kustomization/apps: apps/base is not in the artifact that it applies"),
        (generator(PROD, alias="none"), "./prod", APPS_ELSEWHERE),
        (generator("{from: '@repo/apps/prod/*.yaml', to: '@artifact/prod/'}"), "./prod", APPS_ELSEWHERE),
        (generator("{from: '@repo/apps/prod/**', to: '@artifact/prod'}"), "./prod", APPS_ELSEWHERE),
        (generator("{from: '@repo/apps/prod/**', to: '@artifact/rod/'}"), "./rod", APPS_ELSEWHERE),
        (generator("{from: '@repo/apps/**', to: '@artifact/', exclude: ['*.md']}"), "./prod", APPS_ELSEWHERE),
        (generator(f"{PROD}, {{from: '@repo/more/**', to: '@artifact/'}}"), "./prod", APPS_ELSEWHERE),
        (generator(PROD) + generator("{from: '@repo/**', to: '@artifact/'}"), "./prod", APPS_ELSEWHERE),
        (
            generator(PROD) + repository("https://github.com/other/fleet"), "./prod",
            f"{ELSEWHERE}: {WITH_FILES.format('GitRepository/flux-system/flux-system')}",
        ),
    ],
)  # fmt: skip
def test_generated_artifacts_of_this_repository_are_known(artifacts: str, path: str, problem: str, run: Run) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", path, source=ARTIFACT) + artifacts,
        "apps/base/kustomization.yaml": "resources: [tab.yaml]\n",
        "apps/base/tab.yaml": TAB,
        "apps/prod/kustomization.yaml": "resources: [../base]\n",
    }

    _, answer = run(files)

    problems = [*answer["problems"], *(item["message"] for item in answer["unbuilt"])]
    assert [item.removeprefix("clusters/apps.yaml:5: ") for item in problems] == ([problem] if problem else [])
    assert places(answer) == ([] if problem else [("Tab/a", "apps/prod", "Kustomization/apps")])


def test_the_command_line_names_generated_artifacts_first(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/tab.yaml").write_text(TAB)
    files = {"clusters/apps.yaml": flux("apps", ".", source=ARTIFACT) + generator(PROD)}

    _, answer = run(files, "clusters", "--local-sources", "ExternalArtifact/flux-system/apps=elsewhere")

    assert places(answer) == [("Tab/a", "elsewhere", "Kustomization/apps")]


def test_the_command_line_names_the_folders_of_sources(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere/apps").mkdir(parents=True)
    (tmp_path / "elsewhere/apps/tab.yaml").write_text(TAB)
    oci = "{kind: OCIRepository, name: fleet}"
    files = {"clusters/apps.yaml": flux("apps", "./apps", source=oci) + "---\n" + flux("b", "none", source=oci)}
    option = "Bucket/a/b=crds,OCIRepository/flux-system/fleet=elsewhere"

    code, answer = run(files, "clusters", "--local-sources", option)

    assert places(answer) == [("Tab/a", "elsewhere/apps", "Kustomization/apps")]
    assert (code, answer["problems"]) == (
        2, ["clusters/apps.yaml:13: Kustomization/b: `spec.path` is none, which is no folder of elsewhere"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("fleet=.", "--local-sources: fleet=.: write KIND/NAMESPACE/NAME=FOLDER"),
        ("Bucket/a/b", "--local-sources: Bucket/a/b: write KIND/NAMESPACE/NAME=FOLDER"),
        ("Bucket/a/b=none", "--local-sources: none: no such folder"),
    ],
)
def test_a_local_source_has_a_name_and_a_folder(
    option: str, message: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run({"clusters/apps.yaml": flux("apps", "./apps")})

    assert program.main(["validate", "clusters", "--local-sources", option]) == 2
    assert capsys.readouterr().err == f"{message}\n"


# Printed by the packages kustomize 1.43.0 and envsubst 1.8.0 of Flux.
SUBSTITUTED = [*map(json.loads, Path(__file__).with_name("fluxvariables.jsonl").read_text("utf-8").splitlines())]
VARIABLES = {
    "A": "Hello", "N": "3", "quote": '"', "OBJ": "{a: 1}", "LIST": "[1, b]", "YES": "yes", "P": "a/b", "QUOTE": "it's",
    "COLON": "a: b", "MULTI": "a\nb", "ONE": "1", "TRUE": "true", "OCT": "010", "EXP": "1e3", "NULL": "null",
    "DATE": "2020-01-01",
}  # fmt: skip


@pytest.mark.parametrize("case", SUBSTITUTED, ids=lambda case: json.dumps(case["value"]))
def test_variables_are_replaced_as_flux_does(case: Any) -> None:
    variables = fluxvariables.read({"substitute": VARIABLES}, lambda *_: None)
    item = {"metadata": {}, "spec": case["value"]}

    if "error" in case:
        with pytest.raises(SubstitutionError, match=re.escape(case["error"])):
            fluxvariables.substitute(item, variables)
    else:
        assert json.dumps(fluxvariables.substitute(item, variables)) == json.dumps({**item, "spec": case["result"]})


SETTINGS = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: flux-system}\ndata: {SIZE: '3', COLOUR: red, LAST: \"x\\n\"}\n"
CREDENTIALS = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: secret, namespace: flux-system}\n"
FROM = "  postBuild:\n    substitute: {OWN: own}\n    substituteFrom: [{kind: ConfigMap, name: settings}, {kind: Secret, name: secret}]\n"
VALUES = "size: ${SIZE}\ncolour: ${COLOUR}\nlast: ${LAST}\nkey: ${KEY}\nown: ${OWN}\nnone: a${NONE}\ncut: ${SIZE%3}\n"


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


KNOWN = {"size": 3, "colour": "red", "last": "x", "own": "own", "none": "a", "cut": "${SIZE%3}"}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        (SETTINGS + CREDENTIALS + f"data: {{KEY: {base64_of('word')}}}\n", {**KNOWN, "key": "word"}),
        (SETTINGS + CREDENTIALS + "data: {KEY: eA==}\nstringData: {KEY: z, SIZE: '4'}\n", {**KNOWN, "key": "z", "size": 4}),
        (SETTINGS + CREDENTIALS + "stringData: {KEY: 'ENC[AES256_GCM,data:eA==,type:str]'}\n", {**KNOWN, "key": "${KEY}"}),
        (SETTINGS + CREDENTIALS + "data: {SIZE: 'ENC[AES256_GCM,data:eA==,type:str]'}\n", {**KNOWN, "key": None, "size": "${SIZE}"}),
        (SETTINGS, {"size": "${SIZE}", "colour": "${COLOUR}", "last": "${LAST}", "key": "${KEY}", "own": "own", "none": "a${NONE}", "cut": "${SIZE%3}"}),
        (SETTINGS + CREDENTIALS.replace("flux-system", "other"), {"size": "${SIZE}", "own": "own"}),
        (SETTINGS + SETTINGS.replace("red", "blue") + CREDENTIALS, {"size": "${SIZE}", "key": "${KEY}"}),
        (SETTINGS + SETTINGS + CREDENTIALS, KNOWN),
    ],
)  # fmt: skip
def test_variables_come_from_objects_in_the_files_and_others_stay_unknown(
    objects: str, expected: dict[str, Any], run: Run
) -> None:
    files = {"clusters/apps.yaml": flux("apps", "./apps", FROM) + objects, "apps/tab.yaml": TAB + VALUES}

    answer = run(files)[1]

    [tab] = stored(answer)
    assert answer["problems"] == []
    assert {key: tab.get(key) for key in expected} == expected


def test_variables_may_be_in_objects_that_another_kustomization_applies(run: Run) -> None:
    more = "  postBuild: {substituteFrom: [{kind: ConfigMap, name: settings}]}\n"
    files = {
        "clusters/apps.yaml": flux("apps", "./apps", more) + "---\n" + flux("settings", "./settings"),
        "settings/settings.yaml": SETTINGS,
        "apps/tab.yaml": TAB + "size: ${SIZE}\n",
    }

    assert stored(run(files)[1])[0]["size"] == 3


def test_variables_of_the_own_cluster_come_first(run: Run) -> None:
    more = "  postBuild: {substituteFrom: [{kind: ConfigMap, name: settings}]}\n"
    clusters = {
        f"clusters/{name}/{file}.yaml": text
        for name, size in (("one", "1"), ("two", "2"))
        for file, text in (
            ("root", flux("root", f"./clusters/{name}")),
            ("apps", flux("apps", "./apps", more)),
            ("settings", SETTINGS.replace("'3'", f"'{size}'")),
        )
    }

    _, answer = run({**clusters, "apps/tab.yaml": TAB + "size: ${SIZE}\n"})

    assert [tab["size"] for tab in stored(answer)] == [1, 2]


@pytest.mark.parametrize(
    ("post_build", "metadata", "size"),
    [
        ("{substitute: {SIZE: '3'}}", "{name: a}", 3),
        ("{substitute: {SIZE: '${OUTER}'}}", "{name: a}", "${SIZE}"),
        ("{substitute: {}}", "{name: a}", "${SIZE}"),
        ("{substituteStrategy: Always}", "{name: a}", None),
        ("{substitute: {SIZE: '3'}}", "{name: a, labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}}", "${SIZE}"),
        ("{substitute: {SIZE: '3'}}", "{name: a, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}", "${SIZE}"),
    ],
)  # fmt: skip
def test_variables_are_replaced_only_on_demand(post_build: str, metadata: str, size: Any, run: Run) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", "./apps", f"  postBuild: {post_build}\n"),
        "apps/tab.yaml": TAB.replace("{name: a}", metadata) + "size: ${SIZE}\n",
    }

    assert stored(run(files)[1])[0].get("size") == size


def test_a_text_that_flux_cannot_substitute_is_a_mistake(run: Run) -> None:
    files = {
        "clusters/apps.yaml": flux("apps", "./apps", "  postBuild: {substitute: {A: x}}\n"),
        "apps/tab.yaml": TAB + "size: ${A[@]}\n",
    }

    assert run(files)[1]["problems"] == ["apps/tab.yaml:1: Tab/a: Kustomization/apps cannot replace its variables: missing closing brace"]  # fmt: skip


def test_other_places_of_git_settings_are_known(tmp_path: Path, run: Run) -> None:
    (tmp_path / "main/worktrees/a").mkdir(parents=True)
    (tmp_path / "main/config").write_text('[remote "a"]\nurl = git@example.com:other/fleet\n')
    (tmp_path / ".git").write_text("gitdir: main/worktrees/a\n")
    (tmp_path / "main/worktrees/a/commondir").write_text("../..\n")
    files = {
        "clusters/apps.yaml": flux("apps", "apps") + repository("https://github.com/other/fleet"),
        "apps/tab.yaml": TAB,
    }

    assert run(files)[1]["unbuilt"] == []

    (tmp_path / ".git").write_text("gitdir: main\n")

    assert run(files)[1]["unbuilt"] == []


def test_a_kustomization_in_json_with_escaped_slashes_is_built(run: Run) -> None:
    source = {"kind": "GitRepository", "name": "flux-system"}
    kustomization = {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": "flux-system"},
        "spec": {"path": "./apps", "sourceRef": source},
    }
    files = {"clusters/apps.json": json.dumps(kustomization).replace("/", "\\/"), "apps/tab.yaml": TAB}

    assert places(run(files)[1]) == [("Tab/a", "apps", "Kustomization/apps")]
