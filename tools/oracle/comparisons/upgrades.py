"""
Replay the findings about upgrades on a server: both CRDs, the witnesses, and the answers.

Without a folder these are the upgrades of `tests/upgrades`. A folder has pairs of CRDs as other tools keep them:
`a.yaml` and `b.yaml`, or `existing.yaml` and `new.yaml`. The expectation of these tools is in a file beside them, and
is printed next to the findings.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conformance import recordings
from upgrades import changes

from oracle import options as shared
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from pytest_crd import engine
from pytest_crd.live import answerfacts, client, settling
from pytest_crd.synthesis import objectwords
from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Finding

_PAIRS = (("a.yaml", "b.yaml"), ("existing.yaml", "new.yaml"))
_EXPECTED = ("expected.json", "expected.yaml")
_TURNS_VISIBLE = 1.0
_DRY = {"dryRun": "All"}


class Pair(NamedTuple):
    """
    A CRD before and after an upgrade.

    Attributes:
        name: A name.
        old: The CRD before.
        new: The CRD after.
        expected: The expectation of another tool, or an empty string.
    """

    name: str
    old: engine.CustomResourceDefinition
    new: engine.CustomResourceDefinition
    expected: str


def read_folder(folder: Path, version: str) -> Iterator[Pair]:
    """Yield the pairs in a folder."""
    for first, second in _PAIRS:
        for path in sorted(folder.rglob(second)):
            before = path.with_name(first)
            if not before.exists():
                continue
            old, new = (engine.load(file, kubernetes_version=version)[0] for file in (before, path))
            expected = next((text for name in _EXPECTED if (text := _text(path.with_name(name)))), "")
            yield Pair(str(path.parent.relative_to(folder)), old, new, expected)


def _text(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8").split()) if path.exists() else ""


def read_tests(version: str) -> Iterator[Pair]:
    """Yield the upgrades of the tests."""
    for change in changes.CHANGES:
        old, new = (changes.crd(x, kubernetes_version=version) for x in (change.old, change.new))
        yield Pair(change.name, old, new, ", ".join(change.expected))


class Replay:
    """A replay of one pair on a server."""

    def __init__(self, server: client.Server, pair: Pair) -> None:
        self._server, self._pair = server, pair
        self._witnesses: list[tuple[Finding, str, Mapping[str, Any]]] = []
        self._stored: dict[str, Any] = {}
        self.count = 0

    def run(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Yield each answer of the server that differs from the engine's."""
        old, new = dict(self._pair.old.manifest), dict(self._pair.new.manifest)
        delete(self._server, old)
        created = self._server.ask("POST", collection(old), old)
        if created.code != 201:
            return
        settling.wait_until_served(self._server, old)
        yield from self._before(findings)
        yield from self._replace(old, new)
        yield from self._after()
        delete(self._server, new)

    def _before(self, findings: Sequence[Finding]) -> Iterator[str]:
        for index, finding in enumerate(findings):
            if finding.witness is None or finding.witness.applied:
                continue
            name = f"example-{index}"
            resource = _named(finding.witness.resource, name)
            subject = Subject(self._pair.old.version(finding.versions[0]))
            first = _named(finding.witness.stored, name) if finding.witness.stored else resource
            yield from self._compare(finding, "old", subject.write(first), self._write(self._pair.old, subject, first))
            if finding.witness.stored:
                stored = subject.write(first).stored
                ours = subject.overwrite(resource, stored)
                yield from self._compare(
                    finding, "old", ours, self._overwrite(self._pair.old, subject, resource, dry=True)
                )
            self._witnesses.append((finding, name, resource))

    def _replace(self, old: Any, new: Any) -> Iterator[str]:
        path = client.crd_path(new["apiVersion"], old["metadata"]["name"])
        current = self._server.ask("GET", path).body["metadata"]["resourceVersion"]
        sent = {**new, "metadata": {**new["metadata"], "resourceVersion": current}}
        answer = self._server.ask("PUT", path, sent)
        ours = self._pair.new.update_from(self._pair.old)
        if (answer.code, answer.body.get("message") if answer.code != 200 else "") != (ours.code, ours.message):
            yield f"the CRD: {answer.code} {answer.body.get('message')} instead of {ours.code} {ours.message}"
        if answer.code != 200:
            delete(self._server, old)
            self._stored.clear()
            self._server.ask("POST", collection(new), new)
            settling.wait_until_served(self._server, new)
        time.sleep(_TURNS_VISIBLE)

    def _after(self) -> Iterator[str]:
        for finding, name, resource in self._witnesses:
            crd = self._pair.new
            if finding.versions[0] not in {version.name for version in crd.versions if version.served}:
                continue
            subject = Subject(crd.version(finding.versions[0]))
            is_update = bool(finding.witness and finding.witness.stored)
            stored = self._stored.get(name)
            if is_update and stored is None:
                continue
            if stored is not None and is_update:
                ours = subject.overwrite(resource, without_server_fields(stored))
                yield from self._compare(finding, "new", ours, self._overwrite(crd, subject, resource, dry=True))
                continue
            if stored is not None and finding.witness and finding.witness.before.accepted:
                unchanged = without_server_fields(stored)
                ours = subject.overwrite(unchanged, unchanged)
                theirs = self._overwrite(crd, subject, unchanged, dry=True)
                yield from self._compare(finding, "stored", ours, theirs)
                self._server.ask("DELETE", client.resource_path(dict(crd.manifest), subject.version.name, name))
            yield from self._compare(finding, "new", subject.write(resource), self._write(crd, subject, resource))

    def _write(self, crd: Any, subject: Subject, resource: Mapping[str, Any]) -> client.ServerAnswer:
        """Create an object, and write its status if that is a subresource."""
        path = client.resource_path(dict(crd.manifest), subject.version.name)
        answer = self._server.ask("POST", path, resource)
        if answer.code == 201:
            self._stored[resource["metadata"]["name"]] = answer.body
        return self._with_status(crd, subject, resource, answer, {})

    def _overwrite(self, crd: Any, subject: Subject, resource: Mapping[str, Any], *, dry: bool) -> client.ServerAnswer:
        name = resource["metadata"]["name"]
        path = client.resource_path(dict(crd.manifest), subject.version.name, name)
        current = self._server.ask("GET", path).body["metadata"]["resourceVersion"]
        body = {**resource, "metadata": {**resource["metadata"], "resourceVersion": current}}
        answer = self._server.ask("PUT", path, body, query=_DRY if dry else None)
        return self._with_status(crd, subject, resource, answer, _DRY if dry else {})

    def _with_status(
        self,
        crd: Any,
        subject: Subject,
        resource: Mapping[str, Any],
        answer: client.ServerAnswer,
        query: Mapping[str, str],
    ) -> client.ServerAnswer:
        if answer.code >= 300 or not resource.get("status") or not subject.version.has_status:
            return answer
        name = resource["metadata"]["name"]
        path = client.resource_path(dict(crd.manifest), subject.version.name, f"{name}/status")
        body = {**answer.body, "status": resource["status"]}
        if query:
            body["metadata"] = self._server.ask("GET", path.removesuffix("/status")).body["metadata"]
        last = self._server.ask("PUT", path, body, query=query or None)
        if last.code == 200 and not query:
            self._stored[name] = last.body
        warnings = tuple(dict.fromkeys((*answer.warnings, *last.warnings)))
        return client.ServerAnswer(last.code, last.body, warnings)

    def _compare(
        self, finding: Finding, side: str, ours: engine.Response, theirs: client.ServerAnswer
    ) -> Iterator[str]:
        self.count += 1
        expected = recordings.of_custom_resource(ours, namespaced=False)
        answered = answerfacts.of_server(theirs, {})
        expected["code"] = answered["code"] if {expected["code"], answered["code"]} == {200, 201} else expected["code"]
        # Fields of one object are validated in random order.
        answered["unordered"] = ["causes"]
        if recordings.differences(expected, answered):
            yield f"{side}: {finding.kind} {finding.path}: {json.dumps(answered)} instead of {json.dumps(expected)}"


