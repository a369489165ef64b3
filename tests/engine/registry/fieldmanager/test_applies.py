"""Server-side applies as callers make them: what is merged, who owns what, what is a conflict."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.engine.registry import handlers
from pytest_crd.engine.registry.fieldmanager import (
    fieldmanager,
    fieldsets,
    lastapplied,
    managers,
    ownership,
    pathelements,
    typedvalues,
)
from pytest_crd.engine.registry.fieldmanager.mergetypes import DEDUCED, ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.versionedobjects import ConversionError, Versions
from pytest_crd.engine.registry.fieldmanager.writers import ApplyRefusedError, Writer
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.versionmanagers import VersionManagers

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
KEYED: Final = {
    "type": "array",
    "items": fields(name_=TEXT, port=NUMBER),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
}
OBJECTS: Final = {"type": "array", "items": {**fields(name=TEXT), "x-kubernetes-map-type": "atomic"}}
VERSION: Final = versions.create_version(
    fields(
        listeners=KEYED,
        plain={**OBJECTS},
        replicas={**NUMBER, "default": 1},
        labels={"type": "object", "additionalProperties": TEXT},
    )
)
ENTRY: Final = {"operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1"}


def _stored(answer: engine.Response) -> Any:
    return answer.stored["spec"]


def _owned(manager: str, **written: Any) -> dict[str, Any]:
    return {"metadata": {"managedFields": [{**ENTRY, "manager": manager, "fieldsV1": {"f:spec": written}}]}}


def _ports(**ports: int) -> list[dict[str, Any]]:
    return [{"name": name, "port": port} for name, port in ports.items()]


def test_an_apply_of_what_is_not_there_creates_it() -> None:
    answer = VERSION.apply({"spec": {"listeners": _ports(a=1)}}, manager="gitops")

    assert (answer.code, _stored(answer)) == (201, {"listeners": _ports(a=1), "replicas": 1})
    assert answer.defaulted == ("spec.replicas",)
    assert answer.managers == {
        "gitops": (
            'spec.listeners[name="a"]',
            'spec.listeners[name="a"].name',
            'spec.listeners[name="a"].port',
        )
    }


def test_of_a_keyed_list_each_manager_has_its_own_items() -> None:
    old = {**_owned("other", **{"f:listeners": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:port": {}}}})}
    old["spec"] = {"listeners": _ports(a=1), "replicas": 1}
    answer = VERSION.apply({"spec": {"listeners": _ports(b=2)}}, old=old, manager="mine")

    assert _stored(answer)["listeners"] == _ports(a=1, b=2)
    assert sorted(answer.managers) == ["mine", "other"]


def test_of_a_list_without_a_type_the_last_one_has_all() -> None:
    old = {"spec": {"plain": [{"name": "a"}]}}
    answer = VERSION.apply({"spec": {"plain": [{"name": "b"}]}}, old=old, manager="mine", force=True)
    assert _stored(answer)["plain"] == [{"name": "b"}]


def test_what_another_owns_is_a_conflict_that_names_it() -> None:
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": 1}}
    answer = VERSION.apply({"spec": {"replicas": 2}}, old=old, manager="mine")

    assert (answer.code, answer.stored, answer.managers) == (409, None, {})
    assert answer.conflicts == (("other", "spec.replicas"),)
    assert answer.message == 'Apply failed with 1 conflict: conflict with "other": .spec.replicas'
    assert [(error.type, error.field) for error in answer.errors] == [("FieldManagerConflict", ".spec.replicas")]
    assert answer.status["details"] == {
        "causes": [{"reason": "FieldManagerConflict", "message": 'conflict with "other"', "field": ".spec.replicas"}]
    }


def test_force_takes_it() -> None:
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": 1}}
    answer = VERSION.apply({"spec": {"replicas": 2}}, old=old, manager="mine", force=True)
    assert (_stored(answer), answer.managers) == ({"replicas": 2}, {"mine": ("spec.replicas",)})


def test_what_was_there_before_anybody_applied_has_an_owner_of_its_own() -> None:
    answer = VERSION.apply({"spec": {"replicas": 2}}, old={"spec": {"replicas": 1}}, manager="mine")
    assert answer.conflicts == (("before-first-apply", "spec.replicas"),)


def test_a_set_of_objects_cannot_be_applied_though_it_can_be_created() -> None:
    broken = versions.create_version(fields(plain={**OBJECTS, "x-kubernetes-list-type": "set"}))
    made = {"spec": {"plain": [{"name": "a"}]}}
    answer = broken.apply(made, manager="mine")

    assert broken.create(made).accepted
    assert answer.code == 500
    assert answer.message.endswith(
        ": .spec.plain: element 0: associative list without keys has an element that's a map type"
    )


def test_an_unknown_field_is_refused_whatever_is_asked_of_unknown_fields() -> None:
    answer = VERSION.apply({"spec": {"nope": 1}}, manager="mine", field_validation="Ignore")
    assert answer.message.endswith(".spec.nope: field not declared in schema")


@pytest.mark.parametrize("subresource", ["status", "scale"])
def test_a_subresource_that_is_not_there_is_not_found(subresource: Any) -> None:
    assert VERSION.apply({}, old={"spec": {}}, manager="mine", subresource=subresource).code == 404


def test_there_are_no_other_subresources() -> None:
    with pytest.raises(ValueError, match="subresource 'logs': one of status, scale, or none"):
        VERSION.apply({}, manager="mine", subresource="logs")  # type: ignore[arg-type] # a mistake of a caller


def test_a_text_is_yaml_also_where_it_looks_like_json() -> None:
    text = json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {"replicas": 2}}
    )
    twice = text.replace('"replicas": 2', '"replicas": 1, "replicas": 2')
    answer = VERSION.apply(twice, manager="mine")
    assert answer.warnings == ('line 1: key "replicas" already set in map',)


def _manager(version: engine.CrdVersion) -> fieldmanager.FieldManager:
    answers = version._answers
    served = answers.schemas[0].as_served
    return VersionManagers(answers.spec, served, [served], answers.profile).of_object


def test_managed_fields_that_cannot_be_read_fail_an_apply_and_are_left_out_by_an_update() -> None:
    live = {
        "apiVersion": "example.com/v1",
        "kind": "Tab",
        "metadata": {"uid": "u", "managedFields": [{**ENTRY, "manager": "m", "fieldsV1": {"x": {}}}]},
    }
    manager = _manager(VERSION)
    with pytest.raises(ApplyRefusedError, match="failed to decode managed fields: error decoding versioned set from"):
        manager.apply(live, live, Writer("m", "2026-01-01T00:00:00Z"))
    assert "managedFields" not in manager.update(live, live, Writer("m", "2026-01-01T00:00:00Z"))["metadata"]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"operation": "Get"}, "operation must be `Apply` or `Update`"),
        ({"operation": "Apply"}, "apiVersion must not be empty"),
        ({"operation": "Apply", "apiVersion": "v1"}, "missing fieldsType in managed fields entry 0"),
        (
            {"operation": "Apply", "apiVersion": "v1", "fieldsType": "V2"},
            'invalid fieldsType "V2" in managed fields entry 0',
        ),
        ({**ENTRY, "fieldsV1": {"i:x": {}}}, 'strconv.Atoi: parsing "x": invalid syntax'),
        ({**ENTRY, "fieldsV1": {"k:[]": {}}}, "expected a JSON object"),
        ({**ENTRY, "fieldsV1": {"f:a": 1}}, "expected a JSON object"),
        ({**ENTRY, "fieldsV1": {"v:NaN": {}}}, "NaN is no JSON"),
    ],
)
def test_an_entry_that_cannot_be_read_says_why(entry: dict[str, Any], problem: str) -> None:
    with pytest.raises(managers.BrokenEntriesError) as caught:
        managers.read([entry])
    assert problem in str(caught.value)


def test_of_two_entries_of_one_manager_the_last_one_counts_with_its_time() -> None:
    first = {**ENTRY, "manager": "m", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:a": {}}}
    found = managers.read([first, {**ENTRY, "manager": "m", "fieldsV1": {"f:b": {}}}])
    assert managers.write(found) == [{**ENTRY, "manager": "m", "fieldsV1": {"f:b": {}}}]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"kind": "Tab"}', '{"apiVersion": "example.com/v1", "kind": "Tab", "spec": {"replicas": "x"}}'],
)
def test_an_annotation_of_kubectl_that_says_nothing_allows_nothing(text: str) -> None:
    metadata = {"name": "a", "annotations": {lastapplied.ANNOTATION: text}}
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": 1}}
    old["metadata"] = {**old["metadata"], **metadata}
    answer = VERSION.apply({"metadata": {"name": "a"}, "spec": {"replicas": 2}}, old=old, manager="kubectl")
    assert answer.conflicts == (("other", "spec.replicas"),)


def test_an_annotation_of_kubectl_that_gets_too_large_goes() -> None:
    metadata = {"name": "a", "annotations": {lastapplied.ANNOTATION: "{}"}}
    wanted = {"metadata": {"name": "a"}, "spec": {"labels": {f"l{n}": "x" * 1000 for n in range(300)}}}
    answer = VERSION.apply(wanted, old={"metadata": metadata, "spec": {}}, manager="kubectl", force=True)
    assert (
        "annotations" not in answer.stored["metadata"]
        or lastapplied.ANNOTATION not in answer.stored["metadata"]["annotations"]
    )


def test_of_what_kubectl_changes_it_may_take_what_it_applied_on_its_own_side() -> None:
    stated = {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {"replicas": 1}}
    old = {
        **_owned("other", **{"f:replicas": {}, "f:labels": {"f:x": {}}}),
        "spec": {"replicas": 1, "labels": {"x": "1"}},
    }
    old["metadata"] |= {"name": "a", "annotations": {lastapplied.ANNOTATION: json.dumps(stated)}}
    alone = VERSION.apply({"metadata": {"name": "a"}, "spec": {"replicas": 2}}, old=old, manager="kubectl")
    more = VERSION.apply(
        {"metadata": {"name": "a"}, "spec": {"replicas": 2, "labels": {"x": "2"}}}, old=old, manager="kubectl"
    )
    assert (alone.code, more.conflicts) == (200, (("other", "spec.labels.x"),))


def test_a_stored_object_of_wrong_types_cannot_be_applied_to() -> None:
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": "many"}}
    answer = VERSION.apply({"spec": {}}, old=old, manager="mine")
    assert answer.message.startswith(
        "failed to create typed live object (default/example; example.com/v1, Kind=Tab): .spec.rep"
    )


def test_of_many_who_updated_the_oldest_share_a_name_also_without_times() -> None:
    entries = [{**ENTRY, "operation": "Update", "manager": f"m{n:02}", "fieldsV1": {f"f:{n}": {}}} for n in range(12)]
    answer = VERSION.update(
        {"spec": {}}, old={"metadata": {"uid": "u", "managedFields": entries}, "spec": {"replicas": 2}}
    )
    assert list(answer.managers) == ["ancient-changes", *(f"m{n:02}" for n in range(4, 12)), "pytest-crd"]


def test_an_apply_of_another_type_is_refused() -> None:
    answer = VERSION.apply({"apiVersion": "a/b/c"}, manager="mine")
    assert (answer.code, answer.message) == (400, "invalid object type: /, Kind=")


def test_who_owns_what_in_a_version_that_does_not_know_it_fails_the_apply() -> None:
    crd = _two_versions()
    old = _owned("other", **{"f:a": {}})
    old["metadata"]["managedFields"][0]["apiVersion"] = "example.com/v2"
    answer = crd.version("v1").apply({"spec": {"b": "x"}}, old={**old, "spec": {"a": "y"}}, manager="mine")
    assert (answer.code, answer.message) == (500, "failed to convert new object: .spec.b: field not declared in schema")


@pytest.mark.parametrize(
    ("api_version", "problem"),
    [
        ("", 'example.com/v1, Kind=Tab is unstructured and is not suitable for converting to ""'),
        ("a/b/c", "unexpected GroupVersion string: a/b/c"),
        ("v1", 'example.com/v1, Kind=Tab is unstructured and is not suitable for converting to "v1"'),
        ("example.com/v9", "request to convert CR to an invalid group/version: example.com/v9"),
    ],
)
def test_an_object_is_converted_to_the_versions_that_there_are(api_version: str, problem: str) -> None:
    versions_ = Versions("example.com", {"v1": lambda: DEDUCED})
    typed = versions_.typed({"apiVersion": "example.com/v1", "kind": "Tab"})
    with pytest.raises(ConversionError) as caught:
        versions_.converted(typed, api_version)
    assert str(caught.value) == problem


def _two_versions() -> engine.CustomResourceDefinition:
    def version(name: str, **properties: Any) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"spec": fields(**properties)}}
        return {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}}

    return engine.CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "tabs.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"kind": "Tab", "plural": "tabs"},
                "versions": [version("v1", a=TEXT, b=TEXT), version("v2", a=TEXT)],
            },
        }
    )


def test_no_path_is_in_no_set_and_is_put_into_none() -> None:
    found = fieldsets.from_paths([(), (pathelements.field("a"),)])
    assert () not in found
    assert (pathelements.field("a"), pathelements.field("b")) not in found
    assert list(found) == [(pathelements.field("a"),)]


def test_fields_of_an_unknown_type_have_no_declared_parents() -> None:
    deep = fieldsets.from_paths([tuple(map(pathelements.field, ("a", "b", "c")))])
    assert ownership.with_parents(MergeType(map=MapType()), deep) == deep


def test_an_item_of_which_nothing_is_left_is_chosen_by_nothing() -> None:
    keyed = MergeType(
        list=ListType(MergeType(map=MapType({"name": MergeType(scalar="string")})), is_associative=True, keys=("name",))
    )
    kept = [None, {"name": "a"}]
    assert pathelements.NO_ELEMENT in typedvalues.fields(keyed, kept).members
    assert typedvalues.removed(keyed, kept, fieldsets.from_paths([(pathelements.key({"name": "a"}),)])) == [None]


def test_keys_of_items_that_are_no_objects_have_no_defaults() -> None:
    kind = ListType(MergeType(scalar="untyped"), is_associative=True, keys=("name",))
    with pytest.raises(
        typedvalues.NoElementError, match="couldn't find default value for name: associative list may not"
    ):
        typedvalues.element_of(kind, {})


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (MergeType(map=MapType()), None),
        (MergeType(map=MapType(is_atomic=True)), {"a": 1}),
        (MergeType(list=ListType(DEDUCED)), [1]),
        (MergeType(list=ListType(DEDUCED, is_associative=True)), None),
    ],
)
def test_of_what_has_one_owner_nothing_is_left_without_a_part(kind: MergeType, value: Any) -> None:
    assert (
        typedvalues.removed(kind, value, fieldsets.from_paths([(pathelements.field("a"), pathelements.field("b"))]))
        is None
    )


def test_of_a_scalar_nothing_can_be_taken() -> None:
    assert typedvalues.removed(MergeType(scalar="string"), "x", fieldsets.EMPTY) == "x"


def test_a_value_of_a_wrong_type_is_printed_as_go_prints_it() -> None:
    with pytest.raises(typedvalues.TypedError) as caught:
        typedvalues.check(MergeType(list=ListType(DEDUCED)), {"a": [None, 1.5, True]}, allow_duplicates=True)
    assert str(caught.value) == "expected list, got &{map[a:[<nil> 1.5 true]]}"


def test_a_create_of_what_is_there_is_refused_once_it_is_valid() -> None:
    answers = VERSION._answers
    strategy = answers.strategy(answers.schemas[0])
    body = Body({"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {}})
    outcome = handlers.handle({"metadata": {"name": "a"}}, Request("create", body), strategy)
    assert (outcome.response.code, outcome.response.message) == (409, 'tabs.example.com "a" already exists')


def test_owner_references_are_known_by_their_uid_in_all_versions() -> None:
    old = engine.CustomResourceDefinition.from_manifest(VERSION.crd.manifest, kubernetes_version="1.21").versions[0]
    references = [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]
    answer = old.apply({"metadata": {"ownerReferences": references}, "spec": {}}, manager="mine")
    assert 'metadata.ownerReferences[uid="u"]' in answer.managers["mine"]


SCALED: Final = versions.create_version(
    fields(replicas=NUMBER),
    subresources={"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
    root={"properties": {"status": fields(replicas=NUMBER)}},
)


def _scale(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "example", **metadata}}


@pytest.mark.parametrize(
    ("metadata", "code"),
    [({}, 200), ({"name": "other"}, 500), ({"resourceVersion": "7"}, 500), ({"labels": {"a": "b"}}, 500)],
)
def test_an_apply_to_the_scale_may_change_nothing(metadata: dict[str, Any], code: int) -> None:
    old = SCALED.apply({"spec": {"replicas": 1}}, manager="other")
    assert SCALED.apply(_scale(**metadata), old=old, manager="mine", subresource="scale").code == code


def test_an_apply_to_the_scale_of_what_nobody_owns_is_refused() -> None:
    answer = SCALED.apply(_scale(), old={"spec": {"replicas": 1}}, manager="mine", subresource="scale")
    assert answer.message == (
        "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper "
        "version: request to convert CR to an invalid group/version: autoscaling/v1"
    )
    other = SCALED.apply({"kind": "Other"}, old={"spec": {"replicas": 1}}, manager="mine", subresource="scale")
    assert other.message == "invalid object type: autoscaling/v1, Kind=Other"


def test_who_scales_owns_the_replicas_where_it_can_be_known() -> None:
    entry = {**ENTRY, "manager": "other", "fieldsV1": {"f:spec": {"f:replicas": {}}}}
    gone = {**entry, "manager": "gone", "apiVersion": "example.com/v0"}
    scaled = SCALED.scale({"metadata": {"managedFields": [entry, gone]}, "spec": {"replicas": 1}}, 2)
    broken = SCALED.scale({"metadata": {"managedFields": [{**entry, "fieldsType": "V2"}]}, "spec": {"replicas": 1}}, 2)
    assert (scaled.managers, broken.managers) == ({"pytest-crd": ("spec.replicas",)}, {})


def test_an_answer_is_what_the_next_request_finds() -> None:
    first = VERSION.apply({"spec": {"replicas": 2}}, manager="gitops")
    again = VERSION.apply({"spec": {"replicas": 2}}, manager="gitops", old=first)
    other = VERSION.apply({"spec": {"replicas": 3}}, manager="operator", old=first)
    patched = VERSION.patch({"spec": {"replicas": 3}}, old=again)

    assert (first.changed, again.changed, other.changed, patched.changed) == (True, False, False, True)
    assert other.conflicts == (("gitops", "spec.replicas"),)
    assert patched.managers == {"pytest-crd": ("spec.replicas",)}


def test_of_what_is_refused_nothing_is_stored_that_could_be_applied_to() -> None:
    refused = VERSION.apply({"spec": {"replicas": "x"}}, manager="mine")
    with pytest.raises(TypeError, match="nothing is stored of a request that is refused: <Response 500"):
        VERSION.apply({"spec": {}}, manager="mine", old=refused)


def test_what_a_schema_says_has_a_line() -> None:
    assert VERSION.source_of(("properties", "spec")) == ""


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_who_applied_the_status_can_apply_it_again(version: str) -> None:
    """Of 1.21, managed fields do not say to which subresource they belong."""
    crd = engine.CustomResourceDefinition.from_manifest(SCALED.crd.manifest, kubernetes_version=version)
    served = crd.altered(_with_status(crd.declared)).versions[0]
    stored = served.apply({"spec": {}}, manager="a")
    first = served.apply({"status": {"replicas": 1}}, manager="b", old=stored, subresource="status")

    again = served.apply({"status": {"replicas": 2}}, manager="b", old=first, subresource="status")

    again.assert_accepted()
    entries = again.whole.value["metadata"]["managedFields"] if again.whole else []
    found = [entry.get("subresource") for entry in entries if entry["manager"] == "b"]
    assert found == [None if version == "1.21" else "status"]


def _with_status(manifest: Any) -> Any:
    (version,) = manifest["spec"]["versions"]
    changed = {**version, "subresources": {**version["subresources"], "status": {}}}
    return {**manifest, "spec": {**manifest["spec"], "versions": [changed]}}


def test_null_labels_and_annotations_of_an_apply_are_empty() -> None:
    """As kube-apiserver 1.37 stores them."""
    old = VERSION.create({"metadata": {"name": "a"}, "spec": {}})
    applied = VERSION.apply(
        {"metadata": {"name": "a", "labels": {"b": None}, "annotations": {"c": None, "d": "e"}}}, old=old, manager="m"
    )

    assert applied.stored["metadata"]["labels"] == {"b": ""}
    assert applied.stored["metadata"]["annotations"] == {"c": "", "d": "e"}
