"""Condition in the status of a CRD."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """
    A condition in `status.conditions`, without its timestamp.

    Attributes:
        type: `NamesAccepted`, `Established`, `NonStructuralSchema` or `KubernetesAPIApprovalPolicyConformant`.
        status: `True`, `False` or `Unknown`.
        reason: One word, such as `Violations`.
        message: The controller's sentence.
    """

    type: str
    status: str
    reason: str
    message: str
