"""
Sequences of requests for one object, and the answers of real API servers: whole, with managed fields.

`sequences/TOPIC/NAME.yaml` is written by hand. It has a `crd`, or a `schema` for the namespaced kind `Case` with one
version and a status subresource. Each of its `cases` has a `name` and a list of `requests`. A request has one verb with
its body:

- `create`, `update`, `apply`: an object, completed with apiVersion, kind and metadata.name unless `raw` is true; or a text;
- `updateOnto`: fields that replace those of the last answered object, with all its metadata, as controllers do;
- `merge`, `json`, `strategic`: a patch;
- `get`, `delete`: null;
- `crd`: a schema or a whole CRD that replaces that of the file; such a file has one case.

`<uid>`, `<resourceVersion>` and, from the first answer, `<oldResourceVersion>` stand for values of the server. A
request may also have `version`, `subresource`, `manager`, `force`, `dryRun`, `fieldValidation`, `mediaType`,
`userAgent`, and `query` with more parameters.

`NAME.jsonl`, written by `python -m oracle record sequences`, has a line for each different answer: `case`, `request`
(the number from 0), `versions` with this answer, and `answer`. An answer has `code`; `object`, or the `status` of an
error without fields that follow from the code; `warnings`; and `changed`, whether the resourceVersion is new. After a
request with `subresource: scale`, `stored` is the object. `t3` is the time of the fourth request, `uid0` the first uid,
`default` the namespace; resourceVersions are removed. For a change of the CRD only the code is recorded. Parts in Go's
random map order are sorted by `in_order`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from pytest_crd.engine.jsonvalue import JSONValue

Request = dict[str, JSONValue]
Answer = dict[str, JSONValue]

FOLDER: Final = Path(__file__).parent / "sequences"
NAME: Final = "case"
NAMESPACE: Final = "default"
VERBS: Final = ("create", "update", "updateOnto", "apply", "merge", "json", "strategic", "get", "delete", "crd")
BESIDE: Final = frozenset(
    {
        "version",
        "subresource",
        "manager",
        "force",
        "dryRun",
        "fieldValidation",
        "mediaType",
        "userAgent",
        "query",
        "raw",
    }
)
MEDIA_TYPES: Final = {
    "apply": "application/apply-patch+yaml",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
_COMPLETED: Final = ("create", "update", "apply")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
# Messages quote objects with their resourceVersion, and older servers quote parts of texts, cut off anywhere.
_STATED: Final = re.compile(r'(resourceVersion[\\":]+)\d+')
_QUOTED: Final = re.compile(r', error found in #(?:[^"\\]|\\.)*')


@dataclass(frozen=True, slots=True)
class SequenceFile:
    """
    A CRD and sequences of requests.

    Attributes:
        path: The path of the file.
        crd: The whole manifest.
        cases: The requests, by the name of the sequence.
    """

    path: Path
    crd: JSONValue
    cases: Mapping[str, Sequence[Request]]

    @property
    def recorded(self) -> Path:
        """The path of the answers."""
        return self.path.with_suffix(".jsonl")

    def answers(self, version: str) -> dict[str, list[Answer]]:
        """Return the recorded answers of a Kubernetes *version*, by the name of the sequence."""
        recorded_answers: dict[str, list[Answer]] = {name: [] for name in self.cases}
        for line in map(json.loads, self.recorded.read_text(encoding="utf-8").splitlines()):
            if version in line["versions"]:
                recorded_answers[line["case"]].append(line["answer"])
        return recorded_answers

    def lines(self, answers: Mapping[str, Mapping[str, Sequence[Answer]]]) -> str:
        """Return the text of the file of answers; *answers* are by Kubernetes version and by the name of the sequence."""
        lines = []
        for name, requests in self.cases.items():
            for number in range(len(requests)):
                versions: dict[str, list[str]] = {}
                for version, by_case in answers.items():
                    versions.setdefault(json.dumps(in_order(by_case[name][number]), ensure_ascii=False), []).append(
                        version
                    )
                for answer, agreeing in versions.items():
                    line = {"case": name, "request": number, "versions": agreeing, "answer": json.loads(answer)}
                    lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        return "".join(lines)


class SequenceFileError(ValueError):
    """An invalid file of sequences; the message has the mistake."""


def crd_of(content: Mapping[str, JSONValue], group: str) -> JSONValue:
    """Return the CRD in *content*, or the one for its schema."""
    if "crd" in content:
        return content["crd"]
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": content["schema"]},
        "subresources": {"status": {}},
    }
    names = {"plural": "cases", "singular": "case", "kind": "Case", "listKind": "CaseList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"cases.{group}"},
        "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": [version]},
    }


def verb_of(request: Request) -> str:
    """Return the verb of a request."""
    return next(verb for verb in VERBS if verb in request)


def version_of(crd: JSONValue, request: Request) -> str:
    """Return the version in the URL of a request."""
    return str(request.get("version") or crd["spec"]["versions"][0]["name"])


def body_of(crd: JSONValue, request: Request, last: JSONValue, first: JSONValue = None) -> JSONValue:
    """
    Return the completed body of a request.

    Args:
        crd: The CRD.
        request: The request.
        last: The last answered object with its resourceVersion, or None.
        first: The first answered object.
    """
    verb = verb_of(request)
    body = request[verb]
    api_version = f"{crd['spec']['group']}/{version_of(crd, request)}"
    if verb == "updateOnto":
        body = {**(last or {}), **body, "metadata": {**(last or {}).get("metadata", {}), **body.get("metadata", {})}}
        body |= {"apiVersion": api_version}
    if isinstance(body, dict) and verb in _COMPLETED and not request.get("raw"):
        metadata = body.get("metadata", {})
        named = {"name": NAME} | metadata if isinstance(metadata, dict) else metadata
        body = {"apiVersion": api_version, "kind": crd["spec"]["names"]["kind"]} | body | {"metadata": named}
    return _filled(body, last, first)


def _filled(body: JSONValue, last: JSONValue, first: JSONValue) -> JSONValue:
    text = json.dumps(body, ensure_ascii=False)
    if "<" not in text:
        return body
    for name, where, key in (
        ("uid", last, "uid"),
        ("resourceVersion", last, "resourceVersion"),
        ("oldResourceVersion", first, "resourceVersion"),
    ):
        if where:
            text = text.replace(f"<{name}>", where["metadata"].get(key, ""))
    return json.loads(text)


def query_of(request: Request) -> dict[str, str]:
    """Return the query parameters of a request."""
    query = {"fieldManager": request["manager"]} if "manager" in request else {}
    if "force" in request:
        query["force"] = json.dumps(request["force"])
    if request.get("dryRun"):
        query["dryRun"] = "All"
    if "fieldValidation" in request:
        query["fieldValidation"] = request["fieldValidation"]
    return {**query, **request.get("query", {})}


def normalize(text: str, *, namespace: str, uids: Sequence[str], step: Callable[[str], int | None]) -> str:
    """
    Return the JSON text of an answer without values that differ between runs.

    Args:
        text: The text.
        namespace: The namespace of the object.
        uids: The known uids, in order of appearance.
        step: Returns the number of the request of a time; None for a time that the server did not set.
    """
    text = text.replace(namespace, NAMESPACE)
    for number, uid in enumerate(uids):
        text = text.replace(uid, f"uid{number}")

    def replace(match: re.Match[str]) -> str:
        number = step(match[0])
        return match[0] if number is None else f"t{number}"

    return _QUOTED.sub(", error found in …", _STATED.sub(r"\1rv", _TIME.sub(replace, text)))


def in_order(answer: Answer) -> Answer:
    """Return an answer with parts in Go's random map order sorted: causes, and lines of a message."""
    if "status" not in answer:
        return answer
    status = dict(answer["status"])
    causes = status.get("details", {}).get("causes", [])
    ordered = sorted(causes, key=json.dumps)
    if ordered != causes:
        status["details"] = status["details"] | {"causes": ordered}
        before, after = (
            ", ".join(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in group))
            for group in (causes, ordered)
        )
        status["message"] = status["message"].replace(before, after)
    if "message" in status:
        status["message"] = sort_lines(str(status["message"]))
    return answer | {"status": status}


def sort_lines(message: str) -> str:
    """Return a message with the lines of its errors sorted."""
    head, separator, lines = message.partition("errors:\n")
    return head + separator + "\n".join(sorted(lines.split("\n")))


def paths() -> list[Path]:
    """Return the paths of the files with requests; the answers are beside them."""
    return sorted(FOLDER.glob("*/*.yaml"))


def read(path: Path) -> SequenceFile:
    """
    Return the sequences in a file.

    Raises:
        SequenceFileError: The file is invalid.
    """
    content = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe one
    cases = {case["name"]: case["requests"] for case in content["cases"]}
    if len(cases) != len(content["cases"]):
        raise SequenceFileError(f"{path}: two cases have one name")
    for name, requests in cases.items():
        for request in requests:
            if len([verb for verb in VERBS if verb in request]) != 1 or request.keys() - BESIDE - {*VERBS}:
                raise SequenceFileError(f"{path}: {name}: {request}")
    return SequenceFile(path, crd_of(content, f"{path.stem}.{path.parent.name}.example.com"), cases)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A safe loader that leaves times as texts, as the YAML reader of Kubernetes does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}
