"""Usernames and groups of service accounts and nodes."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.metadata import names

NODES: Final = "system:nodes"
"""The group of nodes."""

AUTHENTICATED, UNAUTHENTICATED = "system:authenticated", "system:unauthenticated"
"""The groups of all users with and without credentials."""

_NODE: Final = "system:node:"
_ACCOUNT: Final = "system:serviceaccount:"
_LONGEST_LABEL: Final = 63


def find_node(username: str) -> str:
    """Return the node of a username; empty if it is no node's."""
    name = username.removeprefix(_NODE)
    return name if username.startswith(_NODE) and not names.dns1123_subdomain(name) else ""


def split_service_account(username: str) -> tuple[str, str] | None:
    """
    Return the namespace and name of a service account; None for other usernames.

    Reference:
        apiserver authentication/serviceaccount/util.go, SplitUsername.
    """
    namespace, colon, name = username.removeprefix(_ACCOUNT).partition(":")
    if not username.startswith(_ACCOUNT) or not colon:
        return None
    is_label = "." not in namespace and len(namespace) <= _LONGEST_LABEL
    are_names = is_label and not names.dns1123_subdomain(namespace) and not names.dns1123_subdomain(name)
    return (namespace, name) if are_names else None


def service_account(namespace: str, name: str) -> str:
    """Return the username of a service account."""
    return f"{_ACCOUNT}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, ...]:
    """Return the groups of the service accounts of a namespace."""
    return ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
