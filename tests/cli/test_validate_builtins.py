"""`pytest-crd validate` with objects of built-in kinds: the answers of kube-apiserver 1.37, without a cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import pytest

from pytest_crd import __main__ as program
from pytest_crd.cli import validatetext
from pytest_crd.cli.verdicts import ObjectVerdict

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"

NAME = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with"
    " an alphanumeric character (e.g. 'example.com', regex used for validation is"
    r" '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
ENCRYPTED = "ENC[AES256_GCM,data:eHg=,type:str]"


@pytest.fixture
def validate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Validate:
    """Run the command for a file with the given text, and return its code and output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()  # a folder of CRDs, so that no process searches for others
    (tmp_path / "crds/tabs.yaml").write_text(CRD)

    def run(text: str, *arguments: str) -> tuple[int, str, str]:
        (tmp_path / "a.yaml").write_text(text)
        code = program.main(["validate", "a.yaml", *arguments])
        return code, *capsys.readouterr()

    return run


def _map(name: str, rest: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n{rest}"


def _deployment(spec: str, containers: str = "[{name: a, image: a}]") -> str:
    """Return a Deployment with a field of the spec in line 5."""
    pods = f"template: {{metadata: {{labels: {{app: a}}}}, spec: {{containers: {containers}}}}}"
    head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n"
    return f"{head}  {spec}\n  selector: {{matchLabels: {{app: a}}}}\n  {pods}\n"


def _volume(spec: str) -> str:
    """Return an object of a kind that is only decoded, with a field of the spec in line 5."""
    return f"apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: a}}\nspec:\n  {spec}\n"


@pytest.mark.session
def test_a_built_in_object_needs_no_crd(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "crds/tabs.yaml").unlink()

    assert validate(_map("a")) == (
        0,
        "a.yaml:1: ConfigMap/a: accepted\n0 custom resources, 0 refused; 1 built-in object, 0 refused; Kubernetes 1.37\n",
        "",
    )


def test_a_refusal_is_in_the_words_of_the_server_with_the_line(validate: Validate) -> None:
    code, out, _ = validate(_map("Bad_Name"))

    assert code == 1
    assert out == (
        "a.yaml:1: ConfigMap/Bad_Name: refused (422) by Kubernetes 1.37\n"
        f'  a.yaml:3: metadata.name: Invalid value: "Bad_Name": {NAME}\n'
        "0 custom resources, 0 refused; 1 built-in object, 1 refused; Kubernetes 1.37\n"
    )


def test_unknown_fields_fail_with_the_nearest_field_and_objects_that_are_only_decoded_are_counted(
    validate: Validate,
) -> None:
    code, out, _ = validate(f"{_volume('capacitee: {}')}---\n{_volume('capacity: {}')}")

    assert code == 1
    assert out == (
        "a.yaml:1: PersistentVolume/a: accepted by Kubernetes 1.37, but not as it is; kubectl refuses it\n"
        "  a.yaml:5: spec.capacitee: the schema does not specify it, so that it is dropped; did you mean spec.capacity?\n"
        "a.yaml:7: PersistentVolume/a: accepted, only decoded\n"
        "0 custom resources, 0 refused; 2 built-in objects, 0 refused, 1 accepted, but not as it is,"
        " 2 only decoded (2 PersistentVolume); Kubernetes 1.37\n"
    )


def test_a_value_of_a_wrong_type_is_refused(validate: Validate) -> None:
    _, out, _ = validate(_deployment("replicas: two"))

    assert (
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field'
        " DeploymentSpec.spec.replicas of type int32\n"
    ) in out


@pytest.mark.parametrize(
    ("api_version", "kind", "hint"),
    [
        ("extensions/v1beta1", "Ingress", "; Kubernetes 1.37 serves Ingress of networking.k8s.io/v1"),
        ("apps/v1", "Deploymnet", "; did you mean kind 'Deployment'?"),
        ("policy/v1beta1", "PodSecurityPolicy", ""),
    ],
)
def test_a_kind_that_a_group_of_kubernetes_does_not_have_fails(
    api_version: str, kind: str, hint: str, validate: Validate
) -> None:
    code, out, _ = validate(f"{_map('a')}---\napiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n")

    assert code == 1
    assert f'a.yaml:5: no matches for kind "{kind}" in version "{api_version}"{hint}\n' in out
    assert "; 1 object of a kind that is not served; Kubernetes 1.37\n" in out


def test_the_kubernetes_version_decides_about_kinds(validate: Validate) -> None:
    policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: a}\nspec: {policyName: a}\n"

    assert validate(policy)[0] == 0
    code, out, _ = validate(f"{_map('a')}---\n{policy}", "--kubernetes-version", "1.35")
    assert code == 1
    assert '"admissionregistration.k8s.io/v1"; Kubernetes 1.35 does not serve it\n' in out


