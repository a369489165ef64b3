"""
Judges of a schema and objects: the reference's passes, a whole API server, and the engine.

All take the same questions and return comparable verdicts.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import subprocess
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from conformance import casefile, recordings

from oracle.servers import programs
from oracle.servers.crds import collection, delete
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, settling

Errors = list[dict[str, str]]

_MOST_SERVED: Final = 60
GROUP: Final = "fuzz.example.com"
PATH: Final = "spec.validation.openAPIV3Schema"

# Message suffixes of the structural check; a server returns them together with errors of other checks.
_STRUCTURAL: Final = re.compile(
    r"to be structural$|because it is defined in \S|must not be specified in a nested context$|: must be specified$"
    r"|must not be empty (at the root|for specified (array items|object fields)|if x-kubernetes-embedded-resource is true without .*)$"
    r"|must not specify anything other than name and generateName|: must be (object|string)( at the root)?$"
    r"|must be object if x-kubernetes-embedded-resource is true$|must not be used (at the root|if x-kubernetes-embedded-resource is set)$"
    r"|must be false if x-kubernetes-int-or-string is true$|: must be a valid regular expression, but isn't: "
)
# The prefix of a 400 message about metadata.
UNHANDLED: Final = re.compile(r'^(\S+) in version "\S+" cannot be handled as a \1: ')


@dataclass(frozen=True, slots=True)
class Question:
    """
    A schema and objects for it.

    Attributes:
        schema: The schema, as JSON.
        objects: The objects, as JSON; their API group is GROUP.
    """

    schema: JSONValue
    objects: Sequence[JSONValue] = ()


@dataclass(frozen=True, slots=True)
class Decoded:
    """
    The verdict on one object.

    Attributes:
        problem: The message of a 400; empty if the object was decoded.
        paths: Its unknown fields, in the order of the warnings.
        value: The object after pruning, dropping nulls and defaulting; None if unknown.
    """

    problem: str
    paths: tuple[str, ...] = ()
    value: JSONValue = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    The verdict on a question.

    Attributes:
        problem: The reason why there is no structural schema at all, or an empty string.
        errors: The structural errors, each with type, field and message.
        refused: Whether the schema was rejected for reasons that are not compared.
        objects: One verdict for each object; empty if the schema is rejected.
    """

    problem: str
    errors: Errors
    refused: bool
    objects: tuple[Decoded, ...]


class Judge(Protocol):
    """A judge of questions."""

    def judge(self, questions: Sequence[Question]) -> list[Verdict]:
        """Return one verdict for each of *questions*, in order."""


class Passes:
    """The reference's structural check and passes without a server: fast, but without the checks that only a server does."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Wrap a running `passes` program; `passes()` starts one."""
        self._process = process

    def judge(self, questions: Sequence[Question]) -> list[Verdict]:
        """Return one verdict for each of *questions*, in order."""
        return [self._judge(question) for question in questions]

    def _judge(self, question: Question) -> Verdict:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the program of the passes has no pipes")
        objects = [json.dumps(item) for item in question.objects]
        stdin.write(json.dumps({"schema": question.schema, "path": PATH, "objects": objects}) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline(), parse_int=client.integer)
        decoded = [
            Decoded(item.get("problem", ""), tuple(item["paths"] or ()), item["value"])
            for item in answer["objects"] or ()
        ]
        refused = bool(answer["defaultErrors"])
        return Verdict(answer.get("problem", ""), answer["errors"] or [], refused, tuple(decoded))


