"""
Ask real API servers what the conformance case files ask, and write what they answer into the files.

`python tests/oracle/record.py [FILE|FOLDER …] [--server URL] [--check]
[--also VERSION …]`: without a URL a server of each file's version is started. Recording
twice writes the same bytes; where a server answers at random (Go's map order), the answer says which of its parts have no order.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.append(str(Path(__file__).parents[1]))

import client
import serve
from conformance import casefile

JSONValue = Any
Recorded = dict[str, JSONValue]

CASES: Final = Path(__file__).parents[1] / "conformance"

_WARNING_SINCE: Final = 25
# Made by the server, different every time.
SERVER_MADE: Final = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")
# Two neighbours of a Go map of at most eight entries change places in one of eight iterations.
_TIMES: Final = 64
_TURNS_VISIBLE: Final = 0.4


def record(files: Sequence[casefile.CaseFile], server: client.Server) -> list[Recorded]:
    """
    Return the contents of case files with the answers of a server.

    Args:
        files: Case files whose CRDs do not collide.
        server: Who is asked. It is left without the CRDs of the files.
    """
    crds = [file.crd for file in files]
    for crd in crds:
        delete(server, crd)
    answers = [_crd_answer(server, crd) for crd in crds]
    accepted = [crd for crd, answer in zip(crds, answers, strict=True) if answer["code"] == 201]
    try:
        for crd in accepted:
            server.ask("POST", collection(crd), crd)
        for crd in accepted:
            wait_until_served(server, crd)
        if any(crd["apiVersion"].endswith("v1beta1") for crd in accepted):
            time.sleep(1)  # nothing says that the controller of NonStructuralSchema is done
        return [_recorded(server, file, answer) for file, answer in zip(files, answers, strict=True)]
    finally:
        for crd in accepted:
            server.ask("DELETE", _path(crd))


def _recorded(server: client.Server, file: casefile.CaseFile, answer: Recorded) -> Recorded:
    content = dict(file.content)
    if answer["code"] == 201:
        answer = _with_stored_crd(server, file.crd, answer)
    content["answer"] = answer
    if "requests" in content:
        if answer["code"] != 201:
            raise RuntimeError(
                f"{file.path}: the CRD is rejected, so its requests cannot be asked: {answer['message']}"
            )
        pairs = zip(content["requests"], file.requests, strict=True)
        content["requests"] = [asked | {"answer": _request_answer(server, file, request)} for asked, request in pairs]
    return content


def _with_stored_crd(server: client.Server, crd: JSONValue, answer: Recorded) -> Recorded:
    return answer | _stored_crd(server.ask("GET", _path(crd)).body, crd)


def _stored_crd(stored: JSONValue, sent: JSONValue) -> Recorded:
    """Return what is recorded of a stored CRD: its spec, unless that is what was sent, and its conditions without times."""
    conditions = [
        {key: condition[key] for key in ("type", "status", "reason", "message") if key in condition}
        for condition in stored["status"]["conditions"]
    ]
    spec = "as sent" if stored["spec"] == sent["spec"] else stored["spec"]
    return {"spec": spec, "conditions": sorted(conditions, key=lambda condition: str(condition["type"]))}


def _request_answer(server: client.Server, file: casefile.CaseFile, request: casefile.Request) -> Recorded:
    match request.verb:
        case "create" | "createText":
            answer = _ask_often(lambda: _create_answer(server, file, request.sent))
        case "updateCRD":
            sent = _with_resource_version(server, _path(file.crd), request.sent)
            return _ask_often(lambda: _crd_update_answer(server.ask("PUT", _path(file.crd), sent, query=_DRY), sent))
        case _:
            answer = _update_answer(server, file, request)
    if "stored" in answer:
        answer["stored"] = file.abbreviated(answer["stored"])
    return answer


_DRY: Final = {"dryRun": "All"}


def _create_answer(server: client.Server, file: casefile.CaseFile, sent: JSONValue) -> Recorded:
    return _answer(server.ask("POST", _resources(file), sent, query=_DRY), sent)


def _update_answer(server: client.Server, file: casefile.CaseFile, request: casefile.Request) -> Recorded:
    with contextlib.ExitStack() as stack:
        if request.old_crd is not None:
            _replace_crd(server, request.old_crd)
            stack.callback(_replace_crd, server, file.crd)
        stored = server.ask("POST", _resources(file), request.old)
        if stored.code != 201:
            raise RuntimeError(f"{file.path}: {request.name}: the old object is not accepted: {stored.body}")
        path = _resources(file, stored.body["metadata"]["name"])
        stack.callback(server.ask, "DELETE", path)
        if request.old_crd is not None:
            _replace_crd(server, file.crd)
        sent = _with_old_metadata(request.sent, stored.body["metadata"])
        target = f"{path}/status" if request.verb == "updateStatus" else path
        return _ask_often(lambda: _answer(server.ask("PUT", target, sent, query=_DRY), request.sent))


def _with_old_metadata(sent: JSONValue, old: Mapping[str, JSONValue]) -> JSONValue:
    kept = {key: old[key] for key in ("name", "namespace", "resourceVersion") if key in old}
    return sent | {"metadata": kept | sent["metadata"]}


def _with_resource_version(server: client.Server, path: str, sent: JSONValue) -> JSONValue:
    version = server.ask("GET", path).body["metadata"]["resourceVersion"]
    return sent | {"metadata": {"resourceVersion": version} | sent["metadata"]}


def _replace_crd(server: client.Server, crd: JSONValue) -> None:
    answer = server.ask("PUT", _path(crd), _with_resource_version(server, _path(crd), crd))
    if answer.code != 200:
        raise RuntimeError(f"the CRD cannot be replaced: {answer.body}")
    time.sleep(_TURNS_VISIBLE)


def _crd_answer(server: client.Server, crd: JSONValue) -> Recorded:
    answer = _ask_often(lambda: _answer(server.ask("POST", collection(crd), crd, query=_DRY)))
    return {key: value for key, value in answer.items() if key != "stored"}


def _crd_update_answer(answer: client.Answer, sent: JSONValue) -> Recorded:
    recorded = _answer(answer)
    if recorded.pop("stored", None) is not None:
        recorded |= _stored_crd(answer.body, sent)
    return recorded


def _answer(answer: client.Answer, sent: JSONValue = None) -> Recorded:
    """Return the facts of an answer: the Status of a refusal, or what was stored."""
    recorded: Recorded = {"code": answer.code}
    if answer.code < 300:
        recorded["stored"] = _without_server_made(answer.body, sent)
    elif isinstance(answer.body, dict):
        recorded |= {key: answer.body[key] for key in ("reason", "message") if key in answer.body}
        causes = answer.body.get("details", {}).get("causes")
        if causes:
            recorded["causes"] = [
                {key: cause.get(key, "") for key in ("reason", "field", "message")} for cause in causes
            ]
    else:
        recorded["message"] = answer.body
    if answer.warnings:
        recorded["warnings"] = list(answer.warnings)
    return recorded


def _without_server_made(stored: JSONValue, sent: JSONValue) -> JSONValue:
    metadata = {key: value for key, value in stored["metadata"].items() if key not in SERVER_MADE}
    asked = sent.get("metadata") if isinstance(sent, dict) else None
    if not isinstance(asked, dict) or "namespace" not in asked:
        metadata.pop("namespace", None)
    return stored | {"metadata": metadata}


def _ask_often(ask: Callable[[], Recorded]) -> Recorded:
    """Ask until it is as good as certain whether the answer is always the same, and merge the answers."""
    answers = [ask(), ask()]
    if _may_vary(answers):
        answers += [ask() for _ in range(_TIMES)]
    return _merged(answers)


def _may_vary(answers: Sequence[Recorded]) -> bool:
    first, second = answers
    return first != second or first["code"] == 400 or any(len(first.get(key, ())) > 1 for key in ("causes", "warnings"))


def _merged(answers: Sequence[Recorded]) -> Recorded:
    """
    Return one answer for several: as it is where they agree, else with sorted parts and their names in `unordered`.

    Where they differ in more than order, `alternatives` lists all that were seen.
    """
    distinct = _distinct(answers)
    if len(distinct) == 1:
        return distinct[0]
    unordered = [key for key in ("causes", "warnings") if len(_distinct([{key: a.get(key)} for a in distinct])) > 1]
    alike = _distinct([_in_order(answer, unordered) for answer in distinct])
    if len(alike) == 1:
        return alike[0] | {"unordered": unordered}
    return {"code": distinct[0]["code"], "alternatives": sorted(distinct, key=_key)}


def _in_order(answer: Recorded, parts: Iterable[str]) -> Recorded:
    ordered = answer | {part: sorted(answer[part], key=_key) for part in parts if part in answer}
    if "causes" in parts:
        # The message lists the causes in their order: it is put together anew, if it is what we think it is.
        before, after = (_listed(some["causes"]) for some in (answer, ordered))
        ordered["message"] = answer["message"].replace(before, after)
    return ordered


def _listed(causes: Iterable[Mapping[str, str]]) -> str:
    return ", ".join(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in causes))


def _distinct(answers: Iterable[Recorded]) -> list[Recorded]:
    return list({_key(answer): answer for answer in answers}.values())


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)


def collection(crd: JSONValue) -> str:
    """Return the URL path to which *crd* is POSTed."""
    return client.crd_path(crd["apiVersion"])


def _path(crd: JSONValue) -> str:
    return client.crd_path(crd["apiVersion"], crd["metadata"]["name"])


def _resources(file: casefile.CaseFile, name: str = "") -> str:
    return client.resource_path(file.crd, file.api_version.partition("/")[2], name)


def delete(server: client.Server, crd: JSONValue) -> None:
    """Delete a CRD where it is there, and wait until it is gone."""
    path = _path(crd)
    if server.ask("DELETE", path).code != 404:
        server.wait(path, lambda answer: answer.code == 404, f"the end of {path}")


def wait_until_served(server: client.Server, crd: JSONValue) -> None:
    """Wait for the CRD's conditions to be final, and for its URLs to exist, which takes a little longer."""
    answer = server.wait(_path(crd), lambda answer: _is_settled(answer.body), f"the conditions of {_path(crd)}")
    if _conditions(answer.body).get("Established") != "True":
        return
    for version in answer.body["spec"].get("versions", [{"name": answer.body["spec"].get("version"), "served": True}]):
        if version["served"]:
            server.wait(
                client.resource_path(crd, version["name"]), lambda answer: answer.code != 404, f"{version['name']}"
            )


