"""Replay of the OpenAPI documents of real API servers: field schemas, and whole documents by their digests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from conformance import published
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue

SCHEMAS: Final = published.schemas()
CRDS: Final = published.crds()

pytestmark = pytest.mark.replay


def _schemas_of(version: str) -> list[tuple[JSONValue, JSONValue]]:
    """Return the recorded field schemas of a Kubernetes *version*, each with its published forms."""
    return [
        (item["schema"], answer)
        for item in SCHEMAS
        for span, answer in item["answers"].items()
        if version in published.versions(span)
    ]


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("version", published.VERSIONS)
def test_each_keyword_and_pair_of_keywords_is_published_as_by_the_server(
    version: str, form: Any, compared: Callable[[str, int], None]
) -> None:
    recorded = _schemas_of(version)
    crd = published.crd_of_fields([schema for schema, _ in recorded])
    document = (
        engine.CustomResourceDefinition.from_manifest(crd, kubernetes_version=version).version("v1").openapi(form)
    )

    assert len(recorded) > 500
    if version == "1.21" and form == 3:
        assert document is None
        return
    fields = published.own_schema(document, crd)["properties"]
    fields_by_index = {index: fields[published.field(index)] for index in range(len(recorded))}
    expected = {index: published.restore(schema, answer, str(form)) for index, (schema, answer) in enumerate(recorded)}
    assert fields_by_index == expected
    compared("published schemas of fields", len(expected))


def _documents(version: str) -> Iterator[tuple[JSONValue, str, JSONValue]]:
    """Yield CRD, `VERSION/FORM` and recorded document for each CRD recorded with *version*."""
    for item in CRDS:
        for span, answers in item["answers"].items():
            if version in published.versions(span):
                yield from ((item["crd"], key, answer) for key, answer in answers.items())


@pytest.mark.parametrize("version", published.VERSIONS)
def test_whole_documents_equal_those_of_the_server(version: str, compared: Callable[[str, int], None]) -> None:
    documents, wrong = list(_documents(version)), []
    for crd, key, answer in documents:
        name, _, form = key.partition("/")
        form_number: Any = int(form)
        definition = engine.CustomResourceDefinition.from_manifest(crd, kubernetes_version=version)
        actual = published.abridge(definition.version(name).openapi(form_number), crd)
        if actual != answer:
            wrong.append(f"{crd['metadata']['name']} {key}\n  recorded: {answer}\n  engine:   {actual}")

    assert documents
    assert not wrong, "\n".join(wrong)
    compared("published documents", len(documents))


def test_documents_are_recorded_for_all_versions_and_for_v1beta1() -> None:
    kinds = {
        (version, item["crd"]["apiVersion"])
        for item in CRDS
        for span in item["answers"]
        for version in published.versions(span)
    }

    assert {(version, "apiextensions.k8s.io/v1") for version in published.VERSIONS} < kinds
    assert ("1.21", "apiextensions.k8s.io/v1beta1") in kinds
