"""
Compare the engine with the reference on generated schemas and objects, and print disagreements as conformance cases.

Without a URL only the reference's passes run, which is fast. A corpus adds real CRDs and mutated samples. The same seed
repeats a run.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Final

from conformance import casefile

from oracle import options as shared
from oracle.fuzzers import shrinking
from oracle.generators import corpus, objectgen, schemagen
from oracle.judges import verdicts
from oracle.judges.verdicts import Decoded, Engine, Judge, Question, Verdict
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue

BATCH: Final = 20
# The reference iterates over maps and reports a random problem if there are several.
_TIMES: Final = 64


@dataclass(frozen=True, slots=True)
class Disagreement:
    """
    A question with at most one object, and both answers.

    Attributes:
        question: The question.
        reference: The answer of the reference.
        engine: The answer of the engine.
    """

    question: Question
    reference: str
    engine: str


@dataclass(frozen=True, slots=True)
class Gap:
    """
    A known disagreement.

    Attributes:
        name: Its name.
        reason: Its cause.
        covers: True for disagreements that it explains.
    """

    name: str
    reason: str
    covers: Callable[[Disagreement], bool]


_NEGATIVE_ZERO: Final = re.compile(r"(?<=[:\[,])-0(?=[,}\]])")
GAPS: Final = (
    Gap(
        "negative zero",
        "a -0.0 in an object made in Python counts as 0, which is stored, and messages print it as 0",
        lambda difference: difference.engine in _NEGATIVE_ZERO.sub("0", difference.reference).split("\n"),
    ),
)


def find_gap(disagreement: Disagreement) -> Gap | None:
    """Return the gap that covers a disagreement, or None."""
    return next((gap for gap in GAPS if gap.covers(disagreement)), None)


class Fuzzer:
    """A comparison of two judges, with a tally of questions."""

    def __init__(self, reference: Judge, engine: Judge, *, exact: bool) -> None:
        """Take the judges; *exact* means that the reference is fast and returns metadata as decoded."""
        self._reference = reference
        self._engine = engine
        self._exact = exact
        self.tally: collections.Counter[str] = collections.Counter()

    def disagreements(self, questions: Sequence[Question]) -> Iterator[Disagreement]:
        """Yield the known disagreements on *questions*, and the first unknown one on each, shrunk."""
        for question, verdict in zip(questions, self._reference.judge(questions), strict=True):
            self._count(question, verdict)
            for disagreement in self._differences(question, verdict):
                if not find_gap(disagreement):
                    yield self._shrink(disagreement)
                    break
                yield disagreement

    def _differences(self, question: Question, verdict: Verdict) -> Iterator[Disagreement]:
        if verdict.problem:
            return
        [ours] = self._engine.judge([question])
        if ours.errors != verdict.errors:
            yield Disagreement(replace(question, objects=()), _lines(verdict.errors), _lines(ours.errors))
            return
        for index, theirs in enumerate(verdict.objects):
            single = replace(question, objects=[question.objects[index]])
            if theirs.problem and ours.objects[index].problem:
                problems = {theirs.problem}
                if ours.objects[index].problem not in problems:
                    problems |= self._problems(single)
                if ours.objects[index].problem not in problems:
                    yield Disagreement(single, "\n".join(sorted(problems)), ours.objects[index].problem)
            elif not self._agree(theirs, ours.objects[index]):
                yield Disagreement(single, str(theirs), str(ours.objects[index]))

    def _agree(self, theirs: Decoded, ours: Decoded) -> bool:
        if theirs.problem or ours.problem:
            return False
        if theirs.paths != (ours.paths if self._exact else verdicts.without_control_characters(ours.paths)):
            return False
        if theirs.value is None:
            return True
        values = (theirs.value, ours.value)
        left, right = values if self._exact else map(verdicts.without_server_made, values)
        return jsonvalue.equal(jsonvalue.from_python(left), right)

    def _problems(self, question: Question) -> set[str]:
        """Return every problem that the reference reports in repeated attempts."""
        verdicts = self._reference.judge([question] * _TIMES)
        return {decoded.problem for verdict in verdicts for decoded in verdict.objects}

    def _shrink(self, disagreement: Disagreement) -> Disagreement:
        question = disagreement.question
        for _ in range(3):
            question = self._with_less_schema(self._with_less_object(question) if question.objects else question)
        return self._again(question) or disagreement

    def _again(self, question: Question) -> Disagreement | None:
        """Return an unknown disagreement on *question*, still with or without an object, or None."""
        [verdict] = self._reference.judge([question])
        disagreement = next(
            (disagreement for disagreement in self._differences(question, verdict) if not find_gap(disagreement)), None
        )
        return disagreement if disagreement and bool(disagreement.question.objects) == bool(question.objects) else None

    def _with_less_object(self, question: Question) -> Question:
        [resource] = question.objects
        keep = {key: resource[key] for key in ("apiVersion", "kind", "metadata")}

        def differs(part: JSONValue) -> bool:
            return self._again(replace(question, objects=[keep | part])) is not None

        small = keep | shrinking.shrink(resource, differs)
        named = {"name": casefile.NAME}

        def metadata_differs(part: JSONValue) -> bool:
            return self._again(replace(question, objects=[small | {"metadata": named | part}])) is not None

        if isinstance(small["metadata"], dict) and metadata_differs(small["metadata"]):
            small["metadata"] = named | shrinking.shrink(small["metadata"], metadata_differs)
        return replace(question, objects=[small])

    def _with_less_schema(self, question: Question) -> Question:
        def differs(part: JSONValue) -> bool:
            return self._again(replace(question, schema=part)) is not None

        attempts = 4000 if self._exact else 60
        return replace(question, schema=shrinking.shrink(question.schema, differs, attempts=attempts))

    def _count(self, question: Question, verdict: Verdict) -> None:
        tally = self.tally
        tally["schemas"] += 1
        tally["schemas not structural"] += bool(verdict.errors)
        tally["schemas unsupported"] += bool(verdict.problem)
        tally["schemas refused for other reasons"] += verdict.refused
        tally["schemas with objects"] += bool(verdict.objects)
        for sent, decoded in zip(question.objects, verdict.objects, strict=False):
            tally["objects"] += 1
            tally["objects malformed"] += bool(decoded.problem)
            tally["objects rejected"] += not decoded.problem and decoded.value is None
            tally["objects pruned"] += bool(decoded.paths)
            if decoded.value is not None:
                before, after = (jsonvalue.from_python(verdicts.without_server_made(v)) for v in (sent, decoded.value))
                tally["objects with nulls dropped"] += _holds_less_nulls(before, after)
                tally["objects defaulted"] += _holds_more(before, after)
                tally["objects as sent"] += jsonvalue.equal(before, after)


def _lines(errors: verdicts.Errors) -> str:
    return "\n".join(f"{error['field']}: {error['message']}" for error in errors) or "structural"


def _holds_less_nulls(sent: JSONValue, stored: JSONValue) -> bool:
    """Return True if the stored value lost a null: the field is gone, or has a value now."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        return any(
            (item is None and stored.get(key, 0) is not None) or _holds_less_nulls(item, stored.get(key))
            for key, item in sent.items()
        )
    if isinstance(sent, list) and isinstance(stored, list):
        return any(map(_holds_less_nulls, sent, stored))
    return False


