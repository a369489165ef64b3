"""Differences between classes and CRDs."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, Field

from pytest_crd.classes import DivergenceKind, compare, crd_of, differences, draws, parity
from pytest_crd.engine import CrdError, CrdVersion, CustomResourceDefinition
from pytest_crd.engine.registry import handlers

JSON = dict[str, Any]


class Retention(BaseModel):
    days: Annotated[int, Field(gt=0, le=30)] = 7


class S3(BaseModel):
    type: Literal["s3"]
    bucket: str = Field(min_length=3)


class Disk(BaseModel):
    type: Literal["disk"]
    size: str


class Spec(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    schedule: str = Field(min_length=1)
    mode: Literal["full", "some"] = "full"
    retention: Retention | None = None
    names: list[str] = Field(default=[], max_length=5)
    limits: dict[str, int] = {}
    port: int | str = 80
    time_zone: str | None = Field(None, alias="timeZone")


class Stored(BaseModel):
    store: Annotated[S3 | Disk, Field(discriminator="type")]


MANIFEST = crd_of(Spec, group="example.com", kind="Backup")


def changed(change: Callable[[JSON], Any]) -> CrdVersion:
    """Return the version of the model's CRD with a change of the schema of its spec."""
    manifest = copy.deepcopy(MANIFEST)
    change(manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"])
    return CustomResourceDefinition.from_manifest(manifest).versions[0]


def summarize(model: Any, version: CrdVersion) -> list[str]:
    return [f"{item.path}: {item.kind}" for item in compare(model, version)]


def test_a_class_and_its_own_crd_agree() -> None:
    assert compare(Spec, changed(lambda _: None)) == ()


@pytest.mark.parametrize(
    ("schema", "is_explained"), [({"x-kubernetes-preserve-unknown-fields": True}, True), ({"type": "object"}, False)]
)
def test_a_value_that_only_the_class_refuses_is_explained_if_the_crd_has_no_type(
    schema: JSON, *, is_explained: bool
) -> None:
    limits = {**schema, "default": {}}
    findings = compare(Spec, changed(lambda spec: spec["properties"].update(limits=limits)))

    words = [
        item.words
        for item in findings
        if item.path.startswith("spec.limits") and item.kind is DivergenceKind.CLASS_REFUSES
    ]
    explained = ["every value here, as the CRD has no type" in text for text in words]
    assert any(explained) is is_explained


class Choice(BaseModel):
    mode: Literal["full", "some"] | None = None


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"allOf": [{"enum": ["full", "some"]}]}, []),
        ({"allOf": [{"enum": ["full", "none", "some"]}]}, ["spec.mode: only the class refuses"]),
        ({"allOf": [{"enum": ["full"]}]}, ["spec.mode: only the CRD refuses"]),
        ({"enum": ["full", "some"]}, ["spec.mode: only the CRD refuses"]),
    ],
)
def test_the_values_and_the_null_of_an_optional_choice_are_compared(schema: JSON, expected: list[str]) -> None:
    manifest = crd_of(Choice, group="example.com")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["mode"] = {"type": "string", "nullable": True, **schema}

    assert summarize(Choice, CustomResourceDefinition.from_manifest(manifest).versions[0]) == expected


def test_an_equal_object_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    handle = handlers.handle

    def record(stored: Any, request: Any, strategy: Any, *arguments: Any, **options: Any) -> Any:
        sent.append((id(strategy), json.dumps(request.body.value), request.field_validation))
        return handle(stored, request, strategy, *arguments, **options)

    monkeypatch.setattr(handlers, "handle", record)
    monkeypatch.setattr(draws, "search", lambda *_: None)

    summarize(Choice, CustomResourceDefinition.from_manifest(crd_of(Choice, group="example.com")).versions[0])

    of_comparison = [item for item in sent if item[-1] == "Warn"]
    assert of_comparison
    assert len(of_comparison) == len({*of_comparison})


