"""Helm templates of CRDs that are read without Helm."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import GARDEN

from pytest_crd.discovery import helmtemplates
from pytest_crd.discovery.helmtemplates import TemplateError, UnreadTemplate
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.profile import DEFAULT
from pytest_crd.engine.yaml.manifest import ManifestFile

NAME = "gardens.stories.example.com"
METADATA = f"metadata: {{name: {NAME}}}\n"
CONVERSION = "  conversion:\n    strategy: Webhook\n    webhook: {clientConfig: {service: {namespace: {{ .a }}}}}\n"
SPEC = "spec:\n"


def meta(*lines: str) -> str:
    """Return the CRD with *lines* in its metadata."""
    return GARDEN.replace(METADATA, "\n".join(("metadata:", f"  name: {NAME}", *lines, "")))


def read(path: Path, text: str) -> list[ReadCrd | UnreadTemplate]:
    file = path / "garden/templates/crd.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return [*helmtemplates.read(ManifestFile(file, "crd.yaml", named=False), DEFAULT, 7)]


READABLE = [
    pytest.param(GARDEN, id="plain"),
    pytest.param(f"{{{{- if .a }}}}\n{GARDEN}{{{{- end }}}}\n", id="condition"),
    pytest.param(f"{{{{ if .a -}}}}\n---\n{GARDEN}---\n{GARDEN}{{{{ end }}}}", id="condition around two"),
    pytest.param(f"{{{{ if .a }}}}\n{GARDEN}\n{{{{ else }}}}\n---\n{GARDEN}{{{{ end }}}}", id="two branches"),
    pytest.param(f"{{{{ if .a }}}}\n{{{{ if .b }}}}\n{GARDEN}{{{{ end }}}}\n{{{{ end }}}}\n", id="two conditions"),
    pytest.param(f"{{{{/* a\nb */}}}}\n{{{{- $x := .a }}}}\n# {{{{ .b }}}}\n{GARDEN}", id="comment and variable"),
    pytest.param(GARDEN.replace(SPEC, f"{{{{- /* a */ -}}}}\n{SPEC}", 1), id="comment inside"),
    pytest.param(meta("  labels:", '    {{- include "a" . | nindent 4 }}'), id="labels"),
    pytest.param(meta("  labels:", "    a: {{ .a | quote }}", "    {{ .b }}: c"), id="labels in lines"),
    pytest.param(meta("  {{- if .a }}", "  annotations:", "    b: c", "  {{- end }}"), id="annotations"),
    pytest.param(
        meta("  {{- with .a }}", "  annotations:", "    {{- toYaml . | nindent 4 }}", "  {{- else }}", "  {{- end }}"),
        id="annotations of values",
    ),
    pytest.param(GARDEN.replace("  scope", f"{CONVERSION}  scope"), id="conversion"),
    pytest.param(
        GARDEN.replace("  scope", f"  {{{{- if .a }}}}\n{CONVERSION}  {{{{- else }}}}\n  {{{{- end }}}}\n  scope"),
        id="conversion under a condition",
    ),
    pytest.param(f"{{{{- if .a }}}}\n{GARDEN}{CONVERSION}{{{{- end }}}}\n", id="conversion at the end"),
    pytest.param(f"{GARDEN}  {{{{- if .a }}}}\n{CONVERSION}  {{{{- end }}}}\n", id="conditional conversion at the end"),
    pytest.param(
        GARDEN.replace("label: {type: string}", 'label: {type: string, description: "a {{ .b }}"}'), id="description"
    ),
]


@pytest.mark.parametrize("text", READABLE)
def test_a_template_is_read_if_its_actions_change_nothing_that_is_compared(tmp_path: Path, text: str) -> None:
    read_items = read(tmp_path, text)

    assert read_items
    for item in read_items:
        assert isinstance(item, ReadCrd)
        assert (item.crd.name, item.rank) == (NAME, 7)
        lines = text.splitlines()
        assert lines[item.manifest.line_of() - 1].startswith("apiVersion")
        assert lines[item.manifest.line_of("spec", "group") - 1] == "  group: stories.example.com"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (GARDEN.replace("  scope", "  {{- if .a }}\n  scope"), 6, "{{ if .a }}"),
        (GARDEN.replace("  scope: Namespaced\n", "  {{ .scope }}\n"), 6, "{{ .scope }}"),
        (GARDEN.replace("scope: Namespaced", "scope: {{ .a }}"), 6, "an action sets spec.scope"),
        (GARDEN.replace("{type: string}", "{a{{ .a }}: string}", 1), 21, "an action sets *"),
        (GARDEN.replace("clay", "{{ .a }}"), 23, "an action sets *"),
        (GARDEN.replace("size: {type: integer, default: 3}", 'size: {default: {description: "{{ .a }}"}}'), 20, "an *"),
        (GARDEN.replace(NAME, "{{ .a }}.stories.example.com"), 3, "an action sets metadata.name"),
        (f"{GARDEN}{{{{ include . }}}}\n", 36, "{{ include . }}"),
        (GARDEN.replace(SPEC, f"{{{{- if .a }}}}\n{SPEC}", 1) + "{{- end }}\n", 37, "{{ end }}"),
        (GARDEN.replace("  scope", f"  {{{{- if .a }}}}\n{CONVERSION}  scope") + "{{ end }}\n", 40, "{{ end }}"),
        (f"{{{{ if .a }}}}\n{GARDEN}", 37, "an action has no end"),
        (f"{GARDEN}{{{{ end }}}}\n", 36, "{{ end }}"),
        (f"{GARDEN}{{{{ else }}}}\n", 36, "{{ else }}"),
        (
            f"{{{{ if .a }}}}\n{GARDEN.replace('  scope', '{{ else }}' + chr(10) + '  scope')}{{{{ end }}}}\n",
            7,
            "{{ else }}",
        ),
        (f"{GARDEN}a: [\n{{{{/* a */}}}}\n", 38, "*"),
        (f"{GARDEN}{{{{ if .a \n", 37, "*"),
    ],
)
def test_a_template_is_not_read_if_an_action_may_change_the_crd(
    tmp_path: Path, text: str, line: int, reason: str
) -> None:
    (template,) = read(tmp_path, text)

    assert isinstance(template, UnreadTemplate)
    assert template.source == f"crd.yaml:{line}"
    assert template.content.decode() == text
    assert template.reason == reason or (reason.endswith("*") and template.reason.startswith(reason[:-1]))


def test_lines_keep_their_numbers() -> None:
    assert helmtemplates.remove_actions("{{/* a\nb */}}\na: {{ .b }}c\n") == "\n\na: pytest-crd-actionc\n"
    with pytest.raises(TemplateError, match=r"\{\{ .a }}"):
        helmtemplates.remove_actions("a: 1\n{{ .a }}\nb: 1")


def test_files_without_a_crd_and_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert read(tmp_path, "kind: Service\n{{ .a }}") == []
    gone = ManifestFile(tmp_path / "gone.yaml", "gone.yaml", named=False)
    (template,) = helmtemplates.read(gone, DEFAULT, 0)
    assert isinstance(template, UnreadTemplate)
    assert template.source == "gone.yaml:1"
    (tmp_path / "latin.yaml").write_bytes(b"kind: CustomResourceDefinition\xe4")
    (template,) = helmtemplates.read(ManifestFile(tmp_path / "latin.yaml", "latin.yaml", named=False), DEFAULT, 0)
    assert isinstance(template, UnreadTemplate)


def test_templates_are_in_the_folder_of_a_chart(tmp_path: Path) -> None:
    assert not helmtemplates.is_of_chart(tmp_path / "garden/templates/a.yaml")
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden/Chart.yaml").touch()
    assert helmtemplates.is_of_chart(tmp_path / "garden/templates/crds/a.yaml")
    assert not helmtemplates.is_of_chart(tmp_path / "garden/crds/a.yaml")
