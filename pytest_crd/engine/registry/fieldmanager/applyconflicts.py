"""Conflicts of an apply with other field managers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.fieldmanager import pathelements
from pytest_crd.engine.registry.fieldmanager.ownership import ConflictsError
from pytest_crd.engine.registry.fieldmanager.writers import ApplyRefusedError
from pytest_crd.engine.registry.response import FieldConflict


def refuse(error: ConflictsError) -> ApplyRefusedError:
    """
    Return the error of an apply with conflicts.

    Reference:
        apimachinery managedfields/internal/conflict.go; api/errors, NewApplyConflict.
    """
    fields = tuple(FieldConflict(manager.name, pathelements.owned(path)) for manager, path in error)
    conflicts = [(manager.printed, pathelements.spell(path)) for manager, path in error]
    causes = (fielderror.manager_conflict(f"conflict with {manager}", path) for manager, path in conflicts)
    return ApplyRefusedError(Refusal(409, "Conflict", _message(conflicts), tuple(causes), subject={}), fields)


def _message(conflicts: Sequence[tuple[str, str]]) -> str:
    if len(conflicts) == 1:
        manager, path = conflicts[0]
        return f"Apply failed with 1 conflict: conflict with {manager}: {path}"
    lines: list[str] = []
    for manager, group in itertools.groupby(conflicts, key=lambda conflict: conflict[0]):
        lines += [f"conflicts with {manager}:", *(f"- {path}" for _, path in group)]
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
