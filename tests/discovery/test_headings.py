"""CRDs without their schemas."""

from __future__ import annotations

from typing import Any

from support.releases import crd

from pytest_crd.discovery import headings
from pytest_crd.engine.yaml import manifest


def read(text: bytes) -> Any:
    (item,) = manifest.read(text, source="a.yaml")
    return item.value


def test_only_the_schemas_of_versions_are_left_out() -> None:
    text = crd("v1", "v1alpha1").encode()

    short = headings.without_schemas(text)

    assert short.count(b"\n") == text.count(b"\n")
    expected = read(text)
    for version in expected["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"] = {}
    assert read(short) == expected


def test_lines_after_a_schema_are_kept() -> None:
    text = b"a:\n  openAPIV3Schema: \r\n    x: 1\n\n# c\n    y: 2\n  z: 3\n---\nopenAPIV3Schema: {q: 1}\n"

    assert (
        headings.without_schemas(text) == b"a:\n  openAPIV3Schema: {}\n\n\n\n\n  z: 3\n---\nopenAPIV3Schema: {q: 1}\n"
    )
