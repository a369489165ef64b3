"""`pytest-crd validate`: the server's verdict on objects in files and streams."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from pytest_crd import __main__ as program
from pytest_crd import folders
from pytest_crd.live import client
from pytest_crd.live.run import Target
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.webhooks.httptransport import Reply

TABS = """\
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
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, maximum: 9}
          colour: {type: string, default: red}
          old: {type: string}
          marks: {type: object, additionalProperties: {type: string}}
"""
TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nsize: 1\n"
OTHERS = "---\napiVersion: example.org/v1\nkind: Memo\nmetadata: {name: a}\n---\nkind: Note\n---\n{}\n"
BY = "by tabs.example.com v1 (crds/tabs.yaml:1)"
END = "; Kubernetes 1.37\n"

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()  # where nobody asks git for files
    (tmp_path / "crds/tabs.yaml").write_text(TABS)
    (tmp_path / "tab.yaml").write_text(TAB)
    return tmp_path


@pytest.fixture
def validate(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Validate:
    """Run the command, with a text as standard input, and return its code and output."""
    del folder

    def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = program.main(["validate", *arguments])
        return code, *capsys.readouterr()

    return run


def test_an_object_that_is_stored_unchanged_is_accepted(validate: Validate) -> None:
    assert validate("tab.yaml") == (0, f"tab.yaml:1: Tab/a: accepted\n1 custom resource, 0 refused{END}", "")


def test_a_copy_in_a_chart_takes_no_object(folder: Path, validate: Validate) -> None:
    (folder / "charts/a/crds").mkdir(parents=True)
    (folder / "charts/a/crds/tabs.yaml").write_text(TABS.replace("maximum: 9", "maximum: 99"))
    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: 10"))

    assert validate("tab.yaml")[0] == 1


def test_a_refusal_is_reported_in_the_words_of_the_server_with_both_lines(folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: 10"))

    code, out, _ = validate("tab.yaml")

    assert code == 1
    assert out == (
        f"tab.yaml:1: Tab/a: refused (422) {BY}\n"
        "  tab.yaml:4: size: Invalid value: 10: size in body should be less than or equal to 9 (crds/tabs.yaml:16 maximum)\n"
        f"1 custom resource, 1 refused{END}"
    )


@pytest.mark.parametrize(
    ("files", "counted"),
    [
        (["tab.yaml"], "1 custom resource, 0 refused, 1 accepted, but not as it is"),
        (["tab.yaml", "other.yaml"], "2 custom resources, 0 refused, 2 accepted, but not as they are"),
    ],
)
def test_dropped_fields_fail(files: list[str], counted: str, folder: Path, validate: Validate) -> None:
    for name in ("tab.yaml", "other.yaml"):
        (folder / name).write_text(f"{TAB}colur: blue\n")

    code, out, _ = validate(*files)

    assert code == 1
    assert out.startswith(
        f"tab.yaml:1: Tab/a: accepted {BY}, but not as it is; kubectl refuses it\n"
        "  tab.yaml:5: colur: the schema does not specify it, so that it is dropped; did you mean colour?\n"
    )
    assert out.endswith(f"{counted}{END}")


def test_warnings_of_the_server_are_printed(folder: Path, validate: Validate) -> None:
    (folder / "crds/tabs.yaml").write_text(TABS.replace("    served: true", "    served: true\n    deprecated: true"))

    code, out, _ = validate("tab.yaml")

    assert code == 0
    assert "  warning: example.com/v1 Tab is deprecated\n" in out


def test_a_stream_may_have_any_objects_and_unjudged_ones_are_counted(validate: Validate) -> None:
    code, out, _ = validate("-", given=f"{TAB}{OTHERS}")

    assert code == 0
    assert out == (
        "stdin:1: Tab/a: accepted\n"
        f"1 custom resource, 0 refused; 3 objects of other kinds, not judged (2 no kind, 1 Memo of example.org/v1){END}"
    )


def test_of_many_kinds_the_first_are_named(validate: Validate) -> None:
    many = "".join(f"---\napiVersion: example.org/v1\nkind: K{index}\n" for index in range(7))

    assert validate("-", given=f"{TAB}{many}")[1].endswith(
        "1 K4 of example.org/v1 and 2 more kinds); Kubernetes 1.37\n"
    )


def test_an_unknown_kind_can_fail(validate: Validate) -> None:
    code, out, _ = validate("-", "--strict", given=f"{TAB}{OTHERS}")

    assert code == 1
    assert "stdin:6: no CRD is known of Memo of example.org/v1\n" in out


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("kind: Tab", "kind: Tabb", "kind 'Tabb' of example.com; did you mean kind 'Tab'?"),
        ("example.com", "exmple.com", "kind 'Tab' of exmple.com; did you mean the group 'example.com'?"),
    ],
)
def test_a_misspelt_kind_fails(old: str, new: str, meant: str, folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(TAB.replace(old, new))

    code, out, _ = validate("tab.yaml")

    assert code == 1
    assert out == (
        f"tab.yaml:1: no CRD is for {meant}\n0 custom resources, 0 refused; 1 object of a misspelt kind{END}"
    )


def test_where_nothing_is_judged_there_is_no_verdict(validate: Validate) -> None:
    assert validate("-", given=OTHERS)[0] == 5


def test_a_version_that_is_not_served_fails(folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(TAB.replace("example.com/v1", "example.com/v2"))

    code, out, _ = validate("tab.yaml")

    assert code == 1
    assert out == (
        "tab.yaml:1: Tab/a: a version that is not served\n"
        f"  tab.yaml:1: tabs.example.com serves v1, not v2\n1 custom resource, 1 refused{END}"
    )


def test_a_crd_that_is_refused_takes_no_objects(folder: Path, validate: Validate) -> None:
    (folder / "crds/tabs.yaml").write_text(TABS.replace("Namespaced", "Namespacd"))

    code, out, _ = validate("tab.yaml")

    assert code == 1
    assert 'spec.scope: Unsupported value: "Namespacd"' in out


def test_the_best_of_alternatives_counts(folder: Path, validate: Validate) -> None:
    (folder / "crds/minimal.yaml").write_text(TABS.replace("maximum: 9", "maximum: 0"))

    assert validate("tab.yaml")[0] == 0


def test_stored_objects_are_shown_as_yaml(validate: Validate) -> None:
    code, out, _ = validate("tab.yaml", "--show")

    assert code == 0
    assert list(yaml.safe_load_all(out)) == [
        {
            "apiVersion": "example.com/v1",
            "kind": "Tab",
            "metadata": {"name": "a", "namespace": "default"},
            "size": 1,
            "colour": "red",
        },
    ]
    assert '# becomes, by defaults, colour: "red"\n' in out


def test_refused_objects_are_not_shown(folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: 10"))

    assert list(yaml.safe_load_all(validate("tab.yaml", "--show")[1])) == []


def test_stored_objects_are_updated(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(TAB.replace("size: 1", "size: 10"))
    (folder / "tab.yaml").write_text(f"{TAB.replace('size: 1', 'size: 10')}---\n{TAB.replace('name: a', 'name: b')}")

    code, out, _ = validate("tab.yaml", "--old", "old.yaml")

    assert code == 0  # an error of the old object is tolerated
    assert out == (
        "tab.yaml:1: Tab/a: accepted, an update\n"
        "  warning: kept as it was so before, a create would be refused: size: Invalid value: 10: size in body should be less than or "
        "equal to 9 (crds/tabs.yaml:16 maximum)\n"
        "tab.yaml:6: Tab/b: accepted, as nothing is stored of it\n"
        f"2 custom resources, 0 refused, 1 of them updated{END}"
    )


def test_a_dropped_field_of_an_update_is_not_called_kept(folder: Path, validate: Validate) -> None:
    text = TAB.replace("size: 1", "size: 10\ngone: 1")
    (folder / "tab.yaml").write_text(text)

    _, out, _ = validate("tab.yaml", "--old", "tab.yaml")

    assert out.count("kept as it was so before, a create would be refused: ") == 1
    assert out.count("gone: the schema does not specify it") == 1


def test_an_update_that_only_a_create_rule_refuses_is_not_called_kept(folder: Path, validate: Validate) -> None:
    crd = folder / "crds/tabs.yaml"
    rule = "{rule: 'oldSelf.hasValue() || self.size > 5', optionalOldSelf: true}"
    schema = "        type: object\n"
    crd.write_text(crd.read_text().replace(schema, f"{schema}        x-kubernetes-validations: [{rule}]\n", 1))
    (folder / "tab.yaml").write_text(TAB)

    _, out, _ = validate("tab.yaml", "--old", "tab.yaml")

    assert "warning: the update passes, a create would be refused: " in out


def test_an_old_file_that_has_none_of_the_objects_is_an_error(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(TAB.replace("name: a", "name: b"))

    code, _, err = validate("tab.yaml", "--old", "old.yaml")

    assert code == 2
    assert err == "--old: none of the objects, by group, kind, namespace and name: nothing was updated\n"


def test_an_update_that_could_be_created_gets_no_warning(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(TAB.replace("size: 1", "size: 2"))

    assert "warning" not in validate("tab.yaml", "--old", "old.yaml")[1]


def test_an_update_is_refused_for_new_errors(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(TAB)
    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: 10"))

    code, out, _ = validate("tab.yaml", "--old", "old.yaml")

    assert code == 1
    assert "kept" not in out


def test_an_old_object_that_no_server_can_store_is_a_mistake(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(f"{TAB}---\n{TAB.replace('{name: a}', '3')}")

    code, _, err = validate("tab.yaml", "--old", "old.yaml")

    assert (code, err) == (2, "old.yaml:8: Tab: the metadata of a stored object is a mapping\n")


def test_an_object_is_stored_once(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(f"{TAB}---\n{TAB}---\n{TAB.replace('name: a', 'namespace: default, name: a')}")

    code, _, err = validate("tab.yaml", "--old", "old.yaml")

    assert code == 2
    assert err == "old.yaml:6: Tab/a is stored once: see line 1\nold.yaml:11: Tab/a is stored once: see line 1\n"


def test_applies_conflict_with_fields_of_other_managers(folder: Path, validate: Validate) -> None:
    (folder / "old.yaml").write_text(TAB)
    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: 2"))

    code, out, _ = validate("tab.yaml", "--old", "old.yaml", "--apply")
    assert code == 1
    assert "refused (409)" in out
    assert '.size: conflict with "before-first-apply" using example.com/v1' in out
    assert validate("tab.yaml", "--old", "old.yaml", "--apply", "--force", "--manager", "me")[0] == 0
    assert validate("tab.yaml", "--apply")[0] == 0


def test_crds_are_those_that_are_named(folder: Path, validate: Validate) -> None:
    (folder / "strict").mkdir()
    (folder / "strict/tabs.yaml").write_text(TABS.replace("maximum: 9", "maximum: 0"))

    assert validate("tab.yaml", "--crd", "crds/tabs.yaml")[0] == 0
    assert "(strict/tabs.yaml:16 maximum)" in validate("tab.yaml", "--crd", "strict")[1]
    assert validate("tab.yaml", "--crd", "-", given=TABS)[0] == 0


def test_crds_among_the_objects_take_the_place_of_those_of_the_project(validate: Validate) -> None:
    stricter = TABS.replace("maximum: 9", "maximum: 0")

    assert "(stdin:16 maximum)" in validate("-", given=f"{stricter}---\n{TAB}")[1]
    assert validate("-", "--crd", "crds/tabs.yaml", given=f"{stricter}---\n{TAB}")[0] == 0


@pytest.mark.session  # git is asked for files
def test_a_stream_may_have_all_the_crds_there_are(folder: Path, validate: Validate) -> None:
    shutil.rmtree(folder / "crds")

    assert validate("-", given=f"{TABS}---\n{TAB}")[0] == 0
    code, _, err = validate("tab.yaml")
    assert code == 2
    assert "no CRD was found" in err


def test_a_broken_crd_of_the_project_is_reported_despite_crds_in_the_stream(folder: Path, validate: Validate) -> None:
    (folder / "crds/broken.yaml").write_text(f"{TABS}  - [\n")

    code, out, err = validate("-", given=f"{TABS}---\n{TAB}")

    assert (code, out) == (2, "")
    assert err.startswith("crds/broken.yaml:21: ")


def test_readable_objects_are_judged_beside_unreadable_ones(folder: Path, validate: Validate) -> None:
    (folder / "a.yaml").write_text("a: [\n")
    (folder / "b.yaml").mkdir()
    (folder / "c.yaml").symlink_to("nowhere")

    code, out, err = validate("a.yaml", "tab.yaml")

    assert code == 2
    assert "Tab/a: accepted" in out
    assert err == "a.yaml:2: did not find expected node content (while parsing a flow node)\n"


def test_templates_are_distinguished_from_broken_files(folder: Path, validate: Validate) -> None:
    (folder / "template.yaml").write_text(TAB.replace("metadata: {name: a}", "metadata:\n  {{- include 'x' . }}"))

    code, _, err = validate("template.yaml")

    assert code == 2
    assert err.endswith(
        "(a Helm template: add --helm-charts, or validate what it renders to, helm template … | pytest-crd validate -)\n"
    )


def test_a_file_that_the_system_keeps_back_is_a_mistake(
    folder: Path, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = folders.read_file

    def refuse(path: Path) -> bytes:
        if path.name == "kept.yaml":
            raise PermissionError(13, "Permission denied")
        return read(path)

    (folder / "kept.yaml").write_text(TAB)
    monkeypatch.setattr(folders, "read_file", refuse)

    code, _, err = validate("kept.yaml", "tab.yaml", "--crd", "crds/tabs.yaml")

    assert (code, err) == (2, "kept.yaml: cannot be read: Permission denied\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["tab.yaml", "--force"], "--manager and --force are of applies: add --apply"),
        (["tab.yaml", "--manager", "me"], "--manager and --force are of applies: add --apply"),
        (["tab.yaml", "--apply", "--manager", ""], "--manager: a field manager has a name"),
        (["tab.yaml", "--crd", "x", "--crd-live", "y"], "--crd and --crd-live both say where CRDs are: leave out one"),
        (["tab.yaml", "--crd-live-context", "x"], "--crd-live-context does nothing without --crd-live"),
        (["-", "--old", "-"], "there is one standard input: name - once"),
        (["-", "--crd", "-"], "there is one standard input: name - once"),
        (["nowhere.yaml"], "nowhere.yaml: no such file or folder"),
        (["tab.yaml", "--crd", "tab.yaml"], "tab.yaml: no CustomResourceDefinition in the file"),
        (["tab.yaml", "--kubernetes-version", "1.2"], "1.2"),
        (["tab.yaml", "--crd-live", "nowhere"], "--crd-live: "),
    ],
)
def test_wrong_use_is_2(arguments: list[str], problem: str, validate: Validate) -> None:
    code, out, err = validate(*arguments)

    assert (code, out) == (2, "")
    assert problem in err


class _Cluster:
    """A server that lists its CRDs."""

    address = "http://cluster"
    is_trusted_blindly = False

    def __init__(self, code: int, body: Any) -> None:
        self._code, self._body = code, body

    def send(self, *_: object) -> Reply:
        """Answer."""
        if self._code == 0:
            raise NoAnswerError("the line is dead")
        return Reply(self._code, [], json.dumps(self._body).encode())

    def close(self) -> None:
        """Close nothing."""


def _connected(monkeypatch: pytest.MonkeyPatch, code: int, body: Any) -> None:
    target = Target(client.Server(_Cluster(code, body)), "1.36", "v1.36.1", "kubectl")
    monkeypatch.setattr("pytest_crd.live.connection.connect", lambda *_, **__: target)


def test_the_crds_of_a_server_count_as_they_are_stored(validate: Validate, monkeypatch: pytest.MonkeyPatch) -> None:
    crd = yaml.safe_load(TABS.replace("maximum: 9", "maximum: 0"))
    _connected(monkeypatch, 200, {"items": [{key: crd[key] for key in ("metadata", "spec")}]})

    code, out, _ = validate("tab.yaml", "--crd-live", "http://cluster")

    assert code == 1
    assert out.startswith("tab.yaml:1: Tab/a: refused (422) by tabs.example.com v1\n")
    assert "should be less than or equal to 0" in out
    assert out.endswith("; Kubernetes 1.36\n")
    assert validate("tab.yaml", "--crd-live", "x", "--crd-live-context", "y")[0] == 1
    assert validate("tab.yaml", "--crd-live", "x", "--kubernetes-version", "1.35")[1].endswith("; Kubernetes 1.35\n")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (403, "http://cluster: does not list its CRDs: 403 forbidden\n"),
        (0, "--crd-live: the line is dead\n"),
    ],
)
def test_a_server_that_does_not_list_them_is_an_error(
    code: int, problem: str, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    _connected(monkeypatch, code, {"message": "forbidden"})

    assert validate("tab.yaml", "--crd-live", "http://cluster") == (2, "", problem)


def test_files_can_be_named_as_kubectl_names_them(folder: Path, validate: Validate) -> None:
    (folder / "other.yaml").write_text(TAB.replace("name: a", "name: b"))

    assert validate("tab.yaml", "-f", "other.yaml")[1].startswith(
        "tab.yaml:1: Tab/a: accepted\nother.yaml:1: Tab/b: acc"
    )
    assert validate("--filename", "tab.yaml")[0] == 0
    assert validate() == (2, "", "name files with objects, - for standard input, or `files` in pytest-crd.toml\n")


def test_json_has_the_answer_to_each_object(folder: Path, validate: Validate) -> None:
    large = TAB.replace("size: 1", "size: 10").replace("name: a", "name: b")
    dropped = f"{TAB}colur: blue\n"
    (folder / "tab.yaml").write_text(
        f"{TAB}---\n{large}---\n{dropped}---\napiVersion: example.com/v1\nkind: Tap\n---\nkind: Note\n"
    )

    code, out, _ = validate("tab.yaml", "-o", "json")
    answer = json.loads(out)

    assert code == 1
    assert (answer["version"], answer["kubernetesVersion"], answer["problems"]) == (1, "1.37", [])
    assert [(item["name"], item["line"], item["outcome"]) for item in answer["objects"]] == [
        ("Tab/a", 1, "accepted"),
        ("Tab/b", 6, "refused"),
        ("Tab/a", 11, "accepted, but not as it is"),
        ("Tap", 17, "misspelt"),
        ("Note", 20, "not judged"),
    ]
    accepted, refused, *_ = answer["objects"]
    assert (accepted["code"], accepted["stored"]["colour"], accepted["findings"]) == (201, "red", [])
    assert (refused["code"], refused["stored"]) == (422, None)
    assert refused["findings"] == [
        {
            "path": "tab.yaml",
            "line": 9,
            "field": "size",
            "message": "size: Invalid value: 10: size in body should be less than or equal to 9 (crds/tabs.yaml:16 maximum)",
            "origin": "crds/tabs.yaml:16",
            "details": [],
        }
    ]


def test_tap_and_junit_have_a_test_for_each_object(folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(
        f"{TAB.replace('size: 1', 'size: 10')}---\n{TAB}---\napiVersion: example.com/v1\nkind: Tap\n---\nkind: Note\n"
    )

    tap, junit = validate("tab.yaml", "-o", "tap")[1], validate("tab.yaml", "-o", "junit", "--strict")[1]

    assert [line for line in tap.splitlines() if line[0] != " "] == [
        "TAP version 14",
        "1..4",
        "not ok 1 - tab.yaml: Tab/a",
        "ok 2 - tab.yaml: Tab/a",
        "not ok 3 - tab.yaml: Tap",
        "ok 4 - tab.yaml: Note # SKIP it has no apiVersion and kind",
    ]
    assert 'tests="4" failures="3" errors="0" skipped="0"' in junit


def test_a_mistake_in_a_file_is_an_error_in_each_format(folder: Path, validate: Validate) -> None:
    (folder / "bad.yaml").write_text("a: [\n")

    code, out, err = validate("tab.yaml", "bad.yaml", "-o", "junit")

    assert code == 2
    assert 'tests="2" failures="0" errors="1"' in out
    assert "bad.yaml:" in err
    assert json.loads(validate("tab.yaml", "bad.yaml", "-o", "json")[1])["problems"] == err.splitlines()


def test_show_prints_yaml_alone(validate: Validate) -> None:
    code, out, err = validate("tab.yaml", "--show", "-o", "tap")

    assert (code, out) == (2, "")
    assert err == "--show prints YAML: leave it out with -o tap; -o json has the stored objects\n"


@pytest.mark.session
def test_without_crds_the_error_names_the_option_of_the_command(folder: Path, validate: Validate) -> None:
    shutil.rmtree(folder / "crds")

    code, out, err = validate("tab.yaml")

    assert (code, out) == (2, "")
    assert err.startswith(f"{folder}: no CRD was found: name the files or folders with your CRDs, --crd PATH\n")
    assert "crd_paths" not in err


@pytest.mark.parametrize("value", ["ENC[AES256_GCM,data:eA==,type:int]", "${SIZE}", "<path:secret/data/tabs#size>"])
def test_a_value_that_is_not_in_the_file_is_not_judged_and_counted(
    value: str, folder: Path, validate: Validate
) -> None:
    (folder / "tab.yaml").write_text(f"{TAB.replace('size: 1', f'size: {value!r}')}sops: {{mac: x}}\n")

    code, out, _ = validate("tab.yaml")

    assert (code, out.splitlines()) == (
        5,
        [
            f"tab.yaml:1: Tab/a: not judged, as size is {value}",
            f"1 custom resource, 0 refused, 1 not judged; 1 value not known, encrypted or variable{END.rstrip()}",
        ],
    )


def test_a_value_that_is_not_in_the_file_is_not_judged_in_each_format(folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: ${SIZE}"))

    assert json.loads(validate("tab.yaml", "-o", "json")[1])["objects"][0]["outcome"] == "not judged"
    assert "# SKIP" in validate("tab.yaml", "-o", "tap")[1]
    assert validate("tab.yaml", "--strict")[0] == 1


def test_the_other_values_of_an_encrypted_object_are_judged(folder: Path, validate: Validate) -> None:
    encrypted = "colour: ENC[AES256_GCM,data:eA==,type:str]\nmarks: {a: '${A}', b: plain}\nsops: {mac: x}\n"
    (folder / "tab.yaml").write_text(TAB + encrypted)
    accepted = (
        f"tab.yaml:1: Tab/a: accepted\n1 custom resource, 0 refused; 2 values not known, encrypted or variable{END}"
    )

    assert validate("tab.yaml") == (0, accepted, "")

    (folder / "tab.yaml").write_text(TAB.replace("size: 1", "size: 10") + encrypted)

    assert validate("tab.yaml")[0] == 1


@pytest.mark.parametrize("sops", ["sops: x\n", "sops: {version: 1}\n"])
def test_a_field_sops_of_another_type_is_unknown(sops: str, folder: Path, validate: Validate) -> None:
    (folder / "tab.yaml").write_text(TAB + sops)

    assert "sops: the schema does not specify it" in validate("tab.yaml")[1]


OVERLAY = "resources: [../base]\npatches:\n- patch: |\n    apiVersion: example.com/v1\n    kind: Tab\n    metadata: {name: a}\n    size: 2\n"


@pytest.fixture
def overlays(folder: Path) -> Path:
    """Create a base with an object that is refused, and an overlay that mends it."""
    for name in ("base", "prod"):
        (folder / "apps" / name).mkdir(parents=True)
    (folder / "apps/base/tab.yaml").write_text(TAB.replace("size: 1", "size: 10"))
    (folder / "apps/base/kustomization.yaml").write_text("resources: [tab.yaml]\n")
    (folder / "apps/prod/kustomization.yaml").write_text(OVERLAY)
    return folder


@pytest.mark.parametrize("named", ["apps", "apps/prod", "."])
def test_an_overlay_is_built_and_its_base_is_not_judged_alone(named: str, overlays: Path, validate: Validate) -> None:
    (overlays / "tab.yaml").unlink()
    code, out, err = validate(named, "--skip", "CustomResourceDefinition")

    assert (code, err) == (0, "")
    assert out.startswith("apps/base/tab.yaml:1: Tab/a of apps/prod: accepted\n1 custom resource, 0 refused")


def test_a_base_or_a_file_that_is_named_itself_is_judged(overlays: Path, validate: Validate) -> None:
    del overlays

    assert validate("apps/base")[0] == 1
    assert validate("apps/base/tab.yaml")[0] == 1


def test_each_overlay_of_a_base_is_judged(overlays: Path, validate: Validate) -> None:
    (overlays / "apps/dev").mkdir()
    (overlays / "apps/dev/kustomization.yaml").write_text(OVERLAY.replace("size: 2", "size: 11"))

    code, out, _ = validate("apps", "-o", "json")

    assert code == 1
    assert [(item["kustomization"], item["outcome"]) for item in json.loads(out)["objects"]] == [
        ("apps/dev", "refused"),
        ("apps/prod", "accepted"),
    ]


def test_files_beside_kustomizations_are_judged_as_they_are(overlays: Path, validate: Validate) -> None:
    (overlays / "apps/prod/extra.yaml").write_text(TAB)
    (overlays / "apps/flux").mkdir()
    (overlays / "apps/flux/kustomization.yaml").write_text(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n"
    )
    (overlays / "apps/.hidden").mkdir()
    (overlays / "apps/.hidden/kustomization.yaml").write_text("resources: [no.yaml]\n")

    assert validate("apps")[1].splitlines()[:2] == [
        "apps/base/tab.yaml:1: Tab/a of apps/prod: accepted",
        "apps/prod/extra.yaml:1: Tab/a: accepted",
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"apps/prod/kustomization.yaml": "resources: [../base]\nvars: [a]\n"}, "write kubectl kustomize apps/prod | pytest-crd validate -"),
        ({"apps/base/kustomization.yaml": "resources: [../prod]\n"}, "kustomize refuses a folder that contains the kustomization"),
        ({"apps/prod/kustomization.yaml": "resources: [\n"}, "apps/prod/kustomization.yaml:"),
        ({"apps/flux.txt": "", "apps/prod/kustomization.yaml": "link"}, "kustomize follows no link out of the folder"),
    ],
)  # fmt: skip
def test_a_kustomization_that_cannot_be_built_makes_the_verdict_incomplete(
    files: dict[str, str], message: str, overlays: Path, validate: Validate
) -> None:
    for name, text in files.items():
        (overlays / name).unlink(missing_ok=True)
        (overlays / name).symlink_to("../flux.txt") if text == "link" else (overlays / name).write_text(text)

    code, _, err = validate("apps")

    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_component_is_judged_only_as_part_of_a_kustomization(overlays: Path, validate: Validate) -> None:
    (overlays / "apps/part").mkdir()
    (overlays / "apps/part/kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Tab}\n"
        '  patch: \'[{"op": "replace", "path": "/size", "value": 12}]\'\n'
    )
    (overlays / "apps/dev").mkdir()
    (overlays / "apps/dev/kustomization.yaml").write_text("resources: [../base]\ncomponents: [../part]\n")

    assert "Tab/a of apps/dev: refused" in validate("apps")[1]


def test_crds_count_as_kustomizations_build_them(overlays: Path, validate: Validate) -> None:
    (overlays / "apps/crds").mkdir()
    (overlays / "apps/crds/tabs.yaml").write_text(TABS)
    (overlays / "apps/crds/kustomization.yaml").write_text(
        "resources: [tabs.yaml]\npatches:\n- target: {kind: CustomResourceDefinition}\n"
        '  patch: \'[{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/size/maximum", "value": 1}]\'\n'
    )

    assert "size in body should be less than or equal to 1" in validate("apps/prod", "apps/crds")[1]


def test_files_may_stand_behind_options(folder: Path, validate: Validate) -> None:
    (folder / "second.yaml").write_text(TAB.replace("name: a", "name: b"))

    assert validate("tab.yaml", "--crd", "crds", "second.yaml") == (
        0,
        f"tab.yaml:1: Tab/a: accepted\nsecond.yaml:1: Tab/b: accepted\n2 custom resources, 0 refused{END}",
        "",
    )


@pytest.mark.parametrize(
    ("skip", "message"),
    [
        ("Memmo.example.org", "--skip: no object has the kind memmo.example.org; did you mean Memo?\n"),
        ("Tab.example.org", ""),
        ("Tablet", ""),
        ("Secret", ""),
    ],
)
def test_a_misspelt_kind_to_skip_is_an_error(skip: str, message: str, validate: Validate) -> None:
    code, _, err = validate("-", "--skip", skip, given=f"{TAB}{OTHERS}")

    assert (code, err) == (2 if message else 0, message)


def test_an_empty_kind_to_skip_is_wrong_use(validate: Validate) -> None:
    assert validate("tab.yaml", "--skip", "") == (2, "", "--skip: name a kind\n")


@pytest.mark.parametrize("begin", ["", "# kustomize.toolkit.fluxcd.io/\n"])
def test_a_text_that_stays_in_memory_may_be_broken(begin: str, folder: Path, validate: Validate) -> None:
    (folder / "broken.yaml").write_text(f"{begin}a: b: c\n")

    for arguments, given in ((("tab.yaml", "broken.yaml"), ""), (("tab.yaml", "-"), "a: b: c\n")):
        code, out, err = validate(*arguments, given=given)

        assert (code, out) == (2, f"tab.yaml:1: Tab/a: accepted\n1 custom resource, 0 refused{END}")
        assert err.count("mapping values are not allowed") == 1


def test_an_item_of_a_list_that_is_no_object_is_counted(validate: Validate) -> None:
    code, out, _ = validate("-", given=f"apiVersion: v1\nkind: List\nitems: [a]\n---\n{TAB}")

    assert "1 object of other kinds, not judged (1 no kind)" in out
    assert code == 0
