"""
Faults of a server: refusals, delays, cut connections, ended watches, and writes of another client.

A test adds faults to `crd_server.faults`. The HTTP server asks `Faults.take` about each request of a client. Requests of the test itself,
by `crd_server["backups"]`, meet no fault.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from random import Random
from types import TracebackType
from typing import Any, Final, Self, TypedDict, Unpack

from pytest_crd.server import faulteffects
from pytest_crd.server.faulteffects import FaultEffect
from pytest_crd.server.http import requestinfo, requestnames
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.wording import counted

# Random faults of a client's requests that are the same: at most this many in succession, so that retries succeed.
_MOST_IN_SUCCESSION: Final = 2
_OVERTAKING: Final = {"metadata": {"annotations": {"pytest-crd/overtaken": "true"}}}


class FaultSelection(TypedDict, total=False):
    """
    The requests that meet a fault; without a key all requests for resources do.

    Attributes:
        verb: A verb or several: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
        resource: The plural, optionally with group and subresource: `backups`, `backups.example.com`, `backups/status`.
        namespace: The namespace.
        name: The name of the object in the URL.
        client: The beginning of the User-Agent.
        user: The name of the user.
        nth: The number of the first affected request among the selected ones; 1 by default.
        times: The number of affected requests; 1 by default, None for all.
    """

    verb: str | Collection[str]
    resource: str
    namespace: str
    name: str
    client: str
    user: str
    nth: int
    times: int | None


class Fault:
    """
    A fault. In a `with` statement it ends with the block, else with the test.

    Attributes:
        hits: The number of requests that have met it.
    """

    def __init__(
        self, effect: FaultEffect, selection: FaultSelection, *, only: Collection[str] = (), times: int | None = 1
    ) -> None:
        """
        Create a fault.

        Args:
            effect: The effect on the selected requests.
            selection: The selected requests.
            only: The verbs that the effect is possible for; empty for all.
            times: The number of affected requests if the selection does not say it; None for all.

        Raises:
            ValueError: The selection has an unknown key, an unknown verb, or a number below 1.
        """
        self._selection = _checked(selection)
        self._effect = effect
        self._only = only
        self._times = selection.get("times", times)
        self._seen = 0
        self._is_over = False
        self.hits = 0

    def end(self) -> None:
        """End the fault: later requests do not meet it."""
        self._is_over = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.end()

    def __repr__(self) -> str:
        """Return the fault with its selection and its hits."""
        return f"<Fault {self}, {counted(self.hits, 'request')}>"

    def __str__(self) -> str:
        """Return the fault with its selection."""
        chosen = ", ".join(f"{key}={value!r}" for key, value in self._selection.items())
        return f"{self._effect.text}{f' ({chosen})' if chosen else ''}"

    @property
    def problem(self) -> str:
        """A message if no request has met the fault, so that its test tests nothing; else empty."""
        return "" if self.hits else f"no request met {self}"

    @property
    def resource(self) -> str:
        """The resource of the selected requests; empty for all."""
        return self._selection.get("resource", "")

    def meet(self, request: HTTPRequest, info: RequestInfo) -> FaultEffect:
        """Return the effect on a request, and count the request if it is selected."""
        if self._is_over or not self._selects(request, info):
            return faulteffects.NO_EFFECT
        self._seen += 1
        first = self._selection.get("nth", 1)
        if self._seen < first or (self._times is not None and self._seen >= first + self._times):
            return faulteffects.NO_EFFECT
        effect = self._effect_on(info)
        self.hits += effect is not faulteffects.NO_EFFECT
        return effect

    def _effect_on(self, _info: RequestInfo) -> FaultEffect:
        return self._effect

    def _selects(self, request: HTTPRequest, info: RequestInfo) -> bool:
        wanted = self._selection
        return (
            (not self._only or info.verb in self._only)
            and info.verb in (_verbs(wanted) or (info.verb,))
            and wanted.get("resource", "")
            in ("", *requestinfo.resource_names(info.resource, info.group, info.subresource))
            and wanted.get("namespace", info.namespace) == info.namespace
            and wanted.get("name", info.name) == info.name
            and request.headers.get("user-agent", "").startswith(wanted.get("client", ""))
            and wanted.get("user", request.user.username) == request.user.username
        )


class _RandomFault(Fault):
    """Random effects on the selected requests; a seed repeats them for each object and verb, in any order of other requests."""

    def __init__(self, seed: int, rate: float, selection: FaultSelection) -> None:
        super().__init__(FaultEffect(f"random faults of seed {seed}"), selection, times=None)
        self._seed, self._rate = seed, rate
        self._requests: dict[tuple[str, ...], int] = {}
        self._in_succession: dict[tuple[str, ...], int] = {}

    @property
    def problem(self) -> str:
        """A message if no request has met a fault; else empty."""
        spared = f": the rate {self._rate:g} spared {counted(self._seen, 'request')}, so choose another seed or a higher rate"
        return super().problem and f"{super().problem}{spared if self._seen else ''}"

    def _effect_on(self, info: RequestInfo) -> FaultEffect:
        about = (info.verb, info.group, info.resource, info.subresource, info.namespace, info.name)
        number = self._requests[about] = self._requests.get(about, 0) + 1
        random = Random(f"{self._seed}/{about}/{number}")  # noqa: S311 - a seed repeats it
        succession = self._in_succession.get(about, 0) + 1
        is_spared = random.random() >= self._rate or succession > _MOST_IN_SUCCESSION
        self._in_succession[about] = 0 if is_spared else succession
        return faulteffects.NO_EFFECT if is_spared else random.choice(faulteffects.random_effects(random, info))


class Faults:
    """The faults of a server; safe to use from several threads."""

    def __init__(self, served: Callable[[], Collection[str]] | None = None) -> None:
        """
        Create without faults.

        Args:
            served: Returns the names of the served resources, which selections may have; None for any names.
        """
        self._served = served
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def status(
        self, code: int, *, retry_after: int | None = None, message: str = "", **selection: Unpack[FaultSelection]
    ) -> Fault:
        """
        Refuse requests.

        Args:
            code: 409 (for updates and patches), 429, 500, 503 or 504.
            retry_after: The seconds of the header Retry-After; 1 for 429 by default, else none.
            message: The message; by default the words of a server.
            **selection: The selected requests.

        Raises:
            ValueError: The code or the selection is not possible.
        """
        if code not in faulteffects.CODES:
            raise ValueError(
                f"no fault with the status {code}: write {', '.join(map(str, faulteffects.CODES[:-1]))} or {faulteffects.CODES[-1]}"
            )
        effect = FaultEffect(f"status {code}", code=code, retry_after=retry_after, message=message)
        return self._add(Fault(effect, selection, only=faulteffects.WRITES if code == 409 else ()))

    def delay(self, seconds: float, **selection: Unpack[FaultSelection]) -> Fault:
        """Answer requests after some seconds."""
        return self._add(Fault(FaultEffect(f"delay of {seconds:g} s", delay=seconds), selection))

    def cut(self, **selection: Unpack[FaultSelection]) -> Fault:
        """Answer requests, and end the connection in the middle of the response: a write has taken effect."""
        return self._add(Fault(FaultEffect("cut connection", is_cut=True), selection))

    def overtake(self, changes: Mapping[str, Any] | None = None, **selection: Unpack[FaultSelection]) -> Fault:
        """
        Change an object just before a client updates or patches it. A request with a resourceVersion then conflicts.

        Args:
            changes: The merge patch of the other client; None for an annotation `pytest-crd/overtaken`.
            **selection: The selected requests.
        """
        patch = dict(_OVERTAKING if changes is None else changes)
        return self._add(
            Fault(FaultEffect("write of another client", overtaking=patch), selection, only=faulteffects.WRITES)
        )

    def end_watch(self, *, after: int = 0, **selection: Unpack[FaultSelection]) -> Fault:
        """End watches after some events, as at their timeout."""
        return self._add(
            Fault(
                FaultEffect(f"end of a watch after {counted(after, 'event')}", ends_after=after),
                selection,
                only=("watch",),
            )
        )

    def expire_watch(self, **selection: Unpack[FaultSelection]) -> Fault:
        """End watches with the error 410: the client has to list again."""
        return self._add(Fault(FaultEffect("expired watch", is_expired=True), selection, only=("watch",)))

    def lag_watch(self, seconds: float, **selection: Unpack[FaultSelection]) -> Fault:
        """Send the events of watches some seconds late."""
        return self._add(Fault(FaultEffect(f"lag of {seconds:g} s", lag=seconds), selection, only=("watch",)))

    def random(self, seed: int, *, rate: float = 0.2, **selection: Unpack[FaultSelection]) -> Fault:
        """
        Play random faults of all kinds, at most two in succession for the same request.

        Args:
            seed: The seed; it repeats the faults of each object and verb.
            rate: The share of the affected requests, above 0 and up to 1.
            **selection: The selected requests; all of them by default.

        Raises:
            ValueError: The rate or the selection is not possible.
        """
        if not 0 < rate <= 1:
            raise ValueError(f"rate={rate!r}: a number above 0 and up to 1")
        return self._add(_RandomFault(seed, rate, selection))

    def add(self, description: Mapping[str, Any]) -> Fault:
        """
        Add a fault of a mark, such as `{"status": 409, "verb": "update"}`: a method with its argument, and a selection.

        Raises:
            ValueError: No method, several methods, or an unknown key.
        """
        kinds = [key for key in description if key in _KINDS]
        if len(kinds) != 1:
            raise ValueError(f"{dict(description)!r}: a fault has one of the keys {', '.join(_KINDS)}")
        arguments = {key: value for key, value in description.items() if key not in _KINDS}
        value = description[kinds[0]]
        try:
            fault: Fault = getattr(self, kinds[0])(*(() if value is True else (value,)), **arguments)
        except TypeError as error:
            raise ValueError(f"{dict(description)!r}: {error}") from None
        return fault

    def clear(self) -> None:
        """End all faults, and forget them."""
        self.end(0)

    def take(self, request: HTTPRequest) -> FaultEffect:
        """Return the effect of all faults on a request; requests that name no resource meet none."""
        if not self._faults or (info := request.info) is None:
            return faulteffects.NO_EFFECT
        info = info._replace(verb=request.verb)
        effect = faulteffects.NO_EFFECT
        with self._lock:
            for fault in self._faults:
                effect |= fault.meet(request, info)
        return effect

    @property
    def count(self) -> int:
        """The number of faults that were added."""
        return len(self._faults)

    def end(self, start: int) -> None:
        """End the faults that were added after the first *start* ones, and forget them."""
        with self._lock:
            for fault in self._faults[start:]:
                fault.end()
            del self._faults[start:]

    def unmet(self, start: int = 0) -> list[str]:
        """Return a message for each fault after the first *start* ones that no request has met: its test tests nothing."""
        return [f"crd_server.faults: {fault.problem}" for fault in self._faults[start:] if fault.problem]

    def lines(self) -> list[str]:
        """Return a line for each fault, with the number of requests that met it."""
        return [f"fault: {fault}: {counted(fault.hits, 'request')}" for fault in self._faults]

    def _add(self, fault: Fault) -> Fault:
        """
        Add a fault.

        Raises:
            UnknownNameError: No served kind has the selected resource.
        """
        if fault.resource and self._served is not None:
            requestnames.demand_resource(fault.resource, self._served())
        with self._lock:
            self._faults.append(fault)
        return fault


def _verbs(selection: FaultSelection) -> Collection[str]:
    verbs = selection.get("verb", ())
    return (verbs,) if isinstance(verbs, str) else verbs


def _checked(selection: FaultSelection) -> FaultSelection:
    """
    Return a selection.

    Raises:
        ValueError: It has an unknown key, an unknown verb, or a number below 1.
    """
    keys = FaultSelection.__annotations__
    for key, value in selection.items():
        if key not in keys:
            raise ValueError(f"a fault has no {key!r}: write {', '.join(keys)}")
        if key in ("nth", "times") and value is not None and value < 1:  # type: ignore[operator] # an int
            raise ValueError(f"{key}={value!r}: a number from 1 on")
    for verb in _verbs(selection):
        requestnames.demand_verb(verb)
    return selection


_KINDS: Final = ("status", "delay", "cut", "overtake", "end_watch", "expire_watch", "lag_watch", "random")
