"""
Limits of etcd: objects that a cluster cannot store.

The sizes are those of etcd's messages, which hold the object beside its key.
"""

from __future__ import annotations

import marshal
from typing import Final

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue

_MOST_OF_REQUEST: Final = 1_572_864
_MOST_OF_MESSAGE: Final = 2_097_152
# The header of a request in etcd's log, and the length of the transaction in it.
_LOGGED: Final = 18
# A character of one byte may be six in JSON.
_GREATEST_GROWTH: Final = 6
# With this version, marshal writes a repeated text again each time, as JSON does.
_WITHOUT_REFERENCES: Final = 2


def may_exceed(*values: JSONValue) -> bool:
    """Return False if an object of these parts is certainly below all limits; fast, and True for some that are below."""
    size = sum(len(marshal.dumps(value, _WITHOUT_REFERENCES)) for value in values)
    return size * _GREATEST_GROWTH > _MOST_OF_REQUEST


def json_size(stored: JSONObject) -> int:
    """Return the bytes of an object that is stored as JSON."""
    return len(printing.marshal(stored).encode("utf-8", "surrogateescape")) + 1


def refuse(size: int, key: str, *, old_revision: int | None) -> Refusal | None:
    """
    Return the refusal of an object that is too large for etcd; None if it is not.

    Args:
        size: The bytes of the object as it is stored, without a resourceVersion.
        key: Its key in etcd.
        old_revision: The resourceVersion of the object that it replaces; None on create.

    Reference:
        etcd server/etcdserver/v3_server.go, processInternalRaftRequestOnce; client/v3 options.go; kubernetes/client.go, OptimisticPut;
        apiserver storage/etcd3/store.go.
    """
    size = _transaction(size, key, old_revision)
    if size > _MOST_OF_MESSAGE:
        compared = f"{size} vs. {_MOST_OF_MESSAGE}"
        problem = f"rpc error: code = ResourceExhausted desc = trying to send message larger than max ({compared})"
        return Refusal(500, "", problem)
    return Refusal(500, "", "etcdserver: request is too large") if size + _LOGGED > _MOST_OF_REQUEST else None


def _transaction(value: int, key: str, old_revision: int | None) -> int:
    """Return the bytes of the transaction that puts *value* bytes at a key, if its revision is the old one."""
    named = _field(len(key.encode()))
    compare = 2 + named + 1 + _varint(old_revision or 0)
    put = named + _field(value)
    get = 0 if old_revision is None else _field(_field(named))
    return _field(compare) + _field(_field(put)) + get


def _field(size: int) -> int:
    """Return the bytes of a protobuf field of *size* bytes."""
    return 1 + _varint(size) + size


def _varint(number: int) -> int:
    return max(1, (number.bit_length() + 6) // 7)
