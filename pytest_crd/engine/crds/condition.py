"""Condition in the status of a CRD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NoReturn

# In a CRD without flaws, this condition is false, and all others are true.
NON_STRUCTURAL: Final = "NonStructuralSchema"


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

    def __bool__(self) -> NoReturn:
        """Raise TypeError: a bare `assert` would hold for a false condition, too."""
        raise TypeError(
            'a Condition is neither true nor false; write `.status`, as in `assert condition.status == "True"`'
        )


def shows_flaw(condition: Condition) -> bool:
    """Return whether *condition* shows a flaw of its CRD."""
    return condition.status != ("False" if condition.type == NON_STRUCTURAL else "True")