def _field(name: str, **keywords: Any) -> Callable[[JSON], Any]:
    return lambda spec: spec["properties"][name].update(keywords)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_field("schedule", minLength=3), ["spec.schedule: only the CRD refuses"]),
        (_field("schedule", minLength=0), ["spec.schedule: only the class refuses"]),
        (_field("names", maxItems=9), ["spec.names: only the class refuses"]),
        (_field("mode", enum=["full", "none"]), ["spec.mode: only the class refuses", "spec.mode: only the CRD refuses"]),
        (_field("mode", default="some"), ["spec.mode: another default"]),
        (lambda spec: spec["properties"]["retention"]["properties"]["days"].update(default=30), ["spec.retention.days: another default"]),
        (lambda spec: spec["required"].append("retention"), ["spec.retention: only the CRD refuses"]),
        (lambda spec: spec["properties"]["limits"]["additionalProperties"].update(type="number"), ["spec.limits.key: only the class refuses"]),
        (lambda spec: spec.update({"x-kubernetes-preserve-unknown-fields": True}), ["spec.unknownField: the class loses"]),
        (lambda spec: spec["properties"]["limits"].update(additionalProperties={"type": "integer", "minimum": 1}), ["spec.limits.key: only the CRD refuses"]),
    ],
)  # fmt: skip
def test_a_divergence_is_found(change: Callable[[JSON], Any], expected: list[str]) -> None:
    assert sorted(summarize(Spec, changed(change))) == sorted(expected)


def test_a_divergence_has_the_words_of_the_side_that_refuses_and_an_object() -> None:
    (item,) = compare(Spec, changed(_field("schedule", minLength=3)))

    assert item.kind is DivergenceKind.CRD_REFUSES
    assert item.words == 'spec.schedule: Invalid value: "a": spec.schedule in body should be at least 3 chars long'
    assert item.resource["spec"]["schedule"] == "a"
    assert repr(item) == str(item)
    assert str(item).startswith("spec.schedule: only the CRD refuses: spec.schedule: Invalid value")
    assert str(item).endswith(
        '; object: {"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "example"}, "spec": {"schedule": "a"}}'
    )


def test_a_class_that_changes_values_is_found() -> None:
    class Loud(BaseModel):
        name: str

        @pydantic.field_validator("name")
        @classmethod
        def _raise(cls, value: str) -> str:
            return value.upper()

    class Wrapped(BaseModel):
        items: list[Loud]

    version = CustomResourceDefinition.from_manifest(crd_of(Wrapped, group="example.com", kind="Loud")).versions[0]

    assert "spec.items[0].name: another value" in summarize(Wrapped, version)


def test_a_whole_object_and_a_dataclass_can_be_compared() -> None:
    class Backup(BaseModel):
        metadata: dict[str, Any]
        spec: Spec

    @dataclasses.dataclass
    class Point:
        x: int

    assert summarize(Backup, changed(_field("schedule", minLength=3))) == ["spec.schedule: only the CRD refuses"]
    manifest = crd_of(pydantic.TypeAdapter(Point), group="example.com", kind="Point")
    manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["x"]["minimum"] = 1
    version = CustomResourceDefinition.from_manifest(manifest).versions[0]
    assert summarize(pydantic.TypeAdapter(Point), version) == ["spec.x: only the CRD refuses"]


def test_fields_of_another_branch_stay_in_the_crd_and_not_in_the_class() -> None:
    version = CustomResourceDefinition.from_manifest(crd_of(Stored, group="example.com", kind="Stored")).versions[0]

    divergences = {(item.kind, item.path) for item in compare(Stored, version)}

    assert (DivergenceKind.CLASS_LOSES, "spec.store.size") in divergences
    assert all(path in {"spec.store.size", "spec.store.bucket"} for _, path in divergences)


def test_a_refusal_without_details_is_of_the_whole_part() -> None:
    class Moody:
        @staticmethod
        def model_json_schema() -> JSON:
            return {"type": "object", "properties": {"a": {"type": "integer"}}}

        @staticmethod
        def model_validate_json(text: str, **_: Any) -> Any:
            if "a" in text:
                raise ValueError("not today")

    version = CustomResourceDefinition.from_manifest(crd_of(Moody, group="example.com", kind="Moody")).versions[0]

    with pytest.raises(AttributeError):  # it cannot be dumped
        compare(Moody, version)


