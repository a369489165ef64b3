"""
Words of YAML 1.1 in kustomizations: kustomize reads `yes`, `on` and `n` as texts, while a server reads booleans.

Reference:
    sigs.k8s.io/kustomize kyaml/yaml, which is YAML 1.2; JSON patches are read by sigs.k8s.io/yaml, which is YAML 1.1.
"""

from __future__ import annotations

import copy
from typing import Any

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document


def read_value(value: JSONValue, document: Document, path: tuple[str | int, ...] = ()) -> Any:
    """
    Return a copy of a value as kustomize reads it.

    Args:
        value: The value, as a server reads it.
        document: The document that contains it.
        path: Its path in the document.
    """
    result: Any = copy.deepcopy(value)
    words = [word for word in document.bare_booleans if word.path[: len(path)] == path]
    # The paths have the keys as a server reads them, so that inner words and values come first.
    for word in sorted(words, key=lambda word: (-len(word.path), word.is_key)):
        *outer, last = word.path[len(path) :]
        holder = result
        for step in outer:
            holder = holder[step]
        if not word.is_key:
            holder[last] = word.written
        elif last in holder:  # the same key for a server may be set twice
            holder[word.written] = holder.pop(last)
    return result
