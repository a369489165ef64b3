"""The roles and bindings of a project's files and commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from pytest_crd.discovery import rolefiles
from pytest_crd.engine.inputerror import InputError

GROUP: Final = "rbac.authorization.k8s.io"
ROLE: Final = f"apiVersion: {GROUP}/v1\nkind: ClusterRole\nmetadata: {{name: %s}}\n"
ACCOUNT: Final = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n"
NAMESPACE: Final = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ops}\n"


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        (path if path.name == "kustomization.yaml" else path.with_suffix(".yaml")).write_text(text, encoding="utf-8")
    return folder


def _titles(folder: Path, *patterns: str, commands: tuple[str, ...] = ()) -> list[str]:
    return [item.title for item in rolefiles.read(patterns, commands, base=folder, folder=folder)]


def _problem(folder: Path, *patterns: str, commands: tuple[str, ...] = ()) -> str:
    with pytest.raises(InputError) as error:
        _titles(folder, *patterns, commands=commands)
    return str(error.value)


def test_roles_and_namespaces_are_told_apart_from_other_objects(tmp_path: Path) -> None:
    _write(tmp_path, rbac__a=f"{ROLE % 'one'}---\n{ACCOUNT}---\n{NAMESPACE}", rbac__b=ACCOUNT, rbac__c="a: b\n")
    assert _titles(tmp_path, "rbac") == ["ClusterRole/one", "Namespace/ops"]
    assert _titles(tmp_path, "rbac/*.yaml", "!rbac/b.yaml") == ["ClusterRole/one", "Namespace/ops"]


def test_a_kustomization_stands_for_the_files_that_it_lists(tmp_path: Path) -> None:
    _write(tmp_path, rbac__a=ROLE % "one", rbac__b=ROLE % "two", more__c=ROLE % "three")
    (tmp_path / "rbac/kustomization.yaml").write_text("resources: [b.yaml, ../more]\n", encoding="utf-8")
    assert _titles(tmp_path, "rbac") == ["ClusterRole/two", "ClusterRole/three"]
    (tmp_path / "rbac/kustomization.yaml").write_text("resources: [b.yaml]\nnamePrefix: x-\n", encoding="utf-8")
    words = "rbac/kustomization.yaml:2: `namePrefix` may change roles: write crd_server_rbac_commands = kubectl kustomize rbac"
    assert words in _problem(tmp_path, "rbac")
    assert _titles(tmp_path, "*") == ["ClusterRole/three", "ClusterRole/one", "ClusterRole/two"]
    (tmp_path / "rbac/kustomization.yaml").write_text("[]\n", encoding="utf-8")
    assert "no Role, ClusterRole, RoleBinding or ClusterRoleBinding is in these places" in _problem(tmp_path, "rbac")


@pytest.mark.session
def test_commands_print_roles(tmp_path: Path) -> None:
    _write(tmp_path, a=ROLE % "one", b=ACCOUNT)
    printing = f"{sys.executable} -c 'print(open(\"%s.yaml\").read())'"
    assert _titles(tmp_path, commands=(printing % "a",)) == ["ClusterRole/one"]
    assert "has no Role, ClusterRole, RoleBinding or ClusterRoleBinding" in _problem(
        tmp_path, commands=(printing % "b",)
    )
    assert "crd_server_rbac_commands: `no-such-command`: " in _problem(tmp_path, commands=("no-such-command",))


def test_places_without_roles_are_mistakes(tmp_path: Path) -> None:
    _write(tmp_path, a=ROLE % "one", b=ACCOUNT, c=ROLE % "{{ .Values.name }}", d=f"{ROLE % 'x'}\tb: [\n")
    assert _problem(tmp_path, "gone.yaml").startswith("gone.yaml: no such file or folder")
    assert _problem(tmp_path, "b.yaml") == "b.yaml: has no Role, ClusterRole, RoleBinding or ClusterRoleBinding"
    assert "is a template with a role" in _problem(tmp_path, "c.yaml")
    assert "d.yaml:" in _problem(tmp_path, "d.yaml")
    old = (ROLE % "one").replace("/v1", "/v1beta1")
    _write(tmp_path, e=old)
    assert _problem(tmp_path, "e.yaml") == f"e.yaml:1: {GROUP}/v1beta1 is not served: write {GROUP}/v1"


def test_a_kustomization_of_roles_obeys_the_law_of_kustomize(tmp_path: Path) -> None:
    _write(tmp_path, rbac__a=ROLE % "one", other__b=ROLE % "two")
    (tmp_path / "rbac/kustomization.yaml").write_text("resources: [a.yaml, 1, ../other/b.yaml]\n", encoding="utf-8")
    assert "rbac/kustomization.yaml:1: ../other/b.yaml: kustomize refuses a file outside of its folder" in _problem(
        tmp_path, "rbac"
    )
    (tmp_path / "rbac/kustomization.yaml").rename(tmp_path / "other/kustomization.yaml")
    (tmp_path / "rbac/kustomization.yaml").symlink_to("../other/kustomization.yaml")
    assert "rbac/kustomization.yaml: kustomize follows no link out of the folder; copy the file" in _problem(
        tmp_path, "rbac"
    )
