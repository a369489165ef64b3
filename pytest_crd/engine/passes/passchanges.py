"""Changes of passes as paths with the schema keyword that caused them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final

from pytest_crd.engine.errors.changedfield import ChangedField
from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.passes.rewriting import Path
from pytest_crd.engine.schema.structural import Structural

# Many objects have changes in the same fields.
_MAX_CACHED: Final = 1024


class Spelling:
    """Spelling of the paths that one pass changes in resources of one version."""

    def __init__(self, schema: Structural | None, keyword: str, locate: Locate | None, *, around: bool = False) -> None:
        """
        Create for a schema.

        Args:
            schema: The schema of the version.
            keyword: The keyword that causes the change.
            locate: Returns the place of a schema in its file.
            around: Whether the keyword belongs to the object around the changed field.
        """
        self._schema = schema
        self._keyword = keyword
        self._locate = locate
        self._around = around
        self._spell = functools.lru_cache(_MAX_CACHED)(lambda path: ChangedField(path, self._origin))

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
