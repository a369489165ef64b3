"""
Ask real API servers the sequences of requests in tests/conformance/sequences, and write what they answer beside each file.

All versions are asked, one after another, each with its own server.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from conformance import sequences

from oracle.recorders import files
from oracle.servers import apiserver, sequencing
from pytest_crd.live import client

JSONValue = Any

VERSIONS: Final = ("1.37", "1.36", "1.35", "1.32", "1.21")


def answered(
    server: client.Server, asked: Sequence[sequences.SequenceFile]
) -> dict[Path, dict[str, list[sequences.Answer]]]:
    """Return what a server answers, by file and by the name of the sequence; nothing of a file whose CRD it does not take."""
    refused = sequencing.install(server, [file.crd for file in asked])
    for crd, message in refused:
        print(f"{crd['metadata']['name']}: {message}")
    taken = [file for file in asked if file.crd not in [crd for crd, _ in refused]]
    answers = iter(
        sequencing.send_all(server, [(file.crd, requests) for file in taken for requests in file.cases.values()])
    )
    found = {file.path: {name: next(answers) for name in file.cases} for file in taken}
    sequencing.remove(server, [file.crd for file in taken])
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("paths", nargs="*", type=Path, help="files of sequences (default: all)")


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds something else than the recorded."""
    asked = [sequences.read(path.resolve()) for path in options.paths or sequences.paths()]
    by_version = {}
    for version in VERSIONS:
        with apiserver.started(version) as url:
            by_version[version] = answered(client.Server(url), asked)
    changed = 0
    for file in asked:
        lines = file.lines({version: of[file.path] for version, of in by_version.items() if file.path in of})
        changed += files.keep(file.recorded, lines, check=options.check)
    return files.outcome(changed, check=options.check)
