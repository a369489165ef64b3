"""
Comparisons of a recorded file with the engine: each name in its `asks` is a comparison of the CRD and of each request.

A comparison returns a description of each difference, nothing if the engine answers as the server did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from conformance import casefile, recordings, replies
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue

Answer = Mapping[str, JSONValue]

# HTTP headers allow no control characters: the server drops such warnings.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Fields that the server sets in every create.
_SERVER_SET: Final = {
    "creationTimestamp",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
}
_OVERWRITTEN: Final = {"deletionGracePeriodSeconds", "deletionTimestamp", "namespace"}


@dataclass(frozen=True, slots=True)
class Part:
    """
    One answer of a file in one comparison.

    Attributes:
        file: The file.
        request: The request, or None for the CRD itself.
        comparison: The comparison, a key of COMPARISONS.
    """

    file: casefile.CaseFile
    request: casefile.Request | None
    comparison: str

    def __str__(self) -> str:
        """Return the name in reports."""
        return f"{self.file.id}: {self.request.name if self.request else 'the CRD'} ({self.comparison})"

    @property
    def gap(self) -> str:
        """The reason of a known difference of the engine, or an empty string."""
        return self.file.gap(self.comparison, self.request)

    def differences(self, crd: engine.CustomResourceDefinition) -> list[str]:
        """Return the differences; *crd* is the engine's CRD of the file."""
        compare_crd, compare_request = COMPARISONS[self.comparison]
        if self.request is None:
            return compare_crd(crd, self.file)
        return compare_request(crd, self.file, self.request) if compare_request else []


def parts(file: casefile.CaseFile) -> Iterator[Part]:
    """Yield the comparisons of a file, in order."""
    for comparison in file.content["asks"]:
        yield Part(file, None, comparison)
        if COMPARISONS[comparison][1] is not None:
            yield from (Part(file, request, comparison) for request in file.requests)


def _structural_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> list[str]:
    """Compare the structural errors in order or, if the CRD is accepted, its condition."""
    answer = file.content["answer"]
    if answer["code"] == 201:
        expected = [condition for condition in answer["conditions"] if condition["type"] == "NonStructuralSchema"]
        actual = [
            {key: getattr(condition, key) for key in recordings.CONDITION}
            for condition in crd.conditions
            if condition.type == "NonStructuralSchema"
        ]
        return recordings.differences({"conditions": actual}, {"conditions": expected})
    errors = [error for version in crd.versions for error in version.structural_errors]
    causes = [{"reason": error.type.reason, "field": error.field, "message": error.message} for error in errors]
    actual, recorded = _without_duplicates(causes), _structural_causes(file)
    if "unordered" in answer:
        actual, recorded = sorted(actual, key=str), sorted(recorded, key=str)
    return recordings.differences({"causes": actual}, {"causes": recorded})


def _without_duplicates(causes: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return *causes* without duplicates: versions with equal schemas share errors, and the server reports them once."""
    return [cause for index, cause in enumerate(causes) if cause not in causes[:index]]


def _structural_causes(file: casefile.CaseFile) -> list[dict[str, str]]:
    """Return the recorded causes without those listed in `beyond`, which other checks report. Each of these must exist."""
    causes = list(file.content["answer"].get("causes", ()))
    for text in file.content.get("beyond", ()):
        causes.remove(next(cause for cause in causes if text in f"{cause['field']}: {cause['message']}"))
    return causes


def _passes_of_crd(_crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> list[str]:
    """Return a difference if the CRD was rejected, because there are no requests to compare then."""
    return (
        [] if file.content["answer"]["code"] == 201 else ["the CRD was rejected, so there are no requests to compare"]
    )


def _passes_of_request(
    crd: engine.CustomResourceDefinition, file: casefile.CaseFile, request: casefile.Request
) -> list[str]:
    """Compare the stored object and the warnings of an accepted create. For a rejected one compare warnings or message."""
    if request.verb not in ("create", "createText"):
        return [f"{request.verb} is no create; only creates show the results of the passes"]
    version = crd.version(request.version)
    answer = request.answer
    if answer["code"] == 400:
        return _decoding_message(version, file, request)
    pruned = version.prune(request.sent)
    actual: dict[str, JSONValue] = {}
    expected: dict[str, JSONValue] = {"unordered": answer.get("unordered", ())}
    if casefile.warns(file.version):
        actual["warnings"] = [f'unknown field "{path}"' for path in pruned.paths if not _CONTROL.search(path)]
        expected["warnings"] = answer.get("warnings", [])
    if answer["code"] == 201:
        actual["stored"] = _without_server_made(version.default(pruned.value).value, file, request)
        expected["stored"] = answer["stored"]
    return recordings.differences(actual, expected)


def _decoding_message(version: engine.CrdVersion, file: casefile.CaseFile, request: casefile.Request) -> list[str]:
    """Compare the message about an object that cannot be decoded; the answer has a prefix before it."""
    try:
        pruned = version.prune(request.sent)
    except engine.InputError as error:
        words = error.mistakes[0].message
    except engine.DecodeError as error:
        words = str(error)
    else:
        return [f"it is decoded, as {pruned.value}"]
    kind = file.crd["spec"]["names"]["kind"]
    actual = f'{kind} in version "{version.name}" cannot be handled as a {kind}: {words}'
    messages = [alternative["message"] for alternative in request.answer.get("alternatives", [request.answer])]
    return [] if any(actual in message for message in messages) else [f"{actual}\n  recorded: {' or '.join(messages)}"]


def _without_server_made(stored: JSONValue, file: casefile.CaseFile, request: casefile.Request) -> JSONValue:
    """Return the object without fields that the recorder drops or the server overwrites."""
    dropped = _SERVER_SET | (_OVERWRITTEN - request.answer["stored"]["metadata"].keys())
    metadata = {key: value for key, value in stored["metadata"].items() if key not in dropped}
    return file.complete(stored | {"metadata": metadata}, request.version)


def _response_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> list[str]:
    """Compare the whole answer to the POST of the CRD, and its conditions soon after."""
    return recordings.differences(replies.of_crd(crd, file.crd), file.content["answer"])


def _response_of_request(
    crd: engine.CustomResourceDefinition, file: casefile.CaseFile, request: casefile.Request
) -> list[str]:
    """Compare the whole answer to the request."""
    return recordings.differences(replies.of_request(crd, file, request), request.answer)


OfCrd = Callable[[engine.CustomResourceDefinition, casefile.CaseFile], list[str]]
OfRequest = Callable[[engine.CustomResourceDefinition, casefile.CaseFile, casefile.Request], list[str]]
# Comparisons by name: a function for the CRD, and one for requests or None.
COMPARISONS: Final[Mapping[str, tuple[OfCrd, OfRequest | None]]] = {
    "structural": (_structural_of_crd, None),
    "passes": (_passes_of_crd, _passes_of_request),
    "response": (_response_of_crd, _response_of_request),
}
