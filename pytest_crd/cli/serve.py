"""Command `serve`: a server of CRDs and their custom resources, for kubectl and for operators and tests in any language."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.cli import lookup
from pytest_crd.cli.exits import Exit
from pytest_crd.discovery import rolefiles
from pytest_crd.engine.registry.response import NotAcceptedError
from pytest_crd.engine.yaml import manifest
from pytest_crd.server import servedversions

_MISSING: Final = "serve needs the extra `server`: pip install 'pytest-crd[server]'"
_KUBECONFIG: Final = "crd-server.kubeconfig"
_EXISTS: Final = (
    "{path} exists, and is neither overwritten nor removed: another `pytest-crd serve` or kubectl may use it; "
    "write `--kubeconfig FILE` with the name of a new file, or remove {path} if nothing uses it"
)
_USER_EXISTS: Final = "--user: {path} exists, and is neither overwritten nor removed: write the name of a new file"
_NO_ROLES: Final = "--user needs --rbac with the roles of the user"
_MOST_PORT: Final = 65535
_PLUGINS: Final = ("OwnerReferencesPermissionEnforcement",)


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help=(
            "a file, a folder or a glob with CRDs; may be given several times; default: the usual places of the "
            "project, else the whole project"
        ),
    )
    parser.add_argument("--port", type=_parse_port, default=0, help="the port on loopback; default: a free one")
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        default=Path(_KUBECONFIG),
        help="the kubeconfig of the server: created at the start, removed at the end; an error if the file exists, "
        f"unless a `serve` that was killed left it; default: {_KUBECONFIG}",
    )
    parser.add_argument(
        "--service-accounts",
        action="store_true",
        help="create the ServiceAccount `default` in each namespace, as kube-controller-manager does",
    )
    parser.add_argument(
        "--garbage-collection",
        action="store_true",
        help="delete objects whose owners are gone, as kube-controller-manager does",
    )
    parser.add_argument(
        "--workloads",
        action="store_true",
        help="simulate the statuses of workloads, Pods and claims: all become ready, and Jobs complete; nothing runs",
    )
    parser.add_argument(
        "--admission-plugin",
        action="append",
        default=[],
        choices=_PLUGINS,
        help="an admission plugin that is off by default on a server",
    )
    parser.add_argument(
        "--rbac",
        action="append",
        default=[],
        metavar="PATH",
        help="a file, a folder or a glob with Roles, ClusterRoles and bindings, for requests with `kubectl --as`; may be given several times",
    )
    parser.add_argument(
        "--user",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "FILE"),
        help="a user with the roles of --rbac, such as `system:serviceaccount:NAMESPACE:NAME`, and the file for the user's kubeconfig, "
        "created and removed like that of the server; may be given several times",
    )
    lookup.add_kubernetes_version(parser, versions=servedversions.VERSIONS)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; return 1 if a CRD is refused, 2 if CRDs cannot be read, the port is taken or the kubeconfig exists."""
    try:
        from pytest_crd.cli import serving  # noqa: PLC0415 - needs the extra `server`
    except ImportError as error:
        print(f"{_MISSING} ({error})", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        version = servedversions.find_served(options.kubernetes_version)
    except engine.UnknownVersionError as error:
        print(f"--kubernetes-version: {error}", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        crds = _read_crds(options.paths, version)
        return serving.serve(
            crds,
            kubernetes_version=options.kubernetes_version,
            port=options.port,
            kubeconfig=options.kubeconfig,
            has_service_accounts=options.service_accounts,
            collects_garbage=options.garbage_collection,
            enforces_owners=bool(options.admission_plugin),
            simulates_workloads=options.workloads,
            roles=_read_roles(options.rbac, has_users=bool(options.user)),
            users=[(name, Path(file)) for name, file in options.user],
        )
    except NotAcceptedError as error:
        print(error, file=sys.stderr)
        return Exit.DOES_NOT_HOLD
    except FileExistsError as error:
        is_own = error.filename in (str(options.kubeconfig), options.kubeconfig.name)
        print(
            _EXISTS.format(path=options.kubeconfig) if is_own else _USER_EXISTS.format(path=error.filename),
            file=sys.stderr,
        )
        return Exit.WRONG_USE
    except (*lookup.ERRORS, OSError, LookupError) as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE


def _read_crds(paths: Sequence[str], kubernetes_version: str) -> engine.CustomResourceDefinitions:
    """
    Return the CRDs at *paths*, or those of the project; empty for folders without YAML and JSON files, as clients may install CRDs.

    Raises:
        InputError: The CRDs cannot be read.
    """
    filled = [path for path in paths or (".",) if not Path(path).is_dir() or any(manifest.below(Path(path)))]
    if not filled:
        return engine.CustomResourceDefinitions([])
    return lookup.crds(filled if paths else [], kubernetes_version)


def _read_roles(paths: Sequence[str], *, has_users: bool) -> Sequence[manifest.Manifest]:
    """
    Return the roles and bindings at *paths*.

    Raises:
        LookupError: There are users, and no paths.
        InputError: They cannot be read.
    """
    if not paths and has_users:
        raise LookupError(_NO_ROLES)
    return rolefiles.read(paths, (), base=Path.cwd(), folder=Path.cwd()) if paths else ()


def _parse_port(text: str) -> int:
    """
    Return the number of a port.

    Raises:
        ArgumentTypeError: *text* is not a number from 0 to 65535.
    """
    if not (text.isascii() and text.isdecimal() and int(text) <= _MOST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r}: write a number from 0 to {_MOST_PORT}")
    return int(text)
