"""
Recorded OpenAPI documents of real API servers.

`published/schemas.jsonl` has those of field schemas, `published/crds.jsonl` those of CRDs.

The recorder writes the files, and the tests compare them with the engine. Documents are large and mostly alike:
recorded are a digest, and the schema of the objects, which shows the cause of a different digest.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue

FOLDER: Final = Path(__file__).parent / "published"
SCHEMAS: Final = FOLDER / "schemas.jsonl"
CRDS: Final = FOLDER / "crds.jsonl"
# Newest first.
VERSIONS: Final = tuple(version for version in reversed(profile.KNOWN) if version not in profile.PREVIEWS)
_GROUP: Final = "keywords.example.com"
# Properties of every object, which only the digest covers.
_EVERYWHERE: Final = ("apiVersion", "kind", "metadata")


def schemas() -> list[JSONValue]:
    """Return the recorded field schemas: `schema`, and `answers` by versions, `1.32-1.37`."""
    return _read(SCHEMAS)


def crds() -> list[JSONValue]:
    """Return the recorded CRDs: `name`, `crd`, and `answers` by versions, `1.32-1.37`."""
    return _read(CRDS)


def write(of_schemas: Iterable[JSONValue], of_crds: Iterable[JSONValue]) -> None:
    """Write both files, a line for each schema and CRD."""
    for path, items in ((SCHEMAS, of_schemas), (CRDS, of_crds)):
        path.write_text("".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items), encoding="utf-8")


def _read(path: Path) -> list[JSONValue]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def field(index: int) -> str:
    """Return the name of the field of a schema in `crd_of_fields`."""
    return f"f{index:04}"


def crd_of_fields(of_fields: Sequence[JSONValue]) -> JSONValue:
    """Return a CRD with a field for each schema."""
    schema = {
        "type": "object",
        "properties": {field(index): field_schema for index, field_schema in enumerate(of_fields)},
    }
    names = {"plural": "cases", "singular": "case", "kind": "Case", "listKind": "CaseList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"cases.{_GROUP}"},
        "spec": {"group": _GROUP, "names": names, "scope": "Cluster", "versions": [version]},
    }


def own_schema(document: JSONValue, crd: JSONValue) -> JSONValue:
    """Return the schema of the objects of *crd* in an OpenAPI document for one version."""
    own = document["definitions"] if "definitions" in document else document["components"]["schemas"]
    group = ".".join(reversed(crd["spec"]["group"].split(".")))
    kind = crd["spec"]["names"]["kind"]
    return next(schema for name, schema in own.items() if name.startswith(f"{group}.") and name.endswith(f".{kind}"))


def abridge(document: JSONValue, crd: JSONValue) -> JSONValue:
    """Return the recorded parts of a document, the schema of the objects and a digest, or None for None."""
    if document is None:
        return None
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    own = dict(own_schema(document, crd))
    own.pop("x-kubernetes-group-version-kind")
    if "properties" in own:
        own["properties"] = {name: schema for name, schema in own["properties"].items() if name not in _EVERYWHERE}
    return {"schema": own, "digest": hashlib.sha256(text.encode()).hexdigest()[:32]}


def shorten(schema: JSONValue, forms: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return the recorded parts of a published field schema, without forms that equal the declared schema."""
    return {form: form_schema for form, form_schema in forms.items() if form_schema != schema}


def restore(schema: JSONValue, short: Mapping[str, JSONValue], form: str) -> JSONValue:
    """Return the published field schema in one form, given the result of `shorten`."""
    return short.get(form, schema)


def versions(span: str) -> list[str]:
    """Return the versions in `1.32-1.37`, or a single one."""
    first, _, last = span.partition("-")
    minors = [int(version.partition(".")[2]) for version in (first, last or first)]
    return [f"1.{minor}" for minor in range(minors[0], minors[1] + 1) if f"1.{minor}" in VERSIONS]


def join_versions(by_version: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return answers by ranges of versions: neighbours with equal answers are joined, the newest first."""
    spans: dict[str, JSONValue] = {}
    recorded_versions = [version for version in VERSIONS if version in by_version]
    for _, group in itertools.groupby(
        recorded_versions, key=lambda version: json.dumps(by_version[version], sort_keys=True)
    ):
        last, *older = group
        spans[f"{older[-1]}-{last}" if older else last] = by_version[last]
    return spans
