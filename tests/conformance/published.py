"""
What real API servers publish of CRDs, as it is recorded: `published/schemas.jsonl` for the schemas of fields, `published/crds.jsonl` for CRDs.

The recorder writes the files, the tests compare them with the engine. A document is large and mostly the same: of each a digest is recorded, and
the schema of the objects, which is what differs when the digest does.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd.engine import profile

JSONValue = Any

FOLDER: Final = Path(__file__).parent / "published"
SCHEMAS: Final = FOLDER / "schemas.jsonl"
CRDS: Final = FOLDER / "crds.jsonl"
# Newest first.
VERSIONS: Final = tuple(reversed(profile.KNOWN))
_GROUP: Final = "keywords.example.com"
# What every object has; it stands in the digest alone.
_EVERYWHERE: Final = ("apiVersion", "kind", "metadata")


def schemas() -> list[JSONValue]:
    """Return the recorded schemas of fields: `schema`, and `answers`, by versions, `1.32-1.37`."""
    return _read(SCHEMAS)


def crds() -> list[JSONValue]:
    """Return the recorded CRDs: `name`, `crd`, and `answers`, by versions, `1.32-1.37`."""
    return _read(CRDS)


def write(of_schemas: Iterable[JSONValue], of_crds: Iterable[JSONValue]) -> None:
    """Write both files, a line for each schema and CRD."""
    for path, items in ((SCHEMAS, of_schemas), (CRDS, of_crds)):
        path.write_text("".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items), encoding="utf-8")


def _read(path: Path) -> list[JSONValue]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def field(index: int) -> str:
    """Return what the field of a schema is called in `crd_of_fields`."""
    return f"f{index:04}"


def crd_of_fields(of_fields: Sequence[JSONValue]) -> JSONValue:
    """Return a CRD with a field for each schema."""
    schema = {"type": "object", "properties": {field(index): one for index, one in enumerate(of_fields)}}
    names = {"plural": "cases", "singular": "case", "kind": "Case", "listKind": "CaseList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"cases.{_GROUP}"},
        "spec": {"group": _GROUP, "names": names, "scope": "Cluster", "versions": [version]},
    }


def own_schema(document: JSONValue, crd: JSONValue) -> JSONValue:
    """Return the schema of the objects of *crd* in a document of one version of it."""
    own = document["definitions"] if "definitions" in document else document["components"]["schemas"]
    group = ".".join(reversed(crd["spec"]["group"].split(".")))
    kind = crd["spec"]["names"]["kind"]
    return next(schema for name, schema in own.items() if name.startswith(f"{group}.") and name.endswith(f".{kind}"))


def abridged(document: JSONValue, crd: JSONValue) -> JSONValue:
    """Return what is recorded of a document: of the schema of the objects what is theirs, and a digest of all; None where there is none."""
    if document is None:
        return None
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    own = dict(own_schema(document, crd))
    own.pop("x-kubernetes-group-version-kind")
    if "properties" in own:
        own["properties"] = {name: one for name, one in own["properties"].items() if name not in _EVERYWHERE}
    return {"schema": own, "digest": hashlib.sha256(text.encode()).hexdigest()[:32]}


def shortened(schema: JSONValue, found: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return what is recorded of the schema of a field: nothing of a form where it is as declared."""
    return {form: one for form, one in found.items() if one != schema}


def whole(schema: JSONValue, short: Mapping[str, JSONValue], form: str) -> JSONValue:
    """Return what is published of the schema of a field in one form, of what `shortened` returned."""
    return short.get(form, schema)


def versions(span: str) -> list[str]:
    """Return the versions of `1.32-1.37`, or of a single one."""
    first, _, last = span.partition("-")
    minors = [int(version.partition(".")[2]) for version in (first, last or first)]
    return [f"1.{minor}" for minor in range(minors[0], minors[1] + 1) if f"1.{minor}" in VERSIONS]


def spanned(by_version: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return answers by version with neighbours together that are the same, the newest first."""
    spans: dict[str, JSONValue] = {}
    known = [version for version in VERSIONS if version in by_version]
    for _, group in itertools.groupby(known, key=lambda version: json.dumps(by_version[version], sort_keys=True)):
        last, *others = group
        spans[f"{others[-1]}-{last}" if others else last] = by_version[last]
    return spans
