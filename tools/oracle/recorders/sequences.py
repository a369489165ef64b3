"""
Send the sequences of requests in tests/conformance/sequences to real API servers.

The answers are written beside each file. All versions are recorded, one after another, each with its own server.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from conformance import sequences

from oracle.recorders import files
from oracle.servers import apiserver, sequencing
from pytest_crd.live import client

VERSIONS: Final = ("1.37", "1.36", "1.35", "1.32", "1.21")


def record_sequences(
    server: client.Server, files_: Sequence[sequences.SequenceFile]
) -> dict[Path, dict[str, list[sequences.Answer]]]:
    """Return a server's answers by file and by the name of the sequence, without files whose CRD is rejected."""
    rejected = sequencing.install(server, [file.crd for file in files_])
    for crd, message in rejected:
        print(f"{crd['metadata']['name']}: {message}")
    accepted = [file for file in files_ if file.crd not in [crd for crd, _ in rejected]]
    answers = iter(
        sequencing.send_all(server, [(file.crd, requests) for file in accepted for requests in file.cases.values()])
    )
    recorded = {file.path: {name: next(answers) for name in file.cases} for file in accepted}
    sequencing.remove(server, [file.crd for file in accepted])
    return recorded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("paths", nargs="*", type=Path, help="files of sequences (default: all)")


def main(options: argparse.Namespace) -> int:
    """Record the files; return 1 if a check finds a difference."""
    sequence_files = [sequences.read(path.resolve()) for path in options.paths or sequences.paths()]
    by_version = {}
    for version in VERSIONS:
        with apiserver.started(version) as url:
            by_version[version] = record_sequences(client.Server(url), sequence_files)
    changed = 0
    for file in sequence_files:
        lines = file.lines(
            {version: recorded[file.path] for version, recorded in by_version.items() if file.path in recorded}
        )
        changed += files.keep(file.recorded, lines, check=options.check)
    return files.outcome(changed, check=options.check)
