"""Command `sample`: a custom resource that the server accepts, with the descriptions of its fields as comments."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_crd import synthesis
from pytest_crd.casefiles import yamltext
from pytest_crd.cli import lookup
from pytest_crd.engine import UnsupportedConstructError, UnsupportedExpressionError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.wording import escape

_WIDTH: Final = 100
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    lookup.add_version(parser)
    parser.add_argument("--minimal", action="store_true", help="set only required fields, without comments")
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the object; return 1 if none is found."""
    version = lookup.named_version(options.crd, options.crd_path, options.kubernetes_version)
    try:
        resource = synthesis.example(version, full=not options.minimal)
    except (UnsupportedConstructError, UnsupportedExpressionError, synthesis.NoExampleError) as error:
        print(error, file=sys.stderr)
        return 1
    lines = yamltext.block(resource) if options.minimal else _write(resource, version.schema_map, 0, _OF_RESOURCE)
    print("\n".join(lines))
    return 0


def _write(
    value: Mapping[str, JSONValue], node: SchemaNode | None, indent: int, uncommented: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the lines of a mapping, with a comment before each field that has a description."""
    for key, item in value.items():
        field = None if node is None else node.properties.get(key) or node.values
        if field is not None and key not in uncommented:
            yield from _comment(field, indent)
        head = f"{' ' * indent}{yamltext.flow(key)}:"
        if isinstance(item, dict) and item:
            yield head
            yield from _write(item, field, indent + yamltext.STEP)
        elif isinstance(item, list) and item and all(isinstance(inner, dict) and inner for inner in item):
            yield head
            yield from _write_items(item, None if field is None else field.items, indent)
        else:
            yield from yamltext.entry(key, item, indent)


def _write_items(items: Sequence[Mapping[str, JSONValue]], node: SchemaNode | None, indent: int) -> Iterator[str]:
    for item in items:
        first, *others = _write(item, node, indent + yamltext.STEP)
        yield f"{' ' * indent}- {first.lstrip(' ')}"
        yield from others


def _comment(node: SchemaNode, indent: int) -> Iterator[str]:
    """Yield the first paragraph of a description as comments."""
    paragraph = str(node.schema.get("description") or "").strip().partition("\n\n")[0]
    for line in textwrap.wrap(" ".join(paragraph.split()), _WIDTH - indent):
        yield f"{' ' * indent}# {escape(line)}"
