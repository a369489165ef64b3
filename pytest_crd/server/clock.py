"""
The clock of a server, which tests can freeze and advance.

`now` returns the time of the server that answers the current request: builders of metadata and tables call it without access to a server.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple


class ClockSetting(NamedTuple):
    """
    The setting of a clock by a test.

    Attributes:
        offset: The distance from the system's time of a running clock.
        frozen_at: The time of a frozen clock; None if it runs.
    """

    offset: timedelta
    frozen_at: datetime | None


class Clock:
    """Clock of a server. It runs like the system's clock until a test freezes or advances it; safe to use from several threads."""

    def __init__(self) -> None:
        """Create a clock that runs like the system's."""
        self._lock = threading.Lock()
        self._offset = timedelta(0)
        self._frozen_at: datetime | None = None
        self._stopped = 0.0
        self._advanced = 0.0
        self._listeners: tuple[Callable[[], None], ...] = ()

    def now(self) -> datetime:
        """Return the current time, in UTC."""
        with self._lock:
            return self._now()

    @property
    def elapsed(self) -> float:
        """Seconds since a fixed moment: they stop and advance with the clock, but never decrease."""
        with self._lock:
            return (time.monotonic() if self._frozen_at is None else self._stopped) + self._advanced

    def freeze(self, at: datetime | str | None = None) -> None:
        """
        Stop the clock, until `resume` or `reset`.

        Args:
            at: The time to show, such as `2026-01-01T00:00:00Z`; None for the current time.

        Raises:
            ValueError: *at* is not a timestamp, or has no UTC offset.
        """
        start = _read_time(at)
        with self._lock:
            if self._frozen_at is None:
                self._stopped = time.monotonic()
            before = self._now()
            self._frozen_at = start or before
            self._advanced += max(0.0, (self._frozen_at - before).total_seconds())
        self._notify()

    def advance(self, seconds: float | timedelta) -> None:
        """
        Advance the clock, frozen or not.

        Watches longer than their timeout end, events older than an hour are deleted, and versions of lists older than five minutes expire.

        Args:
            seconds: The seconds, or a timedelta.

        Raises:
            ValueError: The duration is negative.
        """
        duration = seconds if isinstance(seconds, timedelta) else timedelta(seconds=seconds)
        if duration < timedelta(0):
            raise ValueError(
                f"a clock cannot be advanced by {duration.total_seconds():g} seconds: freeze it at an earlier time"
            )
        with self._lock:
            self._advanced += duration.total_seconds()
            if self._frozen_at is None:
                self._offset += duration
            else:
                self._frozen_at += duration
        self._notify()

    def resume(self) -> None:
        """Let a frozen clock run on from the time that it shows."""
        with self._lock:
            if self._frozen_at is not None:
                self._run_from(self._frozen_at - datetime.now(UTC))

    def reset(self) -> None:
        """Show the system's time again."""
        with self._lock:
            self._run_from(timedelta(0))

    @property
    def setting(self) -> ClockSetting:
        """The current setting, for `restore`."""
        with self._lock:
            return ClockSetting(self._offset, self._frozen_at)

    def restore(self, setting: ClockSetting) -> None:
        """Return to an earlier setting; expired objects stay expired."""
        with self._lock:
            if setting.frozen_at is None:
                self._run_from(setting.offset)
                return
            if self._frozen_at is None:
                self._stopped = time.monotonic()
            self._frozen_at = setting.frozen_at

    def listen(self, listener: Callable[[], None]) -> None:
        """Call *listener* after each change of the time by a test."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Let `now` return the time of this clock until the end of the `with` block, in this thread."""
        token = _CLOCK.set(self)
        try:
            yield
        finally:
            _CLOCK.reset(token)

    def _run_from(self, offset: timedelta) -> None:
        """Let the clock run at an offset from the system's."""
        if self._frozen_at is not None:
            self._advanced -= time.monotonic() - self._stopped
            self._frozen_at = None
        self._offset = offset

    def _now(self) -> datetime:
        return datetime.now(UTC) + self._offset if self._frozen_at is None else self._frozen_at

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()


_SYSTEM: Final = Clock()
_CLOCK: Final = contextvars.ContextVar("clock", default=_SYSTEM)


def now() -> datetime:
    """Return the time of the server that answers the current request; outside of requests the system's time."""
    return _CLOCK.get().now()


def timestamp() -> str:
    """Return the time of `now` in the format of servers, in seconds."""
    return now().strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_time(text: datetime | str | None) -> datetime | None:
    value = datetime.fromisoformat(text) if isinstance(text, str) else text
    if value is not None and value.tzinfo is None:
        raise ValueError(f"{text} has no UTC offset: write {value:%Y-%m-%dT%H:%M:%S}Z")
    return None if value is None else value.astimezone(UTC)
