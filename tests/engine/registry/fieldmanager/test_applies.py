"""Server-side applies by callers: merging, owners and conflicts."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.engine.registry import handlers
from pytest_crd.engine.registry.customresource import RequestedVersion, VersionManagers
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


def test_an_apply_creates_a_missing_object() -> None:
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


def test_managers_own_items_of_a_keyed_list() -> None:
    old = {**_owned("other", **{"f:listeners": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:port": {}}}})}
    old["spec"] = {"listeners": _ports(a=1), "replicas": 1}
    answer = VERSION.apply({"spec": {"listeners": _ports(b=2)}}, old=old, manager="mine")

    assert _stored(answer)["listeners"] == _ports(a=1, b=2)
    assert sorted(answer.managers) == ["mine", "other"]


def test_a_list_without_a_type_has_a_single_owner() -> None:
    old = {"spec": {"plain": [{"name": "a"}]}}
    answer = VERSION.apply({"spec": {"plain": [{"name": "b"}]}}, old=old, manager="mine", force=True)
    assert _stored(answer)["plain"] == [{"name": "b"}]


def test_a_conflict_names_the_other_manager() -> None:
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": 1}}
    answer = VERSION.apply({"spec": {"replicas": 2}}, old=old, manager="mine")

    assert (answer.code, answer.stored_if_accepted, answer.managers) == (409, None, {})
    assert answer.conflicts == (("other", "spec.replicas"),)
    assert answer.message == 'Apply failed with 1 conflict: conflict with "other": .spec.replicas'
    assert [(error.type, error.field) for error in answer.errors] == [("FieldManagerConflict", ".spec.replicas")]
    assert (answer.status or {})["details"] == {
        "causes": [{"reason": "FieldManagerConflict", "message": 'conflict with "other"', "field": ".spec.replicas"}]
    }


def test_force_takes_over_fields() -> None:
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": 1}}
    answer = VERSION.apply({"spec": {"replicas": 2}}, old=old, manager="mine", force=True)
    assert (_stored(answer), answer.managers) == ({"replicas": 2}, {"mine": ("spec.replicas",)})


def test_untracked_fields_get_an_owner_at_the_first_apply() -> None:
    answer = VERSION.apply({"spec": {"replicas": 2}}, old={"spec": {"replicas": 1}}, manager="mine")
    assert answer.conflicts == (("before-first-apply", "spec.replicas"),)


def test_a_set_of_objects_can_be_created_but_not_applied() -> None:
    broken = versions.create_version(fields(plain={**OBJECTS, "x-kubernetes-list-type": "set"}))
    created = {"spec": {"plain": [{"name": "a"}]}}
    answer = broken.apply(created, manager="mine")

    assert broken.create(created).accepted
    assert answer.code == 500
    assert answer.message.endswith(
        ": .spec.plain: element 0: associative list without keys has an element that's a map type"
    )


def test_an_apply_refuses_unknown_fields_in_every_validation_mode() -> None:
    answer = VERSION.apply({"spec": {"nope": 1}}, manager="mine", field_validation="Ignore")
    assert answer.message.endswith(".spec.nope: field not declared in schema")


@pytest.mark.parametrize("subresource", ["status", "scale"])
def test_a_missing_subresource_is_not_found(subresource: Any) -> None:
    assert VERSION.apply({}, old={"spec": {}}, manager="mine", subresource=subresource).code == 404


def test_an_unknown_subresource_is_a_usage_error() -> None:
    with pytest.raises(ValueError, match="subresource 'logs': one of status, scale, or none"):
        VERSION.apply({}, manager="mine", subresource="logs")  # type: ignore[arg-type] # a mistake of a caller


def test_the_text_of_an_apply_is_read_as_yaml() -> None:
    text = json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {"replicas": 2}}
    )
    twice = text.replace('"replicas": 2', '"replicas": 1, "replicas": 2')
    answer = VERSION.apply(twice, manager="mine")
    assert answer.warnings == ('line 1: key "replicas" already set in map',)


def _manager(version: engine.CrdVersion) -> fieldmanager.FieldManager:
    answers = version._answers
    served = answers.schemas[0].as_served
    return VersionManagers(RequestedVersion(answers.spec, served, [served], answers.profile)).of_object


def test_malformed_managed_fields_fail_an_apply_and_are_dropped_by_an_update() -> None:
    live = {
        "apiVersion": "example.com/v1",
        "kind": "Tab",
        "metadata": {"uid": "u", "managedFields": [{**ENTRY, "manager": "m", "fieldsV1": {"x": {}}}]},
    }
    manager = _manager(VERSION)
    with pytest.raises(ApplyRefusedError, match="failed to decode managed fields: error decoding versioned set from"):
        manager.apply(live, live, Writer("m", "2026-01-01T00:00:00Z"))
    assert not manager.update(live, live, Writer("m", "2026-01-01T00:00:00Z"))


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
def test_malformed_entries_are_refused(entry: dict[str, Any], problem: str) -> None:
    with pytest.raises(managers.BrokenEntriesError) as caught:
        managers.read([entry])
    assert problem in str(caught.value)


def test_the_last_entry_of_a_manager_counts() -> None:
    first = {**ENTRY, "manager": "m", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:a": {}}}
    result = managers.read([first, {**ENTRY, "manager": "m", "fieldsV1": {"f:b": {}}}])
    assert managers.write(result) == [{**ENTRY, "manager": "m", "fieldsV1": {"f:b": {}}}]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"kind": "Tab"}', '{"apiVersion": "example.com/v1", "kind": "Tab", "spec": {"replicas": "x"}}'],
)
def test_an_unusable_last_applied_annotation_allows_no_takeover(text: str) -> None:
    metadata = {"name": "a", "annotations": {lastapplied.ANNOTATION: text}}
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": 1}}
    old["metadata"] = {**old["metadata"], **metadata}
    answer = VERSION.apply({"metadata": {"name": "a"}, "spec": {"replicas": 2}}, old=old, manager="kubectl")
    assert answer.conflicts == (("other", "spec.replicas"),)


def test_a_last_applied_annotation_that_becomes_too_large_is_removed() -> None:
    metadata = {"name": "a", "annotations": {lastapplied.ANNOTATION: "{}"}}
    wanted = {"metadata": {"name": "a"}, "spec": {"labels": {f"l{n}": "x" * 1000 for n in range(300)}}}
    answer = VERSION.apply(wanted, old={"metadata": metadata, "spec": {}}, manager="kubectl", force=True)
    assert (
        "annotations" not in answer.stored["metadata"]
        or lastapplied.ANNOTATION not in answer.stored["metadata"]["annotations"]
    )


def test_kubectl_takes_over_fields_of_its_client_side_apply() -> None:
    expected = {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {"replicas": 1}}
    old = {
        **_owned("other", **{"f:replicas": {}, "f:labels": {"f:x": {}}}),
        "spec": {"replicas": 1, "labels": {"x": "1"}},
    }
    old["metadata"] |= {"name": "a", "annotations": {lastapplied.ANNOTATION: json.dumps(expected)}}
    alone = VERSION.apply({"metadata": {"name": "a"}, "spec": {"replicas": 2}}, old=old, manager="kubectl")
    more = VERSION.apply(
        {"metadata": {"name": "a"}, "spec": {"replicas": 2, "labels": {"x": "2"}}}, old=old, manager="kubectl"
    )
    assert (alone.code, more.conflicts) == (200, (("other", "spec.labels.x"),))


def test_an_apply_to_a_mistyped_stored_object_fails() -> None:
    old = {**_owned("other", **{"f:replicas": {}}), "spec": {"replicas": "many"}}
    answer = VERSION.apply({"spec": {}}, old=old, manager="mine")
    assert answer.message.startswith(
        "failed to create typed live object (default/example; example.com/v1, Kind=Tab): .spec.rep"
    )


def test_the_oldest_updaters_are_merged_even_without_times() -> None:
    entries = [{**ENTRY, "operation": "Update", "manager": f"m{n:02}", "fieldsV1": {f"f:{n}": {}}} for n in range(12)]
    answer = VERSION.update(
        {"spec": {}}, old={"metadata": {"uid": "u", "managedFields": entries}, "spec": {"replicas": 2}}
    )
    assert list(answer.managers) == ["ancient-changes", *(f"m{n:02}" for n in range(4, 12)), "pytest-crd"]


def test_an_apply_of_another_type_is_refused() -> None:
    answer = VERSION.apply({"apiVersion": "a/b/c"}, manager="mine")
    assert (answer.code, answer.message) == (400, "invalid object type: /, Kind=")


def test_owned_fields_unknown_to_their_version_fail_an_apply() -> None:
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
def test_objects_are_only_converted_to_existing_versions(api_version: str, problem: str) -> None:
    versions_ = Versions("example.com", {"example.com/v1": lambda: DEDUCED})
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


def test_the_empty_path_is_never_a_member() -> None:
    result = fieldsets.from_paths([(), (pathelements.field("a"),)])
    assert () not in result
    assert (pathelements.field("a"), pathelements.field("b")) not in result
    assert list(result) == [(pathelements.field("a"),)]


def test_fields_of_an_unknown_type_have_no_declared_parents() -> None:
    deep = fieldsets.from_paths([tuple(map(pathelements.field, ("a", "b", "c")))])
    assert ownership.with_parents(MergeType(map=MapType()), deep) == deep


def test_null_items_have_no_path_element() -> None:
    keyed = MergeType(
        list=ListType(MergeType(map=MapType({"name": MergeType(scalar="string")})), is_associative=True, keys=("name",))
    )
    remaining = [None, {"name": "a"}]
    assert pathelements.NO_ELEMENT in typedvalues.fields(keyed, remaining).members
    assert typedvalues.removed(keyed, remaining, fieldsets.from_paths([(pathelements.key({"name": "a"}),)])) == [None]


def test_items_that_are_not_objects_have_no_default_keys() -> None:
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
def test_removing_a_part_of_an_atomic_value_removes_the_whole(kind: MergeType, value: Any) -> None:
    assert (
        typedvalues.removed(kind, value, fieldsets.from_paths([(pathelements.field("a"), pathelements.field("b"))]))
        is None
    )


def test_scalars_are_never_removed_in_part() -> None:
    assert typedvalues.removed(MergeType(scalar="string"), "x", fieldsets.EMPTY) == "x"


def test_a_value_of_a_wrong_type_is_printed_as_go_prints_it() -> None:
    with pytest.raises(typedvalues.TypedError) as caught:
        typedvalues.check(MergeType(list=ListType(DEDUCED)), {"a": [None, 1.5, True]}, allow_duplicates=True)
    assert str(caught.value) == "expected list, got &{map[a:[<nil> 1.5 true]]}"


def test_a_create_for_an_existing_name_is_refused_after_validation() -> None:
    answers = VERSION._answers
    strategy = answers.strategy(answers.schemas[0])
    body = Body({"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}, "spec": {}})
    outcome = handlers.handle({"metadata": {"name": "a"}}, Request("create", body), strategy)
    assert (outcome.response.code, outcome.response.message) == (409, 'tabs.example.com "a" already exists')


def test_owner_references_are_keyed_by_uid_in_all_versions() -> None:
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
def test_an_apply_to_the_scale_of_a_custom_resource_must_not_change_it(metadata: dict[str, Any], code: int) -> None:
    old = SCALED.apply({"spec": {"replicas": 1}}, manager="other")
    assert SCALED.apply(_scale(**metadata), old=old, manager="mine", subresource="scale").code == code


def test_an_apply_to_a_scale_without_owners_is_refused() -> None:
    answer = SCALED.apply(_scale(), old={"spec": {"replicas": 1}}, manager="mine", subresource="scale")
    assert answer.message == (
        "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper "
        "version: request to convert CR to an invalid group/version: autoscaling/v1"
    )
    second = SCALED.apply({"kind": "Other"}, old={"spec": {"replicas": 1}}, manager="mine", subresource="scale")
    assert second.message == "invalid object type: autoscaling/v1, Kind=Other"


def test_an_update_of_the_scale_owns_the_replicas() -> None:
    entry = {**ENTRY, "manager": "other", "fieldsV1": {"f:spec": {"f:replicas": {}}}}
    gone = {**entry, "manager": "gone", "apiVersion": "example.com/v0"}
    scaled = SCALED.scale({"metadata": {"managedFields": [entry, gone]}, "spec": {"replicas": 1}}, 2)
    broken = SCALED.scale({"metadata": {"managedFields": [{**entry, "fieldsType": "V2"}]}, "spec": {"replicas": 1}}, 2)
    assert (scaled.managers, broken.managers) == ({"pytest-crd": ("spec.replicas",)}, {})


def test_a_response_can_be_the_stored_object_of_the_next_request() -> None:
    first = VERSION.apply({"spec": {"replicas": 2}}, manager="gitops")
    again = VERSION.apply({"spec": {"replicas": 2}}, manager="gitops", old=first)
    second = VERSION.apply({"spec": {"replicas": 3}}, manager="operator", old=first)
    patched = VERSION.patch({"spec": {"replicas": 3}}, old=again)

    assert (first.changed, again.changed, second.changed, patched.changed) == (True, False, False, True)
    assert second.conflicts == (("gitops", "spec.replicas"),)
    assert patched.managers == {"pytest-crd": ("spec.replicas",)}


def test_a_refused_response_cannot_be_the_stored_object() -> None:
    refused = VERSION.apply({"spec": {"replicas": "x"}}, manager="mine")
    with pytest.raises(TypeError, match="nothing is stored of a request that is refused: <Response 500"):
        VERSION.apply({"spec": {}}, manager="mine", old=refused)


def test_steps_of_a_schema_without_a_file_have_no_line() -> None:
    assert VERSION.source_of(("properties", "spec")) == ""


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_an_applier_of_the_status_can_apply_again(version: str) -> None:
    """Of 1.21, managed fields do not say to which subresource they belong."""
    crd = engine.CustomResourceDefinition.from_manifest(SCALED.crd.manifest, kubernetes_version=version)
    served = crd.altered(_with_status(crd.declared)).versions[0]
    stored = served.apply({"spec": {}}, manager="a")
    first = served.apply({"status": {"replicas": 1}}, manager="b", old=stored, subresource="status")

    again = served.apply({"status": {"replicas": 2}}, manager="b", old=first, subresource="status")

    again.assert_accepted()
    entries = again.whole.value["metadata"]["managedFields"] if again.whole else []
    result = [entry.get("subresource") for entry in entries if entry["manager"] == "b"]
    assert result == [None if version == "1.21" else "status"]


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


@pytest.mark.parametrize("checked", [{"shared": {"a": "x"}, "changed": {"a": "x"}}, {"changed": None}, ["x"], None])
def test_a_value_is_checked_except_for_the_parts_that_it_shares_with_a_checked_one(checked: Any) -> None:
    texts = MergeType(map=MapType(values=MergeType(scalar="string")))
    kind = MergeType(map=MapType({"shared": texts, "changed": texts}))
    shared = checked["shared"] if isinstance(checked, dict) and "shared" in checked else {"a": "y"}

    typedvalues.check(kind, {"shared": shared, "changed": {"a": "z"}}, allow_duplicates=True, checked=checked)
    wrong = {"shared": shared, "changed": {"b": 2, "a": 1}, "other": {}}
    with pytest.raises(typedvalues.TypedError) as caught:
        typedvalues.check(kind, wrong, allow_duplicates=True, checked=checked)

    problem = "expected string, got &value.valueUnstructured"
    assert str(caught.value).splitlines()[1:] == [
        f"  .changed.a: {problem}{{Value:1}}",
        f"  .changed.b: {problem}{{Value:2}}",
        "  .other: field not declared in schema",
    ]
