"""Tests in several threads, with pytest-run-parallel."""

from __future__ import annotations

from typing import Final

import pytest

_REASON: Final = "uses crd_server: the clients of a process share one server and one $KUBECONFIG"


class OneThreadHooks:
    """Hooks that let a test with a server run in one thread."""

    @pytest.hookimpl
    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Mark a test that uses `crd_server`, so that pytest-run-parallel runs it in one thread and shows the reason."""
        if "crd_server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.thread_unsafe(reason=_REASON))


def register(config: pytest.Config) -> None:
    """Register the hooks if pytest-run-parallel is installed."""
    if hasattr(config.option, "parallel_threads"):
        config.pluginmanager.register(OneThreadHooks(), "crd-threads")
