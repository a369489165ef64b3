"""
Differential fuzzing of whole requests: creates and updates of CRDs and custom resources on a server and in the engine.

A case file depends only on the seed and its number, so a run can be continued anywhere. A disagreement is shrunk and
reported as a case file that the recorder can complete. Known gaps are counted.
"""

from __future__ import annotations

import collections
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import realworld
from conformance import casefile, replies

from oracle.fuzzers import shrinking
from oracle.generators import corpus, crdgen, disguise, requestgen
from oracle.judges import disagreements
from oracle.judges.disagreements import Answer, Disagreement
from oracle.servers import live
from oracle.servers.crds import collection, delete
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client

GROUP: Final = "requests.example.com"
BATCH: Final = 30
_DRY: Final = {"dryRun": "All"}
_CONTENT: Final = {"name": "found by fuzzing", "asks": ["response"]}
_WITH_THE_SERVER: Final = 20
# Seconds after which even a loaded server does not serve the old CRD any more.
_SERVES_THE_NEW_CRD: Final = 2.0
# Seconds for shrinking one disagreement: real CRDs are large.
_PATIENCE: Final = 20.0
_KINDS: Final = {
    "create": "creates",
    "createText": "creates of text",
    "update": "updates",
    "updateStatus": "status updates",
}


class Requests:
    """A comparison of a server and the engine, with a tally of requests."""

    def __init__(self, server: client.Server, version: str, *, seed: int) -> None:
        """Take the server, its Kubernetes version, and the seed of all random choices."""
        self._server = server
        self._version = version
        self._seed = seed
        self.tally: collections.Counter[str] = collections.Counter()

    def generate(self, numbers: Sequence[int], *, requests: int) -> Iterator[JSONValue]:
        """Yield a case file for each of *numbers*, with a generated CRD and the given number of requests."""
        for number in numbers:
            random = self._chance(number)
            schema = requestgen.crd_schema(random)
            manifest = crdgen.manifest(random, schema, group=self._group(number), version=self._version)
            requests_ = requestgen.requests(random, manifest, schema, requests)
            yield _with_plain_numbers({**_CONTENT, "crd": manifest, "requests": requests_})

    def mutate_corpus(self, folder: Path, *, requests: int, skip: int = 0) -> Iterator[JSONValue]:
        """Yield a case file for each CRD in *folder* with samples, with the given number of mutated samples as requests."""
        for number, (manifest, samples) in enumerate(corpus.with_samples(folder)):
            if number >= skip:
                random = self._chance(number)
                requests_ = list(requestgen.updates(random, samples, requests))
                moved = realworld.moved(manifest, self._group(number))
                yield _with_plain_numbers({**_CONTENT, "crd": moved, "requests": requests_})

    def compare(self, contents: Sequence[JSONValue], *, crds: int) -> Iterator[Disagreement]:
        """
        Yield the disagreements on case files; those on a CRD come first.

        Args:
            contents: The case files; their CRDs do not conflict.
            crds: The number of flawed copies of each CRD that are created, and of those that replace it.
        """
        accepted = []
        for content in contents:
            file = self._file(content)
            # An aborted run may have left the CRD behind.
            delete(self._server, file.crd)
            random = Random(content["crd"]["metadata"]["name"])  # noqa: S311 - nothing here is secret
            for number, manifest in enumerate(
                (file.crd, *map(_with_sorted_keys, crdgen.flawed(random, file.crd, crds)))
            ):
                disagreements_ = list(self._compare_crd(manifest))
                yield from disagreements_
                if number == 0 and not disagreements_ and replies.definition(manifest, self._version).response.accepted:
                    accepted.append(file)
        with live.Live(self._server, accepted) as served:
            for file in served.files:
                yield from self._compare_crd_updates(file, crds)
                engine = self._engine(file)
                for request in file.requests:
                    yield from self._compare_request(served, file, request, engine)

    def _chance(self, number: int) -> Random:
        return Random(f"{self._seed} {number}")  # noqa: S311 - nothing here is secret

    def _group(self, number: int) -> str:
        return f"n{number}.s{self._seed}.{GROUP}"

    def _file(self, content: JSONValue) -> casefile.CaseFile:
        return casefile.CaseFile(Path("fuzz.yaml"), content, content["crd"], self._version)

    def _engine(self, file: casefile.CaseFile) -> Callable[[casefile.Request], Answer]:
        """Return a function that gets the engine's answer to a request; each CRD is compiled once."""
        crd = replies.definition(file.crd, self._version)
        old_crds: dict[int, Any] = {}

        def answer(request: casefile.Request) -> Answer:
            if request.old_crd is not None and id(request.old_crd) not in old_crds:
                old_crds[id(request.old_crd)] = replies.definition(request.old_crd, self._version)
            old = old_crds.get(id(request.old_crd))
            if request.name.endswith("7"):
                # Some requests reach the engine with values that only Python users write.
                request = replace(request, sent=disguise.below(request.sent), old=disguise.below(request.old))
            return disagreements.engine_answer(lambda: replies.of_request(crd, file, request, old_crd=old))

        return answer

    def _compare_crd(self, manifest: JSONValue) -> Iterator[Disagreement]:
        def theirs() -> Answer:
            return disagreements.crd_answer_facts(
                self._server.ask("POST", collection(manifest), manifest, query=_DRY), manifest
            )

        answer = theirs()
        self._count("CRDs", answer)
        ours = disagreements.engine_answer(
            lambda: replies.of_crd(replies.definition(manifest, self._version), manifest)
        )
        if differences := disagreements.compare(ours, answer, theirs):
            yield Disagreement({**_CONTENT, "crd": manifest}, differences)

    def shrink(self, disagreement: Disagreement) -> Disagreement:
        """Return a shrunk disagreement, after a moderate number of requests."""
        tally, self.tally = self.tally, collections.Counter()
        try:
            return (
                self._shrink_request(disagreement)
                if "requests" in disagreement.content
                else self._shrink_crd(disagreement)
            )
        finally:
            self.tally = tally

    def _shrink_crd(self, disagreement: Disagreement) -> Disagreement:
        end = time.monotonic() + _PATIENCE

        def compare_again(manifest: JSONValue) -> Disagreement | None:
            return next(
                (difference for difference in self._compare_crd(manifest) if not disagreements.find_gap(difference)),
                None,
            )

        def differs(manifest: JSONValue) -> bool:
            return time.monotonic() < end and _is_crd(manifest) and compare_again(manifest) is not None

        small = shrinking.shrink(disagreement.content["crd"], differs, attempts=1500)
        return compare_again(small) or disagreement

    def _shrink_request(self, disagreement: Disagreement) -> Disagreement:
        [request] = disagreement.content["requests"]
        verb = next(verb for verb in casefile.VERBS if verb in request)
        if verb == "updateCRD":
            return disagreement
        end = time.monotonic() + _PATIENCE
        file = self._file(disagreement.content)
        with live.Live(self._server, [file]) as served:

            def compare_again(part: JSONValue) -> Disagreement | None:
                changed = self._file({**disagreement.content, "requests": [{**request, verb: part}]})
                return self._on_first(served, changed)

            def differs(part: JSONValue) -> bool:
                return isinstance(part, dict) and time.monotonic() < end and compare_again(part) is not None

            disagreement = compare_again(shrinking.shrink(request[verb], differs, attempts=800)) or disagreement
        return self._shrink_schema(disagreement)

    def _on_first(self, served: live.Live, file: casefile.CaseFile) -> Disagreement | None:
        if not served.files:
            return None
        differences = self._compare_request(served, file, file.requests[0], self._engine(file))
        return next((difference for difference in differences if not disagreements.find_gap(difference)), None)

    def _shrink_schema(self, disagreement: Disagreement) -> Disagreement:
        """Return a disagreement with a smaller schema; each step takes seconds, so only few are tried, the largest first."""
        crd = disagreement.content["crd"]
        if len(crd["spec"].get("versions", ())) != 1 or crd["apiVersion"].endswith("beta1"):
            return disagreement
        end = time.monotonic() + _PATIENCE

        def compare_again(schema: JSONValue) -> Disagreement | None:
            if time.monotonic() > end:
                return None
            [request] = disagreement.content["requests"]
            manifest = crdgen.with_schemas(crd, lambda _: schema)
            if "oldSchema" in request:
                request = request | {"oldSchema": crdgen.with_schemas(manifest, requestgen.relaxed)}
            file = self._file({**disagreement.content, "crd": manifest, "requests": [request]})
            with live.Live(self._server, [file]) as served:
                return self._on_first(served, file)

        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        last = disagreement

        def differs(part: JSONValue) -> bool:
            nonlocal last
            smaller = compare_again(part)
            last = smaller or last
            return smaller is not None

        shrinking.shrink(schema, differs, attempts=_WITH_THE_SERVER)
        return last

    def _compare_crd_updates(self, file: casefile.CaseFile, count: int) -> Iterator[Disagreement]:
        random = Random(file.crd["metadata"]["name"] + " updated")  # noqa: S311 - nothing here is secret
        crd = replies.definition(_with_stored_versions(file), self._version)
        for manifest in map(_with_sorted_keys, crdgen.flawed(random, file.crd, count)):
            content = {**file.content, "requests": [{"name": "what differs", "updateCRD": manifest}]}
            yield from self._compare_crd_update(crd, replace(file, content=content))

    def _compare_crd_update(self, crd: Any, file: casefile.CaseFile) -> Iterator[Disagreement]:
        [request] = file.requests
        path = client.crd_path(file.crd["apiVersion"], file.crd["metadata"]["name"])
        current = self._server.ask("GET", path).body["metadata"]["resourceVersion"]
        sent = request.sent | {"metadata": {"resourceVersion": current, **request.sent["metadata"]}}

        def theirs() -> Answer:
            return disagreements.crd_answer_facts(self._server.ask("PUT", path, sent, query=_DRY), sent)

        answer = theirs()
        self._count("CRD updates", answer)
        ours = disagreements.engine_answer(lambda: replies.of_request(crd, file, request))
        if differences := disagreements.compare(ours, answer, theirs):
            yield Disagreement(file.content, differences)

    def _compare_request(
        self,
        served: live.Live,
        file: casefile.CaseFile,
        request: casefile.Request,
        engine: Callable[[casefile.Request], Answer],
    ) -> Iterator[Disagreement]:
        send = served.sender(file, request)
        if send is None:
            self.tally["requests with a rejected old object"] += 1
            return
        answer = send()
        ratcheted = request.verb == "update" and answer["code"] == 200 and _is_refused(engine, request)
        self._count(_KINDS[request.verb], answer, ratcheted=ratcheted)
        ours = engine(request)
        differences = disagreements.compare(ours, answer, send)
        if differences and request.old_crd is not None:
            time.sleep(_SERVES_THE_NEW_CRD)
            differences = disagreements.compare(ours, send(), send)
        if differences:
            request_ = next(item for item in file.content["requests"] if item["name"] == request.name)
            yield Disagreement({**file.content, "requests": [{**request_, "name": "what differs"}]}, differences)

    def _count(self, title: str, answer: Answer, *, ratcheted: bool = False) -> None:
        self.tally[title] += 1
        verdict = "accepted" if answer["code"] in (200, 201) else f"refused with {answer['code']}"
        self.tally[f"{title} {verdict}"] += 1
        if ratcheted:
            self.tally[f"{title} accepted though a create would be refused"] += 1


