"""`python -m crdchanges FILE...`: print the share of changes that generated case files notice."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from crdchanges.measure import BREAKING, Breaking, Measured, Outcome, measure, measure_breaking


def main() -> None:
    """Measure each file, and print a line about it and the unnoticed changes."""
    parser = argparse.ArgumentParser(prog="python -m crdchanges", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="files with one CRD each, or folders with such files")
    parser.add_argument(
        "--changes", type=int, default=100, help="the number of changes of each CRD, or of each breaking kind"
    )
    parser.add_argument("--breaking", action="store_true", help=f"only change what breaks users: {', '.join(BREAKING)}")
    parser.add_argument("--core-types", action="store_true", help="change embedded Kubernetes types, too")
    parser.add_argument("--list", action="store_true", help="list the unnoticed changes")
    options = parser.parse_args()
    paths = [path for file in options.files for path in (sorted(file.glob("*.yaml")) if file.is_dir() else [file])]
    if options.breaking:
        print_breaking(paths, options.changes, is_listing=options.list)
        return
    for path in paths:
        measured = measure(path, options.changes, with_core_types=options.core_types)
        print(_format(measured), flush=True)
        for outcome in measured.outcomes if options.list else measured.false:
            if not outcome.is_noticed:
                print(_describe(outcome))


def print_breaking(paths: Sequence[Path], count: int, *, is_listing: bool) -> None:
    """Print the noticed changes that break users most: a line for each CRD, and the share of each kind."""
    all_measured = []
    for path in paths:
        measured = measure_breaking(path, count)
        all_measured.append(measured)
        print(f"{measured.name}: {', '.join(_count(kind, [measured]) for kind in BREAKING)}", flush=True)
        for words in measured.unnoticed if is_listing else ():
            print(f"  {words}")
    print(f"{len(paths)} CRDs: {', '.join(_count(kind, all_measured) for kind in BREAKING)}")


def _count(kind: str, measured: Sequence[Breaking]) -> str:
    return f"{kind} {sum(item.noticed[kind] for item in measured)} of {sum(item.changes[kind] for item in measured)}"


def _format(measured: Measured) -> str:
    unnoticed = Counter(outcome.edit.kind for outcome in measured.outcomes if not outcome.is_noticed)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(unnoticed.items()))
    return (
        f"{measured.name}: {measured.noticed} of {len(measured.outcomes)} noticed, {len(measured.false)} unnoticed below held points;"
        f" {measured.lines} lines, {measured.held} of {measured.points} points; unnoticed: {kinds}"
    )


def _describe(outcome: Outcome) -> str:
    mark = "held" if outcome.is_held else "    "
    return f"  {mark} {outcome.edit.kind}: {outcome.edit.node.path}: {outcome.edit.words}"


if __name__ == "__main__":
    main()
