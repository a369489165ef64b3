"""
Hold the same conversation with a whole kube-apiserver and with `pytest-crd serve`, by each of four Python clients, and compare what they get.

The clients are those of the dependency group `clients`, unchanged. What is compared says `oracle/clients/alike.py`. A server of `--server`
can be asked once by each client: without controllers a namespace stays, and the next conversation would find it.
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
from oracle.clients import alike, kr8sclient, kubernetesasyncio, kubernetesclient, lightkubeclient, ovens
from oracle.clients.notes import Step
from oracle.servers import kubeapiserver, ours
from oracle.servers.ours import Served

# The module of each client, and that of its conversation.
CONVERSATIONS: Final[Mapping[str, ModuleType]] = {
    "kubernetes": kubernetesclient,
    "kubernetes_asyncio": kubernetesasyncio,
    "kr8s": kr8sclient,
    "lightkube": lightkubeclient,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the clients, the version and the server."""
    clients = [*CONVERSATIONS]
    parser.add_argument("--client", action="append", choices=clients, help="ask with this one (default: with all)")
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Run what the command line asks for; return 1 where a client gets something else, or a conversation goes otherwise than it should."""
    chosen = options.client or [*CONVERSATIONS]
    for client in chosen:
        demand(client)
    with (
        tempfile.TemporaryDirectory() as name,
        ours.serving([ovens.crd("served")]) as here,
        kubeapiserver.at(options.server, options.kubernetes_version) as url,
    ):
        there = Served(url, kubeapiserver.TOKEN)
        results = [_compared(client, there, here, Path(name)) for client in chosen]
    return int(not all(results))


def differences(theirs: Sequence[Step], own: Sequence[Step]) -> Mapping[str, list[str]]:
    """Return the steps that differ, or go otherwise than the conversation needs, by what they ask, each with the lines that say how."""
    found: dict[str, list[str]] = {}
    for their, our in itertools.zip_longest(theirs, own):
        asked = (their or our).asked
        if their is None or our is None or their != our:
            before, after = alike.shown(their), alike.shown(our)
            found[asked] = [*difflib.unified_diff(before, after, "kube-apiserver", "pytest-crd", lineterm="")]
        elif not their.foreseen:
            found[asked] = ["both go otherwise than the conversation needs", *alike.shown(their)]
    return found


def demand(client: str) -> None:
    """
    Pass when a client is installed.

    Raises:
        UsageError: It is not.
    """
    try:
        importlib.import_module(client)
    except ImportError as error:
        raise shared.UsageError(f"there is no {client}: install the dependency group `clients`") from error


def _compared(client: str, there: Served, here: Served, folder: Path) -> bool:
    """Print what is otherwise, and how many steps there were; return whether nothing is."""
    conversation = CONVERSATIONS[client]
    theirs, own = (_held(conversation, served, folder / f"{client}{at}") for at, served in enumerate((there, here)))
    found = differences(theirs, own)
    for asked, lines in found.items():
        print(f"{client}: {asked}", *(f"  {line}" for line in lines), sep="\n")
    print(f"{client}: {len(theirs)} steps, {len(found)} differ", flush=True)
    return not found


def _held(conversation: ModuleType, served: Served, kubeconfig: Path) -> list[Step]:
    """Return the steps of a conversation; the last one says why it breaks off, where it does."""
    kubeconfig.write_text(json.dumps(ours.kubeconfig(served)), encoding="utf-8")
    steps: list[Step] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody checks the certificate of a server on loopback
        try:
            conversation.converse(str(kubeconfig), steps)
        except Exception as error:  # noqa: BLE001 - what was noted so far says more than the error
            where = [line for line in traceback.format_tb(error.__traceback__) if "oracle/clients" in line]
            told = {"raised": type(error).__name__, "says": str(error), "in": where[-1:]}
            steps.append(Step("the conversation breaks off", told, foreseen=False))
    return alike.comparable(steps, served.url)
