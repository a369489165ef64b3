"""Arguments that several commands share."""

from __future__ import annotations

import argparse

from pytest_crd.engine import profile


def add_kubernetes_version(parser: argparse.ArgumentParser, *, default: str | None = profile.DEFAULT) -> None:
    """Declare `--kubernetes-version`, stored as `options.kubernetes_version`."""
    parser.add_argument(
        "--kubernetes-version",
        default=default,
        metavar="VERSION",
        help=f"the Kubernetes version of the answers: {', '.join(profile.KNOWN)}; default: the newest",
    )
