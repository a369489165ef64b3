"""The public names at the top of the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_crd
from pytest_crd import CrdServer, CrdVersion, CustomResourceDefinition, RequestFailedError, Response, engine
from pytest_crd.server import accessor, resourceaccess

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tabs.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"plural": "tabs", "singular": "tab", "kind": "Tab", "listKind": "TabList"},
        "scope": "Namespaced",
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
    },
}


def test_public_classes_are_those_of_fixtures_and_answers() -> None:
    crd = CustomResourceDefinition.from_manifest(CRD)
    version = crd.version("v1")
    assert type(version) is CrdVersion
    assert type(version.create({})) is Response
    assert CustomResourceDefinition is engine.CustomResourceDefinition
    assert (CrdServer, RequestFailedError) == (accessor.CrdServer, resourceaccess.RequestFailedError)


def test_every_public_name_is_listed_and_importable() -> None:
    assert dir(pytest_crd) == pytest_crd.__all__
    assert all(callable(getattr(pytest_crd, name)) for name in pytest_crd.__all__)


def test_the_api_page_documents_and_imports_every_public_name() -> None:
    page = (Path(__file__).parents[1] / "docs/reference/python-api.md").read_text(encoding="utf-8")
    imports = page.partition("from pytest_crd import (\n")[2].partition(")\n```")[0]
    assert re.findall(r"^    (\w+),", imports, re.MULTILINE) == pytest_crd.__all__
    assert set(pytest_crd.__all__) <= set(re.findall(r"^### (\w+)$", page, re.MULTILINE))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'pytest_crd' has no attribute 'Version'"):
        getattr(pytest_crd, "Version")  # noqa: B009 - an attribute that type checkers refuse


@pytest.mark.session
def test_importing_the_package_loads_neither_engine_nor_server() -> None:
    code = "import sys, pytest_crd; print([name for name in ('pytest_crd.engine', 'pytest_crd.server') if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
