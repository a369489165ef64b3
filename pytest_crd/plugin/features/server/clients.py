"""
Python clients in the process of a test.

They read $KUBECONFIG once, when they are imported, which may have been in an earlier test: where they are loaded, they are told anew.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Final

_MODULES: Final = ("kubernetes.config.kube_config", "kubernetes_asyncio.config.kube_config")
_CONSTANT: Final = "KUBE_CONFIG_DEFAULT_LOCATION"


@contextlib.contextmanager
def led_to(kubeconfig: str) -> Iterator[None]:
    """Have the clients that are loaded take a kubeconfig for the one of the environment."""
    loaded = [module for name in _MODULES if hasattr(module := sys.modules.get(name), _CONSTANT)]
    before = [(module, getattr(module, _CONSTANT)) for module in loaded]
    for module in loaded:
        setattr(module, _CONSTANT, kubeconfig)
    try:
        yield
    finally:
        for module, value in before:
            setattr(module, _CONSTANT, value)
