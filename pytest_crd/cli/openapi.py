"""Command `openapi`: the OpenAPI document that a server publishes for a version of a CRD."""

from __future__ import annotations

import argparse
import json
import sys

from pytest_crd.cli import lookup
from pytest_crd.engine.openapi.commontypes import OpenAPIVersion


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    lookup.add_version(parser)
    parser.add_argument("--v2", action="store_true", help="print OpenAPI v2, as in /openapi/v2; default: v3")
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the document; return 1 without one."""
    version = lookup.named_version(options.crd, options.crd_path, options.kubernetes_version)
    form: OpenAPIVersion = 2 if options.v2 else 3
    if problem := lookup.why_unpublished(version, form):
        print(problem, file=sys.stderr)
        return 1
    print(json.dumps(version.openapi(form), indent=2, sort_keys=True, ensure_ascii=False))
    return 0
