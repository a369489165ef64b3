"""The answers to recent requests with an object: a search often sends an object again."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_crd import engine

# The number of answers. A search repeats an object soon: more answers save a hundredth of the requests.
_MOST: Final = 256
# The most bytes of an object; the answers to larger ones would need much memory.
_LARGEST: Final = 20_000
# The last version of the format without references to equal texts, which differ between equal objects.
_WITHOUT_REFERENCES: Final = 2


class RecentAnswers:
    """Function that returns the answer to an object, and sends no object again that was sent recently."""

    def __init__(self, send: Callable[[Any], engine.Response]) -> None:
        """
        Create for a request.

        Args:
            send: Returns the answer to an object, which is the same each time.
        """
        self._send = send
        # The least recent one first.
        self._answers: dict[bytes, engine.Response] = {}

    def __call__(self, resource: Mapping[str, Any]) -> engine.Response:
        """Return the answer to *resource*; the order of its fields counts, as messages may have it."""
        try:
            key = marshal.dumps(resource, _WITHOUT_REFERENCES)  # type: ignore[arg-type] # other mappings than dict raise
        except ValueError:  # such a mapping, or a text of a class of its own
            return self._send(resource)
        answer = self._answers.pop(key, None)
        if answer is None:
            answer = self._send(resource)
        if len(key) <= _LARGEST:
            self._answers[key] = answer
            if len(self._answers) > _MOST:
                del self._answers[next(iter(self._answers))]
        return answer
