"""
Mutations of Python source: small changes of the meaning, which a test should notice.

Annotations, docstrings and the parts of f-strings stay as they are.
"""

from __future__ import annotations

import ast
import itertools
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_PAIRS: Final = ((ast.Eq, ast.NotEq), (ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.In, ast.NotIn), (ast.Is, ast.IsNot))
_OPPOSITES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    operator: opposite for pair in _PAIRS for operator, opposite in (pair, pair[::-1])
}
_ANNOTATIONS: Final = ("annotation", "returns", "type_params")


@dataclass(frozen=True, slots=True)
class Edit:
    """
    A mutation of a file.

    Attributes:
        path: The file.
        line: The number of its first line.
        kind: The kind of mutation.
        start: The first byte to replace.
        end: The byte after the last one.
        text: The replacement.
    """

    path: Path
    line: int
    kind: str
    start: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """Return the mutated source."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def describe(self, source: bytes) -> str:
        """Return a line with the place, the old text and the new one."""
        old = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}:{self.line}: {self.kind}: {old} -> {self.text}"


def draw(folder: Path, paths: Iterable[Path], number: int, seed: int) -> list[Edit]:
    """Return *number* mutations of the files below *folder*, of all kinds in equal shares; the same ones for the same seed."""
    by_kind = defaultdict[str, list[Edit]](list)
    for path in sorted(paths):
        for edit in find(path, (folder / path).read_bytes()):
            by_kind[edit.kind].append(edit)
    chance = random.Random(seed)  # noqa: S311 # no secret
    shuffled = [chance.sample(edits, len(edits)) for _, edits in sorted(by_kind.items())]
    rounds = itertools.chain.from_iterable(itertools.zip_longest(*shuffled))
    return [*itertools.islice((edit for edit in rounds if edit is not None), number)]


def find(path: Path, source: bytes) -> Iterator[Edit]:
    """Yield the mutations of a file, in the order of the text."""
    starts = [0, *itertools.accumulate(len(line) for line in source.splitlines(keepends=True))]
    for node in _walk(ast.parse(source)):
        for kind, text in _mutate(node):
            start, end = (
                starts[line - 1] + column
                for line, column in ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
            )
            yield Edit(path, node.lineno, kind, start, end, text)


def _walk(node: ast.AST) -> Iterator[Any]:
    """Yield the nodes below *node* that have a meaning at run time."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in _ANNOTATIONS and not _is_for_readers(child):
                yield child
                yield from _walk(child)


def _is_for_readers(node: ast.AST) -> bool:
    """Return True for docstrings, blocks for type checkers and f-strings; Python 3.11 has no exact places in f-strings."""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_typing = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return is_docstring or is_typing or isinstance(node, ast.JoinedStr)


def _mutate(node: Any) -> Iterator[tuple[str, str]]:
    """Yield the kind and the new text of each mutation of a node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        opposite = ast.Compare(node.left, [_OPPOSITES[type(node.ops[0])]()], node.comparators)
        yield "comparison", f"({ast.unparse(opposite)})"
    elif isinstance(node, ast.BoolOp):
        operator = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", f"({ast.unparse(ast.BoolOp(operator, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "negation", f"({ast.unparse(node.operand)})"
    elif isinstance(node, (ast.Raise, ast.AugAssign)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "statement", "pass"
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield "result", "return None"
    elif isinstance(node, ast.Constant) and node.value is not None and node.value is not ...:
        yield "constant", repr(_change(node.value))


def _change(value: Any) -> Any:
    """Return another value of the type of a constant."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + value[0] if value else "x"
    if isinstance(value, bytes):
        return value + value[:1] if value else b"x"
    return value + 1