def _is_settled(crd: JSONValue) -> bool:
    conditions = _conditions(crd)
    return conditions.get("Established") == "True" or conditions.get("NamesAccepted") == "False"


def _conditions(crd: JSONValue) -> dict[str, str]:
    return {item["type"]: item["status"] for item in crd.get("status", {}).get("conditions") or ()}


def _differing(
    files: Sequence[casefile.CaseFile], version: str, server: client.Server
) -> Iterable[tuple[Path, Recorded]]:
    """Yield what a server of another *version* answers to *files* where that differs, and where it is to be written."""
    for file, content in zip(files, record(files, server), strict=True):
        if _facts(content, version) != _facts(file.content, version):
            yield CASES.joinpath(version, *file.path.parts[-2:]), content


def _facts(content: JSONValue, version: str) -> JSONValue:
    """Return the answers; without warnings where the servers of *version* do not warn of unknown fields."""
    answers = [content["answer"], *(request["answer"] for request in content.get("requests", ()))]
    silent = serve.minor(version) < _WARNING_SINCE
    return [{key: value for key, value in answer.items() if key != "warnings" or not silent} for answer in answers]


def _found(paths: Iterable[Path]) -> list[casefile.CaseFile]:
    return [file for path in paths for file in (casefile.read_folder(path) if path.is_dir() else [casefile.read(path)])]


