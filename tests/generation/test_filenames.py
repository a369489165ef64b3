"""The default version of a case file, its name and its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.generation import NothingToStateError, filenames


def crd(name: str, *versions: tuple[str, bool, bool]) -> CustomResourceDefinition:
    """Return a CRD; each version has a name, and says if it is served and stored."""
    plural, _, group = name.partition(".")
    spec = {
        "group": group,
        "scope": "Namespaced",
        "names": {
            "plural": plural,
            "singular": plural[:-1],
            "kind": plural.title(),
            "listKind": f"{plural.title()}List",
        },
        "versions": [
            {"name": version, "served": served, "storage": storage, "schema": {"openAPIV3Schema": {"type": "object"}}}
            for version, served, storage in versions
        ],
    }
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": spec,
    }
    return CustomResourceDefinition.from_manifest(manifest)


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([("v1", True, True), ("v2", True, False)], "v1"),
        ([("v1", True, False), ("v2", True, True)], "v2"),
        ([("v1", False, True), ("v2", True, False), ("v3", True, False)], "v2"),
    ],
)
def test_the_default_version_is_stored_or_else_the_first_served_one(
    versions: list[tuple[str, bool, bool]], expected: str
) -> None:
    assert filenames.usual_version(crd("tabs.example.com", *versions)).name == expected


def test_a_crd_that_serves_nothing_has_no_behaviour() -> None:
    with pytest.raises(NothingToStateError, match=r"^tabs\.example\.com serves no version$"):
        filenames.usual_version(crd("tabs.example.com", ("v1", False, True)))


@pytest.mark.parametrize(
    ("version", "others", "expected"),
    [
        ("v1", (), "test_tabs.crd.yaml"),
        ("v2", (), "test_tabs.v2.crd.yaml"),
        ("v1", ("tabs.example.org",), "test_tabs.example.com.crd.yaml"),
        ("v2", ("tabs.example.org", "pads.example.org"), "test_tabs.example.com.v2.crd.yaml"),
        ("v1", ("pads.example.org",), "test_tabs.crd.yaml"),
    ],
)
def test_the_name_has_the_group_or_the_version_only_to_tell_files_apart(
    version: str, others: tuple[str, ...], expected: str
) -> None:
    tabs = crd("tabs.example.com", ("v1", True, True), ("v2", True, False))
    rivals = [crd(name, ("v1", True, True)) for name in others]

    assert filenames.file_name(tabs.version(version), [tabs, *rivals]) == expected


@pytest.mark.parametrize(
    ("testpaths", "folders", "expected"),
    [
        ([], (), "."),
        ([], ("tests",), "tests"),
        ([""], ("tests", "e2e"), "tests"),
        (["other", "e2e"], ("tests", "e2e"), "e2e"),
        (["*/cases"], ("a/cases", "b/cases"), "a/cases"),
        (["."], ("tests",), "."),
        (["./e2e/"], ("tests", "e2e"), "e2e"),
    ],
)
def test_a_generated_file_goes_to_the_folder_of_tests(
    tmp_path: Path, testpaths: list[str], folders: tuple[str, ...], expected: str
) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)

    assert (filenames.folder(tmp_path, testpaths) or tmp_path).resolve() == (tmp_path / expected).resolve()
