"""
Run the same conversations of Python clients with a whole kube-apiserver and with `pytest-crd serve`, and compare the results.

The clients are those of the dependency group `clients`, unmodified. `oracle/clients/normalization.py` removes
differences between any two servers. A server of `--server` serves only one run of each client: without controllers its
namespaces are never deleted, and the next conversation would find them.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import itertools
import json
import tempfile
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from oracle import options as shared
from oracle.clients import kr8sclient, kubernetesasyncio, kubernetesclient, lightkubeclient, normalization, ovens
from oracle.clients.notes import Step
from oracle.servers import kubeapiserver, ours
from oracle.servers.ours import Served

# The module of the conversation by the module of its client.
CONVERSATIONS: Final[Mapping[str, ModuleType]] = {
    "kubernetes": kubernetesclient,
    "kubernetes_asyncio": kubernetesasyncio,
    "kr8s": kr8sclient,
    "lightkube": lightkubeclient,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the clients, the version and the server."""
    clients = [*CONVERSATIONS]
    parser.add_argument("--client", action="append", choices=clients, help="use this client (default: all)")
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Run the conversations; return 1 if a result differs or a conversation does not get the outcome that it needs."""
    chosen = options.client or [*CONVERSATIONS]
    for client in chosen:
        demand(client)
    with (
        tempfile.TemporaryDirectory() as name,
        ours.serving([ovens.crd("served")]) as our_server,
        kubeapiserver.at(options.server, options.kubernetes_version) as url,
    ):
        their_server = Served(url, kubeapiserver.TOKEN)
        results = [_compare(client, their_server, our_server, Path(name)) for client in chosen]
    return int(not all(results))


def differences(theirs: Sequence[Step], ours_: Sequence[Step]) -> Mapping[str, list[str]]:
    """
    Return the differing steps by title, each with the lines of a diff.

    Steps that are equal but unexpected on both servers are included.
    """
    differing: dict[str, list[str]] = {}
    for their, our in itertools.zip_longest(theirs, ours_):
        title = (their or our).title
        if their is None or our is None or their != our:
            before, after = normalization.format_result(their), normalization.format_result(our)
            differing[title] = [*difflib.unified_diff(before, after, "kube-apiserver", "pytest-crd", lineterm="")]
        elif not their.expected:
            differing[title] = [
                "both servers give an outcome that the conversation does not need",
                *normalization.format_result(their),
            ]
    return differing


def demand(client: str) -> None:
    """
    Raise an error unless a client is installed.

    Raises:
        UsageError: The client is not installed.
    """
    try:
        importlib.import_module(client)
    except ImportError as error:
        raise shared.UsageError(f"there is no {client}: install the dependency group `clients`") from error


def _compare(client: str, their_server: Served, our_server: Served, folder: Path) -> bool:
    """Print the differences and the number of steps; return True if there are no differences."""
    conversation = CONVERSATIONS[client]
    theirs_, ours_ = (
        _converse(conversation, served, folder / f"{client}{number}")
        for number, served in enumerate((their_server, our_server))
    )
    differing = differences(theirs_, ours_)
    for title, lines in differing.items():
        print(f"{client}: {title}", *(f"  {line}" for line in lines), sep="\n")
    print(f"{client}: {len(theirs_)} steps, {len(differing)} differ", flush=True)
    return not differing


def _converse(conversation: ModuleType, served: Served, kubeconfig: Path) -> list[Step]:
    """Return the normalized steps of a conversation; if it breaks off, the last step has the error."""
    kubeconfig.write_text(json.dumps(ours.kubeconfig(served)), encoding="utf-8")
    steps: list[Step] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the certificate of a server on loopback is not verified
        try:
            conversation.converse(str(kubeconfig), steps)
        except Exception as error:  # noqa: BLE001 - the recorded steps explain the error
            where = [line for line in traceback.format_tb(error.__traceback__) if "oracle/clients" in line]
            description = {"raised": type(error).__name__, "says": str(error), "in": where[-1:]}
            steps.append(Step("the conversation breaks off", description, expected=False))
    return normalization.normalize(steps, served.url)
