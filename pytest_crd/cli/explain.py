"""Command `explain`: the output of `kubectl explain` for a custom resource."""

from __future__ import annotations

import argparse
import sys

from pytest_crd import engine
from pytest_crd.cli import explaintext, lookup
from pytest_crd.cli.explaintext import Explanation, NoFieldError


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "crd",
        metavar="CRD[/VERSION][.FIELD]",
        help=(
            "a CRD (name, kind, short name or file), a version (default: the server's preferred one), and a "
            "field, as in kubectl: backup.spec.retention"
        ),
    )
    parser.add_argument("field", nargs="?", default="", metavar="FIELD", help="a field below that: spec.retention")
    parser.add_argument("--recursive", action="store_true", help="print all fields below, without descriptions")
    lookup.add_paths(parser)
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the explanation; return 1 without one, 2 if the CRD cannot be found."""
    try:
        version, field = lookup.find_explained(options.crd, options.crd_path, options.kubernetes_version)
    except lookup.ERRORS as error:
        print(error, file=sys.stderr)
        return 2
    if problem := lookup.why_unpublished(version, 3):
        print(problem, file=sys.stderr)
        return 1
    steps = [step for step in f"{field}.{options.field}".split(".") if step]
    return _explained(version, steps, is_recursive=options.recursive)


def _explained(version: engine.CrdVersion, path: list[str], *, is_recursive: bool) -> int:
    crd = version.crd
    document = version.openapi(3) or {}
    schema = explaintext.schema_of(document, crd.group, version.name, crd.kind)
    print(f"GROUP:      {crd.group}\nKIND:       {crd.kind}\nVERSION:    {version.name}\n")
    try:
        text = Explanation(document, is_recursive=is_recursive).explain(schema, path)
    except NoFieldError as error:
        print(error, file=sys.stderr)
        return 1
    print(text, end="")
    return 0
