"""Prepared conversations with a server, by topic."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_JOBS: Final = "/apis/fuzz.example.com/v1/namespaces/{ns}/jobs"
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_TABLE: Final = "application/json;as=Table;g=meta.k8s.io;v=v1"
_LABELS: Final = (
    "a=b", "!a", "a in (b,c)", "a notin (b)", "a in ()", "a notin ()", "a in (,)", "a in (b,)", "a in (,b)", "a in (b,,c)", "a in (b,,)",
    "a>1", "a>x", "a<5", "a> ", "a in b", "in", "a in (in)", "!a=b", "a,", "a,,b", "(", "a b", "-a=b", "a=-b", "x/y/z=1", "a=b c",
    "notin in (x)", "a!=", "a=", "a =  b , c", "a in (b", "a in (b c)", ",a", "A/b=c", "a==b,c!=d,!e", "é=x", "a=é", "a in (=)",
    "a in (b,=)", "a==!", "!", "!!a", "a!b", "a===b", "tier", "tier=1", "tier>2", "tier<2", "tier notin (1,2)", "n>0",
    f"{'a' * 64}=b", f"a={'b' * 64}",
)  # fmt: skip
_FIELDS: Final = (
    "metadata.name=a", "metadata.namespace={ns}", "metadata.name==a,spec.schedule!=b", r"metadata.name=a\,b", r"metadata.name=a\x",
    "metadata.name=a=b", "=a", "metadata.name", "metadata.name=", "foo!=bar", "metadata.uid=x", ",", "metadata.name=a,", "status.x=1",
    "metadata.name=a\\", "spec.paused=true", "spec.paused=", "spec.schedule=",
)  # fmt: skip
_OPTIONS: Final = (
    "limit=99999999999999999999", "timeoutSeconds=1.5", "limit=%2B2", "limit=", "limit=-1", "resourceVersion=1&continue=x",
    "resourceVersionMatch=Exact&resourceVersion=5&continue=x&limit=1", "resourceVersion=-1", "continue=abc", "continue=a!c",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiIvYlx1MDAwMCJ9", "continue=eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6Ii9iIn0",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIifQ", "continue=W10",
    "continue=nonsense", "continue=_w", "continue=eyJ2Ijoi_yJ9",
    "resourceVersionMatch=Exact", "resourceVersion=1&resourceVersionMatch=Foo", "resourceVersion=0&resourceVersionMatch=Exact",
    "sendInitialEvents=true", "sendInitialEvents=0", "resourceVersion=abc", "watch=0", "watch=false",
)  # fmt: skip
_WATCHES: Final = (
    "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "sendInitialEvents=true&resourceVersionMatch=Exact", "continue=x",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
    "resourceVersion=abc", "timeoutSeconds=x", "fieldSelector=spec.image%3Dx", "limit=1", "",
)  # fmt: skip
_ACCEPTS: Final = (
    "application/json", "application/yaml", "*/*", "application/*", "text/html", "application/json;as=Foo;g=meta.k8s.io;v=v1",
    "application/json;as=Table;g=meta.k8s.io;v=v2", "application/json;as=Table;g=meta.k8s.io;v=v1beta1", "application/json;as=Table",
    "application/cbor,application/json;q=0.5", "application/json;q=x", "application/json;pretty=1", "application/yaml;q=0.2,*/*;q=0.1",
)  # fmt: skip


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "label selectors": [*_three(), *(_listed("labelSelector", text) for text in _LABELS)],
        "field selectors": [*_three(), *(_listed("fieldSelector", text) for text in _FIELDS)],
        "creates with a resourceVersion": [
            _create("a"),
            *(_create("b", resourceVersion=version) for version in ("5", "007", "18446744073709551615")),
            _create("a", resourceVersion="5"),
            *({**_create(name, resourceVersion="5"), "path": f"{_JOBS}?dryRun=All"} for name in ("a", "d")),
            {**_create("d", resourceVersion="x"), "path": f"{_JOBS}?dryRun=All"},
            {
                "method": "PATCH",
                "path": f"{_JOBS}/d?dryRun=All&fieldManager=m",
                "body": _create("d", resourceVersion="5")["body"],
                "mediaType": _APPLY,
            },
            _create("No", resourceVersion="5"),
            _create("c", resourceVersion="5", uid="00000000-0000-0000-0000-000000000001"),
            *(
                _create(f"e{place}", resourceVersion=text)
                for place, text in enumerate(("", "0", "x", "-1", "1.5", "9" * 20))
            ),
            _get(_JOBS),
        ],
        "options of lists": [*_three(), *(_get(f"{_JOBS}?{text}") for text in _OPTIONS)],
        "options of watches": [*_three(), *(_watched(f"{_JOBS}?watch=1&{text}") for text in _WATCHES)],
        "paths of watches": [
            *_three(),
            _watched(_JOBS.replace("/v1/", "/v1/watch/")),
            _watched(_JOBS.replace("/v1/", "/v1/watch/") + "/a"),
            _watched(f"{_JOBS}?watch=1", accept="application/yaml"),
            _watched(f"{_JOBS}?watch=1", accept="application/json;stream=watch"),
            _watched(f"{_JOBS}?watch=1&includeObject=Object", accept=_TABLE),
            _create("d"),
            {"method": "DELETE", "path": f"{_JOBS}/d"},
        ],
        "forms of answers": [*_three(), *(_get(f"{_JOBS}/a", accept=text) for text in _ACCEPTS)],
        "forms of lists": [*_three(), *(_get(f"{_JOBS}?limit=1", accept=text) for text in _ACCEPTS)],
        "tables": [
            *_three(),
            *(
                _get(f"{_JOBS}?includeObject={text}", accept=_TABLE)
                for text in ("Object", "None", "Metadata", "", "Foo")
            ),
            _get(f"{_JOBS}/a/scale", accept=_TABLE),
            _get(f"{_JOBS}/a/status", accept=_TABLE),
            _get(f"{_JOBS}/nothing", accept=_TABLE),
            _get(f"{_DEFINITIONS}/jobs.fuzz.example.com?includeObject=None", accept=_TABLE),
        ],
        "pages": [
            *_three(),
            _get(f"{_JOBS}?limit=1"),
            {"method": "DELETE", "path": f"{_JOBS}/b"},
            _create("aa"),
            _get(f"{_JOBS}?limit=1&continue={{continue:3}}"),
            _get(f"{_JOBS}?limit=1&continue={{continue:6}}"),
            _get(f"{_JOBS}?limit=1&labelSelector=tier"),
            _get(f"{_JOBS}?resourceVersion={{rv:0}}&resourceVersionMatch=Exact"),
        ],
        "deletes": [
            *_three(),
            *({"method": "DELETE", "path": f"{_JOBS}/a", "body": body} for body in _DELETES),
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": "{bad"},
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": "dryRun: [All]\n", "mediaType": "application/yaml"},
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": "x", "mediaType": "text/plain"},
            {"method": "DELETE", "path": f"{_JOBS}/a?gracePeriodSeconds=x"},
            {"method": "DELETE", "path": f"{_JOBS}/a?orphanDependents=true"},
            {"method": "DELETE", "path": f"{_JOBS}/b?dryRun=All"},
            {"method": "DELETE", "path": f"{_JOBS}/b?orphanDependents=false"},
            {"method": "DELETE", "path": f"{_JOBS}/c"},
            _get(_JOBS),
        ],
        "deletions that wait": [
            _watched(f"{_JOBS}?watch=1"),
            _create("a", finalizers=["example.com/hold", "example.com/too"]),
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": {"dryRun": ["All"]}},
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": {"propagationPolicy": "Foreground"}},
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": {"propagationPolicy": "Orphan"}},
            {"method": "DELETE", "path": f"{_JOBS}/a", "body": {"propagationPolicy": "Background"}},
            _create("a"),
            _merge("a", {"metadata": {"finalizers": ["example.com/new"]}}),
            _merge("a", {"spec": {"replicas": 5}}),
            _merge("a", {"metadata": {"finalizers": None}}),
            _get(f"{_JOBS}/a"),
        ],
        "methods and paths": [
            *_three(),
            *({"method": method, "path": path} for method in ("PUT", "PATCH", "DELETE", "POST") for path in _PATHS),
            {"method": "FOO", "path": _JOBS},
            {"method": "OPTIONS", "path": _JOBS},
            *(_get(path) for path in (*_PATHS[:-2], _PATHS[-1], *_OTHER_PATHS)),
        ],
        "bodies": [
            *(
                {"method": "POST", "path": _JOBS, "body": body}
                for body in ("{", "[]", "null", '"x"', "{}", "", '{"a":1,}')
            ),
            {"method": "POST", "path": _JOBS, "body": "{}", "mediaType": "text/plain"},
            {"method": "POST", "path": _JOBS, "body": "{}", "mediaType": "application/cbor"},
            {"method": "PATCH", "path": f"{_JOBS}/a", "body": "{}", "mediaType": "text/plain"},
            {"method": "POST", "path": f"{_JOBS}?fieldManager={'x' * 130}", "body": _job("a")},
            {
                "method": "POST",
                "path": f"{_JOBS}?dryRun=All",
                "body": {**_job("g"), "metadata": {"generateName": "gen-"}},
            },
            {"method": "POST", "path": _JOBS, "body": {**_job("g"), "metadata": {"generateName": "gen-"}}},
            {"method": "POST", "path": _JOBS, "body": {**_job("g"), "metadata": {}}},
            {"method": "POST", "path": _JOBS, "body": {**_job("g"), "metadata": []}},
        ],
        "namespaces that are not there": [
            {"method": "POST", "path": _NOWHERE, "body": _job("a")},
            {"method": "POST", "path": _NOWHERE, "body": {**_job("a"), "spec": {"replicas": -1}}},
            {"method": "POST", "path": _NOWHERE, "body": {"kind": "Job"}},
            {"method": "POST", "path": f"{_NOWHERE}?dryRun=Some", "body": _job("a")},
            {"method": "PATCH", "path": f"{_NOWHERE}/a?fieldManager=m", "body": _job("a"), "mediaType": _APPLY},
            {"method": "PATCH", "path": f"{_NOWHERE}/a", "body": {}, "mediaType": "application/merge-patch+json"},
            {"method": "PUT", "path": f"{_NOWHERE}/a", "body": _job("a")},
            {"method": "DELETE", "path": f"{_NOWHERE}/a"},
            _get(_NOWHERE),
        ],
        "discovery": [_get(path) for path in _DISCOVERED],
    }


_APPLY: Final = "application/apply-patch+yaml"
_NOWHERE: Final = _JOBS.replace("{ns}", "nowhere")
_PATHS: Final = (
    _JOBS, f"{_JOBS}/x", f"{_JOBS}/x/status", f"{_JOBS}/x/other", "/apis/fuzz.example.com/v1/jobs", "/apis/fuzz.example.com/v1/boards/x/status",
)  # fmt: skip
_OTHER_PATHS: Final = (
    "/nope",
    "/apis/nope.example.com",
    "/apis/nope.example.com/v1",
    "/apis/fuzz.example.com/v9",
    "/apis/a/b/c",
)
_DISCOVERED: Final = ("/apis/fuzz.example.com", "/apis/fuzz.example.com/v1", "/apis/fuzz.example.com/v1beta1")
_DELETES: Final = (
    {"preconditions": {"uid": "nope"}},
    {"preconditions": {"resourceVersion": "1"}},
    {"preconditions": {"uid": ""}},
    {"propagationPolicy": "Foo"},
    {"propagationPolicy": "Foo", "orphanDependents": True, "dryRun": ["Some"]},
    {"orphanDependents": True, "propagationPolicy": "Orphan"},
    {"dryRun": ["All"]},
)


def _job(name: str) -> JSONValue:
    return {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"schedule": name}}


def _create(name: str, **metadata: JSONValue) -> JSONValue:
    value = _job(name)
    value["metadata"].update(metadata)
    return {"method": "POST", "path": _JOBS, "body": value}


def _three() -> list[JSONValue]:
    return [
        _create("a", labels={"tier": "1", "n": "3"}),
        _create("b", labels={"tier": "3"}),
        {
            "method": "POST",
            "path": _JOBS,
            "body": {**_job("c"), "spec": {"paused": True, "ports": [{"name": "p", "port": 1}]}},
        },
    ]


def _get(path: str, accept: str = "") -> JSONValue:
    return {"method": "GET", "path": path} | ({"accept": accept} if accept else {})


def _watched(path: str, accept: str = "") -> JSONValue:
    return {**_get(path, accept), "watch": True}


def _merge(name: str, body: JSONValue) -> JSONValue:
    return {"method": "PATCH", "path": f"{_JOBS}/{name}", "body": body, "mediaType": "application/merge-patch+json"}


def _listed(option: str, text: str) -> JSONValue:
    return _get(f"{_JOBS}?{option}={urllib.parse.quote(text, safe='{}')}")
