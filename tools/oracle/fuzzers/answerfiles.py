"""Files with the answers of a server to the random requests of a fuzzer, for a comparison without the server."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom

from oracle import options as shared
from pytest_crd.engine.jsonvalue import JSONValue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the seed, the limit of printed differences, and the file of answers."""
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of differences to print")
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="compare with the server's answers in FILE; if it does not exist, ask the server and write them",
    )


def read_or_record(
    options: argparse.Namespace, requests: JSONValue, record: Callable[[], list[JSONValue]]
) -> list[JSONValue]:
    """
    Return the answers of the server, from the file of answers if it exists.

    Args:
        options: The options of the fuzzer.
        requests: The requests.
        record: Asks the server.

    Raises:
        UsageError: The file has the answers to other requests.
    """
    question = {"version": options.kubernetes_version, "seed": options.seed, "requests": requests}
    if options.answers is not None and options.answers.exists():
        content = json.loads(options.answers.read_text(encoding="utf-8"))
        if content["question"] != json.loads(json.dumps(question)):
            raise shared.UsageError(f"{options.answers}: answers to other conversations")
        answers: list[JSONValue] = content["answers"]
        return answers
    answers = record()
    if options.answers is not None:
        options.answers.write_text(json.dumps({"question": question, "answers": answers}), encoding="utf-8")
    return answers
