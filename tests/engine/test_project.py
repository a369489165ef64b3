"""The CRDs of a project: found in its files, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd import engine
from pytest_crd.engine import project

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.{group}}}
spec:
  group: {group}
  names: {{plural: {plural}, kind: {kind}}}
  scope: Namespaced
  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]
"""
PATCH = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec: {conversion: {strategy: None}}
"""
TEMPLATED_NAME = PATCH.replace("tabs.example.com", "'{{ .Values.name }}'")


def _write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def _crd(plural: str = "tabs", kind: str = "Tab", group: str = "example.com") -> str:
    return CRD.format(plural=plural, kind=kind, group=group)


def test_crds_are_found_by_name_kind_file_and_position(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd(), b=f"kind: Pod\n---\n{_crd('apps', 'App')}", c="kind: Pod")
    crds = engine.load(["."], base=base)
    assert [crd.name for crd in crds] == ["tabs.example.com", "apps.example.com"]
    assert len(crds) == 2
    app = crds["apps.example.com"]
    assert app.source == "b.yaml:3"
    assert crds["App"] is crds["b.yaml"] is crds[1] is app
    assert crds[:1] == (crds["Tab"],)
    assert crds.notes == ()
    assert repr(crds) == "<CustomResourceDefinitions tabs.example.com, apps.example.com>"
    assert (
        app.kubernetes_version == engine.load(["b.yaml"], base=base, kubernetes_version="v1.37.0")[0].kubernetes_version
    )


def test_a_name_that_is_not_known_is_answered_with_the_nearest(tmp_path: Path) -> None:
    crds = engine.load(["."], base=_write(tmp_path, a=_crd()))
    with pytest.raises(engine.CrdLookupError, match=r"^no CRD is called 'Tap'; did you mean 'Tab'\?$"):
        crds["Tap"]
    with pytest.raises(engine.CrdLookupError, match=r"^no CRD is called 'zzz'; there are: tabs\.example\.com$"):
        crds["zzz"]
    with pytest.raises(engine.CrdLookupError, match=r"^no CRD is called 'zzz'; none is loaded$"):
        engine.CustomResourceDefinitions([])["zzz"]


def test_a_kind_of_two_groups_needs_the_whole_name(tmp_path: Path) -> None:
    crds = engine.load(["."], base=_write(tmp_path, a=_crd(), b=_crd(group="example.org")))
    with pytest.raises(engine.CrdLookupError) as raised:
        crds["Tab"]
    assert str(raised.value) == (
        "'Tab' names several CRDs: tabs.example.com (a.yaml:1), tabs.example.org (b.yaml:1); say which by its name"
    )


def test_crds_without_a_file_are_named_alone(tmp_path: Path) -> None:
    crd = engine.load(["."], base=_write(tmp_path, a=_crd()))[0]
    bare = engine.CustomResourceDefinition.from_value(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {"names": {"kind": "Tab"}},
        },
        kubernetes_version="1.37",
        source="",
    )
    with pytest.raises(engine.CrdLookupError, match=r"'Tab' names several CRDs: tabs\.example\.com \(a\.yaml:1\), \.;"):
        engine.CustomResourceDefinitions([crd, bare])["Tab"]


def test_templates_and_patches_in_folders_are_passed_over_with_a_note(tmp_path: Path) -> None:
    template = "{{- if .Values.crds }}\nkind: CustomResourceDefinition\n{{- end }}\n"
    base = _write(tmp_path, a=_crd("apps", "App"), b=template, c=PATCH, d=TEMPLATED_NAME)
    assert engine.load(["."], base=base).notes == (
        "b.yaml: passed over, a Helm template",
        "c.yaml:1: passed over, a patch: it has neither spec.group, spec.names nor spec.versions",
        "d.yaml:1: passed over, a Helm template",
    )


def _mistakes(base: Path, *paths: str) -> list[str]:
    with pytest.raises(engine.InputError) as raised:
        engine.load(paths, base=base)
    return str(raised.value).splitlines()


def test_a_patch_that_is_named_itself_is_a_mistake(tmp_path: Path) -> None:
    (mistake,) = _mistakes(_write(tmp_path, c=PATCH), "c.yaml")
    assert mistake == (
        "c.yaml:1: a patch: it has neither spec.group, spec.names nor spec.versions, not a whole CustomResourceDefinition"
    )


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    base = _write(
        tmp_path,
        a=_crd(),
        b=f"kind: Pod\n---\n{_crd()}",
        c="kind: CustomResourceDefinition\na: [",
        d=_crd("apps").replace("type: object", "type: 5"),
    )
    twice, unreadable, undecodable = _mistakes(base, ".")
    assert twice == (
        "b.yaml:3: tabs.example.com is declared twice, here and in a.yaml:1: keep one of them out of crd_paths"
    )
    assert unreadable.startswith("c.yaml:")
    assert undecodable.startswith("d.yaml:1: ")
    assert "cannot unmarshal number" in undecodable


def test_a_file_that_cannot_be_read_is_a_mistake_even_when_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    assert _mistakes(tmp_path, ".") == ["gone.yaml: cannot be read: No such file or directory"]


def test_no_crd_at_all_is_a_mistake(tmp_path: Path) -> None:
    base = _write(tmp_path, a="kind: Pod", c=PATCH)
    assert _mistakes(base, "a.yaml") == ["a.yaml: no CustomResourceDefinition in the file"]
    assert _mistakes(base, ".") == [
        ".: no CustomResourceDefinition in 2 files",
        "c.yaml:1: passed over, a patch: it has neither spec.group, spec.names nor spec.versions",
    ]


@pytest.mark.parametrize(
    "manifest",
    [
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: [], spec: {group: a}}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {}, spec: []}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}, spec: a}",
    ],
)
def test_a_crd_of_the_wrong_shape_is_never_our_bug(tmp_path: Path, manifest: str) -> None:
    (mistake,) = _mistakes(_write(tmp_path, a=manifest), "a.yaml")
    assert mistake.startswith("a.yaml:1: ")


def test_conventional_paths_are_relative() -> None:
    assert not any(path.startswith("/") for path in project.CONVENTIONAL_PATHS)


def test_a_name_that_another_crd_of_the_group_has_shows_in_the_conditions(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd(), b=_crd("tabsets", "Tab"), c=_crd("tabs", "Tab", "other.com"))
    first, second, elsewhere = engine.load(["."], base=base)
    assert [condition.status for condition in first.conditions] == ["True", "True"]
    assert [condition.status for condition in elsewhere.conditions] == ["True", "True"]
    assert [(condition.reason, condition.message) for condition in second.conditions] == [
        ("ListKindConflict", '"TabList" is already in use'),
        ("NotAccepted", "not all names are accepted"),
    ]
    assert [condition.reason for condition in second.under("1.36").conditions] == ["ListKindConflict", "NotAccepted"]


def test_what_was_answered_before_a_crd_is_collected_is_not_answered_again(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd(), b=_crd("tabsets", "Tab"))
    alone = [engine.load([name], base=base)[0] for name in ("a.yaml", "b.yaml")]
    assert [crd.conditions[0].reason for crd in alone] == ["NoConflicts", "NoConflicts"]
    first, second = engine.CustomResourceDefinitions(alone)
    assert first is alone[0]
    assert [first.conditions[0].reason, second.conditions[0].reason] == ["NoConflicts", "ListKindConflict"]
    assert second.version("v1").crd is second
    turned = engine.CustomResourceDefinitions([second, first])
    assert [crd.conditions[0].reason for crd in turned] == ["NoConflicts", "ListKindConflict"]
    assert alone[1].conditions[0].reason == "NoConflicts"
