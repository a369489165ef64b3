"""Command `schema`: the JSON Schema of case files, for editors."""

from __future__ import annotations

import argparse
import sys
from importlib import resources
from pathlib import Path

from pytest_crd import boundary
from pytest_crd.casefiles import reports


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the schema to this file")


def run(options: argparse.Namespace) -> int:
    """Print the path of the installed file, or of the one written; return 2 if it cannot be written."""
    schema = resources.files("pytest_crd.cases").joinpath("case-file.schema.json")
    if options.out is not None:
        try:
            boundary.require_output(options.out)
            reports.write(options.out, schema.read_text(encoding="utf-8"))
        except OSError as error:
            print(f"{options.out}: cannot be written: {error.strerror or error}", file=sys.stderr)
            return 2
    print(schema if options.out is None else options.out)
    return 0
