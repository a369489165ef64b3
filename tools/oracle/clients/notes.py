"""Notes of a conversation: its steps in order, each with the client's result or error."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue

_PATIENCE: Final = 20.0


class Step(NamedTuple):
    """
    A step of a conversation.

    Attributes:
        title: The name of the step, unique in its conversation.
        result: The returned value or the raised error, as JSON.
        expected: True if the outcome is the one that the conversation needs: a result, or an error where one is provoked.
    """

    title: str
    result: JSONValue
    expected: bool = True


class ClientFormat(NamedTuple):
    """
    How results and errors of a client are recorded.

    Attributes:
        plain: Converts a returned value to JSON.
        errors: The exceptions for answers of a server. Any other exception is a mistake in the conversation.
        describe: Converts such an exception to JSON.
    """

    plain: Callable[[Any], JSONValue]
    errors: tuple[type[Exception], ...]
    describe: Callable[[Any], JSONValue]


class Notes:
    """The notes of one conversation."""

    def __init__(self, format_: ClientFormat, steps: list[Step]) -> None:
        """Append to *steps*, which the caller keeps when a conversation ends early."""
        self._format, self._steps = format_, steps

    def record(self, title: str, call: Callable[..., Any], *arguments: Any, **kwargs: Any) -> Any:
        """Record the result of a call, and return it."""
        with self._noting(title, fails=False) as result:
            result.append(call(*arguments, **kwargs))
        return result[0]

    def record_error(self, title: str, call: Callable[..., Any], *arguments: Any, **kwargs: Any) -> None:
        """Record the error of a call that has to fail."""
        with self._noting(title, fails=True) as result:
            result.append(call(*arguments, **kwargs))

    async def record_async(self, title: str, call: Awaitable[Any]) -> Any:
        """Record the result of a coroutine, and return it."""
        with self._noting(title, fails=False) as result:
            result.append(await call)
        return result[0]

    async def record_error_async(self, title: str, call: Awaitable[Any]) -> None:
        """Record the error of a coroutine that has to fail."""
        with self._noting(title, fails=True) as result:
            result.append(await call)

    @contextlib.contextmanager
    def _noting(self, title: str, *, fails: bool) -> Iterator[list[Any]]:
        if any(step.title == title for step in self._steps):
            raise ValueError(f"two steps are called {title!r}")
        result: list[Any] = []
        try:
            yield result
        except self._format.errors as error:
            description = {"raised": type(error).__name__, **self._format.describe(error)}
            self._steps.append(Step(title, description, expected=fails))
            if not fails:
                raise
        else:
            self._steps.append(Step(title, self._format.plain(result[0]), expected=not fails))


def eventually(call: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """
    Call until the result satisfies *holds*, and return that result.

    Raises:
        TimeoutError: No result does within twenty seconds.
    """
    until = time.monotonic() + _PATIENCE
    while not holds(result := call()):
        if time.monotonic() > until:
            raise TimeoutError("a conversation waits in vain for a result")
        time.sleep(0.05)
    return result
