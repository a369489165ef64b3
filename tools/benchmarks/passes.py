"""
The time of pruning and defaulting relative to copy.deepcopy of the same object, measured in turns in one run.

Without files: the example project's Backup with forty volumes, about 240 nodes.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oracle.options import UsageError

from benchmarks import peers
from benchmarks.figures import Figure
from benchmarks.subjects import BACKUPS, backup, nodes
from pytest_crd import engine
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import yamlreader


def measure(title: str, version: engine.CrdVersion, resource: dict[str, Any]) -> Iterator[Figure]:
    """Print and yield the ratios for one object."""
    passes = version.passes
    copied, pruned, defaulted, in_turn, both, without_copy = peers.best(
        [
            lambda: copy.deepcopy(resource),
            lambda: version.prune(resource),
            lambda: version.default(resource),
            lambda: version.default(version.prune(resource).value),
            lambda: passes.default(passes.prune(jsonvalue.from_python(resource)).value),
            lambda: passes.default(passes.prune(resource).value),
        ]
    )
    print(
        f"{title}: {nodes(resource)} nodes; version.prune {pruned / copied:.2f}, version.default {defaulted / copied:.2f}, "
        f"one after the other {in_turn / copied:.2f}; "
        f"one copy, prune and default {both / copied:.2f}, without the copy {without_copy / copied:.2f} times copy.deepcopy"
    )
    for name, seconds in (
        ("version.prune", pruned),
        ("version.default", defaulted),
        ("prune, then default", in_turn),
        ("one copy, prune and default", both),
    ):
        yield Figure(f"{name} of {title}", seconds / copied, "copy.deepcopy")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("files", nargs="*", type=Path, metavar="CRD_FILE OBJECT_FILE")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the files on the command line, or the example project's Backup."""
    if len(options.files) % 2:
        raise UsageError("name pairs: a file with CRDs, and one with an object")
    if not options.files:
        crd = engine.load([BACKUPS])["Backup"]
        yield from measure("Backup", crd.version("v1"), backup(crd.group))
    for crd_file, object_file in zip(options.files[::2], options.files[1::2], strict=True):
        crds = engine.load([crd_file])
        for document in yamlreader.read(object_file.read_text(), source=str(object_file)):
            version = document.value["apiVersion"].rpartition("/")[2]
            yield from measure(str(object_file), crds[document.value["kind"]].version(version), document.value)
