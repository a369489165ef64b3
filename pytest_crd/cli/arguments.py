"""What several commands are told in the same way."""

from __future__ import annotations

import argparse

from pytest_crd.engine import profile


def add_kubernetes_version(parser: argparse.ArgumentParser, *, default: str | None = profile.DEFAULT) -> None:
    """Declare `--kubernetes-version`, as `options.kubernetes_version`."""
    parser.add_argument(
        "--kubernetes-version",
        default=default,
        metavar="VERSION",
        help=f"whose answers: {', '.join(profile.KNOWN)}; the newest unless told",
    )
