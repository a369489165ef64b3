"""The admission policies of a project's files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from pytest_crd.discovery import policyfiles
from pytest_crd.engine.inputerror import InputError

POLICY: Final = (
    "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: small}\nspec: {}\n"
)
TEMPLATE: Final = "{{ if .Values.policies }}\n"
END: Final = "{{ end }}\n"


def _titles(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return [item.title for item in policyfiles.read([str(folder)], [], base=folder, folder=folder)]


def test_templates_without_policies_in_a_folder_are_left_out(tmp_path: Path) -> None:
    assert _titles(tmp_path, a=POLICY, b=f"{TEMPLATE}kind: Deployment\n{END}") == ["ValidatingAdmissionPolicy/small"]


def test_templates_with_policies_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a template with an admission policy"):
        _titles(tmp_path, a=POLICY, b=f"{TEMPLATE}{POLICY}{END}")


def test_malformed_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"b\.yaml"):
        _titles(tmp_path, a=POLICY, b="kind: [\n")
