"""A condition in a CRD's status."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """
    One condition of `status.conditions`, less its time.

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
