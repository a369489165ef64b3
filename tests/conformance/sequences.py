"""
Sequences of requests for one object, and what real API servers answered to each: whole, with the managed fields.

`sequences/TOPIC/NAME.yaml` is written by hand. It has a `crd`, or a `schema` that stands for the namespaced kind `Case` of one version with a
status, and `cases`: a `name`, and `requests` in their order. A request has one of the verbs, with its body:

- `create`, `update`, `apply`: an object, in which apiVersion, kind and metadata.name are put where they are missing, unless `raw` is true; or text;
- `updateOnto`: what takes the place of the fields of the object as it was answered last, with all its metadata, as controllers do;
- `merge`, `json`, `strategic`: a patch;
- `get`, `delete`: null;
- `crd`: a schema or a whole CRD that takes the place of the file's; such a file has one case.

`<uid>`, `<resourceVersion>` and, of the first answer, `<oldResourceVersion>` stand for what the server made. Beside the verb stand `version`,
`subresource`, `manager`, `force`, `dryRun`, `fieldValidation`, `mediaType`, `userAgent`, and `query`, more parameters.

`NAME.jsonl`, which `python -m oracle record sequences` writes, has a line for each different answer: `case`, `request` (its number from 0),
`versions` that answer so, and `answer`. An answer has `code`; `object`, or `status` of a refusal without what its code says; `warnings`; and
`changed`: whether the object has a resourceVersion that it had not before. After a request `subresource: scale`, `stored` is the object. `t3` is the time of the
fourth request, `uid0` the first uid, `default` the namespace; no resourceVersion is there. Of a request for the CRD there is the code. What has
Go's map order is put `in_order`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

JSONValue = Any
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
# An object in a message has its resourceVersion, and older servers quote some of its text, cut off anywhere.
_STATED: Final = re.compile(r'(resourceVersion[\\":]+)\d+')
_QUOTED: Final = re.compile(r', error found in #(?:[^"\\]|\\.)*')


@dataclass(frozen=True, slots=True)
class SequenceFile:
    """
    A CRD, and sequences of requests.

    Attributes:
        path: Where it stands.
        crd: The whole manifest.
        cases: The requests, by the name of the sequence.
    """

    path: Path
    crd: JSONValue
    cases: Mapping[str, Sequence[Request]]

    @property
    def recorded(self) -> Path:
        """Where the answers stand."""
        return self.path.with_suffix(".jsonl")

    def answers(self, version: str) -> dict[str, list[Answer]]:
        """Return what servers of a Kubernetes *version* answered, by the name of the sequence."""
        found: dict[str, list[Answer]] = {name: [] for name in self.cases}
        for line in map(json.loads, self.recorded.read_text(encoding="utf-8").splitlines()):
            if version in line["versions"]:
                found[line["case"]].append(line["answer"])
        return found

    def lines(self, answers: Mapping[str, Mapping[str, Sequence[Answer]]]) -> str:
        """Return what is recorded of *answers*, which are by Kubernetes version and by the name of the sequence."""
        lines = []
        for name, requests in self.cases.items():
            for number in range(len(requests)):
                versions: dict[str, list[str]] = {}
                for version, found in answers.items():
                    versions.setdefault(json.dumps(in_order(found[name][number]), ensure_ascii=False), []).append(
                        version
                    )
                for answer, agreeing in versions.items():
                    line = {"case": name, "request": number, "versions": agreeing, "answer": json.loads(answer)}
                    lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        return "".join(lines)


class SequenceFileError(ValueError):
    """A file that is none of sequences; the message says what is wrong."""


def crd_of(content: Mapping[str, JSONValue], group: str) -> JSONValue:
    """Return the CRD that stands in *content*, or that its schema stands for."""
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
    """Return what a request does."""
    return next(verb for verb in VERBS if verb in request)


def version_of(crd: JSONValue, request: Request) -> str:
    """Return the version of the URL of a request."""
    return str(request.get("version") or crd["spec"]["versions"][0]["name"])


def body_of(crd: JSONValue, request: Request, last: JSONValue, first: JSONValue = None) -> JSONValue:
    """
    Return what is sent, completed.

    Args:
        crd: The CRD.
        request: The request.
        last: The object as it was answered last, with its resourceVersion; None where there is none.
        first: The object as it was answered first.
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
    """Return the parameters of the URL of a request."""
    query = {"fieldManager": request["manager"]} if "manager" in request else {}
    if "force" in request:
        query["force"] = json.dumps(request["force"])
    if request.get("dryRun"):
        query["dryRun"] = "All"
    if "fieldValidation" in request:
        query["fieldValidation"] = request["fieldValidation"]
    return {**query, **request.get("query", {})}


def normal(text: str, *, namespace: str, uids: Sequence[str], step: Callable[[str], int | None]) -> str:
    """
    Return the JSON text of an answer without what differs from run to run.

    Args:
        text: The text.
        namespace: Where the object is.
        uids: Those that were seen, in their order.
        step: Returns at which request a time was; None for one that the server did not make.
    """
    text = text.replace(namespace, NAMESPACE)
    for number, uid in enumerate(uids):
        text = text.replace(uid, f"uid{number}")

    def made(match: re.Match[str]) -> str:
        found = step(match[0])
        return match[0] if found is None else f"t{found}"

    return _QUOTED.sub(", error found in …", _STATED.sub(r"\1rv", _TIME.sub(made, text)))


def in_order(answer: Answer) -> Answer:
    """Return an answer with the parts in one order that have Go's map order: causes, and lines of a message, and warnings."""
    if "status" not in answer:
        return answer
    status = dict(answer["status"])
    causes = status.get("details", {}).get("causes", [])
    ordered = sorted(causes, key=json.dumps)
    if ordered != causes:
        status["details"] = status["details"] | {"causes": ordered}
        before, after = (
            ", ".join(dict.fromkeys(f"{one['field']}: {one['message']}" for one in some)) for some in (causes, ordered)
        )
        status["message"] = status["message"].replace(before, after)
    head, separator, lines = str(status.get("message", "")).partition("errors:\n")
    if separator:
        status["message"] = head + separator + "\n".join(sorted(lines.split("\n")))
    return answer | {"status": status}


def paths() -> list[Path]:
    """Return the files, of which the answers stand beside each."""
    return sorted(FOLDER.glob("*/*.yaml"))


def read(path: Path) -> SequenceFile:
    """
    Return the file at *path*.

    Raises:
        SequenceFileError: It is none.
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
    """What leaves times alone, as the reader of Kubernetes does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in _Loader.yaml_implicit_resolvers.items()
}
