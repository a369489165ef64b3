"""The search for webhook configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from pytest_crd.discovery import webhookfiles
from pytest_crd.engine.inputerror import ManifestError

pytestmark = pytest.mark.session  # git lists the files
HEAD: Final = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n"
HOOKS: Final = f"{HEAD}metadata: {{name: %s}}\nwebhooks: [{{name: v.kb.io}}]\n"
PATCH: Final = f"{HEAD}metadata: {{name: hooks, annotations: {{a: b}}}}\n"
OTHER: Final = "kind: ValidatingWebhookConfiguration\napiVersion: v1\n---\nkind: Service\napiVersion: v1\n"


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def _places(folder: Path) -> list[str]:
    return [item.where for item in webhookfiles.find(folder)]


def test_the_folder_of_kubebuilder_comes_first(tmp_path: Path) -> None:
    files = {"config/webhook/manifests.yaml": f"{OTHER}---\n{HOOKS % 'a'}", "deploy/hooks.yaml": HOOKS % "b"}

    assert _places(_write(tmp_path, files)) == ["config/webhook/manifests.yaml:7"]


def test_the_whole_project_comes_next_without_test_data_and_patches(tmp_path: Path) -> None:
    files = {
        "config/webhook/service.yaml": OTHER,
        "a.yaml": f"{PATCH}---\n{HOOKS % 'a'}",
        "b.yaml": HOOKS % "b",
        "copy.yaml": HOOKS % "b",
        "test/c.yaml": HOOKS % "c",
    }

    assert _places(_write(tmp_path, files)) == ["a.yaml:5", "b.yaml:1"]


def test_a_project_may_have_no_configuration(tmp_path: Path) -> None:
    assert _places(_write(tmp_path, {"a.yaml": OTHER})) == []


def test_unreadable_files_with_configurations_are_errors(tmp_path: Path) -> None:
    files = {"a.yaml": f"{HOOKS % 'a'}{{{{ .Values.x }}}}\n", "b.yaml": f"{HOOKS % 'a'}: [\n", "c.yaml": ": ["}

    with pytest.raises(ManifestError) as raised:
        _places(_write(tmp_path, files))

    first, second = str(raised.value).splitlines()
    assert first == (
        "a.yaml: is a template with a webhook configuration: write its output into a file, and the file into "
        "crd_webhook_configurations"
    )
    assert second.startswith("b.yaml:")


def test_named_files_count_as_they_are(tmp_path: Path) -> None:
    _write(tmp_path, {"hooks/a.yaml": HOOKS % "a", "hooks/b.yaml": OTHER, "patch.yaml": PATCH})

    configurations = webhookfiles.read_named(["hooks", "patch.yaml"], base=tmp_path)

    assert [item.where for item in configurations] == ["hooks/a.yaml:1", "patch.yaml:1"]


def test_a_named_file_needs_a_configuration(tmp_path: Path) -> None:
    _write(tmp_path, {"a.yaml": OTHER, "b.yaml": f"{HOOKS % 'a'}: ["})

    with pytest.raises(ManifestError) as raised:
        webhookfiles.read_named(["*.yaml", "a.yaml"], base=tmp_path)

    first, second = str(raised.value).splitlines()
    assert first == "a.yaml: no MutatingWebhookConfiguration or ValidatingWebhookConfiguration in it"
    assert second.startswith("b.yaml:")
