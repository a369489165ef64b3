"""CRDs in files: mistakes in named files are errors, those in discovered files may be notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml.manifest import ManifestFile

CRD = b"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  names: {plural: tabs, kind: Tab}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
BROKEN = CRD + b"  more: {\n"
TEMPLATE = (
    b"{{- if .Values.crds }}\n"
    + CRD.replace(
        b"{name: tabs.example.com}",
        b"\n  name: {{ .Release.Name }}-x\n  labels:\n    {{- include `a` . |\n  nindent 4 }}\n",
    )
    + b"{{- end }}\n"
)
BROKEN_TEMPLATE = TEMPLATE + b"  more: {\n"
TEMPLATED_NAME = CRD.replace(b"tabs.example.com", b"'{{ .Values.name }}'")
TEMPLATED_VERSION = CRD.replace(b"apiextensions.k8s.io/v1", b'"{{ .Values.version }}"')
PATCH = CRD[: CRD.index(b"spec:")] + b"spec: {conversion: {strategy: None}}\n"
MISSPELT = CRD.replace(b"CustomResourceDefinition", b"CustomResourceDefiniton")
MISSPELT_PATCH = PATCH.replace(b"CustomResourceDefinition", b"CustomResourceDefiniton")
UNDECODABLE = CRD.replace(b"type: object", b"type: 5")

N, G, C, F, T = FileOrigin


def _mistakes_and_notes(content: bytes, origin: FileOrigin) -> tuple[list[str], list[str]]:
    files = CrdFiles("1.37")
    files.take(content, source="f.yaml", origin=origin)
    assert files.crds == []
    return list(map(str, files.mistakes)), list(map(str, files.notes))


@pytest.mark.parametrize(
    ("content", "strict", "lenient", "words"),
    [
        pytest.param(BROKEN, {N, G, C}, {F, T}, "f.yaml:10: ", id="broken"),
        pytest.param(BROKEN_TEMPLATE, {N, G, C}, {F, T}, "f.yaml", id="a template that is broken besides"),
        pytest.param(TEMPLATE, {N}, {G, C, F, T}, "a Helm template", id="a template"),
        pytest.param(TEMPLATED_NAME, {N}, {G, C, F, T}, "a Helm template", id="a template that can be read"),
        pytest.param(TEMPLATED_VERSION, {N}, {G, C, F, T}, "a Helm template", id="a template of an apiVersion"),
        pytest.param(PATCH, {N}, {G, C, F, T}, "a patch: it has neither", id="a patch"),
        pytest.param(MISSPELT, {N, G, C, F}, {T}, "did you mean kind 'CustomResourceDefinition'?", id="misspelt"),
        pytest.param(MISSPELT_PATCH, {N, G, C, F}, {T}, "did you mean kind", id="misspelt, with nothing else in it"),
        pytest.param(UNDECODABLE, {N, G, C, F}, {T}, "cannot unmarshal number", id="what no server could decode"),
    ],
)
def test_the_strictness_depends_on_the_origin_of_a_file(
    content: bytes, strict: set[FileOrigin], lenient: set[FileOrigin], words: str
) -> None:
    assert strict | lenient == set(FileOrigin)
    for origin in strict:
        (mistake,), notes = _mistakes_and_notes(content, origin)
        assert words in mistake
        assert notes == []
    for origin in lenient:
        mistakes, (note,) = _mistakes_and_notes(content, origin)
        assert words in note
        assert "passed over, " in note
        assert mistakes == []


def test_the_error_about_a_named_template_suggests_rendering_it() -> None:
    (mistake,), _ = _mistakes_and_notes(TEMPLATE, FileOrigin.NAMED)

    assert mistake.endswith("(a Helm template: use what it renders to: crd_commands = helm template …)")


@pytest.mark.parametrize("content", [b"kind: Pod", b"kind: {", b"text: CustomResourceDefinition"])
def test_other_manifests_are_ignored(content: bytes) -> None:
    for origin in FileOrigin:
        assert _mistakes_and_notes(content, origin) == ([], [])


def test_an_unreadable_discovered_file_is_a_note(tmp_path: Path) -> None:
    files = CrdFiles("1.37")

    files.read(ManifestFile(tmp_path / "gone.yaml", "gone.yaml", named=False), FileOrigin.FOUND)

    assert list(map(str, files.notes)) == ["gone.yaml: passed over, cannot be read: No such file or directory"]


def test_the_output_of_a_command_must_contain_a_crd() -> None:
    files = CrdFiles("1.37")

    files.take_output(CRD, source="render a")
    files.take_output(b"kind: Pod", source="render b")
    files.take_output(MISSPELT, source="render c")

    assert [crd.source for crd in files.crds] == ["render a:1"]
    with pytest.raises(CrdError) as raised:
        files.raise_mistakes()
    first, second = str(raised.value).splitlines()
    assert first == "render b: no CustomResourceDefinition in what it prints"
    assert second.startswith("render c:1: no server knows kind")
