"""A hook of MkDocs: only a site that mike deploys offers other versions, as only beside that one lies the list of them."""

from __future__ import annotations

import os

from mkdocs.config.defaults import MkDocsConfig


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Drop the menu of versions from a site that is built alone, where each page would ask for a list that is not there."""
    if "MIKE_DOCS_VERSION" not in os.environ:  # set by `mike deploy`
        config.extra.pop("version")
    return config
