"""`pytest-crd diff --objects`: the effects of an upgrade on the objects of a user, and on no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from pytest_crd import __main__ as program
from pytest_crd.engine import UnsupportedConstructError
from pytest_crd.upgrades import objectupgrades

Diff: TypeAlias = "Callable[..., tuple[int, str, str]]"

MODE = "mode: {type: string, enum: [a, b]}"
SIZE = "size: {type: integer}"
TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nspec: {mode: b, size: 1}\n"
LIVE = TAB.replace("name: a", "name: a, uid: u, resourceVersion: '5'")
END = "; Kubernetes 1.37\n"


def _crd(fields: str = f"{MODE}, {SIZE}", *, versions: str = "v1", status: str = "", rules: str = "") -> str:
    schema = (
        f"{{type: object, properties: {{spec: {{type: object{rules}, properties: {{{fields}}}}}"
        f", status: {{type: object, properties: {{{status}}}}}}}}}"
    )
    listed = "".join(
        f"\n  - {{name: {name}, served: true, storage: {str(index == 0).lower()}, subresources: {{status: {{}}}}"
        f", schema: {{openAPIV3Schema: {schema}}}}}"
        for index, name in enumerate(versions.split())
    )
    return (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\nspec:\n"
        f"  group: example.com\n  scope: Namespaced\n  names: {{plural: tabs, kind: Tab}}\n  versions:{listed}\n"
    )


@pytest.fixture
def diff(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Diff:
    """Compare two CRDs by their effects on a file with objects, and return the code and the output."""
    monkeypatch.chdir(tmp_path)

    def run(old: str, new: str, objects: str, *arguments: str) -> tuple[int, str, str]:
        for name, content in (("old.yaml", old), ("new.yaml", new), ("tab.yaml", objects)):
            (tmp_path / name).write_text(content)
        code = program.main(["diff", "old.yaml", "new.yaml", "--objects", "tab.yaml", *arguments])
        return code, *capsys.readouterr()

    return run


def test_objects_that_stay_as_they_are_pass_and_objects_of_other_kinds_are_counted(diff: Diff) -> None:
    others = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

    assert diff(_crd(), _crd(f"{SIZE}, mode: {{type: string}}"), f"{TAB}{others}") == (
        0,
        f"1 object, 1 unchanged; 1 object of other kinds{END}",
        "",
    )


@pytest.mark.parametrize("manifest", [TAB, LIVE])
def test_a_removed_field_is_lost_and_the_next_apply_is_refused(manifest: str, diff: Diff) -> None:
    assert diff(_crd(), _crd(MODE), manifest) == (
        1,
        f"""\
tab.yaml:1: Tab/a: refused, lost
  refused (the next apply): failed to create typed patch object (/a; example.com/v1, Kind=Tab): .spec.size: field not declared in schema
  lost: spec.size is dropped when a stored object is read, and the next write removes it
