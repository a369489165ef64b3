"""Messages of a server about kinds and Go types that its scheme lacks."""

from __future__ import annotations

from pytest_crd.engine.golang import printing
from pytest_crd.engine.profile import Profile


def unregistered(kind: str, api_version: str, profile: Profile, *, group: str = "") -> str:
    """
    Return the server's message for an unknown kind; without *api_version*, it is a kind of the internal version of *group*.

    Reference:
        apimachinery runtime/error.go, notRegisteredErr; the scheme is named by its source line.
    """
    internal = f"the internal version of group {printing.quote(group)}"
    version = f"version {printing.quote(api_version)}" if api_version else internal
    return f"no kind {printing.quote(kind)} is registered for {version}{_in_scheme(profile)}"


def unregistered_type(name: str, profile: Profile) -> str:
    """Return the server's message for a Go type that a scheme lacks."""
    return f"no kind is registered for the type {name}{_in_scheme(profile)}"


def unsuitable(name: str, api_version: str, profile: Profile) -> str:
    """Return the server's message for a Go type that has no form in an API version."""
    return f"{name} is not suitable for converting to {printing.quote(api_version)}{_in_scheme(profile)}"


def _in_scheme(profile: Profile) -> str:
    return f' in scheme "pkg/runtime/scheme.go:{profile.scheme_line}"'
