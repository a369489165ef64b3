"""`explain`: what `kubectl explain` prints of a custom resource."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pytest_crd import engine
from pytest_crd.cli import arguments, explanation, lookup
from pytest_crd.cli.explanation import Explanation, NoFieldError


def add(subparsers: Any) -> None:
    """Declare the command."""
    summary = "print what kubectl explain prints of a custom resource and its fields"
    parser = subparsers.add_parser("explain", help=summary, description=summary)
    parser.add_argument(
        "kind",
        metavar="KIND[/VERSION]",
        help="a kind, a resource or the name of a CRD, and a version; without one that which the server prefers",
    )
    parser.add_argument(
        "field", nargs="?", default="", metavar="FIELD", help="as in spec.template; unset: the whole object"
    )
    parser.add_argument("--recursive", action="store_true", help="print all fields below, without their descriptions")
    lookup.add_paths(parser)
    arguments.add_kubernetes_version(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the explanation; 1 where there is none to give, 2 where the CRD cannot be found."""
    try:
        version = lookup.named_version(options.kind, options.crd_path, options.kubernetes_version)
    except lookup.ERRORS as error:
        print(error, file=sys.stderr)
        return 2
    if problem := lookup.why_unpublished(version, 3):
        print(problem, file=sys.stderr)
        return 1
    return _explained(version, [step for step in options.field.split(".") if step], is_recursive=options.recursive)


def _explained(version: engine.Version, path: list[str], *, is_recursive: bool) -> int:
    crd = version.crd
    document = version.openapi(3) or {}
    schema = explanation.schema_of(document, crd.group, version.name, crd.kind)
    print(f"GROUP:      {crd.group}\nKIND:       {crd.kind}\nVERSION:    {version.name}\n")
    try:
        text = Explanation(document, is_recursive=is_recursive).of(schema, path)
    except NoFieldError as error:
        print(error, file=sys.stderr)
        return 1
    print(text, end="")
    return 0
