"""Control of a test over its server: faults, the clock, and a reset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pytest_crd.server.api import Api
from pytest_crd.server.clock import Clock
from pytest_crd.server.faults import Faults
from pytest_crd.server.http.requestlog import RequestLog


class Controls(Protocol):
    """The control of a test over a server of any kind."""

    @property
    def faults(self) -> Faults:
        """The faults that requests meet."""

    @property
    def clock(self) -> Clock:
        """The clock of the server."""

    def reset(self) -> None:
        """Return the server to its state at the start."""


class ServerControls:
    """
    The control of a test over its server in the same process.

    Attributes:
        faults: The faults that requests meet.
        clock: The clock of the server.
    """

    def __init__(self, api: Api, log: RequestLog, faults: Faults, fill: Callable[[], None]) -> None:
        """Create for an API in its state at the start; *fill* creates the objects of the marker."""
        api.keep()
        self.faults = faults
        self.clock = api.store.clock
        self._api = api
        self._log = log
        self._fill = fill

    def reset(self) -> None:
        """Return the server to its state at the start."""
        self.faults.clear()
        self.clock.reset()
        self._api.reset()
        self._fill()
        self._log.clear()
