"""
Requests for CRDs themselves, and what real API servers answered to each: whole, with the managed fields.

`crdrequests/TOPIC.yaml` is written by hand. Its `cases` have a `name`, and `requests` in their order, for one CRD `as.GROUP`: GROUP stands
for a group that no other case has. A request has one of the verbs, with its body: `create`, `update`, `apply`, an object, in which apiVersion, kind
and metadata.name are put where they are missing, unless `raw` is true, or text; `merge`, `json`, `strategic`, a patch. Beside the verb stand
`manager`, `force`, `fieldValidation`. An update has the resourceVersion that is stored.

`TOPIC.jsonl`, which `python -m oracle record crdrequests` writes, has a line for each different answer: `case`, `request` (its number from 0),
`versions` that answer so, `before`, the CRD as the server had it before (with the conditions, which servers write when they like), and `answer`,
with `code`, and `object`, or `status` of a refusal without what its code says, and `warnings`. The time of the answer is NOW, the uid UID; no
resourceVersion is there, and what tells of conditions calls itself `server`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

JSONValue = Any
Request = dict[str, JSONValue]

FOLDER: Final = Path(__file__).parent / "crdrequests"
NOW: Final = "2026-01-01T00:01:00Z"
UID: Final = "uid0"
GROUP: Final = "case.crdrequests.example.com"
WHOLE: Final = frozenset({"create", "update", "apply"})
VERBS: Final = {
    "create": "application/json",
    "update": "application/json",
    "apply": "application/apply-patch+yaml",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


class Recorded(NamedTuple):
    """
    An answer.

    Attributes:
        case: The name of the case.
        number: The number of the request.
        versions: The Kubernetes versions that answer so.
        before: The CRD before; None where there was none.
        answer: The answer.
    """

    case: str
    number: int
    versions: Sequence[str]
    before: JSONValue
    answer: JSONValue


def paths() -> list[Path]:
    """Return the files, of which the answers stand beside each."""
    return sorted(FOLDER.glob("*.yaml"))


def cases(path: Path) -> Mapping[str, Sequence[Request]]:
    """Return the requests of a file, by the name of the case."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {case["name"]: case["requests"] for case in content["cases"]}


def recorded(path: Path) -> list[Recorded]:
    """Return what servers answered to the requests of a file."""
    lines = map(json.loads, path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines())
    return [Recorded(one["case"], one["request"], one["versions"], one["before"], one["answer"]) for one in lines]


def verb_of(request: Request) -> str:
    """Return what a request does."""
    return next(verb for verb in VERBS if verb in request)


def body_of(request: Request, group: str) -> JSONValue:
    """Return what is sent, completed."""
    verb = verb_of(request)
    body = request[verb]
    if isinstance(body, dict) and verb in WHOLE and not request.get("raw"):
        metadata = {"name": "as.GROUP", **body.get("metadata", {})}
        type_meta = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        body = {**type_meta, **body, "metadata": metadata}
    return json.loads(json.dumps(body, ensure_ascii=False).replace("GROUP", group))
