"""
Compare the engine with the reference on random CEL expressions, and print the differences.

`oracle/generators/expressiongen.py` generates them. A seed repeats a run.
"""

from __future__ import annotations

import argparse
import sys
from typing import Final

from oracle import options as shared
from oracle.generators import expressiongen
from oracle.judges import cel

_BATCH: Final = 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add seed, count, sizes and version."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=int, help="the largest size of parts of self, for estimates (default: unknown)")
    parser.add_argument("--count", type=int, default=4000)
    shared.add_version(parser, "--version", choices=cel.VERSIONS)


def main(options: argparse.Namespace) -> int:
    """Compare `--count` expressions; return 1 if one is answered differently."""
    generator = expressiongen.Generator(options.seed)
    count = 0
    for _ in range(0, options.count, _BATCH):
        expressions = [generator.make(generator.any_kind(), 4) for _ in range(_BATCH)]
        for difference in cel.compare(expressions, options.kubernetes_version, options.sizes):
            count += 1
            print(difference)
    print(f"{options.count} expressions, {count} differences", file=sys.stderr)
    return int(bool(count))
