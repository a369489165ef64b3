"""Run the example project with a live server, and compare the output with the page about live servers."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from handbook import livepage
from support.sessions import Folder

from oracle import options as shared
from oracle.servers import apiserver


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the server."""
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Compare output and page; return 1 if they differ."""
    with tempfile.TemporaryDirectory() as name, apiserver.at(options.server, livepage.VERSION) as url:
        folder = Folder(Path(name))
        livepage.project(folder.path)
        result = folder.start("--deselect", "controller", "--crd-live", url)
    differing = livepage.differences(result.outlines)
    print(*differing or ["the page is up to date"], sep="\n")
    return int(bool(differing))