1 object, 1 refused{END}""",
        "",
    )


def test_a_narrower_enum_refuses_only_a_create(diff: Diff) -> None:
    code, out, _ = diff(_crd(), _crd(f"mode: {{type: string, enum: [a]}}, {SIZE}"), TAB)

    assert code == 1
    assert out.splitlines()[1:3] == [
        '  refused: spec.mode: Unsupported value: "b": supported values: "a"',
        "      refused when created; an update that leaves spec.mode as it is passes",
    ]


def test_a_required_field_refuses_each_request(diff: Diff) -> None:
    new = _crd(f"{MODE}, {SIZE}, name: {{type: string}}", rules=", required: [name]")

    code, out, _ = diff(_crd(), new, f"{LIVE}status: {{}}\n")

    assert code == 1
    assert "  refused: spec.name: Required value\n" in out
    assert "one that changes another field of spec is refused\n" in out


def test_writes_of_controllers_are_refused_without_ratcheting(diff: Diff) -> None:
    old, new = _crd(status="phase: {type: string}"), _crd(status="phase: {type: string, enum: [z]}")

    code, out, _ = diff(old, new, f"{LIVE}status: {{phase: x}}\n", "--kubernetes-version", "1.21")

    assert code == 1
    assert "the next write of a controller, the next write of the status): status.phase: Unsupported value: " in out


@pytest.mark.parametrize(
    ("new", "outcome", "line"),
    [
        (f"{MODE}, size: {{type: integer, default: 3}}", "changed", "  changed: spec.size: absent before, 3 now"),
        (f"{MODE}, {SIZE}, x: {{type: integer, default: 3}}", "added", "  added: spec.x: absent before, 3 now"),
    ],
)
def test_a_default_for_a_known_field_changes_objects_and_one_for_a_new_field_is_added(
    new: str, outcome: str, line: str, diff: Diff
) -> None:
    code, out, _ = diff(_crd(), _crd(new), TAB.replace(", size: 1", ""))

    assert code == int(outcome == "changed")
    assert out == f"tab.yaml:1: Tab/a: {outcome}\n{line}\n1 object, 1 {outcome}{END}"


def test_an_object_of_a_removed_version_is_unserved(diff: Diff) -> None:
    code, out, _ = diff(_crd(versions="v2 v1"), _crd(versions="v2"), TAB)

    assert code == 1
    assert "  unserved: v1 is no longer served, a request gets a 404; served: v2\n" in out


def test_an_object_of_a_removed_crd_is_unserved(diff: Diff) -> None:
    code, out, _ = diff(_crd(), _crd().replace("tabs", "tables").replace("kind: Tab", "kind: Table"), TAB)

    assert code == 1
    assert "  unserved: there is no such CRD any more; its deletion takes the object with it\n" in out


def test_a_crd_that_a_server_refuses_as_an_update_is_reported_once(diff: Diff) -> None:
    code, out, _ = diff(_crd(versions="v2 v1"), _crd(versions="v1"), TAB)

    assert code == 1
    assert out.startswith("tabs.example.com: the server refuses the new CRD\n  the CRD: status.")


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        (TAB.replace("example.com/v1", "example.com/v3"), "the old tabs.example.com does not serve v3"),
        (TAB.replace("mode: b", "mode: c"), 'the old CRD refuses it: spec.mode: Unsupported value: "c"'),
        (TAB.replace("size: 1", 'size: "${SIZE}"'), "a value is ${SIZE}"),
    ],
)
def test_an_object_without_a_stored_form_is_not_judged(manifest: str, reason: str, diff: Diff) -> None:
    code, out, _ = diff(_crd(), _crd(MODE), manifest)

    assert code == 5
    assert f"tab.yaml:1: Tab/a: not judged: {reason}" in out
    assert out.endswith(f"1 object, 1 not judged{END}")


def test_objects_that_only_a_webhook_converts_are_not_judged(diff: Diff) -> None:
    webhook = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a/'}}}\n"
    crd = _crd(versions="v2 v1") + webhook

    code, out, _ = diff(crd, crd, TAB)

    assert code == 5
    assert "not judged: " in out


def test_a_construct_that_the_engine_does_not_support_is_not_judged(
    diff: Diff, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UnsupportedConstructError("not supported")

    monkeypatch.setattr(objectupgrades, "judge", fail)

    assert "Tab/a: not judged: not supported\n" in diff(_crd(), _crd(MODE), TAB)[1]


def test_a_stored_object_is_judged_even_if_no_create_of_it_passes(diff: Diff) -> None:
    code, out, _ = diff(_crd(), _crd(f"mode: {{type: string, enum: [a]}}, {SIZE}"), LIVE.replace("mode: b", "mode: c"))

    assert (code, out) == (0, f"1 object, 1 unchanged{END}")


def test_a_request_that_the_old_crd_refuses_too_is_no_effect(diff: Diff) -> None:
    stored, version = LIVE.replace("mode: b", "mode: c"), ("--kubernetes-version", "1.21")

    code, out, _ = diff(_crd(), _crd(f"mode: {{type: string, enum: [a]}}, {SIZE}"), stored, *version)

    assert "the next write of a controller" in diff(_crd(SIZE + ", mode: {type: string}"), _crd(), stored, *version)[1]
    assert "the next write of a controller" not in out
    assert code == 1


def test_the_last_applied_manifest_of_a_stored_object_is_applied(diff: Diff) -> None:
    applied = json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {"mode": "b"}}
    )
    note = f"annotations: {{kubectl.kubernetes.io/last-applied-configuration: '{applied}'}}"

    code, out, _ = diff(_crd(), _crd(MODE), LIVE.replace("name: a", f"name: a, {note}"))

    assert code == 1
    assert out.splitlines()[0] == "tab.yaml:1: Tab/a: lost"


@pytest.mark.parametrize("text", ["'{'", "'[]'", "5"])
def test_a_broken_last_applied_manifest_does_not_count(text: str, diff: Diff) -> None:
    note = f"annotations: {{kubectl.kubernetes.io/last-applied-configuration: {text}}}"

    assert "refused" in diff(_crd(), _crd(MODE), LIVE.replace("name: a", f"name: a, {note}"))[1]


_WEBHOOK = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a.example.com'}}}\n"
_APPLIED = '{"apiVersion": "example.com/v1beta1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {"mode": "b"}}'


@pytest.mark.parametrize(
    ("metadata", "manager"),
    [
        ("managedFields: [{manager: flux, operation: Apply, apiVersion: example.com/v1beta1}]", "flux"),
        (f"annotations: {{kubectl.kubernetes.io/last-applied-configuration: '{_APPLIED}'}}", "kubectl"),
    ],
)
@pytest.mark.parametrize("conversion", ["", _WEBHOOK])
def test_an_object_that_is_applied_in_a_version_that_is_no_longer_served_is_unserved(
    conversion: str, metadata: str, manager: str, diff: Diff
) -> None:
    old = f"{_crd(versions='v1 v1beta1')}{conversion}"

    code, out, _ = diff(old, _crd(), LIVE.replace("uid: u", f"uid: u, {metadata}"))

    assert (code, out) == (
        1,
        (
            "tab.yaml:1: Tab/a: unserved\n"
            f"  unserved (the next apply): {manager} applies v1beta1, which is no longer served; served: v1\n"
            f"1 object, 1 unserved{END}"
        ),
    )


@pytest.mark.parametrize(
    "fields",
    [
        "5",
        "[5, {manager: flux, operation: Update, apiVersion: example.com/v1beta1}]",
        "[{manager: flux, operation: Apply, apiVersion: example.com/v1}]",
        "[{manager: flux, operation: Apply, apiVersion: example.com/v1alpha1}]",
    ],
)
def test_other_managed_fields_leave_an_object_unchanged(fields: str, diff: Diff) -> None:
    stored = LIVE.replace("uid: u", f"uid: u, managedFields: {fields}")

    assert diff(_crd(versions="v1 v1beta1"), _crd(), stored) == (0, f"1 object, 1 unchanged{END}", "")


def test_a_manifest_with_a_field_that_the_old_crd_drops_is_updated(diff: Diff) -> None:
    manifest = f"{TAB.replace('size: 1', 'size: 1, other: x')}"

    code, out, _ = diff(_crd(), _crd(f"{SIZE}, mode: {{type: string, enum: [a]}}"), manifest)

    assert code == 1
    assert "  refused: spec.mode: " in out


def test_a_file_that_cannot_be_read_makes_the_verdict_incomplete(tmp_path: Path, diff: Diff) -> None:
    (tmp_path / "bad.yaml").write_text("a: [\n")

    code, out, error = diff(_crd(), _crd(), TAB, "bad.yaml")

    assert (code, out) == (2, f"1 object, 1 unchanged{END}")
    assert error.startswith("bad.yaml:")


def test_all_objects_are_judged_on_demand(diff: Diff) -> None:
    new = _crd(f"mode: {{type: string, enum: [b]}}, {SIZE}")

    assert diff(_crd(), new, TAB)[:2] == (0, f"1 object, 1 unchanged{END}")
    code, out, _ = diff(_crd(), new, TAB, "--all")
    assert code == 1
    assert 'object: {"spec": {"mode": "a"}}\n' in out


def test_all_needs_objects(tmp_path: Path, diff: Diff, capsys: pytest.CaptureFixture[str]) -> None:
    diff(_crd(), _crd(), TAB)

    assert program.main(["diff", "old.yaml", "new.yaml", "--all"]) == 2
    assert capsys.readouterr().err == "--all: it does nothing without --objects PATH\n"
    assert tmp_path.is_dir()


def test_json_has_the_effects_on_each_object(diff: Diff) -> None:
    document = json.loads(diff(_crd(), _crd(MODE), TAB, "-o", "json")[1])

    assert (document["old"], document["new"], "crds" in document) == ("old.yaml", "new.yaml", False)
    (item,) = document["named"]["objects"]
    assert (item["source"], item["name"], item["outcome"], item["message"]) == ("tab.yaml:1", "Tab/a", "refused", None)
    assert item["effects"][0]["requests"] == ["the next apply"]
    both = json.loads(diff(_crd(), _crd(MODE), TAB, "-o", "json", "--all")[1])
    assert {"crds", "named"} <= both.keys()


FLUX = """\
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: ./apps, sourceRef: {kind: OCIRepository, name: fleet}}
"""


def test_a_folder_of_flux_elsewhere_is_said_and_counted(diff: Diff) -> None:
    code, out, _ = diff(_crd(), _crd(), f"{TAB}{FLUX}")

    line, summary = out.splitlines()
    assert line.startswith("tab.yaml:6: Kustomization/apps: its folder is not judged: OCIRepository/fleet")
    assert summary == f"1 object, 1 unchanged; 1 object of other kinds; 1 folder of Flux not judged{END.strip()}"
    assert code == 0
    [unbuilt] = json.loads(diff(_crd(), _crd(), f"{TAB}{FLUX}", "-o", "json")[1])["named"]["unbuilt"]
    assert (unbuilt["source"], unbuilt["name"]) == ("tab.yaml:6", "Kustomization/apps")


def test_the_folder_of_a_source_of_flux_is_named(diff: Diff, tmp_path: Path) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/other.yaml").write_text(TAB.replace("name: a", "name: b"))

    out = diff(_crd(), _crd(), f"{TAB}{FLUX}", "--local-sources", "OCIRepository/flux-system/fleet=.")[1]

    assert out == f"2 objects, 2 unchanged; 1 object of other kinds{END}"


def test_a_local_source_without_objects_is_an_error(diff: Diff, capsys: pytest.CaptureFixture[str]) -> None:
    diff(_crd(), _crd(), TAB)

    assert program.main(["diff", "old.yaml", "new.yaml", "--local-sources", "OCIRepository/a/b=."]) == 2
    assert capsys.readouterr().err == "--local-sources: it does nothing without --objects PATH\n"
