"""
Send the requests of the conformance case files to real API servers, and write the answers into the files.

Without a URL a server of each file's version is started. Recording twice writes the same bytes: if a server answers at
random (Go's map order), the answer lists its unordered parts. Each file is recorded with its own version, unless an
option names another.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from conformance import casefile, recordings

from oracle import options as shared
from oracle.recorders import alike, files
from oracle.servers import apiserver, repetition
from oracle.servers.crds import collection, delete, path_of
from oracle.servers.versions import VERSIONS
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import requestoptions, scale
from pytest_crd.engine.registry.patching import documents
from pytest_crd.live import answerfacts, client, settling

Recorded = dict[str, JSONValue]

CASES: Final = Path(__file__).parents[3] / "tests" / "conformance"

_TURNS_VISIBLE: Final = 0.4
# The name of the missing object in patches of a missing object.
_MISSING: Final = "example"


def record(files: Sequence[casefile.CaseFile], server: client.Server) -> list[Recorded]:
    """
    Return the contents of case files with the answers of a server.

    Args:
        files: Case files without conflicting CRDs.
        server: The server. The CRDs of the files are deleted at the end.
    """
    crds = [file.crd for file in files]
    for crd in crds:
        delete(server, crd)
    answers = [_crd_answer(server, collection(crd), crd) for crd in crds]
    accepted = [crd for crd, answer in zip(crds, answers, strict=True) if answer["code"] == 201]
    try:
        for crd in accepted:
            server.ask("POST", collection(crd), crd)
        for crd in accepted:
            settling.wait_until_served(server, crd)
        if any(crd["apiVersion"].endswith("v1beta1") for crd in accepted):
            time.sleep(1)  # the controller of NonStructuralSchema gives no sign when it is done
        return [_recorded(server, file, answer) for file, answer in zip(files, answers, strict=True)]
    finally:
        for crd in accepted:
            server.ask("DELETE", path_of(crd))


def _recorded(server: client.Server, file: casefile.CaseFile, answer: Recorded) -> Recorded:
    content = dict(file.content)
    if answer["code"] == 201:
        answer = _with_stored_crd(server, file.crd, answer)
    content["answer"] = answer
    if "requests" in content:
        if answer["code"] != 201:
            return _without_requests(content, file, answer)
        pairs = zip(content["requests"], file.requests, strict=True)
        content["requests"] = [
            content_ | {"answer": _request_answer(server, file, request)} for content_, request in pairs
        ]
    return content


def _without_requests(content: Recorded, file: casefile.CaseFile, answer: Recorded) -> Recorded:
    """
    Return the content for a version that rejects the CRD, so that no request can be recorded.

    Raises:
        RuntimeError: The file's own version rejects the CRD, too.
    """
    if file.content.get("answer", {}).get("code") != 201:
        raise RuntimeError(f"{file.path}: the CRD is rejected, so its requests cannot be recorded: {answer['message']}")
    return {key: value for key, value in content.items() if key != "requests"}


def _with_stored_crd(server: client.Server, crd: JSONValue, answer: Recorded) -> Recorded:
    return answer | _stored_crd(server.ask("GET", path_of(crd)).body, crd)


def _stored_crd(stored: JSONValue, sent: JSONValue) -> Recorded:
    """Return the recorded parts of a stored CRD: its spec, or `as sent`, and its conditions without times."""
    conditions = [
        {key: condition[key] for key in ("type", "status", "reason", "message") if key in condition}
        for condition in stored["status"]["conditions"]
    ]
    spec = "as sent" if stored["spec"] == sent["spec"] else stored["spec"]
    return {"spec": spec, "conditions": sorted(conditions, key=lambda condition: str(condition["type"]))}


def _request_answer(server: client.Server, file: casefile.CaseFile, request: casefile.Request) -> Recorded:
    match request.verb:
        case "create" | "createText":
            answer = repetition.merge_repeated(lambda: _create_answer(server, file, request))
        case "updateCRD":
            sent = _with_resource_version(server, path_of(file.crd), request.sent)
            path = client.crd_path(sent["apiVersion"], file.crd["metadata"]["name"])
            query = _query(request)
            return repetition.merge_repeated(
                lambda: _crd_update_answer(server.ask("PUT", path, sent, query=query), sent)
            )
        case "patchCRD":
            return repetition.merge_repeated(
                lambda: recordings.without_generated(
                    _crd_update_answer(_send_patch(server, path_of(file.crd), request), file.crd)
                )
            )
        case "createCRDText":
            return _crd_answer(server, collection(file.crd), request.sent, _query(request))
        case _:
            answer = _update_answer(server, file, request)
    if "stored" in answer and request.verb not in casefile.OF_SCALE:
        answer["stored"] = file.abbreviate(answer["stored"], request.version)
    return answer


_DRY: Final = {"dryRun": "All"}


def _create_answer(server: client.Server, file: casefile.CaseFile, request: casefile.Request) -> Recorded:
    path = client.resource_path(file.crd, request.version)
    return answerfacts.of_server(server.ask("POST", path, request.sent, query=_query(request)), request.sent)


def _query(request: casefile.Request) -> dict[str, str]:
    return {**_DRY, **({"fieldValidation": request.field_validation} if request.field_validation else {})}


def _send_patch(server: client.Server, path: str, request: casefile.Request) -> client.ServerAnswer:
    """Send a PATCH and return the answer; a body that is not a text is encoded as Go does."""
    is_text, sent = isinstance(request.sent, str), request.sent
    text = sent if is_text else documents.to_text(documents.as_sent(sent))
    default_media_type = requestoptions.JSON_PATCH if text.lstrip().startswith("[") else requestoptions.MERGE_PATCH
    headers = {"Content-Type": request.media_type or default_media_type}
    return server.ask("PATCH", path, text, query=_query(request), headers=headers)


def _update_facts(answer: client.ServerAnswer, sent: JSONValue) -> Recorded:
    """Return the facts of an answer, without generated values that its texts may quote."""
    return recordings.without_generated(answerfacts.of_server(answer, sent))


_SUBRESOURCES: Final = {
    "updateStatus": "/status",
    "patchStatus": "/status",
    "updateScale": "/scale",
    "patchScale": "/scale",
}


def _update_answer(server: client.Server, file: casefile.CaseFile, request: casefile.Request) -> Recorded:
    if request.old is None:
        path = client.resource_path(file.crd, request.version, _MISSING) + _SUBRESOURCES.get(request.verb, "")
        return repetition.merge_repeated(lambda: _update_facts(_send_patch(server, path, request), None))
    with contextlib.ExitStack() as stack:
        if request.old_crd is not None:
            _replace_crd(server, request.old_crd)
            stack.callback(_replace_crd, server, file.crd)
        stored = server.ask("POST", client.resource_path(file.crd, request.old_version), request.old)
        if stored.code != 201:
            raise RuntimeError(f"{file.path}: {request.name}: the old object is not accepted: {stored.body}")
        name = stored.body["metadata"]["name"]
        stack.callback(_remove, server, client.resource_path(file.crd, request.old_version, name))
        if request.old_crd is not None:
            # The server cannot delete an object that the CRD cannot decode, not even together with the CRD.
            stack.callback(_replace_crd, server, request.old_crd)
            _replace_crd(server, file.crd)
        path = client.resource_path(file.crd, request.version, name)
        target = path + _SUBRESOURCES.get(request.verb, "")
        if request.verb in casefile.PATCHES:
            return repetition.merge_repeated(lambda: _update_facts(_send_patch(server, target, request), None))
        sent = request.sent
        if request.verb == "updateScale":
            sent = {**scale.TYPE_META, "metadata": {}, **sent} if isinstance(sent, dict) else sent
        sent = _with_old_metadata(sent, stored.body["metadata"])
        return repetition.merge_repeated(
            lambda: _update_facts(server.ask("PUT", target, sent, query=_query(request)), request.sent)
        )


def _remove(server: client.Server, path: str) -> None:
    """Delete a custom resource after removing its finalizers."""
    stored = server.ask("GET", path).body
    if stored["metadata"].pop("finalizers", None):
        server.ask("PUT", path, stored)
    server.ask("DELETE", path)


def _with_old_metadata(sent: JSONValue, old: Mapping[str, JSONValue]) -> JSONValue:
    if not isinstance(sent, dict) or not isinstance(sent.get("metadata"), dict):
        return sent
    identity = {key: old[key] for key in ("name", "namespace", "resourceVersion") if key in old}
    return sent | {"metadata": identity | sent["metadata"]}


def _with_resource_version(server: client.Server, path: str, sent: JSONValue) -> JSONValue:
    version = server.ask("GET", path).body["metadata"]["resourceVersion"]
    return sent | {"metadata": {"resourceVersion": version} | sent["metadata"]}


def _replace_crd(server: client.Server, crd: JSONValue) -> None:
    answer = server.ask("PUT", path_of(crd), _with_resource_version(server, path_of(crd), crd))
    if answer.code != 200:
        raise RuntimeError(f"the CRD cannot be replaced: {answer.body}")
    time.sleep(_TURNS_VISIBLE)


def _crd_answer(server: client.Server, path: str, crd: JSONValue, query: Mapping[str, str] | None = None) -> Recorded:
    answer = repetition.merge_repeated(
        lambda: answerfacts.of_server(server.ask("POST", path, crd, query=query or _DRY))
    )
    return {key: value for key, value in answer.items() if key != "stored"}


def _crd_update_answer(answer: client.ServerAnswer, sent: JSONValue) -> Recorded:
    recorded = answerfacts.of_server(answer)
    if recorded.pop("stored", None) is not None:
        recorded |= _stored_crd(answer.body, sent)
    return recorded


def _read_files(paths: Iterable[Path]) -> list[casefile.CaseFile]:
    return [file for path in paths for file in (casefile.read_folder(path) if path.is_dir() else [casefile.read(path)])]


def _record_own(files: Iterable[casefile.CaseFile], url: str) -> Iterable[tuple[casefile.CaseFile, Recorded]]:
    by_version = itertools.groupby(sorted(files, key=lambda file: file.version), lambda file: file.version)
    for version, group in by_version:
        members = list(group)
        with apiserver.at(url, version) as address:
            yield from zip(members, record(members, client.Server(address)), strict=True)


def _record_other(files: Sequence[casefile.CaseFile], version: str, url: str) -> Iterable[tuple[Path, Recorded]]:
    with apiserver.at(url, version) as address:
        yield from alike.files(files, record(files, client.Server(address)), version, CASES)


def _record_version(files: Iterable[casefile.CaseFile], version: str, url: str) -> Iterable[tuple[Path, Recorded]]:
    """Yield the recordings of a version: its own files, and files of other versions that have the same answers."""
    everywhere = [file for file in files if version in (file.version, *file.content.get("alike", ()))]
    own = [file for file in everywhere if file.version == version]
    with apiserver.at(url, version) as address:
        for file, content in zip(own, record(own, client.Server(address)), strict=True):
            yield file.path, content
        yield from _record_other([file for file in everywhere if file.version != version], version, address)


def _write(path: Path, content: Recorded, *, check: bool) -> bool:
    """
    Write a file if it changes, and remove it if it has no content; with *check* only print its name.

    Returns:
        True if the file changes.
    """
    if not content:
        print(f"{'too many' if check else 'removed'}: {'/'.join(path.with_suffix('').parts[-3:])}")
        if not check:
            path.unlink()
        return True
    text = casefile.text(path, content)
    if path.exists() and text == path.read_text(encoding="utf-8"):
        return False
    print(f"{'differs' if check else 'written'}: {'/'.join(path.with_suffix('').parts[-3:])}")
    if not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        casefile.write(path, content)
    return True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files, the server and the versions."""
    parser.add_argument("paths", nargs="*", type=Path, help="case files or folders of them (default: all)")
    shared.add_server(parser)
    versions = parser.add_mutually_exclusive_group()
    versions.add_argument(
        "--also",
        metavar="VERSION",
        help="record a server of another version, and note equal answers or write a file of its own",
    )
    versions.add_argument(
        "--of",
        metavar="VERSION",
        help="record one version: its own files, and files of others with a note that it answers the same",
    )


def main(options: argparse.Namespace) -> int:
    """Record the named case files; return 1 if a check finds a different answer."""
    version = options.also or options.of
    if version and not (options.server or version in VERSIONS):
        versions_ = ", ".join(VERSIONS)
        raise shared.UsageError(f"a server of {version} cannot be started here, only of {versions_}: use --server")
    case_files = _read_files(options.paths or [CASES])
    if options.also:
        pairs = _record_other(case_files, version, options.server)
    elif options.of:
        pairs = _record_version(case_files, version, options.server)
    else:
        pairs = ((file.path, content) for file, content in _record_own(case_files, options.server))
    changed = sum([_write(path, content, check=options.check) for path, content in pairs])
    return files.outcome(changed, check=options.check)