def _holds_more(sent: JSONValue, stored: JSONValue) -> bool:
    if isinstance(sent, dict) and isinstance(stored, dict):
        return bool(stored.keys() - sent.keys()) or any(_holds_more(sent[key], item) for key, item in stored.items())
    if isinstance(sent, list) and isinstance(stored, list):
        return any(map(_holds_more, sent, stored))
    return sent is None and stored is not None


def generate(random: Random, *, objects: int) -> Iterator[Question]:
    """Yield questions without end: a structural schema with objects, then the same schema with flaws."""
    known_schemas = set()
    while True:
        schema = schemagen.schema(random)
        key = json.dumps(schema)
        if key in known_schemas:
            continue
        known_schemas.add(key)
        objects_ = [
            objectgen.resource(random, schema, api_version=f"{verdicts.GROUP}/v1", kind="Case", name=casefile.NAME)
            for _ in range(objects)
        ]
        yield Question(schema, objects_)
        yield Question(schemagen.flawed(random, schema))


def format_case(disagreement: Disagreement) -> str:
    """Return a disagreement as the text of a case file, which the recorder can complete."""
    question = disagreement.question
    asks = "passes" if question.objects else "structural"
    content: dict[str, JSONValue] = {"name": "found by fuzzing", "asks": [asks], "schema": question.schema}
    if question.objects:
        short = [
            {key: item for key, item in resource.items() if key not in {"apiVersion", "kind"}}
            for resource in question.objects
        ]
        content["requests"] = [{"name": "what differs", "create": resource} for resource in short]
    answers = (("reference", disagreement.reference), ("engine", disagreement.engine))
    comments = [f"#   {who}: {line}" for who, text in answers for line in text.splitlines()]
    return "\n".join([casefile.dump(content), *comments])


def run(fuzzer: Fuzzer, questions: Iterator[Question], *, schemas: int, limit: int) -> int:
    """
    Compare until *schemas* schemas had objects, or *limit* disagreements were found; return their number.

    Disagreements are printed when they are found. Known ones are counted under the name of their gap.
    """
    count = 0
    while fuzzer.tally["schemas with objects"] < schemas and count < limit:
        batch = list(itertools.islice(questions, BATCH))
        if not batch:
            break
        for disagreement in fuzzer.disagreements(batch):
            if gap := find_gap(disagreement):
                fuzzer.tally[f"known gap: {gap.name} ({gap.reason})"] += 1
                continue
            if count == limit:
                return count
            count += 1
            print(f"\n--- disagreement {count}\n{format_case(disagreement)}", flush=True)
    return count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed, the version and the server."""
    parser.add_argument("--schemas", type=int, default=2000, help="number of schemas with objects")
    parser.add_argument("--objects", type=int, default=50, help="number of objects per schema")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of disagreements after which to stop")
    shared.add_version(parser)
    parser.add_argument(
        "--server", metavar="URL", help="compare with this API server instead of the reference's passes"
    )
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="mutate the CRDs and samples of this folder")


def main(options: argparse.Namespace) -> int:
    """Compare the schemas; return 1 if there is a disagreement."""
    print(f"seed {options.seed}", flush=True)
    random = Random(options.seed)  # noqa: S311 - nothing here is secret
    if options.corpus:
        questions = corpus.questions(random, options.corpus, objects=options.objects)
    else:
        questions = generate(random, objects=options.objects)
    version = options.kubernetes_version
    with (
        contextlib.closing(verdicts.Server(options.server)) if options.server else verdicts.passes(version) as reference
    ):
        fuzzer = Fuzzer(reference, Engine(version), exact=not options.server)
        disagreements = run(fuzzer, questions, schemas=options.schemas, limit=options.limit)
    for title, count in fuzzer.tally.items():
        total = "schemas" if title.startswith("schemas") else "objects"
        print(f"{count:>9} {title} ({count / max(1, fuzzer.tally[total]):.0%})")
    print(f"{disagreements} disagreements")
    return 1 if disagreements else 0
