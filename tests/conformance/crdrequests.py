"""
Requests for CRDs themselves, and the answers of real API servers: whole, with managed fields.

`crdrequests/TOPIC.yaml` is written by hand. Each of its `cases` has a `name`, and a list of `requests` for one CRD
`as.GROUP`, where GROUP stands for an API group of its own. A request has one verb with its body. `create`, `update` and
`apply` have an object, completed with apiVersion, kind and metadata.name unless `raw` is true, or a text. `merge`,
`json` and `strategic` have a patch. A request may also have `manager`, `force` and `fieldValidation`. An update gets
the stored resourceVersion.

`TOPIC.jsonl`, written by `python -m oracle record crdrequests`, has a line for each different answer: `case`, `request`
(the number from 0), `versions` with this answer, `before` and `answer`. `before` is the stored CRD before the request,
with conditions, which servers write at any time. `answer` has `code`, `object` or the `status` of an error without
fields that follow from the code, and `warnings`. The time of the answer is NOW and the uid UID; resourceVersions are
removed, and the manager of conditions is `server`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from conformance import exchanges
from pytest_crd.engine.jsonvalue import JSONValue

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
    A recorded answer.

    Attributes:
        case: The name of the case.
        number: The number of the request.
        versions: The Kubernetes versions with this answer.
        before: The CRD before the request, or None.
        answer: The answer.
    """

    case: str
    number: int
    versions: Sequence[str]
    before: JSONValue
    answer: JSONValue


def paths() -> list[Path]:
    """Return the paths of the files with requests; the answers are beside them."""
    return sorted(FOLDER.glob("*.yaml"))


@functools.cache
def cases(path: Path) -> Mapping[str, Sequence[Request]]:
    """Return the requests of a file by the name of the case."""
    content = exchanges.load_yaml(path.read_text(encoding="utf-8"))
    return {case["name"]: case["requests"] for case in content["cases"]}


def recorded(path: Path) -> list[Recorded]:
    """Return the recorded answers to the requests of a file."""
    lines = map(json.loads, path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines())
    return [Recorded(line["case"], line["request"], line["versions"], line["before"], line["answer"]) for line in lines]


def verb_of(request: Request) -> str:
    """Return the verb of a request."""
    return next(verb for verb in VERBS if verb in request)


def body_of(request: Request, group: str) -> JSONValue:
    """Return the completed body of a request."""
    verb = verb_of(request)
    body = request[verb]
    if isinstance(body, dict) and verb in WHOLE and not request.get("raw"):
        metadata = {"name": "as.GROUP", **body.get("metadata", {})}
        type_meta = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        body = {**type_meta, **body, "metadata": metadata}
    return json.loads(json.dumps(body, ensure_ascii=False).replace("GROUP", group))
