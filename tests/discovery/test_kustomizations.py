"""Kustomizations of CRDs; expected objects are those of `kubectl kustomize`, version 5.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import git
from support.sessions import Folder

from pytest_crd.discovery import baseline
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.commitcrds import Project
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.profile import DEFAULT

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: KINDs.stories.example.com, annotations: {a: "1"}, labels: {app: old}}
spec:
  group: stories.example.com
  names: {kind: Garden, plural: KINDs, singular: KIND, shortNames: [x]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              rows: {type: integer, maximum: 9}
"""
WEBHOOK = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  scope: null
  conversion:
    strategy: Webhook
    webhook: {clientConfig: {service: {namespace: system, name: webhook-service}}, conversionReviewVersions: [v1]}
"""
ROWS = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/rows"
OPERATIONS = f"- {{op: remove, path: {ROWS}/maximum}}\n- {{op: add, path: {ROWS}/minimum, value: 1}}\n"
GARDENS = "target: {kind: CustomResourceDefinition, name: gardens.stories.example.com}"
FILE = "config/crd/kustomization.yaml"


class Kustomized(Folder):
    """A project with two CRDs and two patches."""

    def kustomization(
        self, text: str, name: str = FILE, resources: str = "[bases/garden.yaml, bases/pond.yaml]"
    ) -> None:
        """Write a kustomization."""
        self.write(name, f"resources: {resources}\n{text}")

    def crds(self, *paths: str) -> dict[str, ReadCrd]:
        """Return the CRDs by kind."""
        return {read.crd.kind: read for read in Sources(self.path, paths or ("config/crd",)).every(DEFAULT)}

    def built(self, kind: str = "Garden", *paths: str) -> Any:
        """Return the value of a CRD."""
        return self.crds(*paths)[kind].manifest.value

    def notes(self, *paths: str) -> list[str]:
        """Return the notes about kustomizations."""
        return [
            note for note in Sources(self.path, paths or ("config/crd",)).crds(DEFAULT).notes if "ustomization" in note
        ]


@pytest.fixture
def folder(tmp_path: Path) -> Kustomized:
    folder = Kustomized(tmp_path)
    for kind in ("garden", "pond"):
        folder.write(f"config/crd/bases/{kind}.yaml", CRD.replace("KIND", kind).replace("Garden", kind.title()))
    folder.write("config/crd/patches/webhook.yaml", WEBHOOK)
    folder.write("config/crd/patches/operations.yaml", OPERATIONS)
    return folder


def _rows(crd: Any) -> Any:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["rows"]


@pytest.mark.parametrize(
    "patches",
    [
        f"patches: [{{path: patches/operations.yaml, {GARDENS}}}]",
        f"patchesJson6902: [{{path: patches/operations.yaml, {GARDENS}}}]",
        f"patches:\n- {GARDENS}\n  patch: |-\n    {OPERATIONS.replace(chr(10), chr(10) + '    ')}",
        "patches: [{path: patches/operations.yaml, target: {group: apiextensions.k8s.io, version: v1, name: gard.*}}]",
    ],
    ids=["patches", "patchesJson6902", "inline", "a target with a pattern"],
)
def test_operations_are_applied_to_their_target(folder: Kustomized, patches: str) -> None:
    folder.kustomization(patches)

    assert _rows(folder.built()) == {"type": "integer", "minimum": 1}
    assert _rows(folder.built("Pond")) == {"type": "integer", "maximum": 9}
    assert folder.notes() == [f"{FILE}: 1 patch applied to CRDs"]


@pytest.mark.parametrize(
    "patches",
    [
        "patches: [{path: patches/webhook.yaml}]",
        "patchesStrategicMerge: [patches/webhook.yaml]",
        f"patchesStrategicMerge:\n- |-\n  {WEBHOOK.replace(chr(10), chr(10) + '  ')}",
    ],
    ids=["patches", "patchesStrategicMerge", "inline"],
)
def test_a_partial_object_is_merged_into_the_crd_that_it_names(folder: Kustomized, patches: str) -> None:
    folder.kustomization(patches)

    spec = folder.built()["spec"]
    assert spec["conversion"]["webhook"]["conversionReviewVersions"] == ["v1"]
    assert "scope" not in spec
    assert "conversion" not in folder.built("Pond")["spec"]


def test_a_partial_object_with_a_target_may_have_any_name(folder: Kustomized) -> None:
    partial = (
        "{apiVersion: v1, kind: Any, metadata: {name: any, labels: {tier: crd}}, spec: {names: {shortNames: [g]}}}"
    )
    folder.kustomization(f"patches:\n- patch: '{partial}'\n  target: {{kind: CustomResourceDefinition}}")

    for kind, name in (("Garden", "gardens"), ("Pond", "ponds")):
        crd = folder.built(kind)
        assert (crd["kind"], crd["metadata"]["name"]) == ("CustomResourceDefinition", f"{name}.stories.example.com")
        assert crd["metadata"]["labels"] == {"app": "old", "tier": "crd"}
        assert crd["spec"]["names"]["shortNames"] == ["g"]
    assert folder.notes() == [f"{FILE}: 2 patches applied to CRDs"]


def test_labels_and_annotations_come_between_the_patches(folder: Kustomized) -> None:
    last = "[{op: test, path: /metadata/annotations/b, value: '2'}, {op: add, path: /metadata/labels/app, value: last}]"
    folder.kustomization(
        "commonAnnotations: {b: '2'}\n"
        "commonLabels: {app: new, common: 'yes'}\n"
        "labels: [{pairs: {tier: crd}, includeSelectors: true}, {pairs: {app: newest}}, {}]\n"
        f'patchesJson6902: [{{{GARDENS}, patch: "{last}"}}]\n'
        "namePrefix: a-\nnamespace: system\n"
    )

    assert folder.built()["metadata"] == {
        "name": "gardens.stories.example.com",
        "annotations": {"a": "1", "b": "2"},
        "labels": {"app": "last", "common": "yes", "tier": "crd"},
    }
    assert folder.built("Pond")["metadata"]["labels"]["app"] == "new"


def test_patches_of_other_kinds_and_names_change_nothing(folder: Kustomized) -> None:
    folder.kustomization(
        "patches:\n"
        "- {patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}'}\n"
        "- {patch: '[{op: remove, path: /spec}]', target: {kind: Deployment}}\n"
        "- {patch: '[{op: remove, path: /spec}]', target: {kind: CustomResourceDefinition, name: garden|pond}}\n"
    )

    assert folder.built()["spec"]["scope"] == "Namespaced"
    assert folder.notes() == []


def test_kustomizations_of_outer_folders_are_applied_last(folder: Kustomized) -> None:
    folder.kustomization("commonLabels: {app: inner, in: a}", "config/crd/bases/kustomization.yml", "[garden.yaml]")
    folder.kustomization("commonLabels: {app: outer, out: b}", "config/crd/Kustomization", "[bases/]")

    assert folder.built()["metadata"]["labels"] == {"app": "outer", "in": "a", "out": "b"}
    assert folder.built("Pond")["metadata"]["labels"] == {"app": "old"}


def test_a_file_that_is_not_listed_stays_as_it_is(folder: Kustomized) -> None:
    folder.kustomization("commonLabels: {app: new}", resources="[bases/pond.yaml]")

    assert folder.built()["metadata"]["labels"] == {"app": "old"}


def test_an_excluded_kustomization_does_not_count(folder: Kustomized) -> None:
    folder.kustomization("patches: [{path: patches/webhook.yaml}]")

    assert "conversion" in folder.built("Garden", "config/crd")["spec"]
    assert "conversion" not in folder.built("Garden", "config/crd", f"!{FILE}")["spec"]


def test_applied_patches_are_not_passed_over_and_the_conversion_is_known(folder: Kustomized) -> None:
    folder.kustomization("patches: [{path: patches/webhook.yaml}]")
    assert folder.crds("config/crd")["Garden"].without == ()

    folder.kustomization("components: [../other]\npatches: [{path: patches/webhook.yaml}]")
    assert folder.crds("config/crd")["Garden"].without == ("config/crd/patches/webhook.yaml:1",)


def test_lines_are_those_of_the_file(folder: Kustomized) -> None:
    folder.kustomization(f"patches: [{{path: patches/operations.yaml, {GARDENS}}}]")

    manifest = folder.crds()["Garden"].manifest

    assert manifest.line_of("spec", "scope") == 7
    versions = ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec", "properties", "rows")
    assert manifest.line_of(*versions, "minimum") == 19


NAMELESS = "a patch that is neither a partial object nor a list of operations"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("transformers: [a.yaml]", 2, "`transformers`"),
        ("namePrefix: a-\nconfigurations: [a.yaml]", 2, "`namePrefix`"),
        ("labels: [{pairs: {a: b}, fields: [{path: spec}]}]", 2, "`labels`"),
        ("patches: [a.yaml]", 2, "`patches`: an item with 'a.yaml'"),
        ("patches: [{path: a.yaml, options: {allowNameChange: true}}]", 2, "`patches`: an item with path, options"),
        ("patches: [{path: a.yaml, other: 1}]", 2, "`patches`: an item with path, other"),
        ("patches: [{path: gone.yaml}]", 2, "`patches`: gone.yaml is no file"),
        ("patches: [{path: a.yaml, target: all}]", 2, "`patches`: a target with 'all'"),
        ("patches: [{path: a.yaml, target: {labelSelector: a}}]", 2, "`patches`: a target with labelSelector"),
        ("patches: [{path: a.yaml, target: {name: 'a('}}]", 2, "`patches`: a target with the pattern 'a('"),
        ("patches: [{path: a.yaml, target: {name: 1}}]", 2, "`patches`: a target with the pattern 1"),
        ("patches: [{path: patches/operations.yaml}]", 2, "`patches`: a JSON patch without a target"),
        (
            "patches: [{patch: '[a]', target: {name: b}}]",
            2,
            "`patches`: a patch that is neither a partial object nor a list of operations",
        ),
        (
            "patches: [{patch: 'metadata: a'}]",
            2,
            "`patches`: a patch whose metadata, labels or annotations are no object",
        ),
        (
            "patches: [{patch: 'metadata: {labels: [a]}'}]",
            2,
            "`patches`: a patch whose metadata, labels or annotations are no object",
        ),
        ("patches: [{patch: text}]", 2, f"`patches`: {NAMELESS}"),
        ("patches: [{patch: '{$patch: delete}'}]", 2, f"`patches`: {NAMELESS}"),
        (
            "patches: [{patch: '{metadata: {labels: {a: null}}}'}]",
            2,
            "`patches`: a patch with a null label or annotation, which kustomize writes as a text",
        ),
    ],
)
def test_an_unknown_field_is_told_and_nothing_is_applied(folder: Kustomized, text: str, line: int, reason: str) -> None:
    folder.kustomization(f"{text}\ncommonLabels: {{app: new}}")

    assert folder.built()["metadata"]["labels"] == {"app": "old"}
    command = "write crd_commands = kubectl kustomize config/crd"
    assert folder.notes() == [f"{FILE}:{line}: not applied to its CRDs, because of {reason}: {command}"]


@pytest.mark.parametrize("text", ["", "- a\n", "kind: Component\nresources: [bases/garden.yaml]\n"])
def test_other_files_of_the_name_count_for_nothing(folder: Kustomized, text: str) -> None:
    folder.write(FILE, text)

    assert folder.built()["metadata"]["labels"] == {"app": "old"}
    assert folder.notes() == []


def test_a_kustomization_that_cannot_be_read_is_told(folder: Kustomized) -> None:
    folder.write(FILE, "resources: [bases/garden.yaml]\npatches: [")

    (note,) = folder.notes()

    assert note.startswith(f"{FILE}:3: not applied to its CRDs, because of did not find expected node content")


@pytest.mark.parametrize(
    ("patches", "place"),
    [
        ("patches: [{path: patches/webhook.yaml}]", "config/crd/patches/webhook.yaml:1"),
        ("patches: [{patch: '{kind: CustomResourceDefinition, metadata: {name: gardens.stories.example.com}}'}]", FILE),
    ],
)
def test_a_patch_of_a_crd_that_was_not_read_is_told(folder: Kustomized, patches: str, place: str) -> None:
    folder.kustomization(patches, resources="[bases/pond.yaml]")
    (folder.path / "config/crd/bases/garden.yaml").unlink()

    notes = Sources(folder.path, ("config/crd",)).crds(DEFAULT).notes

    assert f"{place}: a patch of gardens.stories.example.com, a CRD that was not read" in notes


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (
            "[{op: add, path: /a, value: 1}, {op: remove, path: /b}]",
            "operation 2 fails for gardens.stories.example.com: ",
        ),
        ("{spec: {names: {$patch: wrong}}}", "the patch of gardens.stories.example.com fails: "),
    ],
)
def test_a_patch_that_fails_is_an_error(folder: Kustomized, patch: str, reason: str) -> None:
    folder.write("config/crd/patches/bad.yaml", f"# A comment\n{patch}")
    folder.kustomization(f"patches: [{{path: patches/bad.yaml, {GARDENS}}}]")

    with pytest.raises(InputError) as caught:
        folder.built()

    assert str(caught.value).startswith(f"config/crd/patches/bad.yaml:2: {reason}")


OUTSIDE = "../../../elsewhere/private.yaml"


@pytest.fixture
def repository(folder: Kustomized) -> Kustomized:
    """A repository with files of others beside it, and files of another folder in it."""
    (folder.path / ".git").mkdir()
    for name in ("private.yaml", "base/kustomization.yaml"):
        file = folder.path.parent / "elsewhere" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("spec: {group: secret}\n", encoding="utf-8")
    folder.write("config/other/part.yaml", OPERATIONS)
    return folder


def _refusal(folder: Kustomized, *paths: str) -> str:
    with pytest.raises(InputError) as raised:
        folder.crds(*paths)
    assert "secret" not in str(raised.value)
    return str(raised.value.mistakes[0])


@pytest.mark.parametrize(
    "text",
    [
        f"patches: [{{path: PATH, {GARDENS}}}]",
        f"patchesJson6902: [{{path: PATH, {GARDENS}}}]",
        "patchesStrategicMerge: [PATH]",
        "configurations: [PATH]",
        "crds: [PATH]",
        "openapi: {path: PATH}",
        "replacements: [{path: PATH}]",
        "generators: [PATH]",
        "transformers: [PATH]",
        "components: [PATH]",
        "configMapGenerator: [{name: a, files: [key=PATH]}]",
        "secretGenerator: [{name: a, envs: [PATH]}]",
        "helmCharts: [{name: a, valuesFile: PATH}]",
    ],
)
def test_a_kustomization_names_no_file_outside_of_its_folder(repository: Kustomized, text: str) -> None:
    (repository.path / "config/crd/link.yaml").symlink_to(OUTSIDE)
    for path in (OUTSIDE, str(repository.path.parent / "elsewhere/private.yaml"), "link.yaml"):
        repository.kustomization(text.replace("PATH", path))

        words = "kustomize refuses a file outside of its folder, and this one leads out of the project; move the file below "
        assert _refusal(repository, "config/crd/bases") == f"{FILE}:2: {path}: {words}config/crd"

    repository.kustomization(text.replace("PATH", "../other/part.yaml"))
    command = "write crd_commands = kubectl kustomize --load-restrictor LoadRestrictionsNone config/crd"
    assert _refusal(repository, "config/crd/bases").endswith(f"move the file below config/crd, or {command}")


@pytest.mark.parametrize(
    "resources", ["[bases/garden.yaml, ../other/part.yaml]", "[bases/garden.yaml, bases/link.yaml]"]
)
def test_a_kustomization_lists_no_file_outside_of_its_folder(repository: Kustomized, resources: str) -> None:
    (repository.path / "config/crd/bases/link.yaml").symlink_to("../../other/part.yaml")
    repository.kustomization("", resources=resources)

    assert ": kustomize refuses a file outside of its folder; " in _refusal(repository, "config/crd/bases/garden.yaml")


def test_links_inside_of_the_folder_of_a_kustomization_are_followed(repository: Kustomized) -> None:
    (repository.path / "config/crd/link.yaml").symlink_to("patches/operations.yaml")
    repository.kustomization(f"patches: [{{path: link.yaml, {GARDENS}}}]")

    assert _rows(repository.built("Garden", "config/crd/bases")) == {"type": "integer", "minimum": 1}


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        ("[bases/garden.yaml, ..]", "kustomize refuses a folder that contains the kustomization"),
        ("[bases/garden.yaml, ../crd]", "kustomize refuses a folder that contains the kustomization"),
        ("[bases/garden.yaml, ../base]", "kustomize refuses a folder that contains the kustomization"),
        ("[bases/garden.yaml, ../../../elsewhere/base]", "it leads out of the project"),
        ("[bases/garden.yaml, link]", "it leads out of the project"),
    ],
)
def test_a_kustomization_lists_no_folder_around_it_or_outside_of_the_project(
    repository: Kustomized, resources: str, words: str
) -> None:
    repository.write("config/base/kustomization.yaml", "resources: [../crd]\n")
    (repository.path / "config/crd/link").symlink_to("../../../elsewhere/base")
    repository.kustomization("", resources=resources)

    assert words in _refusal(repository, "config/crd/bases")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "resources: [part.yaml, ../other/part.yaml]\n",
            "config/base/kustomization.yaml:1: ../other/part.yaml: kustomize refuses ",
        ),
        ("resources: [", "config/base/kustomization.yaml:2: "),
    ],
)
def test_a_folder_that_a_kustomization_lists_is_refused_in_its_place(
    repository: Kustomized, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.chdir(repository.path)
    repository.write("config/base/kustomization.yaml", text)
    repository.kustomization("", resources="[bases/garden.yaml, ../base, https://example.com/../../../../base]")

    assert _refusal(repository, "config/crd/bases").startswith(words)


def test_folders_without_a_problem_are_read_once(repository: Kustomized) -> None:
    repository.write("config/base/kustomization.yaml", "resources: [../other]\n")
    repository.write("config/empty/kustomization.yaml", "")
    repository.write("config/other/kustomization.yaml", "[a list]")
    repository.kustomization("labels: [{pairs: {a: b}}]", resources="[bases/garden.yaml, ../base, ../other, ../empty]")

    assert repository.built("Garden", "config/crd/bases")["metadata"]["labels"]["a"] == "b"


@pytest.mark.parametrize("place", ["config/crd", "config/base"])
def test_a_kustomization_that_is_a_link_out_of_its_folder_is_refused(repository: Kustomized, place: str) -> None:
    repository.kustomization("", resources="[bases/garden.yaml, ../base]")
    repository.write("config/base/part.yaml", "")
    (repository.path / place / "kustomization.yaml").unlink(missing_ok=True)
    (repository.path / place / "kustomization.yaml").symlink_to("../../../elsewhere/base/kustomization.yaml")

    assert "kustomization.yaml: kustomize follows no link out of the folder; " in _refusal(
        repository, "config/crd/bases"
    )


def test_a_kustomization_above_the_project_does_not_count(tmp_path: Path) -> None:
    above, folder = Folder(tmp_path), Kustomized(tmp_path / "project")
    above.write("kustomization.yaml", "resources: [project/garden.yaml]\ncommonLabels: {a: secret}\n")
    folder.write("garden.yaml", CRD.replace("KIND", "garden"))

    assert folder.built("Garden", "garden.yaml")["metadata"]["labels"] == {"app": "old"}


def test_a_kustomization_that_the_user_names_outside_lists_folders_anywhere(
    repository: Kustomized, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = Kustomized(tmp_path_factory.mktemp("outside"))
    outside.write("crd/garden.yaml", CRD.replace("KIND", "garden"))
    outside.write("base/kustomization.yaml", "{}")
    outside.kustomization("commonLabels: {a: b}", "crd/kustomization.yaml", resources="[garden.yaml, ../base]")

    assert repository.built("Garden", f"{outside.path}/crd/garden.yaml")["metadata"]["labels"] == {
        "app": "old",
        "a": "b",
    }


@pytest.mark.session
def test_the_law_of_folders_holds_in_a_commit(repository: Kustomized) -> None:
    (repository.path / ".git").rmdir()
    repository.write("config/base/kustomization.yaml", "{}")
    repository.kustomization(
        f"patches: [{{path: patches/link.yaml, {GARDENS}}}]", resources="[bases/garden.yaml, ../base]"
    )
    (repository.path / "config/crd/patches/link.yaml").symlink_to("../../other/part.yaml")
    git.commit(repository.path, tag="v1")

    with pytest.raises(
        InputError, match=r"v1:config/crd/kustomization.yaml:2: patches/link.yaml: kustomize refuses a file"
    ):
        _read("git:v1", repository)


def _read(location: str, folder: Kustomized) -> Baseline:
    project = Project(folder.path, (), folder.path)
    return baseline.read(location, base=folder.path, project=project, kubernetes_version=DEFAULT)


def _garden(found: Baseline) -> Any:
    return next(crd.manifest.value for crd in found.files.read_crds if crd.crd.kind == "Garden")


@pytest.mark.session
def test_kustomizations_of_a_commit_are_applied_to_its_crds(folder: Kustomized) -> None:
    folder.kustomization(f"patches: [{{path: patches/webhook.yaml}}, {{path: patches/operations.yaml, {GARDENS}}}]")
    git.commit(folder.path)

    found = _read("git:HEAD", folder)

    assert found.files.notes == []
    assert _rows(_garden(found)) == {"type": "integer", "minimum": 1}
    assert _garden(found)["spec"]["conversion"]["strategy"] == "Webhook"


UNKNOWN = f"{FILE}:2: not applied to its CRDs, because of `transformers`: write crd_commands = kubectl kustomize "


@pytest.mark.session
def test_a_kustomization_that_is_not_applied_at_a_commit_is_told(folder: Kustomized) -> None:
    folder.kustomization("transformers: [a.yaml]")
    git.commit(folder.path)

    assert f"HEAD:{UNKNOWN}config/crd" in _read("git:HEAD", folder).crds(DEFAULT).notes


def test_a_folder_as_baseline_has_its_kustomizations(folder: Kustomized) -> None:
    folder.kustomization(f"patches: [{{path: patches/operations.yaml, {GARDENS}}}]")
    assert _rows(_garden(_read("config/crd", folder))) == {"type": "integer", "minimum": 1}

    folder.kustomization("transformers: [a.yaml]")
    assert f"{UNKNOWN}config/crd" in _read("config/crd", folder).crds(DEFAULT).notes