def _with_plain_numbers(content: JSONValue) -> JSONValue:
    """Return a case file with numbers as a client sends them that reads YAML: `1.0` becomes `1`."""
    old: dict[int, JSONValue] = {}
    plain_content = {**content, "crd": _with_sorted_keys(content["crd"]), "requests": []}
    for request in content["requests"]:
        schema = request.get("oldSchema")
        plain = jsonvalue.from_python({key: value for key, value in request.items() if key != "oldSchema"})
        if schema is not None:
            # All requests share the old schema.
            old.setdefault(id(schema), _with_sorted_keys(schema))
            plain["oldSchema"] = old[id(schema)]
        plain_content["requests"].append(plain)
    return plain_content


def _with_sorted_keys(manifest: JSONValue) -> JSONValue:
    """Return a CRD as a client sends it that reads YAML: with sorted keys, which decide the order of some warnings."""
    return json.loads(json.dumps(jsonvalue.from_python(manifest), sort_keys=True))


def _with_stored_versions(file: casefile.CaseFile) -> JSONValue:
    """Return the CRD of a file as the server has it: its status names the storage versions of the old CRD too."""
    crds = [*(request.old_crd for request in file.requests if request.old_crd), file.crd]
    stored = list(dict.fromkeys(filter(None, map(crdgen.find_storage, crds))))
    return {**file.crd, "status": {"storedVersions": stored}} if stored else file.crd


def _is_refused(engine: Callable[[casefile.Request], Answer], request: casefile.Request) -> bool:
    """Return True if the object of an update could not be created."""
    return bool(engine(replace(request, verb="create", old=None, old_crd=None))["code"] == 422)


def _is_crd(manifest: JSONValue) -> bool:
    """Return True if a shrunk manifest is still a CRD that belongs to its URL."""
    return (
        isinstance(manifest, dict)
        and all(manifest.get(key) for key in ("apiVersion", "kind", "metadata", "spec"))
        and manifest["apiVersion"].startswith("apiextensions.k8s.io/")
        and manifest["kind"] == "CustomResourceDefinition"
    )
