"""
Record the OpenAPI documents of the built-in kinds: pytest_crd/engine/openapi/kubernetesdocuments.json.gz.

They come from the specification that each release publishes, in the Go module `k8s.io/kubernetes`. It was written by a server with
all feature gates but one: it has CBOR, which a server does not have by default, and no enumerations, which it has. These are
added from the generated definitions of the same module.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest_crd.engine.openapi
from oracle.recorders import origin
from oracle.servers.programs import SOURCES
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import keyorder, kubernetesdocuments

# The recorded release of each version.
RELEASES: Final = {
    "1.37": "v1.37.2",
    "1.36": "v1.36.3",
    "1.35": "v1.35.4",
    "1.34": "v1.34.4",
    "1.33": "v1.33.13",
    "1.32": "v1.32.13",
    "1.21": "v1.21.14",
}
_FILE: Final = Path(pytest_crd.engine.openapi.__file__).with_name("kubernetesdocuments.json.gz")
_ORIGIN: Final = origin.statement("kubernetesdocuments", f"k8s.io/kubernetes {', '.join(RELEASES.values())}")
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
_GVK: Final = "x-kubernetes-group-version-kind"
# Versions that a server does not serve by default.
_UNSTABLE: Final = re.compile(r"v\d+(alpha|beta)\d")
# The document of a handler that is off by default.
_LOGS: Final = "logs"
_ENUM: Final = re.compile(r"Enum: +\[\]interface\{\}\{(.*)\},")
_DESCRIPTION: Final = re.compile(r'Description: +(".*"),')
_FIELD: Final = re.compile(r'"([^"]+)": \{')
_STEPS: Final = {
    "Items: &spec.SchemaOrArray{": "items",
    "AdditionalProperties: &spec.SchemaOrBool{": "additionalProperties",
}
# Shorter texts are not shared.
_SHORT: Final = 12


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> int:
    """Write the file."""
    versions = {version: _documents(Path(_module(release))) for version, release in RELEASES.items()}
    content = {origin.KEY: _ORIGIN, **_Packing(versions).packed()}
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    packed = json.loads(text)
    assert {version: kubernetesdocuments.unpack(packed, version) for version in versions} == versions
    _FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{_FILE.name}: {len(versions)} versions, {_FILE.stat().st_size} bytes")
    return 0


def _module(release: str) -> str:
    """Return the folder of the module `k8s.io/kubernetes` of a release, which Go downloads."""
    command = ["go", "mod", "download", "-json", f"k8s.io/kubernetes@{release}"]
    process = subprocess.run(command, cwd=SOURCES / "kube", check=True, capture_output=True, text=True)
    return str(json.loads(process.stdout)["Dir"])


def _documents(module: Path) -> dict[str, JSONValue]:
    """Return the documents of a release by path."""
    published = module / "api" / "openapi-spec"
    whole = json.loads((published / "swagger.json").read_text(encoding="utf-8"))
    if not (published / "v3").is_dir():
        return {kubernetesdocuments.VERSION_2: keyorder.ordered(_stable(whole), 2)}
    documents = {}
    enums = dict(_enums(module))
    for file in sorted((published / "v3").iterdir()):
        path = file.name.removesuffix("_openapi.json").replace("__", "/")
        if path != _LOGS and not _UNSTABLE.search(path):
            document = _without_cbor(json.loads(file.read_text(encoding="utf-8")))
            for name, schema in document.get("components", {}).get("schemas", {}).items():
                _add_enums(schema, enums.get(_function(name), {}))
            documents[path] = keyorder.ordered(document, 3)
    kinds = {
        name: {_GVK: whole["definitions"][name][_GVK]} for name in (f"{_META}.DeleteOptions", f"{_META}.WatchEvent")
    }
    common = {key: whole[key] for key in ("swagger", "info", "parameters", "securityDefinitions", "security")}
    return {**documents, kubernetesdocuments.VERSION_2: keyorder.ordered({**common, "definitions": kinds}, 2)}


def _stable(document: Mapping[str, Any]) -> dict[str, JSONValue]:
    """Return a document of OpenAPI v2 without the paths and types of unstable versions."""
    parts = {
        part: {name: value for name, value in document[part].items() if not _UNSTABLE.search(name)}
        for part in ("paths", "definitions")
    }
    return {**document, **parts}


def _without_cbor(value: JSONValue) -> JSONValue:
    if isinstance(value, list):
        return [_without_cbor(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_cbor(item) for key, item in value.items() if not re.match(r"application/.*cbor", key)}


class _Enum(NamedTuple):
    description: str
    values: list[str]


def _function(name: str) -> str:
    """Return the name of the function in the module that defines a type."""
    parts = name.split(".")
    return "_".join(("schema_k8sio_api", *parts[3:]) if name.startswith("io.k8s.api.") else ("schema", *parts[-5:]))


def _enums(module: Path) -> Iterator[tuple[str, Mapping[tuple[str, ...], _Enum]]]:
    """Yield the names of the functions that define types with enumerations, each with these by the path of their field."""
    text = (module / "pkg" / "generated" / "openapi" / "zz_generated.openapi.go").read_text(encoding="utf-8")
    for function in re.finditer(r"^func (schema_\w+)\(ref.*?^}", text, re.MULTILINE | re.DOTALL):
        if enums := dict(_enums_of(function[0])):
            yield function[1], enums


def _enums_of(function: str) -> Iterator[tuple[tuple[str, ...], _Enum]]:
    steps: list[tuple[int, str]] = []
    descriptions: dict[tuple[str, ...], str] = {}
    for line in function.split("\n"):
        indented, code = len(line) - len(line.lstrip("\t")), line.strip()
        while steps and steps[-1][0] >= indented:
            steps.pop()
        path = tuple(step for _, step in steps)
        if match := _FIELD.fullmatch(code):
            steps.append((indented, match[1]))
        elif code in _STEPS:
            steps.append((indented, _STEPS[code]))
        elif match := _DESCRIPTION.fullmatch(code):
            descriptions[path] = json.loads(match[1])
        elif match := _ENUM.fullmatch(code):
            yield path, _Enum(descriptions.get(path, ""), sorted(json.loads(f"[{match[1]}]")))


def _add_enums(schema: JSONValue, enums: Mapping[tuple[str, ...], _Enum]) -> None:
    """
    Add the enumerations of a type, and their descriptions.

    Raises:
        RuntimeError: The published description is another one.
    """
    for path, enum in enums.items():
        node = schema["properties"][path[0]]
        for step in path[1:]:
            node = node[step]
        if node.get("description", "") != re.sub(r"\n+Possible enum values:.*", "", enum.description, flags=re.DOTALL):
            raise RuntimeError(f"{path} has another description than the definition")
        node |= {"enum": enum.values, **({"description": enum.description} if enum.description else {})}


class _Packing:
    """The stored form of documents: values that occur several times are stored once, in the order of their first use."""

    def __init__(self, versions: Mapping[str, Mapping[str, JSONValue]]) -> None:
        self._versions = versions
        self._numbers: dict[object, int] = {}
        self._values: list[JSONValue] = []
        self._uses: Counter[int] = Counter()
        self._shared: list[JSONValue] = []
        self._places: dict[int, int] = {}

    def packed(self) -> dict[str, JSONValue]:
        """Return the stored form; documents of the same path stand together, which helps the compression."""
        paths = sorted({path for documents in self._versions.values() for path in documents})
        numbers = {
            (version, path): self._number(documents[path])
            for path in paths
            for version, documents in self._versions.items()
            if path in documents
        }
        versions: dict[str, dict[str, JSONValue]] = {version: {} for version in self._versions}
        for (version, path), number in numbers.items():
            versions[version][path] = self._stored(number)
        return {"versions": versions, "shared": self._shared}

    def _number(self, value: JSONValue) -> int:
        """Return the number of a value, the same one for equal values; count its uses."""
        stored: JSONValue = value
        if isinstance(value, dict):
            assert kubernetesdocuments.NUMBER not in value
            stored = {key: self._number(item) for key, item in value.items()}
        elif isinstance(value, list):
            stored = [self._number(item) for item in value]
        key = json.dumps([type(value).__name__, stored])
        if key not in self._numbers:
            self._numbers[key] = len(self._values)
            self._values.append(stored if isinstance(value, dict | list) else value)
            if isinstance(value, dict | list):
                self._uses.update(stored.values() if isinstance(value, dict) else stored)
        return self._numbers[key]

    def _stored(self, number: int) -> JSONValue:
        value = self._values[number]
        is_small = not isinstance(value, dict | list) and (not isinstance(value, str) or len(value) <= _SHORT)
        if self._uses[number] < 2 or is_small:
            return self._written(value)
        if number not in self._places:
            written = self._written(value)
            self._places[number] = len(self._shared)
            self._shared.append(written)
        return self._places[number]

    def _written(self, value: JSONValue) -> JSONValue:
        if isinstance(value, dict):
            return {key: self._stored(number) for key, number in value.items()}
        if isinstance(value, list):
            return [self._stored(number) for number in value]
        return value if isinstance(value, str | bool) else {kubernetesdocuments.NUMBER: value}
