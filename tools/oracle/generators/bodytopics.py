"""Conversations with a server about bodies that cannot be parsed, or do not match the URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_MAPS: Final = "/api/v1/namespaces/{ns}/configmaps"
_JOBS: Final = "/apis/fuzz.example.com/v1/namespaces/{ns}/jobs"
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_YAML, _JSON = "application/yaml", "application/json"
_PATCHES: Final = tuple(f"application/{kind}+json" for kind in ("merge-patch", "strategic-merge-patch", "json-patch"))
_BROKEN: Final = (
    "a: [1", "a:\n\tb: 1", "a: b: c", "{", "{a: b: c}", "a: &x 1\nb: *y", "a: *x", "%YAML 1.3\n---\na: 1", "%YAML 1.2\n---\na: 1", 'a: "\\q"',
    "a: 'x", "a:\n  - b\n c: d\n", "@a: 1", "a: `x`", "a: {b: 1", "key: [a, b\nother: c", "\x00", "a: \x01", "<<: 1", "<<: [1]\n",
    "metadata: {name: [}", "[a, b", "metadata:\n  name: x\n bad: y", "a: |\n b\n c: d\n e\nf", "metadata:\n\tname: x", "!!binary x",
    "a: .inf", "a: -.inf", "a: .nan\n", "a: 1\n b: 2\n", "- a\nb: c\n", "a: 1\nb\n", "a: !<x 1", "%FOO\n", "a: |x\n b\n", "a: &a [*a]\n", "b:\n- c: [1, 2\n- d\n",
    'a: "x\n', "%YAML 1\n---\na", "%YAML 1.1\n%YAML 1.1\n---\na: 1", "a: !!int x", "a: !!float x", "a: !!bool x",
)  # fmt: skip
_OTHERS: Final = (
    "- a\n- b",
    "null",
    "x",
    "5",
    "kind: 5",
    "apiVersion: [a]",
    "kind: Nope",
    "apiVersion: a/b/c\nkind: ConfigMap",
    "~",
    "# nothing",
)
_JSON_BROKEN: Final = (
    "{", "[]", '"x"', "1", "true", " ", "", '{"a":1,}', '{"kind":5}', '{"apiVersion":[]}', '{"a":1}x', "nul", '{"a":01}', '{"a":"\\x"}',
    "tru", "-", "1.", "1e", '"\\', '"\\u1',     "{'a':1}", "kind: ConfigMap\n", '{"apiVersion":"a/b/c"}', '{"a":"\n"}', '{"a" 1}', '{"a":1 "b":2}', "[1,2", '{"a":-}', '{"a":1.}', '{"a":1e}', "\x00",
    '{"Kind":5}', '{"a":"\\u12"}', '{"a":tru}', "{,}", "}", '{"a"',
)  # fmt: skip


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation by topic: all texts for one kind, and some for other kinds."""
    some = _BROKEN[::9]
    return {
        "unreadable YAML": [*_created(_YAML, (*_BROKEN, *_OTHERS), _MAPS), *_applied((*_BROKEN, *_OTHERS), _MAPS)],
        "unreadable JSON": [*_created(_JSON, _JSON_BROKEN, _MAPS), *_patched(_MAPS), *_shaped()],
        "unreadable objects of others": [
            request
            for path in (_JOBS, _DEFINITIONS)
            for request in (
                *_created(_YAML, (*some, *_OTHERS), path),
                *_created(_JSON, _JSON_BROKEN[::3], path),
                *_applied((*some, *_OTHERS), path),
                *_patched(path),
            )
        ],
        "unreadable options": [*_deleted()],
    }


def _created(media_type: str, texts: Sequence[str], path: str) -> Iterator[JSONValue]:
    for text in texts:
        yield {"method": "POST", "path": path, "body": text, "mediaType": media_type}
    yield {"method": "PUT", "path": f"{path}/a", "body": texts[0], "mediaType": media_type}


def _applied(texts: Sequence[str], path: str) -> Iterator[JSONValue]:
    for text in texts:
        yield {
            "method": "PATCH",
            "path": f"{path}/a?fieldManager=m",
            "body": text,
            "mediaType": "application/apply-patch+yaml",
        }


def _patched(path: str) -> Iterator[JSONValue]:
    for text in ("{", "a: 1", "", "x", "nul"):  # the object does not exist
        yield from ({"method": "PATCH", "path": f"{path}/a", "body": text, "mediaType": kind} for kind in _PATCHES)


def _shaped() -> Iterator[JSONValue]:
    """Yield patches of a ConfigMap that are JSON, but no valid patches."""
    yield {"method": "POST", "path": _MAPS, "body": {"metadata": {"name": "b"}, "data": {"a": "b"}}}
    for text in ("[]", "5", '"x"', "null", "true", "{}"):
        yield from ({"method": "PATCH", "path": f"{_MAPS}/b", "body": text, "mediaType": kind} for kind in _PATCHES)


def _deleted() -> Iterator[JSONValue]:
    for path in (_MAPS, _JOBS, _DEFINITIONS):
        for media_type, texts in ((_YAML, (*_BROKEN[::9], *_OTHERS)), (_JSON, _JSON_BROKEN[::3])):
            for text in texts:
                yield {"method": "DELETE", "path": f"{path}/none", "body": text, "mediaType": media_type}
