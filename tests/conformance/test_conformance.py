"""
Replay what real API servers answered, without them: the engine must say the same.

What of an answer is compared stands in the file's `asks`, and each name there is one comparison below; an unknown name fails. A declared gap
is a strict xfail.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from conformance import casefile, recordings, replies
from pytest_crd import engine
from pytest_crd.engine import jsonvalue

FOLDER: Final = Path(__file__).parent
FILES: Final = [each for file in casefile.read_folder(FOLDER) for each in file.everywhere()]
CRDS: Final = {file.path: file.crd for file in FILES}
# An HTTP header holds no control characters: the server drops a warning that has one.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
README: Final = FOLDER.parents[1] / "README.md"


def _structural_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> None:
    """The causes that the structural check makes, in order; where the CRD is accepted, the condition instead."""
    answer = file.content["answer"]
    if answer["code"] == 201:
        expected = [condition for condition in answer["conditions"] if condition["type"] == "NonStructuralSchema"]
        keys = ("type", "status", "reason", "message")
        found = [{key: getattr(condition, key) for key in keys} for condition in crd.conditions]
        assert [condition for condition in found if condition["type"] == "NonStructuralSchema"] == expected
    else:
        made = [error for version in crd.versions for error in version.structural_errors]
        causes = [{"reason": error.type.reason, "field": error.field, "message": error.message} for error in made]
        recorded = _structural_causes(file)
        if "unordered" in answer:
            causes, recorded = sorted(causes, key=str), sorted(recorded, key=str)
        assert _each_once(causes) == recorded


def _each_once(causes: list[dict[str, str]]) -> list[dict[str, str]]:
    """Versions of one schema share their errors: the server states them once."""
    return [cause for index, cause in enumerate(causes) if cause not in causes[:index]]


def _structural_causes(file: casefile.CaseFile) -> list[dict[str, str]]:
    """The recorded causes without those that the file says lie `beyond` the structural check; each must be there."""
    causes = list(file.content["answer"].get("causes", ()))
    for other in file.content.get("beyond", ()):
        causes.remove(next(cause for cause in causes if other in f"{cause['field']}: {cause['message']}"))
    return causes


def _passes_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> None:
    """The CRD was accepted: else there would be no requests to compare."""
    assert file.content["answer"]["code"] == 201


def _passes_of_request(
    crd: engine.CustomResourceDefinition, file: casefile.CaseFile, request: casefile.Request
) -> None:
    """Of an accepted create the stored object and the warnings; of a rejected one the warnings; else the message."""
    assert request.verb in ("create", "createText")
    version = crd.version(request.version)
    answer = request.answer
    if answer["code"] == 400:
        with pytest.raises((engine.DecodeError, engine.InputError)) as raised:
            version.prune(request.sent)
        words = raised.value.mistakes[0].message if isinstance(raised.value, engine.InputError) else str(raised.value)
        kind = file.crd["spec"]["names"]["kind"]
        before = f'{kind} in version "{version.name}" cannot be handled as a {kind}: '
        assert f"{before}{words}" in _one_of(answer)
        return

    pruned = version.prune(request.sent)
    if casefile.warns(file.version):
        warnings = [f'unknown field "{path}"' for path in pruned.paths if not _CONTROL.search(path)]
        assert _sorted_if_unordered(warnings, "warnings", answer) == answer.get("warnings", [])
    if answer["code"] == 201:
        stored = version.default(pruned.value).value
        recorded = jsonvalue.from_python(answer["stored"])
        assert jsonvalue.equal(_without_server_made(stored, file, request), recorded), f"{stored}\nrecorded: {recorded}"


def _one_of(answer: Mapping[str, Any]) -> list[str]:
    return [alternative["message"] for alternative in answer.get("alternatives", [answer])]


def _sorted_if_unordered(found: list[str], part: str, answer: Mapping[str, Any]) -> list[str]:
    return sorted(found) if part in answer.get("unordered", ()) else found


def _without_server_made(stored: Any, file: casefile.CaseFile, request: casefile.Request) -> Any:
    """Drop what the recorder drops, and what the server overwrites in every create."""
    made = {"creationTimestamp", "clusterName", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
    made |= {"deletionGracePeriodSeconds", "deletionTimestamp", "namespace"} - _metadata(
        request.answer["stored"]
    ).keys()
    metadata = {key: value for key, value in stored["metadata"].items() if key not in made}
    return file.completed(stored | {"metadata": metadata}, request.version)


def _response_of_crd(crd: engine.CustomResourceDefinition, file: casefile.CaseFile) -> None:
    """The whole answer to POSTing the CRD, and the conditions that it has soon after."""
    _assert_recorded(replies.of_crd(crd, file.crd), file.content["answer"])


def _response_of_request(
    crd: engine.CustomResourceDefinition, file: casefile.CaseFile, request: casefile.Request
) -> None:
    """The whole answer to the request."""
    _assert_recorded(replies.of_request(crd, file, request), request.answer)


def _assert_recorded(found: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    differences = recordings.differences(found, answer)
    assert not differences, "\n".join(differences)


def _metadata(resource: Any) -> Mapping[str, Any]:
    metadata: Mapping[str, Any] = resource["metadata"]
    return metadata


OfCrd = Callable[[engine.CustomResourceDefinition, casefile.CaseFile], None]
OfRequest = Callable[[engine.CustomResourceDefinition, casefile.CaseFile, casefile.Request], None]
# What is asked, and how it shows in the answer to the CRD and in the answers to the requests, if it does.
COMPARISONS: Final[Mapping[str, tuple[OfCrd, OfRequest | None]]] = {
    "structural": (_structural_of_crd, None),
    "passes": (_passes_of_crd, _passes_of_request),
    "response": (_response_of_crd, _response_of_request),
}


def _params() -> Iterator[Any]:
    for file in FILES:
        for asked in file.content["asks"]:
            yield _param(file, None, asked)
            if COMPARISONS[asked][1] is not None:
                yield from (_param(file, request, asked) for request in file.requests)


def _param(file: casefile.CaseFile, request: casefile.Request | None, asked: str) -> Any:
    gap = file.gap(asked, request)
    marks = [pytest.mark.xfail(reason=gap, strict=True)] if gap else []
    return pytest.param(
        file, request, asked, marks=marks, id=f"{file.id}: {request.name if request else 'the CRD'} ({asked})"
    )


PARAMS: Final = list(_params())


@functools.cache
def _crd_of(path: Path, version: str) -> engine.CustomResourceDefinition:
    """Return the CRD of a case file, which all of its requests share."""
    return replies.definition(CRDS[path], version)


@pytest.mark.parametrize(("file", "request_", "asked"), PARAMS)
def test_the_engine_answers_as_the_server_did(
    file: casefile.CaseFile, request_: casefile.Request | None, asked: str
) -> None:
    of_crd, of_request = COMPARISONS[asked]

    if request_ is None:
        of_crd(_crd_of(file.path, file.version), file)
    elif of_request is not None:
        of_request(_crd_of(file.path, file.version), file, request_)


def _answers() -> dict[str, tuple[int, int]]:
    """Count, for each version, the recorded answers and those of them that the engine gives in all that is asked."""
    recorded: dict[str, set[str]] = {}
    differing: dict[str, set[str]] = {}
    for param in PARAMS:
        file, request, _ = param.values
        answer = f"{file.id}: {request.name if request else ''}"
        recorded.setdefault(file.version, set()).add(answer)
        if param.marks:
            differing.setdefault(file.version, set()).add(answer)
    return {
        version: (len(answers), len(answers - differing.get(version, set()))) for version, answers in recorded.items()
    }


@pytest.mark.parametrize(("version", "counted"), _answers().items(), ids=lambda value: value)
def test_the_readme_says_how_many_answers_are_reproduced(version: str, counted: tuple[int, int]) -> None:
    """It says at least how many; a figure that is far behind is as wrong as one that is too high."""
    row = re.search(
        rf"^\| {re.escape(version)} \| (\d+) \| (\d+) \|$", README.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert row, f"no row | {version} | {counted[0]} | {counted[1]} | in the README"
    for stated, actual in zip(map(int, row.groups()), counted, strict=True):
        assert stated <= actual <= max(1.5 * stated, stated + 25), f"it is | {version} | {counted[0]} | {counted[1]} |"


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(casefile.CaseFileError, match="no case files"):
        casefile.read_folder(tmp_path)


def test_every_recorded_file_is_written_in_the_one_form_that_it_has() -> None:
    for file in casefile.read_folder(FOLDER):
        assert file.path.read_text(encoding="utf-8") == casefile.text(file.path, file.content)
