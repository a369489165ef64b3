"""
Flip each flag of the Kubernetes profiles at each side of its boundary, and replay the recordings: one of them has to fail.

A flip that no recording notices is a boundary between two versions that nothing pins; it is printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance import casefile, comparisons, replies, test_cel, test_server

from oracle import options as shared
from pytest_crd import engine
from pytest_crd.engine import profile

# How the engine may fail where a profile is no longer that of any server.
_FAILURES: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Flip:
    """A flag of a profile, and the version beside its boundary that gets the value of the other side."""

    flag: str
    version: str
    beyond: str

    def __str__(self) -> str:
        """Return what is flipped."""
        return f"{self.flag} of {self.version} as in {self.beyond}"


def flips(flags: Sequence[str]) -> Iterator[Flip]:
    """Yield the two flips at each boundary of each of *flags*, or of all flags where there are none."""
    for flag in map(".".join, _paths(profile.KNOWN[profile.DEFAULT])):
        if flag == "version" or (flags and flag not in flags):
            continue
        state = operator.attrgetter(flag)
        for older, newer in itertools.pairwise(profile.KNOWN.values()):
            if state(older) != state(newer):
                yield Flip(flag, older.version, newer.version)
                yield Flip(flag, newer.version, older.version)


def _paths(facts: Any) -> Iterator[tuple[str, ...]]:
    """Yield the names that lead to each flag of a profile, or of a part of one: `cel.misformats` is one of two."""
    for name, value in facts._asdict().items():
        if isinstance(value, tuple):
            yield from ((name, *inner) for inner in _paths(value))
        else:
            yield (name,)


def _with(facts: Any, flag: str, value: object) -> Any:
    """Return a profile, or a part of one, with another value of a flag."""
    name, _, inner = flag.partition(".")
    return facts._replace(**{name: _with(getattr(facts, name), inner, value) if inner else value})


class Replay:
    """The recorded answers of all versions, those that noticed a flip before first: they may notice the next one too."""

    def __init__(self) -> None:
        """Read them."""
        self._parts: dict[str, list[comparisons.Part]] = {}
        for file in (one for read in casefile.read_folder(casefile.FOLDER) for one in read.everywhere()):
            self._parts.setdefault(file.version, []).extend(comparisons.parts(file))

    def notices(self, flip: Flip) -> str:
        """Return the first recording that fails, or no longer fails as it is known to, under *flip*; empty where none does."""
        known = profile.KNOWN[flip.version]
        beyond = operator.attrgetter(flip.flag)(profile.KNOWN[flip.beyond])
        profile.KNOWN[flip.version] = _with(known, flip.flag, beyond)
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
            profile.KNOWN[flip.version] = known


def _differing(version: str, table: Path) -> str:
    """Return the table where an expression is no longer answered as in *version*; empty where each is."""
    if version not in test_cel.VERSIONS:
        return ""
    try:
        return table.name if any(test_cel.replayed(table, version, all_versions=True)) else ""
    except _FAILURES:
        return table.name


def _conversation(version: str) -> str:
    """Return the conversation with a server of *version* in which ours answers otherwise; empty where none is."""
    for name, of, recorded in test_server.conversations():
        if of == version:
            try:
                is_alike = test_server.replayed(version, recorded) == recorded["answers"]
            except _FAILURES:
                is_alike = False
            if not is_alike:
                return name
    return ""


def _agrees(part: comparisons.Part, crds: dict[Path, engine.CustomResourceDefinition]) -> bool:
    """Whether the engine answers as recorded; *crds* holds those that were made already."""
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
    """Flip what the command line names; return 1 where a flip is not noticed."""
    asked = list(flips(options.flags))
    if unknown := set(options.flags) - {flip.flag for flip in asked}:
        raise shared.UsageError(f"no flag with a boundary: {', '.join(sorted(unknown))}")
    replay = Replay()
    unnoticed = 0
    for flip in asked:
        noticed = replay.notices(flip)
        unnoticed += not noticed
        print(f"{flip}: {noticed or 'NOT NOTICED'}", flush=True)
    print(f"{len(asked)} flips, {unnoticed} not noticed")
    return 1 if unnoticed else 0
