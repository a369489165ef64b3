"""Paths of changed fields, with the schema keyword that caused the change."""

from __future__ import annotations

import gc
import pickle
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support import crds

from pytest_crd import engine
from pytest_crd.engine.errors import origin
from pytest_crd.engine.errors.origin import ChangedField, Origin

SPEC: Final = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "default": "x"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}}},
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"c": {"type": "string"}}}},
        "any": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    },
}
SENT: Final[dict[str, Any]] = {
    "metadata": {"name": "a", "bogus": 1},
    "spec": {"u": 1, "list": [{"v": 1}], "map": {"k": {"c": None, "w": 1}}},
}
MANIFEST: Final = crds.manifest({"type": "object", "properties": {"spec": SPEC}}, scope="Cluster")


@pytest.fixture
def crd(tmp_path: Path) -> engine.CustomResourceDefinition:
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(MANIFEST), encoding="utf-8")
    return engine.load(file)[0]


def _stored_elsewhere() -> engine.CrdVersion:
    """Return a version that is not the storage version; the storage version has no fields in the spec."""
    manifest = crds.manifest({"type": "object", "properties": {"spec": SPEC}}, storage=False)
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
    storage_versions = crds.manifest(schema, name="v2")["spec"]["versions"]
    manifest["spec"]["versions"] += storage_versions
    return engine.CustomResourceDefinition.from_manifest(manifest).version("v1")


def _origins(paths: tuple[str, ...]) -> dict[str, str | None]:
    """Return the origin of each path, without the steps to the schema of the spec."""
    origins: dict[str, str | None] = {}
    for path in paths:
        origin = path.origin if isinstance(path, ChangedField) else None
        steps = "" if origin is None else "/".join(map(str, origin.steps))
        origins[str(path)] = steps.removeprefix("properties/spec/properties/") or None
    return origins


def test_every_change_has_an_origin(crd: engine.CustomResourceDefinition) -> None:
    changes = crd.version("v1").create(SENT).changes

    assert _origins(changes.pruned) == {
        "metadata.bogus": None,
        "spec.list[0].v": "list/items/properties",
        "spec.map.k.w": "map/additionalProperties/properties",
        "spec.u": "properties/spec/properties",
    }
    assert _origins(changes.defaulted) == {"spec.a": "a/default", "spec.list[0].b": "list/items/properties/b/default"}
    assert _origins(changes.nulls) == {"spec.map.k.c": "map/additionalProperties/properties/c/type"}


def test_changes_without_a_schema_have_no_origin(crd: engine.CustomResourceDefinition) -> None:
    sent = {"spec": {"any": {"apiVersion": "v1", "kind": "K", "metadata": {"name": "a", "labels": {}, "bogus": 1}}}}

    assert _origins(crd.version("v1").create(sent).changes.pruned) == {"spec.any.metadata.bogus": None}


def test_the_place_of_an_origin_survives_pickling(crd: engine.CustomResourceDefinition) -> None:
    response = crd.version("v1").create(SENT)

    again = pickle.loads(pickle.dumps(response))  # noqa: S301 - of this test's own making

    for copy in (response, again):
        sources = {str(path): origin.source_of(path) for path in (*copy.changes.defaulted, *copy.changes.pruned)}
        assert sources["metadata.bogus"] == ""
        path, _, line = sources["spec.a"].rpartition(":")
        assert Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip() == "default: x"


def test_without_a_file_there_is_no_place() -> None:
    crd = engine.CustomResourceDefinition.from_manifest(MANIFEST)
    defaulted = crd.version("v1").default({"spec": {}})

    assert [origin.source_of(path) for path in defaulted.put_in] == [""]
    assert [getattr(path, "origin", None) for path in defaulted.put_in] == [
        Origin(("properties", "spec", "properties", "a"), "default")
    ]


def test_answers_have_plain_texts(crd: engine.CustomResourceDefinition) -> None:
    """Attributes of answers can be dumped as YAML, which does not support subclasses of str."""
    version, stored = crd.version("v1"), _stored_elsewhere()
    response, pruned, defaulted = version.create(SENT), version.prune(SENT), version.default(SENT)
    lost = stored.create({"spec": {"a": "x"}}).lost

    for paths in (
        response.pruned,
        response.defaulted,
        response.nulls,
        pruned.paths,
        defaulted.paths,
        defaulted.nulls,
        lost,
    ):
        assert paths
        assert {type(path) for path in paths} == {str}


def test_a_place_is_known_while_the_version_exists(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(MANIFEST), encoding="utf-8")
    loaded = [*engine.load(file)]
    (path,) = loaded[0].version("v1").passes.default({"spec": {}}).put_in
    assert origin.source_of(path) != ""

    loaded.clear()
    gc.collect()

    assert origin.source_of(path) == ""
