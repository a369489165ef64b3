"""`schema`: where the JSON Schema of case files is, for editors."""

from __future__ import annotations

import argparse
from importlib import resources
from typing import Any


def add(subparsers: Any) -> None:
    """Declare the command."""
    summary = "print the path of the JSON Schema of case files, for `# yaml-language-server: $schema=PATH`"
    parser = subparsers.add_parser("schema", help=summary, description=summary)
    parser.set_defaults(run=run)


def run(_options: argparse.Namespace) -> int:
    """Print the path."""
    print(resources.files("pytest_crd.cases").joinpath("case-file.schema.json"))
    return 0
