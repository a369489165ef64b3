"""Errors of the project's webhooks, which no API server reports."""

from __future__ import annotations

from pytest_crd.engine.inputerror import InputError, Mistake


class WebhookError(InputError):
    """
    Failure of the project to answer a review: a command that does not start, or a function that raises.

    It is no answer of an API server, so no `failurePolicy` applies to it.
    """

    @classmethod
    def at(cls, source: str, message: str) -> WebhookError:
        """Return the error about the place *source*: a setting with its file and line, or a function."""
        return cls([Mistake(source, 0, message)])
