"""Isolation of a test: environment, constants, caches and functions of all clients, while `crd_server` is open."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import threading
from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.plugin.features.server.clients import clienttable
from pytest_crd.plugin.features.server.clients.clientpatches import ClientPatches
from pytest_crd.plugin.features.server.clients.clienttable import Default, KubeconfigConstant
from pytest_crd.plugin.features.server.clients.guard import Guard
from pytest_crd.plugin.features.server.clients.settingplaces import (
    AttributePlace,
    DictPlace,
    EnvironmentPlace,
    Place,
    PlaceChange,
)

_KUBECONFIG: Final = EnvironmentPlace("KUBECONFIG")
_LOOPBACK: Final = "127.0.0.1,localhost"


class Isolation:
    """
    The isolation of one test.

    Attributes:
        guard: The guard of the addresses.
        kubeconfig: The path of the kubeconfig that all clients read.
        kubeconfig_before: `$KUBECONFIG` before the test; None if unset.
    """

    def __init__(self, url: str, kubeconfig: str, *, is_loopback: bool) -> None:
        """
        Change nothing yet.

        Args:
            url: The address of the server.
            kubeconfig: The path of a kubeconfig that leads there.
            is_loopback: True if requests to the server must not pass a proxy.
        """
        self.guard = Guard(url)
        self.kubeconfig = kubeconfig
        self.kubeconfig_before = _KUBECONFIG.read()
        self._is_loopback = is_loopback
        self._changes: list[PlaceChange] = []

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Lead all clients to the server until the end of the `with` block."""
        patches, cached = ClientPatches(self.guard), {*_caches()}
        try:
            for variable, during in self._variables():
                self._change(variable, during)
            for constant in _loaded_constants():
                self._change(constant[0], self.kubeconfig)
            for place, default in _loaded_defaults():
                self._change(place, self._replacement(place.read(), default))
            for entries in _kr8s_instances():
                self._change(entries, {})
            patches.install()
            yield
        finally:
            patches.remove()
            self.guard.is_active = False
            self._end_imports(cached)
            for change in reversed(self._changes):
                change.end()

    def mend(self) -> None:
        """Restore the values again if `monkeypatch` has put back a value of the server after its end."""
        for change in self._changes:
            change.end_again()

    def _change(self, place: Place, during: Any) -> None:
        change = PlaceChange(place, place.read(), during)
        self._changes.append(change)
        change.begin()

    def _variables(self) -> Iterator[tuple[EnvironmentPlace, str | None]]:
        yield _KUBECONFIG, self.kubeconfig
        for name in clienttable.UNSET:
            yield EnvironmentPlace(name), None
        if self._is_loopback and clienttable.has_proxy():
            for variable in (EnvironmentPlace("NO_PROXY"), EnvironmentPlace("no_proxy")):
                yield variable, ",".join(filter(None, (variable.read(), _LOOPBACK)))

    def _replacement(self, before: Any, default: Default) -> Any:
        """Return the configuration to keep in place of *before*; None stays None."""
        if before is None or default.loader is None:
            return None
        configuration = type(before)()
        load = default.loader().load_kube_config
        loading = load(config_file=self.kubeconfig, client_configuration=configuration)
        if inspect.iscoroutine(loading):  # an event loop may run in this thread
            thread = threading.Thread(target=asyncio.run, args=(loading,))
            thread.start()
            thread.join()
        return configuration

    def _end_imports(self, cached: set[str]) -> None:
        """Reset the values in modules that the test has imported to those without the server."""
        for place, constant in _loaded_constants():
            if constant.module not in cached and place.read() == self.kubeconfig:
                place.write(self.kubeconfig_before or constant.default())
        for place, default in _loaded_defaults():
            if default.module not in cached:
                place.write(None)
        if "kr8s._api" not in cached:
            for entries in _kr8s_instances():
                entries.write({})


def _caches() -> Iterator[str]:
    """Yield the loaded modules that cache a configuration."""
    modules = {
        *(constant.module for constant in clienttable.CONSTANTS),
        *(default.module for default in clienttable.DEFAULTS),
    }
    yield from {"kr8s._api", *modules} & sys.modules.keys()


def _loaded_constants() -> Iterator[tuple[AttributePlace, KubeconfigConstant]]:
    for constant in clienttable.CONSTANTS:
        module = sys.modules.get(constant.module)
        if hasattr(module, constant.name):
            yield AttributePlace(module, constant.name), constant


def _loaded_defaults() -> Iterator[tuple[AttributePlace, Default]]:
    for default in clienttable.DEFAULTS:
        owner = getattr(sys.modules.get(default.module), default.owner, None)
        if hasattr(owner, default.name):
            yield AttributePlace(owner, default.name), default


def _kr8s_instances() -> Iterator[DictPlace]:
    """Yield kr8s' cache of clients, by thread and event loop."""
    api: Any = getattr(sys.modules.get("kr8s._api"), "Api", None)
    if hasattr(api, "_instances"):
        yield DictPlace(api._instances)  # noqa: SLF001 - nothing public empties it
