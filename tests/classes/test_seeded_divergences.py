"""Divergences of each kind, seeded into a CRD or a class that agree otherwise: each one is found, and no other."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, Field

from pytest_crd.classes import Divergence, compare, crd_of
from pytest_crd.engine import CrdVersion, CustomResourceDefinition

JSON = dict[str, Any]


class Target(BaseModel):
    name: str = Field(min_length=1, max_length=63)
    port: Annotated[int, Field(ge=1, le=65535)] = 443


class Spec(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    schedule: str = Field(min_length=1)
    mode: Literal["full", "some"] = "full"
    time_zone: str | None = Field(None, alias="timeZone")
    days: Annotated[int, Field(ge=1)] = 30
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    paused: bool = False
    size: int | str = "1Gi"
    targets: list[Target] = Field([], max_length=8)
    labels: dict[str, str] = {}


MANIFEST = crd_of(Spec, group="storage.example.com", kind="Backup")


def version(change: Callable[[JSON], Any] = len) -> CrdVersion:
    """Return the version of the class's own CRD, with a change of the schema of its spec."""
    manifest = copy.deepcopy(MANIFEST)
    change(manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"])
    return CustomResourceDefinition.from_manifest(manifest).versions[0]


def summarize(divergences: tuple[Divergence, ...]) -> set[str]:
    return {f"{item.path}: {item.kind}" for item in divergences}


def field(*names: str, **keywords: Any) -> Callable[[JSON], Any]:
    """Return a change of the keywords of a field; None removes a keyword."""

    def change(schema: JSON) -> None:
        for name in names:
            schema = schema["items"] if name == "[]" else schema["properties"][name]
        schema |= keywords
        for keyword in [keyword for keyword, value in keywords.items() if value is None]:
            del schema[keyword]

    return change


def rename(old: str, new: str) -> Callable[[JSON], Any]:
    return lambda spec: spec["properties"].update({new: spec["properties"].pop(old)})


IN_THE_CRD = [
    # The CRD takes an object that the class refuses.
    (field("days", minimum=0), {"spec.days: only the class refuses"}),
    (field("mode", enum=["full", "some", "none"]), {"spec.mode: only the class refuses"}),
    (field("targets", "[]", "name", maxLength=253), {"spec.targets[0].name: only the class refuses"}),
    (lambda spec: spec.pop("required"), {"spec.schedule: only the class refuses"}),
    (field("paused", nullable=True), {"spec.paused: only the class refuses"}),
    # The class takes an object that the CRD refuses.
    (field("days", maximum=365), {"spec.days: only the CRD refuses"}),
    (field("schedule", pattern="^@"), {"spec.schedule: only the CRD refuses"}),
    (lambda spec: spec["required"].append("timeZone"), {"spec.timeZone: only the CRD refuses"}),
    (field("targets", maxItems=4), {"spec.targets: only the CRD refuses"}),
    (field("size", **{"x-kubernetes-int-or-string": None, "type": "string"}), {"spec.size: only the CRD refuses"}),
    (lambda spec: spec.update({"x-kubernetes-validations": [{"rule": "!self.paused || self.days > 1", "message": "no"}]}), {"spec: only the CRD refuses"}),
    # The CRD drops a field.
    (lambda spec: spec["properties"].pop("labels"), {"spec.labels: the CRD drops"}),
    # The class loses a field.
    (lambda spec: spec["properties"].update(retries={"type": "integer"}), {"spec.retries: the class loses"}),
    # Another default.
    (field("days", default=7), {"spec.days: another default"}),
    (field("mode", default=None), {"spec.mode: another default"}),
    (field("targets", "[]", "port", default=80), {"spec.targets[0].port: another default"}),
    # Another name.
    (rename("timeZone", "time_zone"), {"spec.timeZone: the CRD drops", "spec.time_zone: the class loses"}),
]  # fmt: skip


def test_the_class_and_its_own_crd_agree() -> None:
    assert compare(Spec, version()) == ()


@pytest.mark.parametrize(("change", "expected"), IN_THE_CRD)
def test_a_divergence_in_the_crd_is_found(change: Callable[[JSON], Any], expected: set[str]) -> None:
    assert summarize(compare(Spec, version(change))) == expected


class Shortened(Spec):
    @pydantic.field_validator("schedule")
    @classmethod
    def _shorten(cls, value: str) -> str:
        return value[:1]


class Grown(Spec):
    @pydantic.model_serializer(mode="wrap")
    def _grow(self, handler: Any) -> JSON:
        return {**handler(self), "added": "by the class"}


class Forgetful(Spec):
    @pydantic.model_serializer(mode="wrap")
    def _forget(self, handler: Any) -> JSON:
        return {name: value for name, value in handler(self).items() if name != "labels"}


IN_THE_CLASS = [
    (Shortened, {"spec.schedule: another value"}),
    (Grown, {"spec.added: another default"}),
    (Forgetful, {"spec.labels: the class loses"}),
]


@pytest.mark.parametrize(("model", "expected"), IN_THE_CLASS)
def test_a_divergence_in_the_class_is_found(model: type[Spec], expected: set[str]) -> None:
    """The schema of an output says nothing about the serializer, so the class keeps the schema of its input."""
    found = summarize(compare(model, version()))

    assert expected <= found
    assert {item.partition(":")[0] for item in found} == {item.partition(":")[0] for item in expected}


def test_the_other_name_of_a_field_is_named() -> None:
    found = {str(item.kind): item.words for item in compare(Spec, version(rename("timeZone", "time_zone"))) if item.path == "spec.timeZone"}  # fmt: skip

    assert found["the CRD drops"] == 'the CRD has nothing, the class "a"; the CRD has the name time_zone'
