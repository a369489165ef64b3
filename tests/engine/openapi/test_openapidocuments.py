"""OpenAPI documents: ownership, absence and merging. Their content is tested by `tests/conformance/published`."""

from __future__ import annotations

from typing import Any

import pytest
from conformance import casefile

from pytest_crd import engine
from pytest_crd.engine import CrdLookupError, CustomResourceDefinition, CustomResourceDefinitions

_SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "default": {"a": [1]}}}}
_KIND = "com.example.shop.v1.Case"


def _manifest(schema: Any = None, *, plural: str = "cases", kind: str = "Case", **version: Any) -> Any:
    manifest = casefile.manifest(_SCHEMA if schema is None else schema, group="shop.example.com")
    manifest["metadata"]["name"] = f"{plural}.shop.example.com"
    manifest["spec"]["names"] = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    manifest["spec"]["versions"][0] |= version
    return manifest


def _crd(schema: Any = None, *, kubernetes_version: str = "1.37", **options: Any) -> CustomResourceDefinition:
    manifest = _manifest(schema, **options)
    return CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes_version)


@pytest.mark.parametrize(("form", "part"), [(2, "definitions"), (3, "components")])
def test_a_document_is_the_callers_own(form: Any, part: str) -> None:
    version = _crd().version("v1")
    first, again = version.openapi(form), version.openapi(form)
    assert first is not None
    assert first == again

    schemas = first[part].get("schemas", first[part])
    schemas[_KIND]["properties"]["spec"].clear()
    schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].clear()
    first["paths"].clear()

    assert version.openapi(form) == again != first
    assert version.crd.manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == _SCHEMA


def test_a_version_that_is_not_served_has_no_document() -> None:
    version = _crd(served=False).version("v1")

    assert version.openapi(2) is None
    assert version.openapi(3) is None


def test_kubernetes_1_21_has_no_v3() -> None:
    version = _crd(kubernetes_version="1.21").version("v1")

    assert version.openapi(3) is None
    assert version.openapi(2) is not None


def test_a_crd_with_taken_names_has_no_document() -> None:
    crds = CustomResourceDefinitions([_crd(), _crd(plural="others")])

    assert crds[0].version("v1").openapi(3) is not None
    assert crds[1].version("v1").openapi(3) is None


def test_other_openapi_versions_are_refused() -> None:
    with pytest.raises(ValueError, match="there is OpenAPI 2 and 3, not 4"):
        _crd().version("v1").openapi(4)  # type: ignore[arg-type]


def test_a_schema_that_is_not_structural_is_not_published() -> None:
    manifest = _manifest({"properties": {"spec": {"type": "object"}}})
    document = CustomResourceDefinition.from_manifest(manifest).version("v1").openapi(3)

    assert document is not None
    kinds = [{"group": "shop.example.com", "version": "v1", "kind": "Case"}]
    assert document["components"]["schemas"][_KIND] == {"type": "object", "x-kubernetes-group-version-kind": kinds}


@pytest.mark.parametrize("form", [2, 3])
def test_the_crds_of_a_group_version_share_a_document(form: Any) -> None:
    crds = CustomResourceDefinitions(
        [_crd(), _crd(plural="others", kind="Other"), _crd(plural="gones", kind="Gone", served=False)]
    )
    alone = [crd.version("v1").openapi(form) for crd in crds]

    together = crds.openapi(form, "shop.example.com/v1")

    assert together is not None
    assert alone[0] is not None
    assert alone[1] is not None
    assert together.keys() == alone[0].keys()
    for part in ("paths", "definitions", "components", "parameters"):
        for document in alone[:2]:
            single, merged = ((document or {}).get(part, {}), together.get(part, {}))
            assert single.get("schemas", single).items() <= merged.get("schemas", merged).items()
    assert {path.split("/")[4] for path in together["paths"]} == {"cases", "others"}


def test_an_unknown_group_version_is_a_lookup_error() -> None:
    crds = CustomResourceDefinitions([_crd()])

    with pytest.raises(CrdLookupError, match=r"^no CRD has 'shop.example.com/v2'; there are: shop.example.com/v1$"):
        crds.openapi(3, "shop.example.com/v2")
    with pytest.raises(CrdLookupError, match=r"there are: none$"):
        CustomResourceDefinitions([]).openapi(3, "shop.example.com/v2")


def test_a_group_version_that_is_not_served_has_no_document() -> None:
    assert CustomResourceDefinitions([_crd(served=False)]).openapi(3, "shop.example.com/v1") is None


def test_alternatives_are_not_merged() -> None:
    crds = CustomResourceDefinitions([_crd(), _crd({"type": "object"})])

    with pytest.raises(CrdLookupError, match=r"alternatives.*cases.shop.example.com, cases.shop.example.com"):
        crds.openapi(3, "shop.example.com/v1")


def test_the_guard_applies_to_documents() -> None:
    crd = _crd()

    def guard(guarded: CustomResourceDefinition) -> None:
        raise engine.CrdError([engine.Mistake(guarded.name, 0, "refused")])

    with pytest.raises(engine.CrdError, match="refused"):
        crd.guarded(guard).version("v1").openapi(3)
