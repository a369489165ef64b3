"""
Compare the YAML reader with Go's on generated documents.

Each document is read as a request body and as a stream, by sigs.k8s.io/yaml, sigs.k8s.io/json and apimachinery on one
side and by pytest_crd.engine.yaml.yamlreader on the other. A disagreement without a known gap is shrunk and printed,
and the exit code is 1.
"""

from __future__ import annotations

import argparse
import base64
import collections
import dataclasses
import json
import struct
import subprocess
from collections.abc import Callable, Iterable
from typing import Any, Final

from oracle.generators import yamlgen
from oracle.servers import programs
from pytest_crd.engine import inputerror, jsonvalue
from pytest_crd.engine.yaml import yamlreader

_FLOAT: Final = "\0float64"

# Documents that libyaml's scanner rejects and the server accepts: always an error here, never a different value.
REFUSED: Final = {
    "found unexpected ':'": "libyaml wants no ':' at the end of a plain scalar inside [] or {}",
    "did not find expected whitespace or line break": "libyaml ends a tag at a bracket or comma",
    "a comma follows a tag": "libyaml ends a tag at a comma, the server's scanner does not",
    "found unknown escape character": "libyaml knows no \\' inside double quotes",
    "did not find expected tag URI": "libyaml ends a tag at a bracket or comma",
    "not UTF-16": "the server reads UTF-16 no further than to the end of the first document",
    "byte order mark inside": "a second byte order mark is text to Go, and to libyaml nothing",
}


@dataclasses.dataclass(frozen=True)
class Answer:
    """
    The result of reading a document on one side.

    Attributes:
        values: The documents; empty after an error.
        error: The message, or an empty string.
        strict: Messages about duplicate keys.
        random: Whether Go's result is random.
        line: The line of the error, 1-based, or 0.
    """

    values: tuple[Any, ...] = ()
    error: str = ""
    strict: tuple[str, ...] = ()
    random: bool = False
    line: int = 0

    def agrees(self, right: Answer) -> bool:
        """Return True if both sides read the same values, or both reject the document."""
        if self.error or right.error:
            return bool(self.error) == bool(right.error)
        return (
            len(self.values) == len(right.values)
            and all(map(jsonvalue.equal, self.values, right.values))
            and self.strict == right.strict
        )


class Oracle:
    """The running Go program."""

    def __init__(self) -> None:
        """Build the program, which is cheap with Go's build cache, and start it."""
        program = programs.cache() / "yaml"
        subprocess.run(["go", "build", "-o", program, "."], cwd=programs.SOURCES / "yaml", check=True)
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self, mode: str, documents: Iterable[bytes]) -> list[Answer]:
        """Return the answers to *documents*; *mode* is Y for a YAML body, J for a JSON body, S for a stream."""
        assert self._process.stdin
        assert self._process.stdout
        answers = []
        for document in documents:
            self._process.stdin.write(mode.encode() + base64.b64encode(document) + b"\n")
            self._process.stdin.flush()
            answers.append(self._answer(json.loads(self._process.stdout.readline(), object_hook=_untag)))
        return answers

    @staticmethod
    def _answer(raw: dict[str, Any]) -> Answer:
        return Answer(
            tuple(raw["values"] or ()), raw.get("error", ""), tuple(raw.get("strict", ())), raw.get("random", False)
        )

    def body(self, document: bytes) -> Answer:
        """Return the server's reading of a body, as JSON if its first character is `{`."""
        if document.lstrip(b" \t\r\n").startswith(b"{"):
            answer = self.read("J", [document])[0]
            if not answer.error or "cannot unmarshal number" in answer.error or "exceeded max depth" in answer.error:
                return answer
        return self.read("Y", [document])[0]

    def stream(self, document: bytes) -> Answer:
        """Return kubectl's reading of a file."""
        return self.read("S", [document])[0]


def _untag(value: dict[str, Any]) -> Any:
    if set(value) == {_FLOAT}:
        return struct.unpack(">d", bytes.fromhex(value[_FLOAT].rjust(16, "0")))[0]
    return value


def our_body(document: bytes) -> Answer:
    """Return the reader's result for a body; an empty body is null, as on the server."""
    try:
        document_ = yamlreader.read_one(document)
    except inputerror.ManifestError as error:
        if "no document" in str(error):
            return Answer((None,))
        return Answer(error=error.mistakes[0].message, line=error.mistakes[0].line)
    return Answer((document_.value,), strict=tuple(duplicate.message for duplicate in document_.duplicates))


