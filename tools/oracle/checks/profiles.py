"""
Flip each flag of the Kubernetes profiles at each side of its boundary, and replay the recordings.

At least one recording has to fail for each flip. Otherwise no recording covers the boundary; the flip is printed, and
the exit code is 1.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance import casefile, comparisons, replies, test_cel, test_server

from oracle import options as shared
from pytest_crd import engine
from pytest_crd.engine import profile

# Exceptions of the engine under a profile that matches no server.
_FAILURES: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Flip:
    """
    A flip of a flag.

    Attributes:
        flag: The flag of the profile.
        version: The version whose profile changes.
        beyond: The neighbouring version whose value it gets.
    """

    flag: str
    version: str
    beyond: str

    def __str__(self) -> str:
        """Return flag and versions."""
        return f"{self.flag} of {self.version} as in {self.beyond}"


def flips(flags: Sequence[str]) -> Iterator[Flip]:
    """Yield the two flips at each boundary of *flags*, or of all flags if *flags* is empty."""
    for flag in map(".".join, _paths(profile.KNOWN[profile.DEFAULT])):
        if flag == "version" or (flags and flag not in flags):
            continue
        state = operator.attrgetter(flag)
        for older, newer in itertools.pairwise(profile.KNOWN.values()):
            if state(older) != state(newer):
                yield Flip(flag, older.version, newer.version)
                yield Flip(flag, newer.version, older.version)


def _paths(facts: Any) -> Iterator[tuple[str, ...]]:
    """Yield the path of names to each flag of a profile or part: `cel.misformats` has two."""
    for name, value in facts._asdict().items():
        if hasattr(value, "_asdict"):
            yield from ((name, *inner) for inner in _paths(value))
        else:
            yield (name,)


def _with(facts: Any, flag: str, value: object) -> Any:
    """Return a copy of a profile, or of a part, with another value of a flag."""
    name, _, inner = flag.partition(".")
    return facts._replace(**{name: _with(getattr(facts, name), inner, value) if inner else value})


class Replay:
    """
    The recorded answers of all versions.

    Recordings that noticed a flip are replayed first, as they may notice the next one too.
    """

    def __init__(self) -> None:
        """Read the recordings."""
        self._parts: dict[str, list[comparisons.Part]] = {}
        for file in (replica for read in casefile.read_folder(casefile.FOLDER) for replica in read.everywhere()):
            self._parts.setdefault(file.version, []).extend(comparisons.parts(file))

    def find_failure(self, flip: Flip) -> str:
        """
        Return the name of the first recording whose outcome changes under *flip*, or an empty string.

        A recording with a known gap is expected to fail.
        """
        original = profile.KNOWN[flip.version]
        beyond = operator.attrgetter(flip.flag)(profile.KNOWN[flip.beyond])
        profile.KNOWN[flip.version] = _with(original, flip.flag, beyond)
        parts = self._parts.get(flip.version, [])
        crds: dict[Path, engine.CustomResourceDefinition] = {}
        try:
            for index, part in enumerate(parts):
                if _agrees(part, crds) is bool(part.gap):
                    parts.insert(0, parts.pop(index))
                    return str(part)
            if "." in flip.flag and (
                table := next(filter(None, map(functools.partial(_differing, flip.version), test_cel.PATHS)), "")
            ):
                return table
            return _conversation(flip.version)
        finally:
            profile.KNOWN[flip.version] = original


def _differing(version: str, table: Path) -> str:
    """Return the name of *table* if an expression is answered differently than recorded in *version*, else an empty string."""
    if version not in test_cel.VERSIONS:
        return ""
    try:
        return table.name if any(test_cel.replay(table, version, all_versions=True)) else ""
    except _FAILURES:
        return table.name


def _conversation(version: str) -> str:
    """Return the first server conversation of *version* that is answered differently than recorded, or an empty string."""
    for name, recorded_version, text in test_server.conversations():
        if recorded_version == version:
            recorded = json.loads(text)
            try:
                is_equal = test_server.replay(version, recorded) == recorded["answers"]
            except _FAILURES:
                is_equal = False
            if not is_equal:
                return name
    return ""


def _agrees(part: comparisons.Part, crds: dict[Path, engine.CustomResourceDefinition]) -> bool:
    """Return True if the engine answers as recorded; *crds* caches parsed CRDs."""
    file = part.file
    try:
        crd = crds.get(file.path) or crds.setdefault(file.path, replies.definition(file.crd, file.version))
        return not part.differences(crd)
    except _FAILURES:
        return False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("flags", nargs="*", metavar="FLAG", help="flags of pytest_crd.engine.profile (default: all)")


def main(options: argparse.Namespace) -> int:
    """Flip the named flags, or all; return 1 if a flip is not noticed."""
    selected = list(flips(options.flags))
    if unknown := set(options.flags) - {flip.flag for flip in selected}:
        raise shared.UsageError(f"no flag with a boundary: {', '.join(sorted(unknown))}")
    replay = Replay()
    unnoticed = 0
    for flip in selected:
        recording = replay.find_failure(flip)
        unnoticed += not recording
        print(f"{flip}: {recording or 'NOT NOTICED'}", flush=True)
    print(f"{len(selected)} flips, {unnoticed} not noticed")
    return 1 if unnoticed else 0