@pytest.mark.parametrize(("model", "error"), [({"type": "object", "title": "A"}, TypeError), (Exception, TypeError)])
def test_what_takes_no_objects_is_misuse(model: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        compare(model, changed(lambda _: None))


def test_a_class_that_no_crd_can_say_is_told() -> None:
    class Both(BaseModel):
        a: int | bool

    with pytest.raises(CrdError, match="a union of boolean and integer"):
        compare(Both, changed(lambda _: None))


def test_numbers_are_the_same_in_both_notations() -> None:
    class Share(BaseModel):
        share: float

    version = CustomResourceDefinition.from_manifest(crd_of(Share, group="example.com", kind="Share")).versions[0]

    assert compare(Share, version) == ()


def test_without_required_fields_an_object_without_a_spec_is_not_compared() -> None:
    version = CustomResourceDefinition.from_manifest(crd_of(Retention, group="example.com", kind="Keep")).versions[0]

    assert compare(Retention, version) == ()


def test_a_class_that_refuses_its_own_smallest_object_ends_the_search() -> None:
    class Picky(BaseModel):
        name: str = Field(min_length=1)

        @pydantic.field_validator("name")
        @classmethod
        def _refuse(cls, value: str) -> str:
            raise ValueError(f"not {value}")

    version = CustomResourceDefinition.from_manifest(crd_of(Picky, group="example.com", kind="Picky")).versions[0]

    assert summarize(Picky, version) == ["spec.name: only the class refuses"]


def test_a_value_of_an_enum_that_a_rule_forbids_is_not_tried() -> None:
    version = changed(_field("mode", **{"x-kubernetes-validations": [{"rule": "self != 'some'"}]}))

    assert summarize(Spec, version) == ["spec.mode: only the CRD refuses"]


@pytest.mark.parametrize(
    ("of_class", "of_crd", "expected"),
    [
        ("^a", "^ab", ["spec.name: only the CRD refuses"]),
        ("^ab", "^a", ["spec.name: only the class refuses"]),
        ("^[a-m]$", "^[k-z]$", ["spec.name: only the CRD refuses", "spec.name: only the class refuses"]),
        ("^a", "^a", []),
        ("^a", "^[a]", []),
    ],
)
def test_a_text_tells_two_patterns_apart(of_class: str, of_crd: str, expected: list[str]) -> None:
    class Named(BaseModel):
        name: str = Field(pattern=of_class)

    manifest = crd_of(Named, group="example.com", kind="Named")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["name"]["pattern"] = of_crd
    version = CustomResourceDefinition.from_manifest(manifest).versions[0]

    assert sorted(summarize(Named, version)) == sorted(expected)


def test_a_null_in_place_of_the_spec_is_no_spec() -> None:
    manifest = crd_of(Retention, group="example.com", kind="Keep")
    del manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["required"]
    version = CustomResourceDefinition.from_manifest(manifest).versions[0]

    assert compare(Retention, version) == ()


@pytest.mark.long
def test_three_hundred_fields_take_few_requests() -> None:
    fields: dict[str, Any] = {}
    for number in range(75):
        fields[f"count{number}"] = (Annotated[int, Field(ge=0, le=10)], 1)
        fields[f"name{number}"] = (Annotated[str, Field(min_length=1, max_length=10)], "x")
        fields[f"mode{number}"] = (Literal["a", "b"] | None, None)
        fields[f"text{number}"] = (Annotated[str, Field(pattern="^[a-z]+$")], "x")
    large = pydantic.create_model("Large", **fields)
    loaded: list[Any] = []

    def load(value: JSON) -> Any:
        loaded.append(value)
        return large.model_validate(value, strict=True)

    def dump(instance: Any) -> Any:
        return instance.model_dump(exclude_none=True)

    version = CustomResourceDefinition.from_manifest(crd_of(large, group="example.com")).versions[0]

    assert compare((load, dump, large.model_json_schema()), version) == ()
    assert 50 < len(loaded) < 600


class Cluster(BaseModel):
    class Status(BaseModel):
        phase: Literal["Ready", "Failed"] | None = None
        nodes: Annotated[int, Field(ge=0)] = 0

    spec: Retention
    status: Status | None = None


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [({}, []), ({"minimum": 1}, ["status.nodes: only the CRD refuses"]), ({"default": 3}, ["status.nodes: another default"])],
)  # fmt: skip
def test_the_status_is_written_through_its_subresource(keywords: JSON, expected: list[str]) -> None:
    manifest = crd_of(Cluster, group="example.com", scope="Cluster")
    status = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    status["properties"]["nodes"] |= keywords

    assert summarize(Cluster, CustomResourceDefinition.from_manifest(manifest).versions[0]) == expected


def test_an_absent_list_or_map_is_the_same_as_an_empty_one() -> None:
    manifest = crd_of(Spec, group="example.com", kind="Backup")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    del spec["properties"]["names"]["default"], spec["properties"]["limits"]["default"]

    assert compare(Spec, CustomResourceDefinition.from_manifest(manifest).versions[0]) == ()


def test_rules_that_a_server_does_not_check_are_no_divergence() -> None:
    class Ruled(BaseModel):
        mode: Literal["a", "b"] = "a"
        size: Annotated[int, Field(ge=1)] = 1

    manifest = crd_of(Ruled, group="example.com")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["x-kubernetes-validations"] = [{"rule": "self.size < 100 || self.mode == 'a'"}]
    spec["properties"]["mode"]["enum"] = ["a"]

    assert summarize(Ruled, CustomResourceDefinition.from_manifest(manifest).versions[0]) == [
        "spec.mode: only the CRD refuses"
    ]