def our_stream(document: bytes) -> Answer:
    """Return the reader's result for a file, without duplicate keys."""
    try:
        return Answer(tuple(item.value for item in yamlreader.read(document)))
    except inputerror.ManifestError as error:
        return Answer(error=error.mistakes[0].message, line=error.mistakes[0].line)


def find_gap(document: bytes, reading: Callable[[bytes], Answer], ours: Answer, theirs: Answer) -> str | None:
    """Return the name of the known gap that explains a disagreement, or None."""
    for holds, name in (
        (theirs.random, "Go keeps one of two keys that become equal as text, at random"),
        (
            ours.error.startswith("several documents"),
            "several documents in a body, of which the server reads the first",
        ),
        (ours.error.startswith("nested more than"), "fewer levels than Go's 10,000"),
        (
            ours.error.startswith("UTF-16"),
            "a stream in UTF-16 is refused, kubectl adds a byte to it and reads what that makes",
        ),
        (theirs.values == (None,), "behind an empty first document the server reads nothing more of a body"),
    ):
        if holds:
            return name
    if theirs.error and b"\\/" in document:
        before = document[: document.rindex(b"\\/")]
        if any(reading(before[:end]).agrees(ours) for end in _ends(before)):
            return "behind the first document Go looks one word ahead, and knows no \\/"
    if not ours.error or theirs.error:
        return None
    problem = _yaml_error(document) if ours.error.startswith("not JSON") else ours.error
    for start, reason in REFUSED.items():
        if problem.startswith(start):
            return reason
    if any(reading(document[:end]).agrees(theirs) for end in _ends(document)):
        return "libyaml looks further ahead behind the first document, of which the server reads nothing more"
    return None


def _yaml_error(document: bytes) -> str:
    try:
        yamlreader.read(document, format="yaml")
    except inputerror.ManifestError as error:
        return error.mistakes[0].message
    return ""


def _ends(document: bytes) -> Iterable[int]:
    """Return the positions where a first document may end: after a line, or after [] and {}."""
    ends = [index + 1 for index, byte in enumerate(document[:-1]) if byte in b"\r\n]}\"'\x85\xa8\xa9"]
    return ends + [end + 1 for end in ends] if document.startswith((b"\xff\xfe", b"\xfe\xff")) else ends


def shrink(document: bytes, disagrees: Callable[[bytes], bool]) -> bytes:
    """Return a smaller document that still disagrees."""
    size = max(len(document) // 2, 1)
    while size:
        position = 0
        while position < len(document):
            smaller = document[:position] + document[position + size :]
            if disagrees(smaller):
                document = smaller
            else:
                position += size
        size //= 2
    return document


def run(documents: int, seed: int, limit: int) -> int:
    """Compare *documents* documents; return the exit code."""
    oracle, generator = Oracle(), yamlgen.Generator(seed)
    counts: collections.Counter[str] = collections.Counter()
    shrunk: dict[bytes, str] = {}
    readers = (("body", oracle.body, our_body), ("stream", oracle.stream, our_stream))
    for _ in range(documents):
        document = generator.document()
        for name, their_reading, our_reading in readers:
            theirs, ours = their_reading(document), our_reading(document)
            counts[f"{name} refused" if theirs.error else f"{name} accepted"] += 1
            counts["with duplicates"] += bool(theirs.strict)
            if ours.agrees(theirs):
                continue
            if gap := find_gap(document, our_reading, ours, theirs):
                counts[f"known gap: {gap}"] += 1
                continue
            counts["DISAGREE"] += 1

            def disagrees(
                smaller: bytes,
                theirs: Any = their_reading,
                ours: Any = our_reading,
                want: tuple[bool, bool] = (bool(theirs.error), bool(ours.error)),
            ) -> bool:
                left, right = ours(smaller), theirs(smaller)
                return (
                    not left.agrees(right)
                    and find_gap(smaller, ours, left, right) is None
                    and want == (bool(right.error), bool(left.error))
                )

            if len(shrunk) < limit:
                small = shrink(document, disagrees)
                if small not in shrunk:
                    shrunk[small] = name
                    print(f"{name} {small!r}\n  Go:   {their_reading(small)}\n  ours: {our_reading(small)}", flush=True)
    print(f"seed {seed}, {documents} documents")
    for name, count in sorted(counts.items()):
        print(f"{count:8} {count / documents:7.2%} {name}")
    return 1 if counts["DISAGREE"] else 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of documents, the seed and the limit."""
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=40, help="number of disagreements to shrink and print")


def main(options: argparse.Namespace) -> int:
    """Compare the documents; return 1 if one is read differently."""
    return run(options.documents, options.seed, options.limit)
