"""
Test Kubernetes CustomResourceDefinitions with pytest, offline, with the API server's answers.

pytest imports this package in every session, and rewrites no assertions in it (PYTEST_DONT_REWRITE).
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if sys.platform == "win32":
    raise ImportError("pytest-crd runs on Linux and macOS; on Windows, install it inside WSL")

if TYPE_CHECKING:
    from pytest_crd.classes import crd_of
    from pytest_crd.engine import CrdVersion, CustomResourceDefinition, CustomResourceDefinitions, Response
    from pytest_crd.plugin.items.cases import BoundCase
    from pytest_crd.server.accessor import CrdServer
    from pytest_crd.server.http.requestlog import LoggedRequest, Requests
    from pytest_crd.server.resourceaccess import RequestFailedError, Resources

__all__ = [
    "BoundCase",
    "CrdServer",
    "CrdVersion",
    "CustomResourceDefinition",
    "CustomResourceDefinitions",
    "LoggedRequest",
    "RequestFailedError",
    "Requests",
    "Resources",
    "Response",
    "crd_of",
]

# pytest imports this package in every session; only tests that use a class load its module.
_MODULES: Final = {
    "BoundCase": "pytest_crd.plugin.items.cases",
    "CrdServer": "pytest_crd.server.accessor",
    "CrdVersion": "pytest_crd.engine",
    "CustomResourceDefinition": "pytest_crd.engine",
    "CustomResourceDefinitions": "pytest_crd.engine",
    "LoggedRequest": "pytest_crd.server.http.requestlog",
    "RequestFailedError": "pytest_crd.server.resourceaccess",
    "Requests": "pytest_crd.server.http.requestlog",
    "Resources": "pytest_crd.server.resourceaccess",
    "Response": "pytest_crd.engine",
    "crd_of": "pytest_crd.classes",
}


if not TYPE_CHECKING:  # pragma: no branch - so that type checkers know the names above and no others

    def __getattr__(name: str) -> Any:
        """Import a public name on first use."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
