"""Run the example project beside a server, and compare what is printed with what the page about live servers shows."""

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
    """Run what the command line asks for; return 1 where something else is printed."""
    with tempfile.TemporaryDirectory() as name, apiserver.at(options.server, livepage.VERSION) as url:
        folder = Folder(Path(name))
        livepage.project(folder.path)
        result = folder.start("--crd-live", url)
    differing = livepage.differences(result.outlines)
    print(*differing or ["the page shows what is printed"], sep="\n")
    return int(bool(differing))