def test_an_error_of_the_scale_subresource_belongs_to_its_field() -> None:
    class Scaled(BaseModel):
        replicas: Annotated[int, Field(ge=0)] = 1

    manifest = crd_of(Scaled, group="example.com")
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    manifest["spec"]["versions"][0]["subresources"] = {"scale": scale}

    assert compare(Scaled, CustomResourceDefinition.from_manifest(manifest).versions[0]) == ()


def test_a_refusal_without_fields_is_of_the_whole_object() -> None:
    answer: Any = SimpleNamespace(errors=(), accepted=False, message="the server is busy")

    ((steps, error),) = parity._read_errors(answer)

    assert (steps, error.words) == ((), "the server is busy")


@pytest.mark.parametrize(
    ("steps", "expected"), [(("a", 0), 1), (("a", 1), None), (("a", "b"), None), (("b", "c"), None)]
)
def test_a_value_is_found_by_its_steps(steps: tuple[str | int, ...], expected: Any) -> None:
    assert differences.find_value({"a": [1]}, steps) == expected


class Tags(BaseModel):
    tags: set[str] = set()
    sizes: list[int] = []


@pytest.mark.parametrize(
    ("list_type", "expected"),
    [("set", []), ("atomic", ["spec.tags: another value"])],
)
def test_a_set_has_no_order_and_merges_equal_items(list_type: str, expected: list[str]) -> None:
    manifest = crd_of(Tags, group="example.com")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["tags"]["x-kubernetes-list-type"] = list_type

    assert summarize(Tags, CustomResourceDefinition.from_manifest(manifest).versions[0]) == expected


def test_a_list_of_a_class_takes_equal_items_that_a_set_refuses() -> None:
    manifest = crd_of(Tags, group="example.com")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["sizes"]["x-kubernetes-list-type"] = "set"

    assert summarize(Tags, CustomResourceDefinition.from_manifest(manifest).versions[0]) == [
        "spec.sizes[1]: only the CRD refuses"
    ]


def test_a_crd_without_a_spec_is_misuse() -> None:
    manifest = crd_of(Tags, group="example.com")
    version = manifest["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"] = {"type": "object", "properties": {"data": {"type": "string"}}}

    with pytest.raises(TypeError, match=r"tagses.example.com v1 has no field spec"):
        compare(Tags, CustomResourceDefinition.from_manifest(manifest).versions[0])


def test_values_above_a_limit_of_requests_are_judged_alone() -> None:
    class Long(BaseModel):
        first: str = Field("", max_length=2_000_000)
        second: str = Field("", max_length=2_000_000)
        third: Annotated[int, Field(ge=1)] = 1

    version = CustomResourceDefinition.from_manifest(crd_of(Long, group="example.com")).versions[0]

    assert compare(Long, version) == ()


def test_nested_fields_that_only_the_class_requires_are_found() -> None:
    class Inner(BaseModel):
        name: str
        size: Annotated[int, Field(ge=0)] = 0

    class Outer(BaseModel):
        inner: list[Inner] = []
        by_name: dict[str, Inner] = {}

    manifest = crd_of(Outer, group="example.com")
    spec = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    del spec["inner"]["items"]["required"], spec["by_name"]["additionalProperties"]["required"]

    assert sorted(summarize(Outer, CustomResourceDefinition.from_manifest(manifest).versions[0])) == [
        "spec.by_name.key.name: only the class refuses",
        "spec.inner[0].name: only the class refuses",
    ]


class Flags(BaseModel):
    first: int = 0
    second: int = 0
    third: int = 0

    @pydantic.model_validator(mode="after")
    def _demand_small_sum(self) -> Flags:
        if self.first > 1 and self.second > self.first and self.third < 0:
            raise ValueError("too many")
        return self


@pytest.mark.long
def test_random_objects_show_differences_between_boundaries(monkeypatch: pytest.MonkeyPatch) -> None:
    version = CustomResourceDefinition.from_manifest(crd_of(Flags, group="example.com", kind="Flag")).versions[0]

    monkeypatch.setattr(draws, "_EXAMPLES", 50)
    (divergence,) = compare(Flags, version)
    monkeypatch.setattr(draws, "_MOST_ADDED", 1)
    assert compare(Flags, version) == (divergence,)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    assert divergence.kind is DivergenceKind.CLASS_REFUSES
    assert "too many" in divergence.words
    assert divergence.resource["spec"] == {"first": 2, "second": 3, "third": -1}
    assert compare(Flags, version) == ()
