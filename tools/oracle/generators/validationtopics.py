"""Prepared conversations about the validation of built-in kinds: each value of each field in creates and updates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from oracle.generators import clusterpools, servicepools, servicetopics, validationgen
from oracle.generators.validatedkinds import ABSENT
from oracle.generators.validationgen import KINDS
from pytest_crd.engine.jsonvalue import JSONValue

_MERGE: Final = "application/merge-patch+json"
# Longer values are left to the fuzzer.
_LONGEST: Final = 1500
_NAMES: Final = ("A_b", "a..b", "x" * 254, "x" * 64, "a/b", ".", "a%b", "a.b", "1a", "a-")


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        **{f"validation of each field of {kind}": [*_fields(kind)] for kind in _KINDS},
        "validation of names and metadata": [*_metadata()],
        "validation of immutable objects": [*_immutable()],
        "validation of Services, their addresses and ports": [*servicetopics.conversation()],
        # A file of its own.
        **{f"kinds that operators write: each field of {kind}": [*_fields(kind)] for kind in clusterpools.KINDS},
    }


_KINDS: Final = tuple(kind for kind in KINDS if kind not in clusterpools.KINDS)


# The fields of stored objects for which a server would choose values; each conversation has its own.
_CHOSEN: Final[Mapping[str, Mapping[str, str]]] = {validationgen.SERVICE: {"-a": "10.0.0.5", "-c": "10.0.0.6"}}


def _stored(kind: str, end: str) -> Any:
    """Return a valid object without fields that a server chooses."""
    chosen = {"spec.clusterIP": _CHOSEN[kind][end]} if kind in _CHOSEN else {}
    return validationgen.changed(kind, f"{{ns}}{end}", **chosen)


def _fields(kind: str) -> Iterator[JSONValue]:
    """Yield a create and a patch for each value of each field, as dry runs."""
    path = KINDS[kind].path
    yield {"method": "POST", "path": path, "body": _stored(kind, "-a")}
    for place, values in KINDS[kind].pools.items():
        for value in values:
            body = validationgen.changed(kind, "{ns}-b", **{place: value})
            if len(json.dumps(body)) > _LONGEST:
                continue
            yield {"method": "POST", "path": f"{path}?dryRun=All", "body": body}
            if servicepools.panics(value):
                continue
            patch: dict[str, Any] = {}
            validationgen.put(patch, place, None if value is ABSENT else value)
            parts = [f"/{name}" for name in KINDS[kind].subresources if name != "finalize"]
            is_unseen = kind == validationgen.SERVICE and place.startswith("spec")  # most of its fields are in the spec
            for part in ("", *(() if is_unseen else parts)):
                yield {
                    "method": "PATCH",
                    "path": f"{path}/{{ns}}-a{part}?dryRun=All",
                    "body": patch,
                    "mediaType": _MERGE,
                }
    if "finalize" in KINDS[kind].subresources:
        for value in KINDS[kind].pools["spec.finalizers"]:
            body = validationgen.changed(kind, "{ns}-a", **{"spec.finalizers": value, "metadata.labels": {"a": "b"}})
            yield {"method": "PUT", "path": f"{path}/{{ns}}-a/finalize?dryRun=All", "body": body}


def _metadata() -> Iterator[JSONValue]:
    """Yield creates and updates with names and metadata of one kind for each rule."""
    for kind in _KINDS:
        path = KINDS[kind].path
        yield {"method": "POST", "path": path, "body": _stored(kind, "-c")}
        for name in _NAMES:
            yield {"method": "POST", "path": f"{path}?dryRun=All", "body": validationgen.changed(kind, name)}
        for place in ("metadata.finalizers", "metadata.generateName", "metadata.generation"):
            for value in validationgen.METADATA[place]:
                body = validationgen.changed(kind, "{ns}-c", **{place: value})
                yield {"method": "PUT", "path": f"{path}/{{ns}}-c?dryRun=All", "body": body}
        prefixed = _stored(kind, "-c")
        prefixed["metadata"]["generateName"] = "gen-"
        yield {"method": "POST", "path": path, "body": prefixed}
        if kind != "v1 Namespace":
            yield {"method": "DELETE", "path": f"{path}/{{ns}}-c"}
            yield {"method": "DELETE", "path": f"{path}/{{ns}}-c"}
        for version in ("x", "5"):
            body = validationgen.changed(
                kind, "{ns}-d", **{"metadata.resourceVersion": version, "metadata.deletionGracePeriodSeconds": 5}
            )
            yield {"method": "PUT", "path": f"{path}/{{ns}}-d?dryRun=All", "body": body}
            apply = {"mediaType": "application/apply-patch+yaml", "body": body}
            yield {"method": "PATCH", "path": f"{path}/{{ns}}-d?dryRun=All&fieldManager=m", **apply}


def _immutable() -> Iterator[JSONValue]:
    """Yield updates of objects with immutable data, or of another type."""
    for kind, field in (("v1 ConfigMap", "binaryData"), ("v1 Secret", "data")):
        path = KINDS[kind].path
        body = validationgen.changed(kind, "i", immutable=True, data={"a": "YQ=="})
        yield {"method": "POST", "path": path, "body": body}
        for value in ({}, None, {"a": None}, {"a": ""}, {"b": "YQ=="}, {"a": "YQ=="}):
            for change in ({field: value}, {field: value, "immutable": None}, {"data": value, "immutable": False}):
                yield {"method": "PATCH", "path": f"{path}/i?dryRun=All", "body": change, "mediaType": _MERGE}
                yield {"method": "PUT", "path": f"{path}/i?dryRun=All", "body": {**body, **change}}
    empty = validationgen.changed("v1 Secret", "t", data={"a": ""}, immutable=True)
    path = KINDS["v1 Secret"].path
    yield {"method": "POST", "path": path, "body": empty}
    for data in ({"a": None}, {"a": ""}):
        yield {"method": "PUT", "path": f"{path}/t?dryRun=All", "body": {**empty, "data": data}}
    yield {"method": "PUT", "path": f"{path}/t?dryRun=All", "body": {**empty, "type": "kubernetes.io/tls"}}
    yield {"method": "PATCH", "path": f"{path}/t", "body": {"type": "<b>"}, "mediaType": _MERGE}
