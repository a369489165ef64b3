"""Random conversations whose requests each have one oddity: in numbers, media types, paths, parameters, sizes or managed fields."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_NUMBER: Final = re.compile(r"(?:(?<=\": )|(?<=\[)|(?<=, ))-?\d+(?:\.\d+)?(?=[,}\]])")
_NUMBERS: Final = (
    "1e20", "1E+2", "-0", "0.0", "1.0", "1.5e300", "1e-7", "1e21", "123456789012345678901234567890", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809", "0.1e1", "01", "+1", "1.", ".5", "NaN", "0x10", "1_000",
)  # fmt: skip
_MEDIA_TYPES: Final = (
    "application/json; charset=utf-8", "Application/JSON", "application/json;;", "application/json;", "application/json;a=b;c", "application/yaml",
    "application/yaml; charset=utf-8", "text/yaml", "application/x-yaml", "application/*", "*/*", "application", "application/cbor",
)  # fmt: skip
_PATCH_TYPES: Final = (
    "application/merge-patch+json; charset=utf-8", "Application/Merge-Patch+JSON", "application/apply-patch",
    "application/apply-patch+cbor", "application/json", "text/plain",
)  # fmt: skip
_ACCEPTS: Final = (
    "application/json;q=0", "application/json;q=0.1,application/yaml;q=0.2", "application/*;q=0.5", "*", "text/*", "application/json;as=Table",
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json;as=Table;v=v2;g=meta.k8s.io", "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    "application/json;pretty=1", "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json", "APPLICATION/JSON",
    "application/json;stream=watch", "application/yaml,*/*;q=0.1", ",", "application/json,",
)  # fmt: skip
_HEADERS: Final = (
    {"content-encoding": "gzip"}, {"content-encoding": "br"}, {"content-encoding": "identity"}, {"accept-encoding": "gzip;q=0"}, {"accept-encoding": "*"},
    {"if-match": "x"}, {"if-none-match": "*"}, {"range": "bytes=0-5"},
)  # fmt: skip
_PARAMETERS: Final = (
    "timeout=5", "timeout=abc", "timeout=1h", "timeout=-1s", "timeout=", "pretty=0", "pretty=x", "fieldManager=a%zz", "fieldManager=a;b", "fieldManager=",
    "fieldManager=" + "m" * 129, "fieldManager=%C3%BC", "fieldManager=a%0Ab", "force=1", "force=x", "force=", "dryRun=", "dryRun=All&dryRun=All",
    "dryRun=All&dryRun=Some", "fieldValidation=", "fieldValidation=strict", "limit=-1", "limit=x", "limit=9223372036854775808", "continue=x",
    "resourceVersion=-1", "resourceVersion=99999999999999999999", "resourceVersionMatch=Exact", "labelSelector=x+in+()",
    "labelSelector=x%3E9223372036854775808", "labelSelector=x%3C5", "labelSelector=!", "labelSelector=a%3Db%3Dc", "fieldSelector=metadata.name",
    "fieldSelector=a%3Db", "unknown=1", "gracePeriodSeconds=x", "gracePeriodSeconds=-5", "orphanDependents=x", "propagationPolicy=", "allowWatchBookmarks=x",
    "includeObject=None", "includeObject=Object", "includeObject=x", "watch=0", "timeoutSeconds=x", "sendInitialEvents=true", "&", "=", "a=b=c",
)  # fmt: skip
_MANAGERS: Final[tuple[JSONValue, ...]] = (
    [], [{}], None, "x", [{"manager": "z"}], [{"manager": "z", "operation": "Other"}], [{"manager": "m" * 129, "operation": "Update"}],
    [{"manager": "a\nb", "operation": "Apply", "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {}}],
    [{"manager": "m", "operation": "Update", "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:schedule": {}}}}],
    [{"manager": "m", "operation": "Apply", "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:ports": {'k:{"name":"p"}': {".": {}}}}}}],
    [{"manager": "m", "operation": "Update", "apiVersion": "a/b/c", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}],
    [{"manager": "m", "operation": "Update", "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV2", "fieldsV1": {"f:spec": {}}}],
    [{"manager": "m", "operation": "Update", "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"spec": {}}}],
    [{"manager": "m", "operation": "Update", "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"k:x": {}}}],
    [{"manager": "m", "operation": "Update", "subresource": "status", "apiVersion": "fuzz.example.com/v9", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}}],
    [{"manager": "m", "operation": "Update", "subresource": "s" * 257, "apiVersion": "fuzz.example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}}],
    [{"manager": "m", "operation": "Update", "time": "yesterday"}],
)  # fmt: skip
_PATHS: Final = (
    ("/jobs", "//jobs"), ("/jobs", "/jobs/"), ("/jobs/a", "/jobs//a"), ("/jobs/a", "/jobs/a/"), ("/jobs/a", "/jobs/%61"), ("/jobs/a", "/jobs/A"),
    ("/jobs/a", "/jobs/a%00"), ("/jobs/a", "/jobs/a%2Fb"), ("/jobs/a", "/jobs/a/status/x"), ("/jobs/a", "/jobs/%zz"), ("/jobs/a", "/jobs/a/b/c"),
    ("/apis/", "//apis/"), ("/apis/", "/APIs/"), ("/namespaces/", "/namespaces//"), ("/v1/", "/v1//"), ("/v1/", "/v2/"), ("/jobs", "/Jobs"),
    ("/jobs", "/jobs%20"), ("/jobs/a", "/jobs/.."), ("/jobs/a", "/jobs/."), ("/jobs/a", "/jobs/a%22b"), ("/jobs/a", "/jobs/%C3%BC"),
)  # fmt: skip


def alter(random: Random, requests: list[JSONValue]) -> list[JSONValue]:
    """Return *requests*, about half of them with an oddity."""
    return [_alter(random, request) for request in requests]


def _alter(random: Random, request: JSONValue) -> JSONValue:
    alterations = [
        _alter_number,
        _alter_media_type,
        _alter_accept,
        _alter_headers,
        _alter_path,
        _add_parameter,
        _add_managers,
        _enlarge,
    ]
    return random.choice(alterations)(random, request) if random.random() < 0.5 else request


def _alter_number(random: Random, request: JSONValue) -> JSONValue:
    text = json.dumps(request.get("body"))
    places = [*_NUMBER.finditer(text)]
    if not places or request.get("mediaType") == "application/apply-patch+yaml":
        return request
    place = random.choice(places)
    # A patch with a number beyond float64 is refused in other words.
    numbers = _NUMBERS if request["method"] == "PATCH" else (*_NUMBERS, "1e400")
    return {**request, "body": text[: place.start()] + random.choice(numbers) + text[place.end() :]}


def _alter_media_type(random: Random, request: JSONValue) -> JSONValue:
    types = _PATCH_TYPES if request["method"] == "PATCH" else _MEDIA_TYPES
    return {**request, "mediaType": random.choice(types)} if request.get("body") is not None else request


def _alter_accept(random: Random, request: JSONValue) -> JSONValue:
    return {**request, "accept": random.choice(_ACCEPTS)}


def _alter_headers(random: Random, request: JSONValue) -> JSONValue:
    return {**request, "headers": random.choice(_HEADERS)}


def _alter_path(random: Random, request: JSONValue) -> JSONValue:
    path, mark, query = request["path"].partition("?")
    changes = [(old, new) for old, new in _PATHS if old in path]
    old, new = random.choice(changes) if changes else ("", "")
    return {**request, "path": path.replace(old, new, 1) + mark + query}


def _add_parameter(random: Random, request: JSONValue) -> JSONValue:
    path = request["path"]
    return {**request, "path": path + ("&" if "?" in path else "?") + random.choice(_PARAMETERS)}


def _add_managers(random: Random, request: JSONValue) -> JSONValue:
    body = request.get("body")
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
        return request
    metadata = {**body["metadata"], "managedFields": random.choice(_MANAGERS)}
    return {**request, "body": {**body, "metadata": metadata}}


def _enlarge(random: Random, request: JSONValue) -> JSONValue:
    body = request.get("body")
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
        return request
    if random.random() < 0.5:
        metadata = {**body["metadata"], "annotations": {"note": "x" * random.choice((1000, 262_140, 262_141, 300_000))}}
        return {**request, "body": {**body, "metadata": metadata}}
    nested: JSONValue = 1
    for _ in range(random.choice((10, 100, 200))):
        nested = random.choice(({"a": nested}, [nested]))
    return {**request, "body": {**body, "unknown": nested}}
