"""MkDocs hook that shows the version menu only on sites deployed by mike, which come with a list of versions."""

from __future__ import annotations

import os

from mkdocs.config.defaults import MkDocsConfig


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Remove the version menu from a site built alone, where each page would request a missing list."""
    if "MIKE_DOCS_VERSION" not in os.environ:  # set by `mike deploy`
        config.extra.pop("version")
    return config
