"""
Replay on a server what upgrades were found to do: both CRDs, the objects that show it, and the answers.

Without a folder the changes of `tests/upgrades`; with folders those of the pairs in them, as other tools keep them: `a.yaml` and `b.yaml`,
or `existing.yaml` and `new.yaml`, with what these tools expect in a file beside them, which is printed next to what was found.
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
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgradefindings import Finding
from pytest_crd.upgrades.upgradesubject import Subject

_PAIRS = (("a.yaml", "b.yaml"), ("existing.yaml", "new.yaml"))
_EXPECTED = ("expected.json", "expected.yaml")
_TURNS_VISIBLE = 1.0
_DRY = {"dryRun": "All"}


class Pair(NamedTuple):
    """A CRD before and after."""

    name: str
    old: engine.CustomResourceDefinition
    new: engine.CustomResourceDefinition
    expected: str


def of_folder(folder: Path, version: str) -> Iterator[Pair]:
    """Yield the pairs that lie below a folder."""
    for first, second in _PAIRS:
        for path in sorted(folder.rglob(second)):
            before = path.with_name(first)
            if not before.exists():
                continue
            old, new = (engine.load(one, kubernetes_version=version)[0] for one in (before, path))
            expected = next((text for name in _EXPECTED if (text := _text(path.with_name(name)))), "")
            yield Pair(str(path.parent.relative_to(folder)), old, new, expected)


def _text(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8").split()) if path.exists() else ""


def of_changes(version: str) -> Iterator[Pair]:
    """Yield the changes of the tests."""
    for one in changes.CHANGES:
        old, new = (changes.crd(x, kubernetes_version=version) for x in (one.old, one.new))
        yield Pair(one.name, old, new, ", ".join(one.expected))


class Replay:
    """A pair on a server."""

    def __init__(self, server: client.Server, pair: Pair) -> None:
        self._server, self._pair = server, pair
        self._shown: list[tuple[Finding, str, Mapping[str, Any]]] = []
        self._stored: dict[str, Any] = {}
        self.count = 0

    def run(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Yield each answer of the server that is not the one that was found."""
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
            self._shown.append((finding, name, resource))

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
        for finding, name, resource in self._shown:
            crd = self._pair.new
            if finding.versions[0] not in {one.name for one in crd.versions if one.served}:
                continue
            subject = Subject(crd.version(finding.versions[0]))
            is_update = bool(finding.witness and finding.witness.stored)
            stored = self._stored.get(name)
            if is_update and stored is None:
                continue
            if stored is not None and is_update:
                ours = subject.overwrite(resource, recordings_free(stored))
                yield from self._compare(finding, "new", ours, self._overwrite(crd, subject, resource, dry=True))
                continue
            if stored is not None and finding.witness and finding.witness.before.accepted:
                unchanged = recordings_free(stored)
                ours = subject.overwrite(unchanged, unchanged)
                theirs = self._overwrite(crd, subject, unchanged, dry=True)
                yield from self._compare(finding, "stored", ours, theirs)
                self._server.ask("DELETE", client.resource_path(dict(crd.manifest), subject.version.name, name))
            yield from self._compare(finding, "new", subject.write(resource), self._write(crd, subject, resource))

    def _write(self, crd: Any, subject: Subject, resource: Mapping[str, Any]) -> client.ServerAnswer:
        """Create an object, and its status where that is a subresource."""
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
        given = answerfacts.of_server(theirs, {})
        expected["code"] = given["code"] if {expected["code"], given["code"]} == {200, 201} else expected["code"]
        # Fields of one object are looked at in random order.
        given["unordered"] = ["causes"]
        if recordings.differences(expected, given):
            yield f"{side}: {finding.kind} {finding.path}: {json.dumps(given)} instead of {json.dumps(expected)}"


def recordings_free(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without what a server alone makes."""
    return answerfacts.of_server(client.ServerAnswer(201, stored, ()), {})["stored"]  # type: ignore[no-any-return]


def _named(resource: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**resource, "metadata": {**(resource.get("metadata") or {}), "name": name}}


def told(pair: Pair, found: upgrade.Upgrade) -> Iterator[str]:
    """Yield the lines of a table: what the other tool expects, and what was found with its witness."""
    yield f"{pair.name}: {pair.expected or '(nothing)'}"
    for finding in found.findings:
        shown = f"  {report.shorten(finding.witness.resource)}" if finding.witness else ""
        yield f"    {finding.kind.value:9} {finding.path}: {finding.words}{shown}"
    yield from (f"    {one}" for one in (*found.unshown, *found.warnings))
    if not found.findings and not found.unshown:
        yield "    (nothing)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folders, and who is asked."""
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="has pairs of CRDs")
    shared.add_version(parser, "--version", choices=None)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Replay the pairs that the command line names; return 1 where the server answers otherwise."""
    version = options.kubernetes_version
    pairs = [pair for folder in options.folders for pair in of_folder(folder, version)] or [*of_changes(version)]
    wrong = asked = witnesses = 0
    with apiserver.at(options.server, version) as url:
        for pair in pairs:
            found = upgrade.judge(pair.old, pair.new, Specimens())
            print("\n".join(told(pair, found)))
            replay = Replay(client.Server(url), pair)
            for line in replay.run(found.findings):
                wrong += 1
                print(f"  !! {line}")
            asked += replay.count
            witnesses += sum(finding.witness is not None for finding in found.findings)
    print(f"{len(pairs)} pairs, {witnesses} witnesses, {asked} answers, {wrong} that the server does not give")
    return 1 if wrong else 0
