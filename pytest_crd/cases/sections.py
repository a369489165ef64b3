"""Sections of a case file, by kind of request, and the lines of their keys."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document
from pytest_crd.records import dataclass

if TYPE_CHECKING:
    from pytest_crd.engine.registry.request import Subresource


class Section(enum.StrEnum):
    """A kind of request; the value is the key in a case file."""

    PRUNING = "pruning"
    DEFAULTING = "defaulting"
    CREATE = "create"
    UPDATE = "update"
    UPDATE_STATUS = "updateStatus"
    PATCH = "patch"
    PATCH_STATUS = "patchStatus"
    PATCH_SCALE = "patchScale"
    APPLY = "apply"
    APPLY_STATUS = "applyStatus"
    APPLY_SCALE = "applyScale"
    CONVERT = "convert"
    POLICY = "cases"

    @property
    def noun(self) -> str:
        """The kind of a case in messages: `create` case; `policy` case in a file about a policy."""
        return "policy" if self is Section.POLICY else self.value

    @property
    def subresource(self) -> Subresource:
        """The subresource to which requests are sent; empty for the object itself."""
        return "status" if self.endswith("Status") else "scale" if self.endswith("Scale") else ""


@dataclass(frozen=True, eq=False)
class CaseLines:
    """
    Lines of keys in the file; looked up on demand, since most cases never need them.

    Attributes:
        document: The YAML document.
        path: The path that those given to `find_line` are relative to.
    """

    document: Document
    path: tuple[str | int, ...] = ()

    def find_line(self, *path: str | int) -> int:
        """
        Return the 1-based line of a key, or of a list's item.

        Args:
            path: Keys and 0-based indices, as in `find_line("errors", 0, "field")`; without any, the line of the beginning.
        """
        return self.document.line_of((*self.path, *path), key=bool(path) and isinstance(path[-1], str))


def is_suite(value: JSONValue) -> bool:
    """Return whether a document is a suite in the format of openshift/api, and not a case file."""
    if not isinstance(value, dict) or any(section in value for section in Section):
        return False
    return "crdName" in value or ("tests" in value and isinstance(value["tests"], dict))
