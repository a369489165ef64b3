"""
Failed calls of webhooks. Their messages belong to a test run, so cases do not state them.

Reference:
    apiserver admission/plugin/webhook/errors/statuserror.go; client-go rest/request.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine import FieldError

PROBLEM: Final = "the call of a webhook failed, so that its answer is not known"
# A conversion that the webhook itself refuses has its words in place of the request's.
_FAILED: Final = lazyre.compile(r'failed calling webhook "|conversion webhook for [^ ]+, Kind=[^ ]+ failed: Post "')


def is_among(errors: Iterable[FieldError]) -> bool:
    """Return whether a refusal has the error of a webhook that could not be called."""
    return any(_FAILED.search(error.message) for error in errors)