def without_server_fields(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored object without the fields that only a server sets."""
    return answerfacts.of_server(client.ServerAnswer(201, stored, ()), {})["stored"]  # type: ignore[no-any-return]


def _named(resource: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**resource, "metadata": {**(resource.get("metadata") or {}), "name": name}}


def report_lines(pair: Pair, judged: upgrade.Upgrade) -> Iterator[str]:
    """Yield the lines of the report on a pair: the other tool's expectation, and each finding with its witness."""
    yield f"{pair.name}: {pair.expected or '(nothing)'}"
    for finding in judged.findings:
        witness = f"  {objectwords.shorten(finding.witness.resource)}" if finding.witness else ""
        yield f"    {finding.kind.value:9} {finding.path}: {finding.words}{witness}"
    yield from (f"    {line}" for line in (*judged.unshown, *judged.warnings))
    if not judged.findings and not judged.unshown:
        yield "    (nothing)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folders, the version and the server."""
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="has pairs of CRDs")
    shared.add_version(parser, "--version", choices=None)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Replay the pairs; return 1 if an answer of the server differs."""
    version = options.kubernetes_version
    pairs = [pair for folder in options.folders for pair in read_folder(folder, version)] or [*read_tests(version)]
    wrong = answers = witnesses = 0
    with apiserver.at(options.server, version) as url:
        for pair in pairs:
            judged = upgrade.judge(pair.old, pair.new, Specimens())
            print("\n".join(report_lines(pair, judged)))
            replay = Replay(client.Server(url), pair)
            for line in replay.run(judged.findings):
                wrong += 1
                print(f"  !! {line}")
            answers += replay.count
            witnesses += sum(finding.witness is not None for finding in judged.findings)
    print(f"{len(pairs)} pairs, {witnesses} witnesses, {answers} answers, {wrong} that the server does not give")
    return 1 if wrong else 0
