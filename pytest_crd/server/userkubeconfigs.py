"""Kubeconfigs of users with roles, beside the administrator's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd.server.api import Api
from pytest_crd.server.http import kubeconfigfile
from pytest_crd.server.installedroles import InstalledRoles, UnboundSubjectError

_NO_ROLES: Final = "the server has no roles of the project: set crd_server_rbac in the ini file, or the argument rbac of the mark crd_server"


class UserKubeconfigs:
    """The kubeconfigs of the users of a server, until its end."""

    def __init__(self, api: Api, roles: InstalledRoles | None, url: str, authority: str, path: Path) -> None:
        """
        Create for a server.

        Args:
            api: The server.
            roles: The roles of the project; None without any.
            url: The URL of the server.
            authority: The certificate of the server's authority, PEM.
            path: The path of the administrator's kubeconfig.
        """
        self._api = api
        self._roles = roles
        self._url = url
        self._authority = authority
        self._path = path
        self._files: list[Path] = []

    @property
    def have_roles(self) -> bool:
        """Whether the server has the roles of the project."""
        return self._roles is not None

    def write(self, name: str, groups: Sequence[str], *, may_be_unbound: bool) -> str:
        """
        Write the kubeconfig of a user, and return its path.

        Args:
            name: The name of the user.
            groups: Groups besides those that the server adds.
            may_be_unbound: True for a user that no binding names.

        Raises:
            UnboundSubjectError: No binding of the project names the user, or the server has no roles.
        """
        if self._roles is None:
            raise UnboundSubjectError(_NO_ROLES)
        token = self._api.access.users.add(self._roles.make_user(name, groups, may_be_unbound=may_be_unbound))
        path = self._path.with_name(f"{self._path.name}-{len(self._files) + 1}")
        path.touch(mode=0o600)
        path.write_text(kubeconfigfile.text(self._url, self._authority, token), encoding="utf-8")
        self._files.append(path)
        return str(path)

    def remove(self) -> None:
        """Remove the kubeconfigs."""
        for path in self._files:
            path.unlink(missing_ok=True)
