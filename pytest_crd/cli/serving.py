"""The server of the command `serve`, from its start to Ctrl-C; needs the extra `server`."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_crd import boundary
from pytest_crd.cli import ownfiles
from pytest_crd.cli.exits import Exit
from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.server import httpserver
from pytest_crd.server.api import Api
from pytest_crd.server.http import certificates, kubeconfigfile
from pytest_crd.server.installedroles import InstalledRoles
from pytest_crd.wording import counted

# Signals that would end the process without a cleanup: from `kill`, and from a closing terminal.
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
# Seconds until a computing thread lets another one run. A request needs about ten turns; the default of 5 ms is long beside a large write.
_TURN: Final = 0.001
# The generation of a full garbage collection.
_FULL: Final = 2


def serve(  # noqa: PLR0913 - the settings of a server
    crds: Sequence[CustomResourceDefinition],
    *,
    kubernetes_version: str,
    port: int,
    kubeconfig: Path,
    has_service_accounts: bool = False,
    collects_garbage: bool = False,
    enforces_owners: bool = False,
    simulates_workloads: bool = False,
    roles: Sequence[Manifest] = (),
    users: Sequence[tuple[str, Path]] = (),
) -> int:
    """
    Serve until Ctrl-C, and return the exit code.

    Args:
        crds: The CRDs.
        kubernetes_version: The Kubernetes version of the answers.
        port: The port on loopback; 0 for a free one.
        kubeconfig: The path of the kubeconfig, which exists while the server runs.
        has_service_accounts: Whether each namespace gets its ServiceAccount `default`.
        collects_garbage: Whether objects without owners are deleted.
        enforces_owners: Whether the admission plugin OwnerReferencesPermissionEnforcement is on.
        simulates_workloads: Whether workloads get the statuses that controllers and kubelets write in the end.
        roles: Roles and bindings; empty for those of a new cluster.
        users: The names of users with these roles, and the paths of their kubeconfigs.

    Raises:
        FileExistsError: A kubeconfig exists.
        OSError: The port is taken, or a kubeconfig cannot be written.
        UnboundSubjectError: No binding names a user.
        NotAcceptedError: The server refuses a CRD.
        ManifestError: The server refuses a role.
    """
    _require_new(kubeconfig, "--kubeconfig")
    for _, path in users:
        _require_new(path, "--user")
    token, signed = httpserver.new_token(), certificates.Certificates()
    api = Api(
        crds,
        kubernetes_version=kubernetes_version,
        token=token,
        has_service_accounts=has_service_accounts,
        collects_garbage=collects_garbage,
        enforces_owners=enforces_owners,
        simulates_workloads=simulates_workloads,
    )
    api.catalog.policy_listeners.observe_order = _warn
    installed = InstalledRoles(api, roles) if roles else None
    operators = [] if installed is None else [(installed.make_user(name), path) for name, path in users]
    server = httpserver.HTTPServer(api, signed, token=token, port=port)
    configs = [(token, kubeconfig), *((api.access.users.add(user), path) for user, path in operators)]
    with _ended_by_signals(), _short_pauses(), contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        server.start()
        for own_token, path in configs:
            stack.enter_context(
                ownfiles.temporary(path, ownfiles.sign(kubeconfigfile.text(server.url, signed.authority, own_token)))
            )
        _print_crds(crds)
        for words in () if installed is None else installed.warnings:
            print(words)
        for user, path in operators:
            print(f"{user.username}: KUBECONFIG={path.resolve()}")
        if simulates_workloads:
            print("statuses of workloads, Pods and claims are simulated; nothing runs")
        print(f"{counted(len(crds), 'CRD')} at {server.url}, Kubernetes {profile.describe(kubernetes_version)}")
        print(f"export KUBECONFIG={kubeconfig.resolve()}", flush=True)
        wait()
    return Exit.HOLDS


def _warn(words: str) -> None:
    """Print a warning about an answer."""
    print(f"warning: {words}", file=sys.stderr, flush=True)


def _print_crds(crds: Sequence[CustomResourceDefinition]) -> None:
    for crd in crds:
        versions = ", ".join(version.name for version in crd.versions if version.served)
        print(f"{crd.name} ({versions}){f' from {crd.source}' if crd.source else ''}")


def _require_new(path: Path, option: str) -> None:
    """
    Remove the kubeconfig of a killed server; raise an error if a file at *path* cannot be created, before a server starts.

    Raises:
        FileExistsError: *path* exists; a link counts, also if it leads nowhere.
        NotADirectoryError: The folder does not exist.
        OSError: The folder of a relative path leads out of the project.
    """
    boundary.require_output(path)
    if ownfiles.remove_stale(path):
        print(f"{path}: its server has ended without removing it; replaced", file=sys.stderr)
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "exists", str(path))
    if not path.parent.is_dir():
        raise NotADirectoryError(f"{option} {path}: {path.parent} is not a folder")


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """End the block without an error at Ctrl-C, SIGTERM and SIGHUP; a SIGHUP that `nohup` ignores stays ignored."""
    handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _interrupt) for number in handled}
    try:
        yield
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):  # the terminal may be closed
            print("stopped", flush=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_signal: int, _frame: object) -> None:
    for number in _SIGNALS:  # a second signal would interrupt the cleanup
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextlib.contextmanager
def _short_pauses() -> Iterator[None]:
    """
    Keep requests from waiting for a large one until the end of the block.

    A full garbage collection stops all threads, and visits each object. Here it visits an object once: stored objects survive, and
    have no cycles. The cycles of a connection that is open meanwhile, some hundred bytes, are kept.
    """
    turn = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    gc.callbacks.append(_freeze_survivors)
    try:
        yield
    finally:
        gc.callbacks.remove(_freeze_survivors)
        gc.unfreeze()
        sys.setswitchinterval(turn)


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    """Exempt the survivors of a full garbage collection from the next ones."""
    if phase == "stop" and info["generation"] == _FULL:
        gc.freeze()


def wait() -> None:
    """Wait for Ctrl-C."""
    threading.Event().wait()
