"""Builds of kustomizations, against the recorded output of `kubectl kustomize`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from pytest_crd.cli import kustomized
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.discovery.kustomizebuilds import KustomizationBuilds
from pytest_crd.engine import ManifestError

RECORDED = yaml.load(Path(__file__).with_name("kustomized.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
COMMAND = "write kubectl kustomize k | pytest-crd validate -"
THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: {}\n"

Build: TypeAlias = "Callable[[Mapping[str, str | bytes]], list[Any]]"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Write files, and build the kustomization in the folder `k`."""
    monkeypatch.chdir(tmp_path)

    def run(files: Mapping[str, str | bytes]) -> list[Any]:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        builds = KustomizationBuilds(FolderTree(tmp_path), kustomized.find_type)
        kustomization = builds.find("k")
        assert kustomization is not None
        return [item.value for item in builds.build(kustomization)]

    return run


def by_name(objects: list[Any]) -> dict[str, Any]:
    return {f"{item['kind']}/{item['metadata']['name']}": item for item in objects}


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["title"])
def test_a_build_has_the_objects_that_kubectl_prints(case: Any, build: Build) -> None:
    assert by_name(build(case["files"])) == by_name(case["objects"])


def _patch(spec: str, *, name: str = "t", more: str = "") -> str:
    patch = f"{{apiVersion: example.com/v1, kind: Thing, metadata: {{name: {name}}}, spec: {spec}{more}}}"
    return f'resources: [t.yaml]\npatches:\n- patch: "{patch}"\n'


