"""What passes have changed, as paths that know which keyword of a schema decided."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final

from pytest_crd.engine.errors.changedfield import ChangedField
from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.passes.rewriting import Path
from pytest_crd.engine.schema.structural import Structural

# The same fields are changed in one object after the other.
_MOST_KEPT: Final = 1024


class Spelling:
    """Spells the paths of one pass over the resources of one version."""

    def __init__(self, schema: Structural | None, keyword: str, locate: Locate | None, *, around: bool = False) -> None:
        """
        Take what decides.

        Args:
            schema: The schema of the version.
            keyword: Which keyword of the changed field decides.
            locate: What knows where a schema stands in a file.
            around: Whether the object decides that the field is in.
        """
        self._schema = schema
        self._keyword = keyword
        self._locate = locate
        self._around = around
        self._spell = functools.lru_cache(_MOST_KEPT)(lambda path: ChangedField(path, self._origin))

    def spell(self, paths: Iterable[Path]) -> tuple[ChangedField, ...]:
        """Return the paths as the server spells them."""
        return tuple(map(self._spell, paths))

    def _origin(self, path: Path) -> Origin | None:
        node, steps = self._schema, list[str | int]()
        for step in path[:-1] if self._around else path:
            if node is None:
                return None
            if isinstance(step, int):
                node = node.items
                steps.append("items")
            elif step in node.properties:
                node = node.properties[step]
                steps += ("properties", step)
            else:
                node = node.value_schema
                steps.append("additionalProperties")
        return None if node is None else Origin(tuple(steps), self._keyword, locate=self._locate)