def test_former_kinds_of_a_version_without_records_are_not_judged(validate: Validate) -> None:
    ingress = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n"

    code, out, _ = validate(f"{_map('a')}---\n{ingress}", "--kubernetes-version", "1.21")

    assert code == 0
    assert "1 object of other kinds, not judged (1 Ingress of extensions/v1beta1)" in out


def test_addresses_of_a_cluster_are_not_judged(validate: Validate) -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: 10.96.0.10, ports: [{port: 80}]}\n"

    assert validate(service)[0] == 0


def test_priority_classes_of_a_cluster_are_not_judged(validate: Validate) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {priorityClassName: high, containers: [{name: a, image: a}]}\n"

    assert validate(pod)[0] == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (_deployment('replicas: "${COUNT}"'), "${COUNT}"),
        (f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\ndata: {{a: '{ENCRYPTED}', b: YQ==}}\n", ENCRYPTED),
        (
            _deployment("paused: true", '[{name: a, image: a, args: ["${A}"], tty: "${TTY}"}]'),
            "${A}",
        ),
    ],
)
def test_an_object_whose_placeholders_cannot_be_decoded_is_not_judged(
    text: str, value: str, validate: Validate
) -> None:
    code, out, _ = validate(f"{_map('a')}---\n{text}")

    assert code == 0
    assert f"not judged, as a value is {value}\n" in out
    assert "2 built-in objects, 0 refused, 1 not judged; " in out


def test_placeholders_hide_no_other_value_of_a_wrong_type(validate: Validate) -> None:
    text = _deployment('replicas: two\n  paused: "${PAUSED}"')

    assert validate(text)[0] == 1


def test_an_update_of_a_built_in_object_is_judged(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "old.yaml").write_text(_map("a", "immutable: true\ndata: {a: b}\n"))

    code, out, _ = validate(_map("a", "immutable: true\ndata: {a: c}\n"), "--old", "old.yaml")

    assert code == 1
    assert "a.yaml:5: data: Forbidden: field is immutable when `immutable` is set\n" in out
    assert "1 built-in object, 1 refused, 1 of them updated; " in out


def test_an_update_may_read_the_stored_object_in_another_version(tmp_path: Path, validate: Validate) -> None:
    scaler = "kind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: a}}\n"
    (tmp_path / "old.yaml").write_text(f"apiVersion: autoscaling/v1\n{scaler}")

    code, out, _ = validate(f"apiVersion: autoscaling/v2\n{scaler}", "--old", "old.yaml")

    assert (code, out.splitlines()[0]) == (0, "a.yaml:1: HorizontalPodAutoscaler/a: accepted, an update")


def test_a_stored_object_that_cannot_be_decoded_is_a_mistake(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "old.yaml").write_text(_map("a", "data: [a]\n"))

    code, _, error = validate(_map("a"), "--old", "old.yaml")

    assert code == 2
    assert error.startswith("old.yaml:1: ConfigMap/a cannot be stored: ConfigMap in version ")


def test_an_apply_conflicts_with_fields_of_other_managers(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "old.yaml").write_text(_map("a", "data: {a: b}\n"))

    code, out, _ = validate(_map("a", "data: {a: c}\n"), "--old", "old.yaml", "--apply")

    assert code == 1
    assert "refused (409) by Kubernetes 1.37\n" in out


def test_json_names_the_resource_of_a_built_in_object(validate: Validate) -> None:
    missing = "apiVersion: apps/v1\nkind: Deploy\nmetadata: {name: a}\n"

    objects = json.loads(validate(f"{_volume('capacity: {}')}---\n{missing}", "-o", "json")[1])["objects"]

    assert objects[0]["builtIn"] == "persistentvolumes"
    assert (objects[0]["onlyDecoded"], objects[0]["outcome"], "crd" in objects[0]) == (True, "accepted", False)
    assert (objects[1]["outcome"], objects[1]["line"]) == ("not served", 7)


@pytest.mark.parametrize(("arguments", "is_kept"), [((), False), (("--show",), True)])
def test_stored_objects_are_kept_only_to_be_shown(
    arguments: tuple[str, ...], validate: Validate, monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    verdicts: list[ObjectVerdict] = []

    def describe(some: Iterable[ObjectVerdict], *_: object, **__: object) -> list[str]:
        verdicts.extend(some)
        return []

    monkeypatch.setattr(validatetext, "describe", describe)
    validate(_map("a"), *arguments)

    assert [verdict.stored is not None for verdict in verdicts] == [is_kept]
    assert [verdict.outcome.response for verdict in verdicts] == [None]