UNKNOWN = [
    ("resources: [t.yaml]\nvars: [{name: a}]\n", "k/kustomization.yaml:2: `vars` is not known here"),
    ("resources: [https://example.com/a.yaml]\n", "k/kustomization.yaml:1: https://example.com/a.yaml is on another host, and is not fetched"),
    ("components: ['github.com/a/b?ref=v1']\n", "k/kustomization.yaml:1: github.com/a/b?ref=v1 is on another host, and is not fetched"),
    ("labels: [{pairs: {a: b}, fields: [{path: x}]}]\n", "k/kustomization.yaml:1: `labels` with `fields` is not known here"),
    (
        "resources: [t.yaml]\npatches: [{target: {kind: Thing, labelSelector: a in (b)}, patch: '- {}'}]\n",
        "k/kustomization.yaml:2: `patches`: a target with the selector a in (b), which is not known",
    ),
    ("patches: [{path: no.yaml}]\n", "k/kustomization.yaml:1: `patches`: no.yaml is no file"),
    (
        "patches: [{target: {kind: Thing}, patch: '[{op: remove, path: /a}]'}]\n",
        "k/kustomization.yaml:1: `patches`: a JSON patch in brackets that is not JSON, which kustomize refuses",
    ),
    (
        "resources: [t.yaml]\npatches: [{target: {kind: Thing}, patch: '- {op: remove, path: /a}'}]\n",
        "k/kustomization.yaml:2: `patches`: operation 1 fails for Thing/t: error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    ),
    (_patch("{}", name="other"), "`patches`: a patch of Thing/other of example.com/v1, which is not in the kustomization"),
    (_patch("[a]"), "`patches`: the patch of Thing/t fails: expected an object, but got a list"),
    (_patch("{s: {a: b}}"), "`patches`: the patch of Thing/t fails: expected a scalar, but got an object"),
    (_patch("{l: {a: b}}"), "`patches`: the patch of Thing/t fails: expected a list, but got an object"),
    (_patch("{s: [a]}"), "`patches`: the patch of Thing/t fails: expected a scalar, but got a list"),
    (_patch("{$patch: other}"), "`patches`: the patch of Thing/t fails: unknown patch strategy 'other'"),
]  # fmt: skip


@pytest.mark.parametrize(("kustomization", "message"), UNKNOWN)
def test_an_unknown_feature_or_a_failing_patch_is_an_error_with_the_command(
    kustomization: str, message: str, build: Build
) -> None:
    thing = THING.replace("{}", "{s: x, l: [a]}")
    with pytest.raises(ManifestError) as error:
        build({"k/kustomization.yaml": kustomization, "k/t.yaml": thing})

    assert f"{message}: {COMMAND}" in str(error.value)


CONFIGURATIONS = [
    ("[a]", "k/kustomization.yaml:1: c.yaml: no mapping"),
    ("commonLabels: [{path: a}]", "k/kustomization.yaml:1: c.yaml: `commonLabels` is not known here"),
    ("namespace: text", "k/kustomization.yaml:1: c.yaml: `namespace` is not known here"),
    ("namespace: [{path: a, more: b}]", "k/kustomization.yaml:1: c.yaml: a field with path, more is not known here"),
    ("namespace: [{path: 'a\\/b'}]", "k/kustomization.yaml:1: c.yaml: a field with path is not known here"),
]


@pytest.mark.parametrize(("configuration", "message"), CONFIGURATIONS)
def test_an_unknown_configuration_is_an_error_with_the_command(configuration: str, message: str, build: Build) -> None:
    with pytest.raises(ManifestError) as error:
        build({"k/kustomization.yaml": "configurations: [c.yaml]\n", "k/c.yaml": configuration})

    assert f"{message}: {COMMAND}" in str(error.value)


REFUSED = [
    ("configurations: [no.yaml]\n", "k/kustomization.yaml:1: no.yaml: no such file"),
    ("resources: [../empty]\n", "../empty: a folder without a kustomization"),
    ("resources: [no.yaml]\n", "no.yaml: no such file or folder"),
    (f"resources: [{300 * 'a'}]\n", f"{300 * 'a'}: no such file or folder"),
    (
        "resources: [../empty/t.yaml]\n",
        "or write kubectl kustomize --load-restrictor LoadRestrictionsNone k | pytest-crd validate -",
    ),
    ("components: [../other]\n", "../other: no folder with a Component"),
    ("resources: [../loop]\n", "../k: kustomize refuses a folder that contains the kustomization"),
    ("resources: [t.yaml, again.yaml]\n", "k/again.yaml:1: Thing/t is twice in the kustomization: see k/t.yaml:1"),
    ("resources: [nameless.yaml]\n", "k/nameless.yaml:1: kustomize needs the kind and the name of each object"),
    ("resources: [kindless.yaml]\n", "k/kindless.yaml:1: kustomize needs the kind and the name of each object"),
    ("patches: [{path: bad.yaml}]\n", "k/bad.yaml:"),
    ("configMapGenerator: [{name: a, behavior: merge}]\n", "behavior merge: 0 objects with this name are in the kustomization"),
    ("configMapGenerator: [{name: a}, {name: a}]\n", "ConfigMap/a is twice in the kustomization"),
    ("configMapGenerator: [{named: a}]\n", "the fields of this generator are not known"),
    ("configMapGenerator: [{name: a, options: {odd: 1}}]\n", "the options of this generator are not known"),
    ("configMapGenerator: [{name: a, envs: [e.env]}]\n", "e.env: HOME has its value from the environment"),
    ("configMapGenerator: [{name: a, files: [no.txt]}]\n", "no.txt: no such file"),
    ("configMapGenerator: [{name: a, literals: [x]}]\n", "x: write KEY=VALUE"),
    ("replicas: [{name: a, count: 1}]\n", "no workload is named a"),
    ("images: [{name: a, tagSuffix: b}]\n", "the fields of an image are not known"),
]  # fmt: skip


@pytest.mark.parametrize(("kustomization", "message"), REFUSED)
def test_a_kustomization_that_kustomize_refuses_is_an_error(kustomization: str, message: str, build: Build) -> None:
    files = {
        "k/t.yaml": THING,
        "k/again.yaml": THING,
        "k/nameless.yaml": "kind: Thing\n",
        "k/kindless.yaml": "metadata: {name: a}\n",
        "k/bad.yaml": "a: [\n",
        "k/e.env": "HOME\n",
        "empty/t.yaml": THING,
        "other/kustomization.yaml": "resources: []\n",
        "loop/kustomization.yaml": "resources: [../k]\n",
    }
    with pytest.raises(ManifestError) as error:
        build({**files, "k/kustomization.yaml": kustomization})

    assert message in str(error.value)


def test_objects_of_one_name_in_two_versions_are_distinct(build: Build) -> None:
    first = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}}
    second = {**first, "apiVersion": "example.com/v2"}
    patch = "{apiVersion: example.com/v2, kind: Thing, metadata: {name: t}, spec: {m: 1}}"

    objects = build(
        {
            "k/kustomization.yaml": f'resources: [t.yaml]\npatches: [{{patch: "{patch}"}}]\n',
            "k/t.yaml": f"{json.dumps(first)}\n---\n{json.dumps(second)}\n",
        }
    )

    assert objects == [first, {**second, "spec": {"m": 1}}]


def test_a_folder_of_other_kinds_named_kustomization_has_no_kustomization(build: Build, tmp_path: Path) -> None:
    build({"k/kustomization.yaml": "commonLabels: none\n"})
    (tmp_path / "flux").mkdir()
    (tmp_path / "flux/kustomization.yaml").write_text(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
    )

    assert KustomizationBuilds(FolderTree(tmp_path), kustomized.find_type).find("flux") is None
    assert KustomizationBuilds(FolderTree(tmp_path), kustomized.find_type).find("none") is None


def test_the_lines_of_a_built_object_are_those_of_its_file(build: Build, tmp_path: Path) -> None:
    build({"k/kustomization.yaml": "resources: [t.yaml]\nnamePrefix: p-\n", "k/t.yaml": f"# first\n{THING}"})
    builds = KustomizationBuilds(FolderTree(tmp_path), kustomized.find_type)
    kustomization = builds.find("k")
    assert kustomization is not None

    assert [(item.where, item.title) for item in builds.build(kustomization)] == [("k/t.yaml:2", "Thing/p-t")]


def test_of_two_words_that_are_one_key_for_a_server_the_first_has_the_value(build: Build) -> None:
    thing = THING.replace("spec: {}", "spec: {on: 1, yes: 2}")

    assert build({"k/kustomization.yaml": "resources: [t.yaml]\n", "k/t.yaml": thing})[0]["spec"] == {"on": 2}
