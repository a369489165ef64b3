"""
JSON Patch as the API server applies it, with its deviations from RFC 6902.

`replace` creates missing fields, and `copy` of a missing field yields null. A path need not begin with a slash. An index may count from the
end. A `test` compares the spelling of scalars.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import decodeerrors, printing
from pytest_crd.engine.golang.release import JsonPatchRelease
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.registry.patching.documents import Document

MAX_COPIED: Final = 3 << 20
_INDEX: Final = lazyre.compile(r"[+-]?[0-9]+", re.ASCII)
_ESCAPE: Final = lazyre.compile("~[01]")
_MISSING: Final = "missing value"
# The position after the last item of a list.
_END: Final = "-"

Operation: TypeAlias = Mapping[str, Document]


class OperationError(Exception):
    """
    A failing operation, with the message of the server's library; responses to patches omit it.

    Attributes:
        index: The index of the operation.
        panics: Whether the server panics.
    """

    def __init__(self, message: str, *, panics: bool = False) -> None:
        super().__init__(message)
        self.index = 0
        self.panics = panics


class TestFailedError(OperationError):
    """A failing `test`."""

    __test__ = False


def apply(document: Document, operations: list[Document], release: JsonPatchRelease) -> Document:
    """
    Return *document* after *operations*, applied in order; the result shares unchanged parts with *document*.

    Args:
        document: JSON value; not modified.
        operations: The operations of the patch; invalid ones fail.
        release: The version of the server's library.

    Raises:
        OperationError: An operation fails.

    Reference:
        evanphx/json-patch patch.go, Patch.Apply.
    """
    patching = _Patching(document, release)
    for index, operation in enumerate(operations):
        try:
            patching.do(operation or {})
        except OperationError as error:
            error.index = index
            raise
    return patching.root


class _Patching:
    """A document during a patch; changed objects and lists and their parents are copies, all others are shared."""

    def __init__(self, root: Document, release: JsonPatchRelease) -> None:
        self._own: dict[int, Document] = {}  # by identity; the references keep ids from being reused
        self.root = self._owned(root)
        self._release = release
        self._copied = 0

    def do(self, operation: Operation) -> None:
        kind = operation.get("op")
        method = _OPERATIONS.get(kind) if isinstance(kind, str) else None
        if method is None:
            raise OperationError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        method(self, operation)

    def add(self, operation: Operation) -> None:
        path = _pointer(operation, "path", explains=False)
        holder, key = self._find_parent(path, f'add operation does not apply: doc is missing path: "{path}"')
        with _naming(f"error in add for path: '{path}'"):
            _put(holder, key, operation.get("value"))

    def remove(self, operation: Operation) -> None:
        path = _pointer(operation, "path", explains=False)
        holder, key = self._find_parent(path, f'remove operation does not apply: doc is missing path: "{path}"')
        with _naming(f"error in remove for path: '{path}'"):
            _take(holder, key)

    def replace(self, operation: Operation) -> None:
        path, value = _pointer(operation, "path"), operation.get("value")
        if not path and self._release.has_roots:
            self._replace_root(operation)
            return
        holder, key = self._find_parent(path, f"replace operation does not apply: doc is missing path: {path}")
        if isinstance(holder, dict):
            holder[key] = value
            return
        try:
            index = self._index(holder, key)
        except OperationError as error:
            if error.panics:
                raise
            missing = f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
            raise OperationError(missing) from None
        holder[index] = value

    def move(self, operation: Operation) -> None:
        source = _pointer(operation, "from")
        holder, key = self._find_parent(source, f"move operation does not apply: doc is missing from path: {source}")
        with _naming(f"error in move for path: '{key}'"):
            value = self._get(holder, key)
            _take(holder, key)
        path = _pointer(operation, "path")
        missing = f"move operation does not apply: doc is missing destination path: {path}"
        holder, key = self._find_parent(path, missing)
        with _naming(f"error in move for path: '{path}'"):
            _put(holder, key, value)

    def copy(self, operation: Operation) -> None:
        source = _pointer(operation, "from")
        holder, key = self._find_parent(source, f"copy operation does not apply: doc is missing from path: {source}")
        with _naming(f"error in copy for from: '{source}'"):
            value = self._get(holder, key)
        path = _pointer(operation, "path", explains=False)
        missing = f"copy operation does not apply: doc is missing destination path: {path}"
        holder, key = self._find_parent(path, missing)
        if value is not None:
            self._copied += len(documents.to_text(value).encode("utf-8", "replace"))
        if self._copied > MAX_COPIED:
            size = f"the accumulated size increase of copy is {self._copied}, exceeding the limit {MAX_COPIED}"
            raise OperationError(f"Unable to complete the copy, {size}")
        with _naming("error while adding value during copy"):
            _put(holder, key, _copied(value))

    def test(self, operation: Operation) -> None:
        path = _pointer(operation, "path")
        if not path and self._release.has_roots:
            value = self.root
            if "value" not in operation:
                raise OperationError("a test of the whole document without a value", panics=True)
        else:
            holder, key = self._find_parent(path, f"test operation does not apply: is missing path: {path}")
            with _naming(f"error in test for path: '{path}'"):
                value = self._get(holder, key)
            if value is None and "value" not in operation and not self._release.tests_absent:
                raise OperationError("a test of what is not there without a value", panics=True)
            if value is not None and "value" not in operation:
                raise TestFailedError(f"testing value {path} failed: test failed")
        if not documents.equal(value, operation.get("value")):
            raise TestFailedError(f"testing value {path} failed: test failed")

    def _replace_root(self, operation: Operation) -> None:
        value = operation.get("value")
        if "value" not in operation:
            raise OperationError("a replacement of the whole document without a value", panics=True)
        if isinstance(value, dict | list):
            self.root = self._owned(value)
        elif self._release.refuses_scalar_roots:
            # The library formats an error that it does not have.
            raise OperationError("replace operation value must be object or array: %!w(<nil>)")

    def _find_parent(self, path: str, problem: str) -> tuple[Document, str]:
        """
        Return the parent of the field at *path*, and its key or index; the field need not exist.

        Raises:
            OperationError: A parent is missing, with the words *problem*.
        """
        tokens = path.split("/")
        if len(tokens) == 1:
            raise OperationError(f"{problem}: {_MISSING}")
        holder = self.root
        for token in tokens[1:-1]:
            try:
                child = self._get(holder, _unescaped(token))
            except OperationError as error:
                if error.panics:
                    raise
                child = None
            if not isinstance(child, dict | list):
                raise OperationError(f"{problem}: {_MISSING}")
            if id(child) not in self._own:
                child = self._owned(child)
                key = _unescaped(token)
                holder[key if isinstance(holder, dict) else self._index(holder, key)] = child
            holder = child
        return holder, _unescaped(tokens[-1])

    def _owned(self, shared: Document) -> Document:
        """Return a modifiable copy of an object or list; a copy of a sent object loses its spelling."""
        copy = dict(shared) if isinstance(shared, dict) else list(shared)
        self._own[id(copy)] = copy
        return copy

    def _get(self, holder: Document, key: str) -> Document:
        return holder.get(key) if isinstance(holder, dict) else holder[self._index(holder, key)]

    def _index(self, holder: list[Document], key: str) -> int:
        """Return the index of an existing item."""
        index = _integer(key)
        if index < 0 and not self._release.has_roots:
            raise OperationError(f"index out of range [{index}]", panics=True)
        if not -len(holder) <= index < len(holder):
            raise _wrong_index(index)
        return index % len(holder)


_OPERATIONS: Final[Mapping[str, Callable[[_Patching, Operation], None]]] = {
    "add": _Patching.add,
    "remove": _Patching.remove,
    "replace": _Patching.replace,
    "move": _Patching.move,
    "test": _Patching.test,
    "copy": _Patching.copy,
}


def _pointer(operation: Operation, field: str, *, explains: bool = True) -> str:
    """
    Return the pointer of an operation.

    Args:
        operation: The operation.
        field: `path` or `from`.
        explains: Whether the library's message has the reason.

    Raises:
        OperationError: The pointer is missing or no text.
    """
    pointer = operation.get(field)
    if isinstance(pointer, str):
        return pointer
    problem = _MISSING
    if explains and pointer is None:
        problem = f"operation{',' if field == 'from' else ''} missing {field} field: {_MISSING}"
    elif explains:
        found = decodeerrors.describe(documents.plain(pointer))
        problem = f"json: cannot unmarshal {found} into Go value of type string"
    raise OperationError(f"{operation['op']} operation failed to decode {field}: {problem}")


@contextlib.contextmanager
def _naming(lead: str) -> Iterator[None]:
    """Put *lead* before the message of a failing operation."""
    try:
        yield
    except OperationError as error:
        if error.panics:
            raise
        raise OperationError(f"{lead}: {error}") from None


def _put(holder: Document, key: str, value: Document) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == _END:
        holder.append(value)
    else:
        with _naming(f"value was not a proper array index: '{key}'"):
            index = _integer(key)
        size = len(holder) + 1
        if not -size <= index < size:
            raise _wrong_index(index)
        holder.insert(index % size, value)


def parse_pointer(pointer: str) -> tuple[str, ...]:
    """Return the steps of a JSON Pointer."""
    return tuple(map(_unescaped, pointer.split("/")[1:]))


def _unescaped(token: str) -> str:
    return _ESCAPE.sub(lambda match: "/" if match[0] == "~1" else "~", token) if "~" in token else token


def _take(holder: Document, key: str) -> None:
    if isinstance(holder, dict):
        if key not in holder:
            raise OperationError(f"Unable to remove nonexistent key: {key}: {_MISSING}")
        del holder[key]
        return
    index = _integer(key)
    if not -len(holder) <= index < len(holder):
        raise _wrong_index(index)
    del holder[index]


def _integer(key: str) -> int:
    if not _INDEX.fullmatch(key):
        raise OperationError(f"strconv.Atoi: parsing {printing.quote(key)}: invalid syntax")
    index = int(key)
    if not jsonvalue.MIN_INT64 <= index <= jsonvalue.MAX_INT64:
        raise OperationError(f"strconv.Atoi: parsing {printing.quote(key)}: value out of range")
    return index


def _wrong_index(index: int) -> OperationError:
    return OperationError(f"Unable to access invalid index: {index}: invalid index referenced")


def _copied(value: Document) -> Document:
    """Return a deep copy of a document, with its spelling."""
    if isinstance(value, documents.SentObject):
        return documents.SentObject([(key, _copied(item)) for key, item in value.pairs])
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
