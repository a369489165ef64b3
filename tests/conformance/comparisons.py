"""
What of a recorded file is compared with the engine, and how: each name of its `asks` is a comparison, of the CRD and of each request.

A comparison returns what differs, a line or some for each difference, and nothing where the engine answers as the server did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance import casefile, recordings, replies
from pytest_crd import engine

JSONValue = Any
Answer = Mapping[str, JSONValue]

# An HTTP header holds no control characters: the server drops a warning that has one.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Made by the server, or overwritten by it in every create.
_MADE: Final = {"creationTimestamp", "clusterName", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
_OVERWRITTEN: Final = {"deletionGracePeriodSeconds", "deletionTimestamp", "namespace"}


@dataclass(frozen=True, slots=True)
class Part:
    """
    One answer of a file, in one of the ways in which it is compared.

    Attributes:
        file: The file.
        request: The request; None for the CRD itself.
        asked: The comparison, a key of COMPARISONS.
    """

    file: casefile.CaseFile
    request: casefile.Request | None
    asked: str

    def __str__(self) -> str:
        """Return how a report names it."""
        return f"{self.file.id}: {self.request.name if self.request else 'the CRD'} ({self.asked})"

    @property
    def gap(self) -> str:
        """Why the engine is known to answer differently; empty where it answers as recorded."""
        return self.file.gap(self.asked, self.request)

    def differences(self, crd: engine.CustomResourceDefinition) -> list[str]:
        """Return what differs; *crd* is that of the file."""
        of_crd, of_request = COMPARISONS[self.asked]
        if self.request is None:
            return of_crd(crd, self.file)
        return of_request(crd, self.file, self.request) if of_request else []


def parts(file: casefile.CaseFile) -> Iterator[Part]:
    """Yield what is compared of a file, in its order."""
    for asked in file.content["asks"]:
        yield Part(file, None, asked)
        if COMPARISONS[asked][1] is not None:
            yield from (Part(file, request, asked) for request in file.requests)


def _structural_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> list[str]:
    """Compare the causes that the structural check makes, in order; where the CRD is accepted, the condition instead."""
    answer = file.content["answer"]
    if answer["code"] == 201:
        expected = [condition for condition in answer["conditions"] if condition["type"] == "NonStructuralSchema"]
        found = [
            {key: getattr(condition, key) for key in recordings.CONDITION}
            for condition in crd.conditions
            if condition.type == "NonStructuralSchema"
        ]
        return recordings.differences({"conditions": found}, {"conditions": expected})
    made = [error for version in crd.versions for error in version.structural_errors]
    causes = [{"reason": error.type.reason, "field": error.field, "message": error.message} for error in made]
    found, recorded = _each_once(causes), _structural_causes(file)
    if "unordered" in answer:
        found, recorded = sorted(found, key=str), sorted(recorded, key=str)
    return recordings.differences({"causes": found}, {"causes": recorded})


def _each_once(causes: list[dict[str, str]]) -> list[dict[str, str]]:
    """Versions of one schema share their errors: the server states them once."""
    return [cause for index, cause in enumerate(causes) if cause not in causes[:index]]


def _structural_causes(file: casefile.CaseFile) -> list[dict[str, str]]:
    """Return the recorded causes without those that the file says lie `beyond` the structural check; each must be there."""
    causes = list(file.content["answer"].get("causes", ()))
    for other in file.content.get("beyond", ()):
        causes.remove(next(cause for cause in causes if other in f"{cause['field']}: {cause['message']}"))
    return causes


def _passes_of_crd(_crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> list[str]:
    """Tell that the CRD was refused: then there are no requests to compare."""
    return [] if file.content["answer"]["code"] == 201 else ["the CRD was refused, so that nothing passes through it"]


def _passes_of_request(
    crd: engine.CustomResourceDefinition, file: casefile.CaseFile, request: casefile.Request
) -> list[str]:
    """Compare the stored object and the warnings of an accepted create; of a rejected one the warnings, or the message."""
    if request.verb not in ("create", "createText"):
        return [f"{request.verb} is no create, of which alone passes can be seen"]
    version = crd.version(request.version)
    answer = request.answer
    if answer["code"] == 400:
        return _words_of_decoding(version, file, request)
    pruned = version.prune(request.sent)
    found: dict[str, JSONValue] = {}
    expected: dict[str, JSONValue] = {"unordered": answer.get("unordered", ())}
    if casefile.warns(file.version):
        found["warnings"] = [f'unknown field "{path}"' for path in pruned.paths if not _CONTROL.search(path)]
        expected["warnings"] = answer.get("warnings", [])
    if answer["code"] == 201:
        found["stored"] = _without_server_made(version.default(pruned.value).value, file, request)
        expected["stored"] = answer["stored"]
    return recordings.differences(found, expected)


def _words_of_decoding(version: engine.CrdVersion, file: casefile.CaseFile, request: casefile.Request) -> list[str]:
    """Compare the words for what cannot be decoded, which an answer has after what cannot be handled."""
    try:
        pruned = version.prune(request.sent)
    except engine.InputError as error:
        words = error.mistakes[0].message
    except engine.DecodeError as error:
        words = str(error)
    else:
        return [f"it is decoded, as {pruned.value}"]
    kind = file.crd["spec"]["names"]["kind"]
    found = f'{kind} in version "{version.name}" cannot be handled as a {kind}: {words}'
    messages = [alternative["message"] for alternative in request.answer.get("alternatives", [request.answer])]
    return [] if any(found in message for message in messages) else [f"{found}\n  recorded: {' or '.join(messages)}"]


def _without_server_made(stored: JSONValue, file: casefile.CaseFile, request: casefile.Request) -> JSONValue:
    """Drop what the recorder drops, and what the server overwrites in every create."""
    made = _MADE | (_OVERWRITTEN - request.answer["stored"]["metadata"].keys())
    metadata = {key: value for key, value in stored["metadata"].items() if key not in made}
    return file.completed(stored | {"metadata": metadata}, request.version)


def _response_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> list[str]:
    """Compare the whole answer to POSTing the CRD, and the conditions that it has soon after."""
    return recordings.differences(replies.of_crd(crd, file.crd), file.content["answer"])


def _response_of_request(
    crd: engine.CustomResourceDefinition, file: casefile.CaseFile, request: casefile.Request
) -> list[str]:
    """Compare the whole answer to the request."""
    return recordings.differences(replies.of_request(crd, file, request), request.answer)


OfCrd = Callable[[engine.CustomResourceDefinition, casefile.CaseFile], list[str]]
OfRequest = Callable[[engine.CustomResourceDefinition, casefile.CaseFile, casefile.Request], list[str]]
# What is asked, and how it shows in the answer to the CRD and in the answers to the requests, if it does.
COMPARISONS: Final[Mapping[str, tuple[OfCrd, OfRequest | None]]] = {
    "structural": (_structural_of_crd, None),
    "passes": (_passes_of_crd, _passes_of_request),
    "response": (_response_of_crd, _response_of_request),
}
