"""Send the requests for CRDs in tests/conformance/crdrequests to real API servers, and write the answers beside each file."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Mapping, Sequence
from concurrent import futures
from pathlib import Path
from typing import Final

from conformance import crdrequests

from oracle.recorders import files
from oracle.servers import apiserver
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client

VERSIONS: Final = ("1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.21")
_WORKERS: Final = 8
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_STATED: Final = re.compile(r'(resourceVersion[\\":]+)\d+')
_OMITTED: Final = ("kind", "apiVersion", "metadata", "status", "code")


def record_case(server: client.Server, requests: Sequence[crdrequests.Request], group: str) -> list[JSONValue]:
    """Return, for each request of a case, the stored CRD before it and the answer."""
    path = client.crd_path("apiextensions.k8s.io/v1", f"as.{group}")
    answers = []
    for request in requests:
        time.sleep(1.05 - time.time() % 1)
        before = server.ask("GET", path)
        answer = _send(server, path, request, group, before.body if before.code == 200 else None)
        answers.append(_normal(before.body if before.code == 200 else None, answer, group))
        if answer.code == 201:
            server.wait(path, lambda answer_: bool(answer_.body["status"]["conditions"]), "conditions")
        time.sleep(0.3)  # for the controllers, which write the status after a change
    server.ask(
        "PATCH", path, {"metadata": {"finalizers": None}}, headers={"Content-Type": "application/merge-patch+json"}
    )
    server.ask("DELETE", path)
    return answers


def _send(
    server: client.Server, path: str, request: crdrequests.Request, group: str, before: JSONValue
) -> client.ServerAnswer:
    verb, body = crdrequests.verb_of(request), crdrequests.body_of(request, group)
    query = {"fieldManager": request["manager"]} if "manager" in request else {}
    query |= {"force": "true"} if request.get("force") else {}
    query |= {"fieldValidation": request["fieldValidation"]} if "fieldValidation" in request else {}
    headers = {"Content-Type": crdrequests.VERBS[verb], "User-Agent": "fuzz/1"}
    if verb == "create":
        return server.ask("POST", path.rpartition("/")[0], body, query=query, headers=headers)
    if verb == "update":
        stored = {} if before is None else {"resourceVersion": before["metadata"]["resourceVersion"]}
        return server.ask(
            "PUT", path, {**body, "metadata": {**body["metadata"], **stored}}, query=query, headers=headers
        )
    return server.ask("PATCH", path, body, query=query, headers=headers)


def _normal(before: JSONValue, answer: client.ServerAnswer, group: str) -> JSONValue:
    """Return the CRD and the answer without values that differ between runs."""
    recorded: JSONValue = {"code": answer.code}
    if answer.code < 300:
        recorded["object"] = answer.body
    else:
        recorded["status"] = {key: value for key, value in answer.body.items() if key not in _OMITTED}
    if answer.warnings:
        recorded["warnings"] = list(answer.warnings)
    whole = {"before": before, "answer": recorded}
    for crd in (before, recorded.get("object")):
        if crd is not None:
            _tidy(crd)
    uid = ((before or recorded.get("object") or {}).get("metadata") or {}).get("uid")
    text = _STATED.sub(r"\1rv", json.dumps(whole, ensure_ascii=False)).replace(group, crdrequests.GROUP)
    text = text.replace(uid, crdrequests.UID) if uid else text
    old = {
        time: f"2026-01-01T00:00:{number:02}Z" for number, time in enumerate(sorted(_TIME.findall(json.dumps(before))))
    }
    return json.loads(_TIME.sub(lambda match: old.get(match[0], crdrequests.NOW), text))


def _tidy(crd: JSONValue) -> None:
    crd["metadata"].pop("resourceVersion", None)
    for entry in crd["metadata"].get("managedFields") or ():
        if entry["manager"].startswith("server"):
            entry["manager"] = "server"


def record_cases(
    server: client.Server, cases: Mapping[str, Sequence[crdrequests.Request]]
) -> dict[str, list[JSONValue]]:
    """Return a server's answers to the cases of a file, by name."""
    run = f"{time.time_ns():x}"
    with futures.ThreadPoolExecutor(_WORKERS) as pool:
        pending = {
            name: pool.submit(record_case, server, requests, f"c{number}-{run}.example.com")
            for number, (name, requests) in enumerate(cases.items())
        }
        return {name: future.result() for name, future in pending.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("paths", nargs="*", type=Path, help="files of requests (default: all)")


def main(options: argparse.Namespace) -> int:
    """Record the files; return 1 if a check finds a difference."""
    cases_by_path = {path.resolve(): crdrequests.cases(path.resolve()) for path in options.paths or crdrequests.paths()}
    answers: dict[Path, dict[str, dict[str, list[JSONValue]]]] = {path: {} for path in cases_by_path}
    for version in VERSIONS:
        with apiserver.started(version) as url:
            for path, cases in cases_by_path.items():
                answers[path][version] = record_cases(client.Server(url), cases)
    changed = 0
    for path, cases in cases_by_path.items():
        text = "".join(_lines(cases, answers[path]))
        changed += files.keep(path.with_suffix(".jsonl"), text, check=options.check)
    return files.outcome(changed, check=options.check)


def _lines(
    cases: Mapping[str, Sequence[crdrequests.Request]], by_version: Mapping[str, Mapping[str, Sequence[JSONValue]]]
) -> list[str]:
    lines = []
    for name, requests in cases.items():
        for number in range(len(requests)):
            agreeing: dict[str, list[str]] = {}
            for version, answers in by_version.items():
                agreeing.setdefault(json.dumps(answers[name][number], ensure_ascii=False), []).append(version)
            for text, versions in agreeing.items():
                line = {"case": name, "request": number, "versions": versions, **json.loads(text)}
                lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return lines
