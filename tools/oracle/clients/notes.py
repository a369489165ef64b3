"""What a client gets from a server: steps, in their order, each with a result or with the error that the client raised."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, NamedTuple

JSONValue = Any
_PATIENCE: Final = 20.0


class Step(NamedTuple):
    """
    A step of a conversation.

    Attributes:
        asked: What was asked, in words; no two steps of a conversation have the same.
        got: What the client has returned or raised.
        foreseen: It returned where the conversation goes on with the result, and raised where an error is asked for.
    """

    asked: str
    got: JSONValue
    foreseen: bool = True


class Speech(NamedTuple):
    """
    How a client says things.

    Attributes:
        plain: Makes JSON of what it returns.
        errors: What it raises for answers of a server. Anything else that is raised is a mistake of the conversation.
        told: What such an error tells.
    """

    plain: Callable[[Any], JSONValue]
    errors: tuple[type[Exception], ...]
    told: Callable[[Any], JSONValue]


class Notes:
    """The notes of one conversation."""

    def __init__(self, speech: Speech, steps: list[Step]) -> None:
        """Note into *steps*, which outlive a conversation that breaks off."""
        self._speech, self._steps = speech, steps

    def ask(self, asked: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Note what a call returns, and return it."""
        with self._noting(asked, fails=False) as got:
            got.append(call(*arguments, **named))
        return got[0]

    def refuse(self, asked: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """Note the error of a call."""
        with self._noting(asked, fails=True) as got:
            got.append(call(*arguments, **named))

    async def ask_async(self, asked: str, call: Awaitable[Any]) -> Any:
        """Note what a coroutine returns, and return it."""
        with self._noting(asked, fails=False) as got:
            got.append(await call)
        return got[0]

    async def refuse_async(self, asked: str, call: Awaitable[Any]) -> None:
        """Note the error of a coroutine."""
        with self._noting(asked, fails=True) as got:
            got.append(await call)

    @contextlib.contextmanager
    def _noting(self, asked: str, *, fails: bool) -> Iterator[list[Any]]:
        if any(step.asked == asked for step in self._steps):
            raise ValueError(f"two steps ask to {asked}")
        got: list[Any] = []
        try:
            yield got
        except self._speech.errors as error:
            told = {"raised": type(error).__name__, **self._speech.told(error)}
            self._steps.append(Step(asked, told, foreseen=fails))
            if not fails:
                raise
        else:
            self._steps.append(Step(asked, self._speech.plain(got[0]), foreseen=not fails))


def eventually(call: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """
    Call until what comes holds, and return that.

    Raises:
        TimeoutError: It does not within twenty seconds.
    """
    until = time.monotonic() + _PATIENCE
    while not holds(got := call()):
        if time.monotonic() > until:
            raise TimeoutError("what a conversation waits for does not come")
        time.sleep(0.05)
    return got
