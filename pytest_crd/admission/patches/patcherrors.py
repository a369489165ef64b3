"""Errors of the mutations of a policy."""

from __future__ import annotations


class FailedMutationError(Exception):
    """A mutation that fails, with the server's message; it counts as the failure policy says."""
