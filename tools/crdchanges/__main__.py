"""`python -m crdchanges FILE...`: print the share of changes that generated case files notice."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from crdchanges.measure import Measured, Outcome, measure


def main() -> None:
    """Measure each file, and print a line about it and the unnoticed changes."""
    parser = argparse.ArgumentParser(prog="python -m crdchanges", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="files with one CRD each")
    parser.add_argument("--changes", type=int, default=100, help="the number of changes of each CRD")
    parser.add_argument("--core-types", action="store_true", help="change embedded Kubernetes types, too")
    parser.add_argument("--list", action="store_true", help="list the unnoticed changes")
    options = parser.parse_args()
    for path in options.files:
        measured = measure(path, options.changes, with_core_types=options.core_types)
        print(_format(measured), flush=True)
        for outcome in measured.outcomes if options.list else measured.false:
            if not outcome.is_noticed:
                print(_describe(outcome))


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
