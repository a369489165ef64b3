"""Access to a server from a test: resources by name, requests of clients, faults, the clock, and commands that use the server."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from pytest_crd.engine.registry.admission import ADMINISTRATOR
from pytest_crd.server import runningcommands
from pytest_crd.server.clock import Clock
from pytest_crd.server.controllers import garbagecollector
from pytest_crd.server.controls import Controls
from pytest_crd.server.faults import Faults
from pytest_crd.server.http.requestlog import RequestLog, Requests
from pytest_crd.server.reaching import ReachedServer
from pytest_crd.server.resourceaccess import Resources
from pytest_crd.server.runningcommands import Commands, RunningCommand
from pytest_crd.wording import counted

_KUBECONFIG: Final = "KUBECONFIG"
# The users with all rights.
_ALLOWED: Final = frozenset({ADMINISTRATOR.username, garbagecollector.USER.username})
_ALL_ALLOWED: Final = (
    "crd_server.forbidden: all requests are the administrator's, who may do everything: set crd_server_rbac, and start the operator "
    "as its user, by run_operator(…, user=…), run_command(…, user=…) or the kubeconfig of kubeconfig_for"
)
_NO_USER: Final = (
    "the server has roles, and the command would be the administrator, who may do everything: name its user, such as "
    f'user="system:serviceaccount:NAMESPACE:NAME", or user="{ADMINISTRATOR.username}"'
)


class UserAccess(Protocol):
    """The users of a server beside the administrator."""

    @property
    def have_roles(self) -> bool:
        """Whether the server has the roles of the project."""

    def write(self, name: str, groups: Sequence[str], *, may_be_unbound: bool) -> str:
        """Return the path of the kubeconfig of a user; raise LookupError if no binding names the user."""


class CrdServer:
    """
    A server with the project's CRDs, for one test.

    Attributes:
        url: Its URL, `https://127.0.0.1:PORT`; with `--crd-live` the URL of the cluster.
        kubeconfig: The path of a kubeconfig for the server.
        namespace: The namespace of the test.
        commands: The commands of `run_command` and `run_operator`.
    """

    def __init__(  # noqa: PLR0913 - the parts of a server
        self,
        reached: ReachedServer,
        log: RequestLog,
        controls: Controls,
        *,
        url: str,
        kubeconfig: str,
        namespace: str = "default",
        users: UserAccess | None = None,
    ) -> None:
        """Create for the fixture."""
        self._users = users
        self._reached = reached
        self._log = log
        self._controls = controls
        self.commands = Commands(log, reached.watched_resources, self.environ)
        self.url = url
        self.kubeconfig = kubeconfig
        self.namespace = namespace

    def __getitem__(self, resource: str) -> Resources:
        """
        Return the objects of a resource.

        Args:
            resource: Its plural, singular, short name or kind, optionally with the group: `backups`, `backups.example.com`. A version may
                follow after a slash, `backups/v1beta1`; the default is the version that the server prefers.

        Raises:
            CrdLookupError: The server has no such resource, or several.
        """
        return Resources(self._reached, self._log, self._reached.find_by_name(resource), self.namespace)

    @property
    def requests(self) -> Requests:
        """The requests and their responses, oldest first; `.find(verb=, resource=, by=)` selects some."""
        return self._log.exchanges

    @property
    def faults(self) -> Faults:
        """The faults that requests of clients meet: `crd_server.faults.status(409, verb="update")`; skips the test under `--crd-live`."""
        return self._controls.faults

    @property
    def clock(self) -> Clock:
        """The clock of the server: `crd_server.clock.advance(3600)`; skips the test under `--crd-live`."""
        return self._controls.clock

    def reset(self) -> None:
        """
        Return the server to its state at the start: its CRDs, namespaces and objects of the mark.

        Watches end with 410, commands continue, and the log, the faults and the clock are reset. Under `--crd-live` it skips the test.
        """
        self._controls.reset()

    @property
    def unvalidated(self) -> Mapping[str, int]:
        """The number of written objects that the server does not validate, by kind."""
        return self._log.unvalidated

    @property
    def unenforced(self) -> Mapping[str, int]:
        """The number of written objects without effect that change the answers of a full cluster, by kind: webhook configurations, policies, quotas."""
        return self._log.unenforced

    @property
    def unserved(self) -> Mapping[str, int]:
        """The number of requests for built-in kinds answered with 404 because only a full cluster serves them, by kind."""
        return self._log.unserved

    @property
    def forbidden(self) -> Mapping[str, int]:
        """
        The number of requests that no role allowed, by user, verb, resource and namespace.

        Raises:
            LookupError: All requests are the administrator's, so that nothing can be forbidden.
        """
        if not self._log.users - _ALLOWED:
            raise LookupError(_ALL_ALLOWED)
        return self._log.forbidden

    def kubeconfig_for(self, user: str, groups: Sequence[str] = (), *, may_be_unbound: bool = False) -> str:
        """
        Return the path of a kubeconfig for a user with the roles of `crd_server_rbac`.

        Args:
            user: The name, such as `system:serviceaccount:NAMESPACE:NAME`, whose groups are added.
            groups: Further groups.
            may_be_unbound: True for a user that no binding names.

        Raises:
            LookupError: No binding names the user or one of its groups; or the server has no roles of the project.
        """
        if self._users is None:
            raise LookupError("with --crd-live there are no kubeconfigs for users: the server has users of its own")
        return self._users.write(user, groups, may_be_unbound=may_be_unbound)

    def __repr__(self) -> str:
        """Return the URL and the number of requests."""
        return f"<CrdServer {self.url}, {counted(len(self.requests), 'request')}>"

    def environ(self) -> dict[str, str]:
        """Return environment variables for a process that uses the server."""
        return {**os.environ, _KUBECONFIG: self.kubeconfig}

    def run_command(  # noqa: PLR0913 - each has a default
        self,
        words: Sequence[str],
        *,
        user: str = "",
        watches: str | Sequence[str] = (),
        ready: Callable[[], object] | None = None,
        folder: str | Path = ".",
        environment: Mapping[str, str] | None = None,
        timeout: float = 30.0,
    ) -> RunningCommand:
        """
        Start a command that uses the server, and wait until it is ready; it ends with the test.

        If it ends before that by itself, the test fails. A failing test shows the end of its output.

        Args:
            words: The program and its arguments.
            user: The user with the roles of `crd_server_rbac`, such as `system:serviceaccount:NAMESPACE:NAME`; `kubernetes-admin` for the
                administrator, who is the default on a server without roles.
            watches: The resources that it watches once it is ready, such as `backups`; by default one of the project's CRDs.
            ready: Returns true once the command is ready, in place of its watches.
            folder: The working folder.
            environment: Environment variables besides those of `environ`.
            timeout: The longest wait, in seconds.

        Raises:
            CommandError: It cannot be started, ends before it is ready, or is not ready in time; the message has the end of its output.
            LookupError: The server has roles, and no user is named; or no binding names the user.
        """
        with_user = self._with_user(user, environment or {})
        return self.commands.start(
            words, watches=watches, ready=ready, folder=folder, environment=with_user, timeout=timeout
        )

    def _with_user(self, user: str, environment: Mapping[str, str]) -> Mapping[str, str]:
        """
        Return the environment of a command with the kubeconfig of its user.

        Raises:
            LookupError: The server has roles, and neither a user nor a kubeconfig is named; or no binding names the user.
        """
        if user == ADMINISTRATOR.username:
            return {**environment, _KUBECONFIG: self.kubeconfig}
        if user:
            return {**environment, _KUBECONFIG: self.kubeconfig_for(user)}
        if self._users is not None and self._users.have_roles and _KUBECONFIG not in environment:
            raise LookupError(_NO_USER)
        return environment

    def run_operator(  # noqa: PLR0913 - each has a default
        self,
        path: str | Path,
        *options: str,
        user: str = "",
        namespace: str = "",
        watches: str | Sequence[str] = (),
        folder: str | Path = ".",
        environment: Mapping[str, str] | None = None,
        timeout: float = 30.0,
    ) -> RunningCommand:
        """
        Start a kopf operator in a process of its own, and wait until it watches its resources; it ends with the test.

        Args:
            path: The file of the operator.
            *options: Further options of `kopf run`.
            user: The user, as in `run_command`.
            namespace: The namespace that it watches; empty for all.
            watches: The resources that it watches once it is ready, as in `run_command`.
            folder: The working folder.
            environment: Environment variables besides those of `environ`.
            timeout: The longest wait, in seconds.

        Raises:
            CommandError: As in `run_command`; or kopf is not installed, or the file is missing.
            LookupError: As in `run_command`.
        """
        words = runningcommands.kopf_command(Path(folder), path, namespace, options)
        return self.run_command(
            words, user=user, watches=watches, folder=folder, environment=environment, timeout=timeout
        )
