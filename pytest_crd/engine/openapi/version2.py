"""
The document of OpenAPI v2 that a server has with documents of OpenAPI v3.

Reference:
    kube-openapi builder; kube-aggregator controllers/openapi/aggregator, which joins the documents of its servers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.openapi.commontypes import Schema

_Document = Mapping[str, Any]

_ACTION: Final = "x-kubernetes-action"
_DEFINITIONS, _PARAMETERS = "definitions", "parameters"
# The order of media types; OpenAPI v3 has them sorted.
_MEDIA_TYPES: Final = (
    *("text/plain", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"),
    *("application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"),
    *("application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json"),
    "application/apply-patch+yaml",
)


def of_documents(documents: Iterable[_Document], rest: _Document) -> dict[str, JSONValue]:
    """
    Return the parts of a document of v2 that documents of v3 define, and the rest.

    Args:
        documents: The documents of v3.
        rest: The other parts, among them the shared parameters, and additions to definitions.
    """
    convert = _Conversion(rest[_PARAMETERS])
    definitions: dict[str, JSONValue] = {}
    paths: dict[str, JSONValue] = {}
    for document in documents:
        schemas: Mapping[str, Schema] = document.get("components", {}).get("schemas", {})
        definitions |= {name: commontypes.as_v2(schema) for name, schema in schemas.items() if name not in definitions}
        paths |= {path: convert.item(item) for path, item in document["paths"].items()}
    added = {
        name: {**definitions[name], **fields} for name, fields in rest[_DEFINITIONS].items() if name in definitions
    }
    shared = {name: parameter for name, parameter in rest[_PARAMETERS].items() if name in convert.used}
    return {**rest, "paths": paths, _DEFINITIONS: {**definitions, **added}, _PARAMETERS: shared}


class _Conversion:
    """
    The conversion of paths.

    Attributes:
        used: The names of the shared parameters in them.
    """

    def __init__(self, shared: Mapping[str, Mapping[str, JSONValue]]) -> None:
        self._names = {_key(parameter): name for name, parameter in shared.items()}
        self.used: set[str] = set()

    def item(self, item: _Document) -> dict[str, JSONValue]:
        """Return the entry of a path."""
        return {
            key: self._sorted(value) if key == _PARAMETERS else self._operation(value) for key, value in item.items()
        }

    def _operation(self, operation: _Document) -> dict[str, JSONValue]:
        common = {key: value for key, value in operation.items() if key not in ("requestBody", _PARAMETERS)}
        produced = _media_types(next((answer for answer in operation["responses"].values() if "content" in answer), {}))
        body = operation.get("requestBody")
        parameters = self._sorted(operation.get(_PARAMETERS, ()), body)
        return {
            **common,
            "consumes": _media_types(body) if body else ["*/*"] if _ACTION in operation else produced,
            "produces": produced,
            "schemes": ["https"],
            **({_PARAMETERS: parameters} if parameters else {}),
            "responses": {code: _answer(answer) for code, answer in operation["responses"].items()},
        }

    def _sorted(self, parameters: Iterable[_Document], body: _Document | None = None) -> list[JSONValue]:
        """Return parameters in the order of their names, with the body among them."""
        flat = [
            {**{key: item for key, item in parameter.items() if key != "schema"}, **parameter["schema"]}
            for parameter in parameters
        ]
        if body is not None:
            common = {key: item for key, item in body.items() if key != "content"}
            flat.append({"in": "body", "name": "body", **common, "schema": _schema(body)})
        return [self._referred(parameter) for parameter in sorted(flat, key=lambda parameter: parameter["name"])]

    def _referred(self, parameter: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
        """Return a reference to a shared parameter, or another parameter itself."""
        name = self._names.get(_key(parameter))
        if name is None:
            return parameter
        self.used.add(name)
        return {"$ref": f"#/parameters/{name}"}


def _key(parameter: Mapping[str, JSONValue]) -> str:
    return json.dumps(parameter, sort_keys=True)


def _media_types(holder: _Document) -> list[str]:
    """Return the media types of a body; types without a place in the order are alone."""
    order = {media_type: place for place, media_type in enumerate(_MEDIA_TYPES)}
    return sorted(holder.get("content", {}), key=lambda media_type: order.get(media_type, -1))


def _schema(holder: _Document) -> Schema:
    """Return the schema of a body, which all its media types share."""
    return commontypes.as_v2(next(iter(holder["content"].values()))["schema"])


def _answer(answer: _Document) -> dict[str, JSONValue]:
    return {"description": answer["description"], **({"schema": _schema(answer)} if "content" in answer else {})}
