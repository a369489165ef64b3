"""`pytest-crd diff`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.git import git
from support.releases import FILE, NAME, crd, release, release_all, write

from pytest_crd import __main__ as program
from pytest_crd.engine import UnsupportedConstructError
from pytest_crd.upgrades import upgrade as effects
from pytest_crd.upgrades.upgrade import Upgrade

pytestmark = pytest.mark.session
TYPE_ERROR = 'spec.size: Invalid value: "integer": spec.size in body must be of type string: "integer"'
ENUM = "{type: string, enum: [a, b]}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = program.main(["diff", *arguments])
    output, errors = capsys.readouterr()
    return code, output, errors


def test_two_files_are_compared_by_the_effects_on_objects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1").replace("{type: string}", ENUM), "old.yaml")
    write(folder, crd("v1").replace("{type: string}", "{type: string, enum: [a, c]}"), "new.yaml")

    assert run(capsys, "old.yaml", "new.yaml") == (
        1,
        f"""\
{NAME}: from old.yaml:1 to new.yaml:1

refused: spec.size (v1)
  spec.size: Unsupported value: "b": supported values: "a", "c"
  refused when created; an update that leaves spec.size as it is passes
  object: {{"spec": {{"size": "b"}}}}
  - old.yaml:17  enum: ["a", "b"]
  + new.yaml:17  enum: ["a", "c"]
widened: spec.size (v1)
  before, spec.size: Unsupported value: "c": supported values: "a", "b"
  object: {{"spec": {{"size": "c"}}}}
  - old.yaml:17  enum: ["a", "b"]
  + new.yaml:17  enum: ["a", "c"]
