"""MkDocs hooks of the site: the version menu, and the line breaks in tables."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_CELL: Final = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
_TAG: Final = re.compile(r"(<[^>]*>)")
# Shorter names fit in a line of a cell.
_LONG_NAME: Final = re.compile(r"\w{12,}")
# Between the words of `crd_case_files` and `kubernetesVersion`.
_JOINT: Final = re.compile(r"(?<=[a-z]_)(?=[a-z])|(?<=[a-z])(?=[A-Z])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Remove the version menu from a site built alone, where each page would request a missing list."""
    if "MIKE_DOCS_VERSION" not in os.environ:  # set by `mike deploy`
        config.extra.pop("version")
    return config


def on_post_page(output: str, **_: Any) -> str:
    """Allow line breaks between the words of long names in tables, so that a phone breaks names at no other place."""
    return _CELL.sub(lambda cell: _break_names(cell[0]), output)


def _break_names(cell: str) -> str:
    """Return a cell with a possible break at each joint of long names in its texts, not in its tags."""
    parts = _TAG.split(cell)
    parts[::2] = [_LONG_NAME.sub(lambda name: _JOINT.sub("<wbr>", name[0]), text) for text in parts[::2]]
    return "".join(parts)
