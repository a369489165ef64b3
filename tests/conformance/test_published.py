"""Replay what real API servers published, without them: the schemas of fields, and whole documents by their digests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from conformance import published
from pytest_crd import engine

JSONValue = Any

SCHEMAS: Final = published.schemas()
CRDS: Final = published.crds()

pytestmark = pytest.mark.replay


def _schemas_of(version: str) -> list[tuple[JSONValue, JSONValue]]:
    """Return the schemas of which servers of a Kubernetes *version* were asked, with what they published of them."""
    return [
        (item["schema"], answer)
        for item in SCHEMAS
        for span, answer in item["answers"].items()
        if version in published.versions(span)
    ]


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("version", published.VERSIONS)
def test_each_keyword_and_pair_of_keywords_is_published_as_the_server_did(
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
    found = {index: fields[published.field(index)] for index in range(len(recorded))}
    expected = {index: published.whole(schema, answer, str(form)) for index, (schema, answer) in enumerate(recorded)}
    assert found == expected
    compared("published schemas of fields", len(expected))


def _documents(version: str) -> Iterator[tuple[JSONValue, str, JSONValue]]:
    """Yield of each CRD of which servers of *version* were asked what they published: the CRD, `VERSION/FORM`, the document."""
    for item in CRDS:
        for span, answers in item["answers"].items():
            if version in published.versions(span):
                yield from ((item["crd"], key, answer) for key, answer in answers.items())


@pytest.mark.parametrize("version", published.VERSIONS)
def test_whole_documents_are_those_of_the_server(version: str, compared: Callable[[str, int], None]) -> None:
    documents, wrong = list(_documents(version)), []
    for crd, key, answer in documents:
        name, _, form = key.partition("/")
        asked: Any = int(form)
        definition = engine.CustomResourceDefinition.from_manifest(crd, kubernetes_version=version)
        found = published.abridged(definition.version(name).openapi(asked), crd)
        if found != answer:
            wrong.append(f"{crd['metadata']['name']} {key}\n  recorded: {answer}\n  engine:   {found}")

    assert documents
    assert not wrong, "\n".join(wrong)
    compared("published documents", len(documents))


def test_each_form_was_recorded_of_old_and_new_versions_and_of_what_is_not_structural() -> None:
    kinds = {
        (version, item["crd"]["apiVersion"])
        for item in CRDS
        for span in item["answers"]
        for version in published.versions(span)
    }

    assert {(version, "apiextensions.k8s.io/v1") for version in published.VERSIONS} < kinds
    assert ("1.21", "apiextensions.k8s.io/v1beta1") in kinds
