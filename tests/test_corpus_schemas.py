"""JSON Schemas of real CRDs, compared with published ones and with the engine."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import realworld

from pytest_crd import engine
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue

CORPUS: Final = os.environ.get("CRD_CORPUS", "")
_MOST_OF_ONE: Final = 3
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with CRDs of real projects"),
]


def _served() -> Iterator[realworld.Served]:
    """Yield some CRDs with samples, from all parts of the corpus."""
    pairs = list(realworld.served(Path(CORPUS)))
    yield from itertools.islice(pairs, 0, None, max(1, len(pairs) // 40))


def _as_the_field_publishes(schema: JSONValue, *, is_root: bool = True) -> JSONValue:
    """
    Return a schema in the form of datreeio's CRDs-catalog, which forbids unknown fields except at the root.

    Reference:
        kubeconform scripts/openapi2jsonschema.py, additional_properties.
    """
    if isinstance(schema, list):
        return [_as_the_field_publishes(subschema, is_root=False) for subschema in schema]
    if not isinstance(schema, dict):
        return schema
    published = {key: _as_the_field_publishes(subschema, is_root=False) for key, subschema in schema.items()}
    if "properties" in published and not is_root and not published.get(_PRESERVE):
        published.setdefault("additionalProperties", False)
    return published


def _schema_of(version: engine.CrdVersion) -> JSONValue:
    node: Any = version.crd.manifest
    for step in declared.place_of_schema(version.crd.manifest, version.name):
        node = node[step]
    return node


def test_samples_are_valid_as_for_published_schemas_and_strict_servers() -> None:
    kinds, disagreeing = set(), []
    for served in _served():
        crd = engine.CustomResourceDefinition.from_manifest(served.crd)
        for sample in served.samples[:_MOST_OF_ONE]:
            version = crd.version(sample["apiVersion"].rpartition("/")[2])
            ours = jsonschema.Draft7Validator(version.json_schema() or {})
            published = jsonschema.Draft7Validator(_as_the_field_publishes(_schema_of(version)))
            answer = version.create(sample)
            try:
                is_valid = ours.is_valid(sample)
            except re.error:  # a Go pattern, which jsonschema cannot read in either form
                continue
            kinds.add((crd.kind, is_valid))
            # A value that only published schemas refuse, such as an allowed null, need not be refused.
            wanted = {published.is_valid(sample), answer.accepted and not answer.pruned}
            if is_valid not in wanted:
                disagreeing.append(f"{crd.name}: {sample['metadata']}: {is_valid}")

    assert not disagreeing
    assert len([kind for kind, is_valid in kinds if is_valid]) >= 10
