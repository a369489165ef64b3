"""The distinct CRDs of a project's files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.observer import Observer

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


def test_the_error_about_an_unknown_name_suggests_the_nearest(tmp_path: Path) -> None:
    crds = engine.load(["."], base=_write(tmp_path, a=_crd()))
    with pytest.raises(engine.CrdLookupError, match=r"^no CRD is called 'Tap'; did you mean 'Tab'\?$"):
        crds["Tap"]
    with pytest.raises(engine.CrdLookupError, match=r"^no CRD is called 'zzz'; there are: tabs\.example\.com$"):
        crds["zzz"]
    with pytest.raises(engine.CrdLookupError, match=r"^no CRD is called 'zzz'; none is loaded$"):
        engine.CustomResourceDefinitions([])["zzz"]


@pytest.mark.parametrize(
    "named", ["tab", "TABS", "tb", "tabs.example.com", "tab.example.com", "Tab.example.com", "tb.example.com"]
)
def test_a_resource_is_named_as_for_kubectl(tmp_path: Path, named: str) -> None:
    names = "plural: tabs, singular: tab, shortNames: [tb], kind: Tab"
    crds = engine.load(
        ["."], base=_write(tmp_path, a=_crd().replace("plural: tabs, kind: Tab", names), b=_crd("apps", "App"))
    )

    assert crds[named].name == "tabs.example.com"


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
        context=CrdContext(Observer()),
    )
    with pytest.raises(engine.CrdLookupError, match=r"'Tab' names several CRDs: tabs\.example\.com \(a\.yaml:1\), \.;"):
        engine.CustomResourceDefinitions([crd, bare])["Tab"]


def test_templates_and_patches_in_folders_are_skipped_with_a_note(tmp_path: Path) -> None:
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


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    base = _write(
        tmp_path,
        a=_crd(),
        c="kind: CustomResourceDefinition\na: [",
        d=_crd("apps").replace("type: object", "type: 5"),
    )
    unreadable, undecodable = _mistakes(base, ".")
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
def test_a_crd_of_the_wrong_shape_is_a_mistake(tmp_path: Path, manifest: str) -> None:
    (mistake,) = _mistakes(_write(tmp_path, a=manifest), "a.yaml")
    assert mistake.startswith("a.yaml:1: ")


def test_a_taken_name_shows_in_the_conditions(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd(), b=_crd("tabsets", "Tab"), c=_crd("tabs", "Tab", "other.com"))
    first, second, elsewhere = engine.load(["."], base=base)
    assert [condition.status for condition in first.conditions] == ["True", "True"]
    assert [condition.status for condition in elsewhere.conditions] == ["True", "True"]
    assert [(condition.reason, condition.message) for condition in second.conditions] == [
        ("ListKindConflict", '"TabList" is already in use'),
        ("NotAccepted", "not all names are accepted"),
    ]
    assert [condition.reason for condition in second.under("1.36").conditions] == ["ListKindConflict", "NotAccepted"]


def test_conditions_are_computed_anew_for_each_collection(tmp_path: Path) -> None:
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


MINIMAL = _crd().replace("type: object", "type: object, x-kubernetes-preserve-unknown-fields: true")


def test_copies_with_different_labels_count_once(tmp_path: Path) -> None:
    labelled = _crd().replace(
        "metadata: {", "metadata: {labels: {a: b}, annotations: {c: d}, creationTimestamp: null, "
    )
    empty_status = "status: {acceptedNames: {kind: '', plural: ''}, conditions: [], storedVersions: []}\n"
    crds = engine.load(["."], base=_write(tmp_path, a=_crd(), b=labelled, c=_crd() + empty_status))

    assert [crd.source for crd in crds] == ["a.yaml:1"]
    assert crds["b.yaml"] is crds["c.yaml:1"] is crds["tabs.example.com"]
    assert crds.notes == (
        "b.yaml:1: passed over, a copy of tabs.example.com in a.yaml:1",
        "c.yaml:1: passed over, a copy of tabs.example.com in a.yaml:1",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("metadata: {", "metadata: {annotations: {api-approved.kubernetes.io: a}, ", id="approved"),
        pytest.param("served: true", "served: true, sevred: true", id="a misspelt field of which a server warns"),
        pytest.param("served: true", "served: false, served: true", id="a repeated field of which a server warns"),
        pytest.param("scope: Namespaced", "scope: Cluster", id="another scope"),
        pytest.param("scope: Namespaced", "scope: Namespaced\nstatus: {storedVersions: [v1]}", id="a status"),
    ],
)
def test_crds_that_a_server_treats_differently_are_not_copies(tmp_path: Path, old: str, new: str) -> None:
    assert "\n  scope: Namespaced" in _crd()
    changed = _crd().replace(old, new).replace("scope: Namespaced\nstatus: {storedVersions: [v1]}", "scope: Namespaced")
    changed += "status: {storedVersions: [v1]}\n" if "status" in new else ""

    crds = engine.load(["."], base=_write(tmp_path, a=_crd(), b=changed))

    assert [crd.source for crd in crds] == ["a.yaml:1", "b.yaml:1"]


def test_different_crds_of_one_name_are_alternatives_found_by_their_file(tmp_path: Path) -> None:
    crds = engine.load(["."], base=_write(tmp_path, a=_crd(), b=f"kind: Pod\n---\n{MINIMAL}", c=_crd("apps", "App")))

    assert len(crds) == 3
    assert crds.notes == ("alternatives, each checked: tabs.example.com (a.yaml:1), tabs.example.com (b.yaml:3)",)
    assert [crds.id_of(crd) for crd in crds] == [
        "tabs.example.com@a.yaml",
        "tabs.example.com@b.yaml",
        "apps.example.com",
    ]
    for key in ("tabs.example.com", "Tab"):
        with pytest.raises(engine.CrdLookupError) as raised:
            crds[key]
        assert str(raised.value) == (
            f"{key!r} names several CRDs: tabs.example.com (a.yaml:1), tabs.example.com (b.yaml:3); "
            "say which by its file, as in 'a.yaml'"
        )
    assert crds["b.yaml"] is crds[1]


def test_alternatives_in_one_file_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    crds = engine.load(["."], base=_write(tmp_path, a=f"{_crd()}---\n{MINIMAL}"))

    assert [crds.id_of(crd) for crd in crds] == ["tabs.example.com@a.yaml:1", "tabs.example.com@a.yaml:10"]
    assert crds["a.yaml:10"] is crds[1]
    with pytest.raises(engine.CrdLookupError, match=r"say which by its file, as in 'a\.yaml:1'$"):
        crds["a.yaml"]


def test_alternatives_claim_no_names_from_each_other_and_stand_beside_the_nearest_of_others(tmp_path: Path) -> None:
    for folder in ("full", "minimal"):
        (tmp_path / folder).mkdir()
    _write(tmp_path / "full", a=_crd(), b=_crd("apps", "App"))
    _write(tmp_path / "minimal", a=_crd("tabs", "App"), b=_crd("apps", "App").replace("Namespaced", "Cluster"))

    conditions = {crd.source: crd.conditions[0].reason for crd in engine.load(["."], base=tmp_path)}

    assert conditions == {
        "full/a.yaml:1": "NoConflicts",
        "full/b.yaml:1": "NoConflicts",
        "minimal/a.yaml:1": "NoConflicts",
        "minimal/b.yaml:1": "ListKindConflict",
    }


V1BETA1 = (
    _crd()
    .replace("/v1", "/v1beta1")
    .replace(", schema: {openAPIV3Schema: {type: object}}", "")
    .replace("  scope", "  version: v1\n  scope")
)


def test_the_twin_that_the_kubernetes_version_serves_is_used(tmp_path: Path) -> None:
    base = _write(tmp_path, a=V1BETA1, b=_crd())

    (crd,) = crds = engine.load(["."], base=base)

    assert crd.source == "b.yaml:1"
    assert crds.notes == (
        "a.yaml:1: passed over, Kubernetes 1.37 takes tabs.example.com from b.yaml:1, not as apiextensions.k8s.io/v1beta1",
    )
    assert len(engine.load(["."], base=base, kubernetes_version="1.21")) == 2
    (old,) = engine.load(["a.yaml"], base=base)
    assert old.api_version == "apiextensions.k8s.io/v1beta1"


def test_copies_of_a_dropped_twin_are_dropped(tmp_path: Path) -> None:
    crds = engine.load(["."], base=_write(tmp_path, a=V1BETA1, b=V1BETA1, c=_crd()))

    assert [crd.source for crd in crds] == ["c.yaml:1"]
    assert [note.partition(":")[0] for note in crds.notes] == ["b.yaml", "a.yaml"]
    with pytest.raises(engine.CrdLookupError, match=r"no CRD is called 'b\.yaml'"):
        crds["b.yaml"]


def test_patterns_with_an_exclamation_mark_exclude_files(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd(), b=MINIMAL, c=_crd("apps", "App"))

    assert [crd.source for crd in engine.load(["!b.yaml", "*.yaml"], base=base)] == ["a.yaml:1", "c.yaml:1"]
    assert [crd.source for crd in engine.load([".", "![bc].yaml"], base=base)] == ["a.yaml:1"]
    assert _mistakes(base, ".", "!d.yaml", "!*.yml", "!", "a.yaml") == [
        f"!d.yaml: no such file or folder (relative to {base})",
        f"!*.yml: matches no file (relative to {base})",
        f"!: matches no file (relative to {base})",
    ]
    assert _mistakes(base, "a.yaml", "!b.yaml") == ["!b.yaml: leaves out no file that another path names"]
    assert _mistakes(base, "a.yaml", "b.yaml", "!b.yaml") == [
        "b.yaml: no CustomResourceDefinition in what is not left out"
    ]


def test_each_path_must_yield_a_crd(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd(), b="kind: Pod", c="kind: Pod")

    assert _mistakes(base, "a.yaml", "b.yaml", "[bc].yaml") == [
        "b.yaml: no CustomResourceDefinition in the file",
        "[bc].yaml: no CustomResourceDefinition in 2 files",
    ]


def test_items_of_a_typed_list_need_no_kind(tmp_path: Path) -> None:
    item = "\n".join(f"  {line}" for line in _crd().splitlines()[2:])
    listed = f"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems:\n-{item[1:]}\n"

    (crd,) = engine.load(["a.yaml"], base=_write(tmp_path, a=listed))

    assert (crd.name, crd.source) == ("tabs.example.com", "a.yaml:4")


def test_one_path_is_enough_and_none_is_an_error(tmp_path: Path) -> None:
    base = _write(tmp_path, a=_crd())
    assert len(engine.load("a.yaml", base=base)) == len(engine.load(base / "a.yaml")) == 1
    nothing: Any
    for nothing in ([], None):
        with pytest.raises(engine.CrdError, match=r"^paths: none is given: name files, folders or globs"):
            engine.load(nothing)


def test_repeated_fields_of_a_crd_in_a_list_include_those_of_the_list(tmp_path: Path) -> None:
    items = [
        _crd("tabs", "Tab").replace("scope: Namespaced", "scope: Namespaced\n  scope: Namespaced"),
        _crd("apps", "App"),
    ]
    listed = "".join("- " + text.strip().replace("\n", "\n  ") + "\n" for text in items)
    text = f"kind: List\nitems: []\napiVersion: v1\nitems:\n{listed}"

    tabs, apps = engine.load(["."], base=_write(tmp_path, a=text))

    around = 'line 5: key "items" already set in map'
    scope = next(number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "scope: Namespaced") + 1
    assert tabs.repeated_fields == (f'line {scope}: key "scope" already set in map', around)
    assert apps.repeated_fields == (around,)
    assert tabs.create(field_validation="Strict").code == 400
    assert tabs.under("1.36").response.warnings == tabs.repeated_fields
