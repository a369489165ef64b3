"""CRDs without their schemas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.releases import crd

from pytest_crd.discovery import headings
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import CrdLookupError, InputError, profile
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.yaml import manifest

VERSION = profile.DEFAULT


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


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: {plural}, kind: {kind}, shortNames: [s]}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {{type: {type}}}
"""


def _write(folder: Path, plural: str, *, kind: str = "", type: str = "object", name: str = "") -> str:  # noqa: A002 - the keyword
    text = CRD.format(plural=plural, kind=kind or plural.capitalize(), type=type)
    file = folder / f"crds/{name or plural}.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return text


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are parsed with their schemas."""
    files: list[str] = []
    original = manifest.read

    def record(content: bytes, *, source: str) -> list[manifest.Manifest]:
        if b"properties" in content:
            files.append(source)
        return original(content, source=source)

    monkeypatch.setattr(manifest, "read", record)
    return files


@pytest.mark.parametrize("key", ["apples.example.com", "Apples", "apples", "crds/apples.yaml"])
def test_only_the_crd_that_is_named_is_parsed_in_full(tmp_path: Path, parsed: list[str], key: str) -> None:
    for plural in ("apples", "pears", "plums"):
        _write(tmp_path, plural)
    sources = Sources(tmp_path)

    crd = sources.find(key, VERSION)

    assert parsed == ["crds/apples.yaml"]
    assert sources.find(key, VERSION) is crd
    assert crd.version("v1").create({"spec": 1}).accepted is False
    assert [crd.name for crd in sources.list_known(VERSION)] == [
        "apples.example.com",
        "pears.example.com",
        "plums.example.com",
    ]
    assert sources.is_read
    # The full set has the same object.
    assert crd in sources.crds(VERSION)
    assert sources.find("plums", VERSION) in sources.list_known(VERSION)


def test_a_heading_conflicts_with_the_names_of_others(tmp_path: Path) -> None:
    _write(tmp_path, "apples")
    _write(tmp_path, "pears", kind="Apples")

    naming = Sources(tmp_path).find("pears.example.com", VERSION).naming

    assert naming == Sources(tmp_path).crds(VERSION)["pears.example.com"].naming
    assert naming.reason == "ListKindConflict"


def test_names_of_several_crds_and_of_none_are_errors_as_without_headings(tmp_path: Path) -> None:
    _write(tmp_path, "apples")
    _write(tmp_path, "apples", type="string", name="others")

    for key in ("apples.example.com", "plums"):
        with pytest.raises(CrdLookupError) as expected:
            Sources(tmp_path).crds(VERSION)[key]
        with pytest.raises(CrdLookupError) as error:
            Sources(tmp_path).find(key, VERSION)
        assert str(error.value) == str(expected.value)


def test_a_copy_is_told_from_an_alternative_by_its_schema(tmp_path: Path) -> None:
    _write(tmp_path, "apples")
    _write(tmp_path, "apples", name="copy")

    assert Sources(tmp_path).find("apples", VERSION).source == "crds/apples.yaml:1"


def test_a_schema_that_a_server_cannot_decode_is_an_error_of_its_crd_alone(tmp_path: Path) -> None:
    _write(tmp_path, "apples", type="[1]")
    _write(tmp_path, "pears")
    sources = Sources(tmp_path)

    assert sources.find("pears", VERSION).name == "pears.example.com"
    for _ in range(2):
        with pytest.raises(InputError, match=r"crds/apples.yaml"):
            sources.find("apples", VERSION)


def test_a_namesake_that_a_server_cannot_decode_is_a_mistake_of_its_file(tmp_path: Path) -> None:
    _write(tmp_path, "apples")
    _write(tmp_path, "apples", type="[1]", name="broken")
    _write(tmp_path, "pears")
    sources = Sources(tmp_path)

    sources.find("pears", VERSION)

    assert [mistake.source for mistake in sources.unread] == ["crds/broken.yaml"]


def test_a_file_that_needs_its_schema_is_parsed_in_full(tmp_path: Path, parsed: list[str]) -> None:
    _write(tmp_path, "pears")
    text = _write(tmp_path, "apples").replace("type: object", "type: &a object", 1) + "  preserveUnknownFields: *b\n"
    (tmp_path / "crds/apples.yaml").write_text(text.replace("served: true", "served: &b false"), encoding="utf-8")
    (tmp_path / "crds/anchors.yaml").write_text(
        _write(tmp_path, "plums").replace("type: object", "type: &a object", 1) + "  conversion: {strategy: *a}\n",
        encoding="utf-8",
    )

    Sources(tmp_path).find("pears", VERSION)

    assert "crds/anchors.yaml" in parsed
    assert "crds/apples.yaml" not in parsed


def test_a_file_of_a_kustomization_is_parsed_in_full(tmp_path: Path, parsed: list[str]) -> None:
    _write(tmp_path, "apples")
    (tmp_path / "crds/kustomization.yaml").write_text("resources: [apples.yaml]\n", encoding="utf-8")
    _write(tmp_path, "pears")

    Sources(tmp_path).find("pears", VERSION)

    assert parsed == ["crds/apples.yaml", "crds/pears.yaml"]


def _fail() -> list[Any]:
    raise CrdError([Mistake("conftest.py", 0, "the hook fails")])


@pytest.mark.parametrize(
    ("make", "error"), [(_fail, "the hook fails"), pytest.param(list, "no CRD was found", marks=pytest.mark.session)]
)
def test_mistakes_of_hooks_and_folders_without_crds_are_errors(
    tmp_path: Path, make: Callable[[], list[Any]], error: str
) -> None:
    with pytest.raises(InputError, match=error):
        Sources(tmp_path, make=make).find("apples", VERSION)


@pytest.mark.session
def test_crds_that_commands_print_are_parsed_in_full(tmp_path: Path, parsed: list[str]) -> None:
    _write(tmp_path, "apples")
    _write(tmp_path, "pears")
    sources = Sources(tmp_path, commands=("cat crds/apples.yaml",), folder=tmp_path)

    assert sources.find("apples", VERSION).kind == "Apples"
    assert sources.list_known(VERSION) is sources.crds(VERSION)
    assert parsed == ["cat crds/apples.yaml"]
