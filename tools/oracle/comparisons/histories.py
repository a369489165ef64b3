"""
Replay the releases of repositories on a server: a POST of the oldest CRD, and a PUT of each later one.

Each folder is a clone with tags. The engine answers the same requests with the versions that its own answers have stored. An update that
the server refuses leaves the CRD as it is, for both.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from oracle import options as shared
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete, path_of
from pytest_crd.discovery import releases, releasewalk
from pytest_crd.discovery.commitcrds import Project
from pytest_crd.engine import CustomResourceDefinition, InputError, Response
from pytest_crd.live import client

_ALL: Final = "all-tags"


class Answers(NamedTuple):
    """
    The answers to one request.

    Attributes:
        ours: The code and message of the engine.
        theirs: Those of the server.
    """

    ours: tuple[int, str]
    theirs: tuple[int, str]


class Replay:
    """A replay of the releases of one CRD on a server."""

    def __init__(self, server: client.Server) -> None:
        self._server = server
        self._current: CustomResourceDefinition | None = None
        self._stored: tuple[str, ...] = ()

    def write(self, crd: CustomResourceDefinition) -> Answers:
        """Write the CRD of a release, and return the answers."""
        sent = dict(crd.manifest)
        if self._current is None:
            delete(self._server, sent)
            ours, theirs = crd.create(), self._server.ask("POST", collection(sent), sent)
        else:
            status = {**(self._current.declared.get("status") or {}), "storedVersions": list(self._stored)}
            before = self._current.altered({**self._current.declared, "status": status})
            ours, theirs = crd.update_from(before), self._put(sent)
        if theirs.code < 300:
            self._current = crd
            storage = (version.name for version in crd.versions if version.storage)
            self._stored = tuple(dict.fromkeys((*self._stored, *storage)))
        return Answers(_of_engine(ours), (theirs.code, "" if theirs.code < 300 else theirs.message))

    def _put(self, sent: dict[str, Any]) -> client.ServerAnswer:
        """Replace the CRD; again if the server has written its conditions meanwhile."""
        while True:
            version = self._server.ask("GET", path_of(sent)).body["metadata"]["resourceVersion"]
            put = {**sent, "metadata": {**sent["metadata"], "resourceVersion": version}}
            answer = self._server.ask("PUT", path_of(sent), put)
            if answer.code != 409:
                return answer

    def end(self) -> None:
        """Delete the CRD from the server."""
        if self._current is not None:
            delete(self._server, dict(self._current.manifest))


def _of_engine(response: Response) -> tuple[int, str]:
    return response.code, "" if response.accepted else response.message


def histories(repository: Path, version: str) -> Iterator[list[tuple[str, CustomResourceDefinition]]]:
    """Yield the releases of each CRD that has no alternative; pre-releases are left out."""
    walk = releasewalk.read(releases.find_commit(repository, _ALL), Project(repository, (), repository), version)
    finals = [release for release in walk.releases if not release.is_prerelease]
    by_id: dict[str, list[tuple[str, CustomResourceDefinition]]] = {}
    for id_, old in releasewalk.list_crds(finals, version):
        by_id.setdefault(id_, []).append((old.releases[0], old.crd))
    yield from (history for id_, history in by_id.items() if "@" not in id_)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the repositories, the version and the server."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a clone with tags")
    shared.add_version(parser, "--version", choices=None)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Replay the repositories; return 1 if an answer of the server differs."""
    wrong = 0
    with apiserver.at(options.server, options.kubernetes_version) as url:
        server = client.Server(url)
        for folder in options.folders:
            crds = requests = refused = different = 0
            try:
                found = [*histories(folder, options.kubernetes_version)]
            except InputError as error:
                print(f"{folder.name}: {error}")
                continue
            for history in found:
                replay = Replay(server)
                crds += 1
                for release, crd in history:
                    answers = replay.write(crd)
                    requests += 1
                    refused += answers.theirs[0] >= 300
                    if answers.ours != answers.theirs:
                        different += 1
                        print(f"  !! {folder.name} {release} {crd.name}: {answers.theirs} instead of {answers.ours}")
                replay.end()
            print(f"{folder.name}: {crds} CRDs, {requests} requests, {refused} refused, {different} different")
            wrong += different
    return 1 if wrong else 0