@contextlib.contextmanager
def passes(version: str) -> Iterator[Passes]:
    """Run the reference's passes of a Kubernetes *version* until the end of the `with` block."""
    binary = programs.build_for_version("passes", version)
    with subprocess.Popen([str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Passes(process)
        finally:
            process.terminate()


class Engine:
    """This project's engine."""

    def __init__(self, version: str) -> None:
        """Take the Kubernetes version to emulate."""
        self._version = version

    def judge(self, questions: Sequence[Question]) -> list[Verdict]:
        """Return one verdict for each of *questions*, in order."""
        return [self._judge(question) for question in questions]

    def _judge(self, question: Question) -> Verdict:
        manifest = casefile.manifest(question.schema, group=GROUP)
        version = engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version=self._version).version(
            "v1"
        )
        errors = [{"type": str(e.type), "field": e.field, "message": e.message} for e in version.structural_errors]
        decoded = () if errors else tuple(self._decoded(version, item) for item in question.objects)
        return Verdict("", errors, refused=False, objects=decoded)

    def _decoded(self, version: engine.CrdVersion, resource: JSONValue) -> Decoded:
        try:
            pruned = version.prune(resource)
        except engine.DecodeError as error:
            return Decoded(str(error))
        return Decoded("", tuple(pruned.paths), version.default(pruned.value).value)


class Server:
    """A whole API server. It also rejects objects, and then only the warnings show the pruned fields."""

    def __init__(self, url: str) -> None:
        """Take the URL of the server."""
        self._server = client.Server(url)
        self._numbers = itertools.count()
        # A CRD takes a second or two to be served: recent ones stay, for the many questions of shrinking.
        self._served: dict[str, JSONValue] = {}

    def judge(self, questions: Sequence[Question]) -> list[Verdict]:
        """Return one verdict for each of *questions*, in order; all their CRDs are served at the same time."""
        self._make_room(len(questions))
        answers = [self._posted(question.schema) for question in questions]
        for crd, answer in answers:
            if answer is None or answer.code == 201:
                settling.wait_until_served(self._server, crd)
        return [self._verdict(question, *pair) for question, pair in zip(questions, answers, strict=True)]

    def close(self) -> None:
        """Delete the remaining CRDs."""
        self._make_room(_MOST_SERVED)

    def _posted(self, schema: JSONValue) -> tuple[JSONValue, client.ServerAnswer | None]:
        """Return the CRD of *schema* and the answer to its POST, None if it exists already."""
        key = json.dumps(schema)
        if key in self._served:
            return self._served[key], None
        crd = casefile.manifest(schema, group=f"n{next(self._numbers)}.{GROUP}")
        delete(self._server, crd)
        answer = self._server.ask("POST", collection(crd), crd)
        if answer.code == 201:
            self._served[key] = crd
        return crd, answer

    def _make_room(self, count: int) -> None:
        while self._served and len(self._served) + count > _MOST_SERVED:
            crd = self._served.pop(next(iter(self._served)))
            self._server.ask("DELETE", client.crd_path(crd["apiVersion"], crd["metadata"]["name"]))

    def _verdict(self, question: Question, crd: JSONValue, answer: client.ServerAnswer | None) -> Verdict:
        if answer is None or answer.code == 201:
            return Verdict("", [], refused=False, objects=tuple(self._decoded(crd, item) for item in question.objects))
        causes = answer.body.get("details", {}).get("causes", ())
        errors = [
            {"type": cause["reason"].removeprefix("FieldValue"), "field": cause["field"], "message": cause["message"]}
            for cause in causes
            if _STRUCTURAL.search(cause["message"])
        ]
        return Verdict("", errors, refused=len(errors) < len(causes), objects=())

    def _decoded(self, crd: JSONValue, resource: JSONValue) -> Decoded:
        sent = resource | {"apiVersion": f"{crd['spec']['group']}/v1"}
        answer = self._server.ask("POST", client.resource_path(crd, "v1"), sent, query={"dryRun": "All"})
        if answer.code == 400:
            return Decoded(UNHANDLED.sub("", answer.body["message"]))
        prefix = 'unknown field "'
        paths = tuple(text[len(prefix) : -1] for text in answer.warnings if text.startswith(prefix))
        return Decoded("", paths, answer.body | {"apiVersion": f"{GROUP}/v1"} if answer.code == 201 else None)


def without_server_made(value: JSONValue) -> JSONValue:
    """Return a resource without metadata that a server sets or overwrites."""
    if not isinstance(value, Mapping) or not isinstance(value.get("metadata"), Mapping):
        return value
    server_set = {*recordings.SERVER_MADE, "deletionGracePeriodSeconds", "deletionTimestamp", "namespace"}
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key not in server_set}}


def without_control_characters(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that a warning can contain: HTTP headers allow no control characters."""
    return tuple(path for path in paths if not any(unicodedata.category(char) == "Cc" for char in path))