def _answered(files: Iterable[casefile.CaseFile], url: str | None) -> Iterable[tuple[casefile.CaseFile, Recorded]]:
    by_version = itertools.groupby(sorted(files, key=lambda file: file.version), lambda file: file.version)
    for version, group in by_version:
        members = list(group)
        with contextlib.nullcontext(url) if url else serve.started(version) as address:
            yield from zip(members, record(members, client.Server(address)), strict=True)


def _spread(files: Sequence[casefile.CaseFile], versions: Iterable[str]) -> int:
    for version in versions:
        with serve.started(version) as url:
            for path, content in _differing(files, version, client.Server(url)):
                path.parent.mkdir(parents=True, exist_ok=True)
                casefile.write(path, content)
                print(f"differs: {path.relative_to(CASES)}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the case files that the command line names; return 1 where `--check` finds another answer than the recorded."""
    parser = argparse.ArgumentParser(description="Record what real API servers answer to the conformance cases.")
    parser.add_argument("paths", nargs="*", type=Path, help="case files or folders of them (default: all)")
    parser.add_argument("--server", metavar="URL", help="ask this server instead of starting one of each version")
    parser.add_argument("--check", action="store_true", help="write nothing, name the files that would change")
    parser.add_argument(
        "--also",
        nargs="+",
        metavar="VERSION",
        choices=serve.VERSIONS,
        help="ask servers of other versions and keep what differs",
    )
    options = parser.parse_args(arguments)
    if options.also:
        return _spread(_found(options.paths), options.also)
    changed = 0
    for file, content in _answered(_found(options.paths or [CASES]), options.server):
        text = casefile.dumped(content)
        if text == file.path.read_text(encoding="utf-8"):
            continue
        changed += 1
        print(f"{'differs' if options.check else 'written'}: {file.id}")
        if not options.check:
            casefile.write(file.path, content)
    print(f"{changed} changed")
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
