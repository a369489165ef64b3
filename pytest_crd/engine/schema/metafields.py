"""Fields that every resource has, at the root and embedded in other resources."""

from __future__ import annotations

from typing import Final

TYPE_META: Final = ("apiVersion", "kind")
# In the order in which the server reads them.
META_FIELDS: Final = (*TYPE_META, "metadata")
