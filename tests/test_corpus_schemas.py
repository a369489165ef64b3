"""JSON Schemas of CRDs that real projects ship, held against the form that the field publishes, and against the engine."""

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

JSONValue = Any

CORPUS: Final = os.environ.get("CRD_CORPUS", "")
_MOST_OF_ONE: Final = 3
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with CRDs of real projects"),
]


def _served() -> Iterator[realworld.Served]:
    """Yield some CRDs with samples, from all over the corpus."""
    found = list(realworld.served(Path(CORPUS)))
    yield from itertools.islice(found, 0, None, max(1, len(found) // 40))


def _as_the_field_publishes(schema: JSONValue, *, is_root: bool = True) -> JSONValue:
    """
    Return a schema as datreeio's CRDs-catalog has it: no other fields beside those that are named, but at the root.

    Reference:
        kubeconform scripts/openapi2jsonschema.py, additional_properties.
    """
    if isinstance(schema, list):
        return [_as_the_field_publishes(one, is_root=False) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _as_the_field_publishes(one, is_root=False) for key, one in schema.items()}
    if "properties" in made and not is_root and not made.get(_PRESERVE):
        made.setdefault("additionalProperties", False)
    return made


def _schema_of(version: engine.CrdVersion) -> JSONValue:
    node: Any = version.crd.manifest
    for step in declared.place_of_schema(version.crd.manifest, version.name):
        node = node[step]
    return node


def test_samples_are_valid_where_they_are_for_the_field_and_where_a_strict_server_takes_them() -> None:
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
            except re.error:  # a pattern for Go alone, which jsonschema cannot read in either form
                continue
            kinds.add((crd.kind, is_valid))
            # What the field refuses and a server takes, such as a null that may be there, need not be refused.
            wanted = {published.is_valid(sample), answer.accepted and not answer.pruned}
            if is_valid not in wanted:
                disagreeing.append(f"{crd.name}: {sample['metadata']}: {is_valid}")

    assert not disagreeing
    assert len([kind for kind, is_valid in kinds if is_valid]) >= 10
