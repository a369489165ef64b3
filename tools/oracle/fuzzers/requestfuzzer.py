"""
Differential fuzzing of whole requests: CRDs and custom resources are created and updated on a server and in the engine.

What was asked depends on the seed and the number of a case file alone, so that a run can be continued anywhere. A disagreement is made
smaller, and told as a case file that the recorder can complete; those that are known and cannot be helped yet are counted.
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
from pytest_crd.live import client

JSONValue = Any

GROUP: Final = "requests.example.com"
BATCH: Final = 30
_DRY: Final = {"dryRun": "All"}
_CONTENT: Final = {"name": "found by fuzzing", "asks": ["response"]}
_WITH_THE_SERVER: Final = 20
# Seconds for making one disagreement smaller: real CRDs are large.
_PATIENCE: Final = 20.0
_KINDS: Final = {
    "create": "creates",
    "createText": "creates of text",
    "update": "updates",
    "updateStatus": "status updates",
}


class Requests:
    """A server and the engine, and the tally of what they were asked."""

    def __init__(self, server: client.Server, version: str, *, seed: int) -> None:
        """Take the server, its Kubernetes version, and what all chance depends on."""
        self._server = server
        self._version = version
        self._seed = seed
        self.tally: collections.Counter[str] = collections.Counter()

    def generated(self, numbers: Sequence[int], *, requests: int) -> Iterator[JSONValue]:
        """Yield the case files of these numbers, each with a generated CRD and that many requests."""
        for number in numbers:
            random = self._chance(number)
            schema = requestgen.crd_schema(random)
            manifest = crdgen.manifest(random, schema, group=self._group(number), version=self._version)
            asked = requestgen.requests(random, manifest, schema, requests)
            yield _as_sent({**_CONTENT, "crd": manifest, "requests": asked})

    def of_corpus(self, folder: Path, *, requests: int, skip: int = 0) -> Iterator[JSONValue]:
        """Yield a case file for each CRD in *folder* that has samples, with that many mutated samples."""
        for number, (manifest, samples) in enumerate(corpus.with_samples(folder)):
            if number >= skip:
                random = self._chance(number)
                asked = list(requestgen.updates(random, samples, requests))
                moved = realworld.moved(manifest, self._group(number))
                yield _as_sent({**_CONTENT, "crd": moved, "requests": asked})

    def ask(self, contents: Sequence[JSONValue], *, crds: int) -> Iterator[Disagreement]:
        """
        Yield the disagreements on case files, those on a CRD first.

        Args:
            contents: The case files; their CRDs do not collide.
            crds: How many flawed copies of each CRD are asked, and put in its place, too.
        """
        accepted = []
        for content in contents:
            file = self._file(content)
            # An aborted run may have left it there.
            delete(self._server, file.crd)
            random = Random(content["crd"]["metadata"]["name"])  # noqa: S311 - nothing here is secret
            for number, manifest in enumerate((file.crd, *map(_as_read, crdgen.flawed(random, file.crd, crds)))):
                found = list(self._of_crd(manifest))
                yield from found
                if number == 0 and not found and replies.definition(manifest, self._version).response.accepted:
                    accepted.append(file)
        with live.Live(self._server, accepted) as served:
            for file in served.files:
                yield from self._of_crd_updates(file, crds)
                engine = self._engine(file)
                for request in file.requests:
                    yield from self._of_request(served, file, request, engine)

    def _chance(self, number: int) -> Random:
        return Random(f"{self._seed} {number}")  # noqa: S311 - nothing here is secret

    def _group(self, number: int) -> str:
        return f"n{number}.s{self._seed}.{GROUP}"

    def _file(self, content: JSONValue) -> casefile.CaseFile:
        return casefile.CaseFile(Path("fuzz.yaml"), content, content["crd"], self._version)

    def _engine(self, file: casefile.CaseFile) -> Callable[[casefile.Request], Answer]:
        """Return what asks the engine: each of the CRDs is compiled once."""
        crd = replies.definition(file.crd, self._version)
        seen: dict[int, Any] = {}

        def ask(request: casefile.Request) -> Answer:
            if request.old_crd is not None and id(request.old_crd) not in seen:
                seen[id(request.old_crd)] = replies.definition(request.old_crd, self._version)
            old = seen.get(id(request.old_crd))
            if request.name.endswith("7"):
                # Of some the engine gets what a user of Python may write.
                request = replace(request, sent=disguise.below(request.sent), old=disguise.below(request.old))
            return disagreements.engine_answer(lambda: replies.of_request(crd, file, request, old_crd=old))

        return ask

    def _of_crd(self, manifest: JSONValue) -> Iterator[Disagreement]:
        def theirs() -> Answer:
            return disagreements.crd_answer_facts(
                self._server.ask("POST", collection(manifest), manifest, query=_DRY), manifest
            )

        answer = theirs()
        self._count("CRDs", answer)
        found = disagreements.engine_answer(
            lambda: replies.of_crd(replies.definition(manifest, self._version), manifest)
        )
        if differences := disagreements.compare(found, answer, theirs):
            yield Disagreement({**_CONTENT, "crd": manifest}, differences)

    def smaller(self, found: Disagreement) -> Disagreement:
        """Return a disagreement as small as a moderate number of questions makes it."""
        tally, self.tally = self.tally, collections.Counter()
        try:
            return self._smaller_request(found) if "requests" in found.content else self._smaller_crd(found)
        finally:
            self.tally = tally

    def _smaller_crd(self, found: Disagreement) -> Disagreement:
        end = time.monotonic() + _PATIENCE

        def again(manifest: JSONValue) -> Disagreement | None:
            return next((made for made in self._of_crd(manifest) if not disagreements.find_gap(made)), None)

        def differs(manifest: JSONValue) -> bool:
            return time.monotonic() < end and _is_crd(manifest) and again(manifest) is not None

        small = shrinking.shrunk(found.content["crd"], differs, attempts=1500)
        return again(small) or found

    def _smaller_request(self, found: Disagreement) -> Disagreement:
        [asked] = found.content["requests"]
        verb = next(verb for verb in casefile.VERBS if verb in asked)
        if verb == "updateCRD":
            return found
        end = time.monotonic() + _PATIENCE
        file = self._file(found.content)
        with live.Live(self._server, [file]) as served:

            def again(part: JSONValue) -> Disagreement | None:
                changed = self._file({**found.content, "requests": [{**asked, verb: part}]})
                return self._on_first(served, changed)

            def differs(part: JSONValue) -> bool:
                return isinstance(part, dict) and time.monotonic() < end and again(part) is not None

            found = again(shrinking.shrunk(asked[verb], differs, attempts=800)) or found
        return self._with_less_schema(found)

    def _on_first(self, served: live.Live, file: casefile.CaseFile) -> Disagreement | None:
        if not served.files:
            return None
        all_found = self._of_request(served, file, file.requests[0], self._engine(file))
        return next((made for made in all_found if not disagreements.find_gap(made)), None)

    def _with_less_schema(self, found: Disagreement) -> Disagreement:
        """Every question about another schema takes seconds: few are asked, the biggest steps first."""
        crd = found.content["crd"]
        if len(crd["spec"].get("versions", ())) != 1 or crd["apiVersion"].endswith("beta1"):
            return found
        end = time.monotonic() + _PATIENCE

        def again(schema: JSONValue) -> Disagreement | None:
            if time.monotonic() > end:
                return None
            [asked] = found.content["requests"]
            manifest = crdgen.with_schemas(crd, lambda _: schema)
            if "oldSchema" in asked:
                asked = asked | {"oldSchema": crdgen.with_schemas(manifest, requestgen.relaxed)}
            file = self._file({**found.content, "crd": manifest, "requests": [asked]})
            with live.Live(self._server, [file]) as served:
                return self._on_first(served, file)

        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        last = found

        def differs(part: JSONValue) -> bool:
            nonlocal last
            made = again(part)
            last = made or last
            return made is not None

        shrinking.shrunk(schema, differs, attempts=_WITH_THE_SERVER)
        return last

    def _of_crd_updates(self, file: casefile.CaseFile, count: int) -> Iterator[Disagreement]:
        random = Random(file.crd["metadata"]["name"] + " updated")  # noqa: S311 - nothing here is secret
        crd = replies.definition(file.crd, self._version)
        for manifest in map(_as_read, crdgen.flawed(random, file.crd, count)):
            content = {**file.content, "requests": [{"name": "what differs", "updateCRD": manifest}]}
            yield from self._of_crd_update(crd, replace(file, content=content))

    def _of_crd_update(self, crd: Any, file: casefile.CaseFile) -> Iterator[Disagreement]:
        [request] = file.requests
        path = client.crd_path(file.crd["apiVersion"], file.crd["metadata"]["name"])
        current = self._server.ask("GET", path).body["metadata"]["resourceVersion"]
        sent = request.sent | {"metadata": {"resourceVersion": current, **request.sent["metadata"]}}

        def theirs() -> Answer:
            return disagreements.crd_answer_facts(self._server.ask("PUT", path, sent, query=_DRY), sent)

        answer = theirs()
        self._count("CRD updates", answer)
        found = disagreements.engine_answer(lambda: replies.of_request(crd, file, request))
        if differences := disagreements.compare(found, answer, theirs):
            yield Disagreement(file.content, differences)

    def _of_request(
        self,
        served: live.Live,
        file: casefile.CaseFile,
        request: casefile.Request,
        engine: Callable[[casefile.Request], Answer],
    ) -> Iterator[Disagreement]:
        ask = served.sender(file, request)
        if ask is None:
            self.tally["requests whose old object was refused"] += 1
            return
        answer = ask()
        ratcheted = request.verb == "update" and answer["code"] == 200 and _is_refused(engine, request)
        self._count(_KINDS[request.verb], answer, ratcheted=ratcheted)
        if differences := disagreements.compare(engine(request), answer, ask):
            asked = next(item for item in file.content["requests"] if item["name"] == request.name)
            yield Disagreement({**file.content, "requests": [{**asked, "name": "what differs"}]}, differences)

    def _count(self, what: str, answer: Answer, *, ratcheted: bool = False) -> None:
        self.tally[what] += 1
        verdict = "accepted" if answer["code"] in (200, 201) else f"refused with {answer['code']}"
        self.tally[f"{what} {verdict}"] += 1
        if ratcheted:
            self.tally[f"{what} accepted though a create would be refused"] += 1


def _as_sent(content: JSONValue) -> JSONValue:
    """Return a case file with its numbers as a client writes that read them from YAML: `1.0` becomes `1`."""
    old: dict[int, JSONValue] = {}
    made = {**content, "crd": _as_read(content["crd"]), "requests": []}
    for request in content["requests"]:
        schema = request.get("oldSchema")
        plain = jsonvalue.from_python({key: value for key, value in request.items() if key != "oldSchema"})
        if schema is not None:
            # All requests share it.
            old.setdefault(id(schema), _as_read(schema))
            plain["oldSchema"] = old[id(schema)]
        made["requests"].append(plain)
    return made


def _as_read(manifest: JSONValue) -> JSONValue:
    """Return a CRD as a client sends it that read it from YAML: keys sorted, which decides the order of some warnings."""
    return json.loads(json.dumps(jsonvalue.from_python(manifest), sort_keys=True))


def _is_refused(engine: Callable[[casefile.Request], Answer], request: casefile.Request) -> bool:
    """Whether what is sent in an update could not be created."""
    return bool(engine(replace(request, verb="create", old=None, old_crd=None))["code"] == 422)


def _is_crd(manifest: JSONValue) -> bool:
    """Whether a manifest that was made smaller still goes to its URL."""
    return (
        isinstance(manifest, dict)
        and all(manifest.get(key) for key in ("apiVersion", "kind", "metadata", "spec"))
        and manifest["apiVersion"].startswith("apiextensions.k8s.io/")
        and manifest["kind"] == "CustomResourceDefinition"
    )