1 CRD of old.yaml, 1 with breaking effects, 0 new; 0 objects judged; Kubernetes 1.37
""",
        "",
    )


def test_a_difference_that_breaks_nothing_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1"), "old/a.yaml")
    write(folder, crd("v1"), "new/a.yaml")
    write(folder, crd("v1", name="others.example.com"), "new/b.yaml")

    assert run(capsys, "old", "new", "--kubernetes-version", "1.36") == (
        0,
        (
            f"{NAME}: from old/a.yaml:1 to new/a.yaml:1: nothing breaks\n"
            "new/b.yaml:1: others.example.com: new\n"
            "1 CRD of old, 0 with breaking effects, 1 new; 0 objects judged; Kubernetes 1.36\n"
        ),
        "",
    )


def test_a_removed_crd_breaks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1"), "old/a.yaml")
    write(folder, crd("v1", name="others.example.com"), "new/b.yaml")

    code, output, _ = run(capsys, "old", "new")

    assert code == 1
    assert output.startswith(f"{NAME}: from old/a.yaml:1 to nothing\n\ndata loss: metadata.name\n")


def test_a_commit_is_compared_with_the_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release_all(folder, [("v1.0.0", crd("v1alpha1")), ("v1.1.0", crd("v1", "v1alpha1"))])
    write(folder, crd("v1"))

    code, output, errors = run(capsys, "git:latest-tag")

    assert (code, errors) == (1, "")
    assert output.startswith(f"{NAME}: from v1.1.0:{FILE}:1 to {FILE}:1\n\nrefused: status.storedVersions[0]\n")
    assert "if this is intended" not in output


def test_two_commits_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release_all(folder, [("v1.0.0", crd("v1")), ("v1.1.0", crd("v1", field="other"))])
    git(folder, "rm", "-q", FILE)

    code, output, _ = run(capsys, "git:v1.0.0", "git:v1.1.0")

    assert code == 1
    assert f"{NAME}: from v1.0.0:{FILE}:1 to v1.1.0:{FILE}:1\n\ndata loss: spec.size (v1)\n" in output


def test_all_releases_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release_all(folder, [("v0.9.0", "kind: CustomResourceDefinition\na: [\n"), ("v1.0.0", crd("v1"))])
    write(folder, crd("v1", field="other"))

    code, output, _ = run(capsys, "git:all-tags")

    assert code == 1
    assert output.startswith(f"note: the CRDs of v0.9.0 are not known: v0.9.0:{FILE}:3: ")
    assert f"{NAME}: from 1 release to {FILE}:1\n\ndata loss: spec.size (v1)\n" in output


def test_paths_select_the_crds_of_commits_and_of_the_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1", name="others.example.com"), "api/others.yaml")
    release(folder, "v1.0.0", crd("v1"))
    write(folder, crd("v1", field="other"))

    code, output, _ = run(capsys, "git:v1.0.0", "--crd-path", "api")

    assert code == 0
    assert output.startswith("others.example.com: from v1.0.0:api/others.yaml:1 to api/others.yaml:1: nothing breaks\n")


def test_samples_of_both_sides_and_old_stored_objects_are_judged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {size: x}\n"
    write(folder, sample, "config/samples/a.yaml")
    case = f"crd: {NAME}\nupdate:\n- {{name: a, old: {{spec: {{size: b}}}}, input: {{spec: {{size: c}}}}, accepted: true}}\n"
    write(folder, case, "test_things.crd.yaml")
    release(folder, "v1.0.0", crd("v1"))
    write(folder, crd("v1", field="other"))

    _, output, _ = run(capsys, "git:v1.0.0")

    assert (
        "  as well: v1.0.0:config/samples/a.yaml:1, v1.0.0:test_things.crd.yaml:3, config/samples/a.yaml:1\n" in output
    )
    assert output.endswith(" 3 objects judged; Kubernetes 1.37\n")


def test_unshown_differences_and_skipped_files_are_notes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    column = "    additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.size}]\n    schema:"
    write(folder, crd("v1").replace("    schema:", column), "old/a.yaml")
    write(folder, "{{ if }}\nkind: CustomResourceDefinition\n", "old/b.yaml")
    write(folder, crd("v1"), "new/a.yaml")

    _, output, _ = run(capsys, "old", "new")

    assert output.startswith("note: old/b.yaml: passed over, a Helm template\n")
    assert "\nnote: v1: " in output


@pytest.mark.parametrize("new", ["new", "git:v1.0.0"])
def test_alternatives_are_compared_with_the_file_of_the_same_path(
    folder: Path, capsys: pytest.CaptureFixture[str], new: str
) -> None:
    for side in ("old", "new"):
        write(folder, crd("v1"), f"{side}/full/a.yaml")
        write(folder, crd("v1", field="other"), f"{side}/minimal/a.yaml")
    write(folder, crd("v1"), "crds/full/a.yaml")
    write(folder, crd("v1", field="other"), "crds/minimal/a.yaml")
    release(folder, "v1.0.0", None)

    code, output, _ = run(capsys, "old", new, "--crd-path", "crds")

    assert code == 0
    assert output.count("nothing breaks") == 2


def test_each_alternative_without_an_old_file_of_its_name_is_judged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, crd("v1"), "old/a.yaml")
    write(folder, crd("v1", field="b"), "new/b.yaml")
    write(folder, crd("v1", field="c"), "new/c.yaml")

    code, output, _ = run(capsys, "old", "new")

    assert code == 1
    assert [line for line in output.splitlines() if line.startswith(NAME)] == [
        f"{NAME}: from old/a.yaml:1 to new/b.yaml:1",
        f"{NAME}: from old/a.yaml:1 to new/c.yaml:1",
    ]
    assert "2 CRDs of old, 2 with breaking effects" in output


def test_objects_that_cannot_be_judged_are_told_with_the_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, crd("v1"), "old/a.yaml")
    write(folder, crd("v1").replace("{type: string}", "{type: string, maxLength: 5}"), "new/a.yaml")
    head = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
    specs = ("size: a", "size: 1", "size: a, other: b", "")
    samples = [f"{head}spec: {{{spec}}}" for spec in specs]
    samples = [*samples[:3], samples[3].replace("/v1", "/v9"), head.replace("example.com/v1", "apps/v1")]
    write(folder, "\n---\n".join(samples), "old/config/samples/all.yaml")

    _, output, _ = run(capsys, "old", "new")

    place = "note: old/config/samples/all.yaml"
    assert [line for line in output.splitlines() if line.startswith(place)] == [
        f"{place}:6: not judged: the old and the new CRD refuse it: {TYPE_ERROR}",
        f"{place}:11: not judged: the old and the new CRD drop a field of it",
        f"{place}:16: not judged: its version 'v9' is not served before and after the upgrade",
        f"{place}:21: not judged: no old CRD has its kind",
    ]
    assert "; 1 of 5 objects judged; " in output


def test_a_path_that_matches_no_file_is_wrong_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1"), "crds/a.yaml")
    release(folder, "v1.0.0", None)

    for sides in (("git:v1.0.0", "git:v1.0.0"), ("crds", "crds")):
        code, _, errors = run(capsys, *sides, "--crd-path", "crds", "--crd-path", "nowhere/*")

        assert code == 2
        assert errors.startswith("--crd-path nowhere/*: it matches no file")


def test_a_commit_that_is_the_checkout_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1"), "crds/a.yaml")
    release(folder, "v1.0.0", None)

    assert "note: nothing can differ: git:v1.0.0 (" in run(capsys, "git:v1.0.0")[1]
    assert "nothing can differ" not in run(capsys, "git:v1.0.0", "crds")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", "a.yaml"), "nowhere: there is no such file or folder; a commit is git:REF, as in git:nowhere\n"),
        (("git:v1", "a.yaml"), " is in no git repository: "),
        (("a.yaml", "a.yaml", "--kubernetes-version", "1.1"), "1.1"),
    ],
)
def test_unreadable_sides_are_wrong_use(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    write(folder, crd("v1"), "a.yaml")

    code, output, errors = run(capsys, *arguments)

    assert (code, output) == (2, "")
    assert message in errors


def test_a_project_without_crds_is_wrong_use(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, crd("v1"), "a.yaml")
    (folder / "project").mkdir()
    monkeypatch.chdir(folder / "project")

    code, output, errors = run(capsys, "../a.yaml")

    assert (code, output) == (2, "")
    assert "no CRD was found: set crd_paths" in errors


def test_json_has_findings_with_witnesses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, crd("v1").replace("{type: string}", ENUM), "old/a.yaml")
    write(folder, crd("v1").replace("{type: string}", "{type: string, enum: [a]}"), "new/a.yaml")
    write(folder, crd("v1", name="others.example.com"), "new/b.yaml")

    code, output, _ = run(capsys, "old", "new", "-o", "json")

    document = json.loads(output)
    (entry,) = document["crds"]
    (finding,) = entry.pop("findings")
    witness = finding.pop("witness")
    assert code == 1
    assert {key: value for key, value in document.items() if key != "crds"} == {
        "old": "old",
        "new": "new",
        "kubernetesVersion": "1.37",
        "added": [{"name": "others.example.com", "new": "new/b.yaml:1"}],
        "objects": 0,
        "unjudged": {},
        "notes": [],
    }
    assert entry == {
        "name": NAME,
        "old": ["old/a.yaml:1"],
        "new": "new/a.yaml:1",
        "breaks": True,
        **{key: [] for key in ("undecided", "unshown", "notices", "warnings")},
    }
    assert finding == {
        "kind": "refused",
        "path": "spec.size",
        "breaks": True,
        "message": 'spec.size: Unsupported value: "b": supported values: "a"',
        "versions": ["v1"],
        "releases": [],
        "lines": [
            {
                "old": {"place": "old/a.yaml:17", "text": 'enum: ["a", "b"]'},
                "new": {"place": "new/a.yaml:17", "text": 'enum: ["a"]'},
            }
        ],
        "objects": [],
    }
    assert witness["object"]["spec"] == {"size": "b"}
    assert (witness["before"]["accepted"], witness["after"]["accepted"]) == (True, False)


def test_json_has_errors_and_findings_without_witnesses(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, crd("v1"), "old/a.yaml")
    write(folder, crd("v1", name="others.other.com"), "old/others.yaml")
    write(folder, crd("v1", field="b"), "new/b.yaml")
    write(folder, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n", "old/config/samples/a.yaml")

    def judge(*_: object) -> Upgrade:
        raise UnsupportedConstructError("a construct")

    monkeypatch.setattr(effects, "_served_pairs", judge)

    code, output, errors = run(capsys, "old", "new", "-o", "json")

    document = json.loads(output)
    first, second = document["crds"]
    assert code == 2
    assert first["error"] == errors.rstrip("\n")
    assert (second["new"], second["findings"][0]["witness"]) == (None, None)
    assert document["unjudged"] == {"old/config/samples/a.yaml:1": "the effects of the upgrade are not known"}
    assert f"{NAME}: from old/a.yaml:1 to new/b.yaml:1: not known\n" in run(capsys, "old", "new")[1]


def test_a_missing_line_between_two_crds_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, f"{crd('v1')}{crd('v1')}", "joined.yaml")
    write(folder, crd("v1").replace("{type: string}", "{type: string, type: string}"), "repeated.yaml")

    code, _, errors = run(capsys, "joined.yaml", "repeated.yaml")
    assert code == 2
    assert errors.startswith("joined.yaml:1: line ")
    assert errors.endswith("; write --- between two CRDs\n")
    assert errors.count("\n") == 1
    assert run(capsys, "joined.yaml", "repeated.yaml", "--objects", "repeated.yaml")[::2] == (2, errors)
