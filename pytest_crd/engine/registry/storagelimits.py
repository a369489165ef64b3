"""
Size limits of etcd.

The limits apply to etcd's messages, which hold the object and its key.
"""

from __future__ import annotations

import json
import marshal
from typing import Final

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue

_MAX_REQUEST: Final = 1_572_864
_MAX_MESSAGE: Final = 2_097_152
# The header of a request in etcd's log, and the length prefix of its transaction.
_LOGGED: Final = 18
# The most characters that one byte can take in JSON.
_GREATEST_GROWTH: Final = 6
# The most bytes of a managed field besides its key: `"f:":{},`, and more for a mapping, list or item: `"k:{}":{".":{}},`.
_FIELD: Final = 8
_CONTAINER: Final = 18
# More than a server adds to an object besides: the rest of its metadata.
_ADDED: Final = 16_384
# With this version, marshal repeats equal texts, as JSON does.
_WITHOUT_REFERENCES: Final = 2


def may_exceed(*values: JSONValue) -> bool:
    """Return False if an object with these parts is certainly below all limits; a fast check that may return True below the limits."""
    size = sum(len(marshal.dumps(value, _WITHOUT_REFERENCES)) for value in values)
    if size * _GREATEST_GROWTH <= _MAX_REQUEST:
        return False
    return sum(map(_most_bytes, values)) + _ADDED > _MAX_REQUEST


def _most_bytes(value: JSONValue) -> int:
    """
    Return an upper bound of the size of *value* in Go's JSON with its managed fields.

    Go escapes three more characters than Python, and writes out more digits of floats. Managed fields have no more text than the object in
    quotes: each key once, and each item of a list, or the fields that are its key, once.
    """
    text = json.dumps(value, separators=(",", ":"))
    longer = 5 * sum(map(text.count, "<>&")) + 20 * text.count("e+") + 3 * text.count("e-")
    containers = text.count("{") + text.count("[")
    fields = _FIELD * (text.count(",") + containers) + _CONTAINER * containers
    return len(text) + len(json.dumps(text)) + 2 * longer + fields


def json_size(stored: JSONObject) -> int:
    """Return the size of an object stored as JSON, in bytes."""
    return len(printing.marshal(stored).encode("utf-8", "surrogateescape")) + 1


def refuse(size: int, key: str, *, old_revision: int | None) -> Refusal | None:
    """
    Return the refusal of an object too large for etcd; None if it fits.

    Args:
        size: The size of the stored object in bytes, without a resourceVersion.
        key: Its key in etcd.
        old_revision: The resourceVersion of the replaced object; None on create.

    Reference:
        etcd server/etcdserver/v3_server.go, processInternalRaftRequestOnce; client/v3 options.go; kubernetes/client.go, OptimisticPut; apiserver storage/etcd3/store.go.
    """
    size = _transaction(size, key, old_revision)
    if size > _MAX_MESSAGE:
        compared = f"{size} vs. {_MAX_MESSAGE}"
        problem = f"rpc error: code = ResourceExhausted desc = trying to send message larger than max ({compared})"
        return Refusal(500, "", problem)
    return Refusal(500, "", "etcdserver: request is too large") if size + _LOGGED > _MAX_REQUEST else None


def _transaction(value: int, key: str, old_revision: int | None) -> int:
    """Return the size of the transaction that writes *value* bytes at a key with the expected revision."""
    key_field = _field(len(key.encode()))
    compare = 2 + key_field + 1 + _varint(old_revision or 0)
    put = key_field + _field(value)
    get = 0 if old_revision is None else _field(_field(key_field))
    return _field(compare) + _field(_field(put)) + get


def _field(size: int) -> int:
    """Return the size of a protobuf field with *size* bytes."""
    return 1 + _varint(size) + size


def _varint(number: int) -> int:
    return max(1, (number.bit_length() + 6) // 7)
