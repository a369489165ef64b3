"""JSON Patch without recorded responses: messages, panics, sharing and limits."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.registry.patching import documents, jsonpatch
from pytest_crd.engine.registry.patching.jsonpatch import OperationError

NEWEST = profile.named("1.37").json_patch
OLDER = profile.named("1.34").json_patch
OLDEST = profile.named("1.21").json_patch

BEYOND = "Unable to access invalid index: 9: invalid index referenced"
NOT_X = 'strconv.Atoi: parsing "x": invalid syntax'


def _apply(document: Any, operations: Any, release: Any = NEWEST) -> Any:
    return documents.plain(jsonpatch.apply(document, documents.as_sent(operations), release))


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "add", "path": "/x/y"}, 'add operation does not apply: doc is missing path: "/x/y": missing value'),
        ({"op": "add", "path": ""}, 'add operation does not apply: doc is missing path: "": missing value'),
        ({"op": "add", "value": 1}, "add operation failed to decode path: missing value"),
        ({"op": "remove", "path": 1}, "remove operation failed to decode path: missing value"),
        ({"op": "remove", "path": "x"}, 'remove operation does not apply: doc is missing path: "x": missing value'),
        (
            {"op": "remove", "path": "/x"},
            "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
        ),
        ({"op": "remove", "path": "/l/9"}, f"error in remove for path: '/l/9': {BEYOND}"),
        ({"op": "add", "path": "/l/9", "value": 1}, f"error in add for path: '/l/9': {BEYOND}"),
        (
            {"op": "add", "path": "/l/x"},
            f"error in add for path: '/l/x': value was not a proper array index: 'x': {NOT_X}",
        ),
        ({"op": "remove", "path": "/l/x"}, f"error in remove for path: '/l/x': {NOT_X}"),
        (
            {"op": "remove", "path": "/l/" + "9" * 20},
            f"error in remove for path: '/l/{'9' * 20}': strconv.Atoi: parsing \"{'9' * 20}\": value out of range",
        ),
        ({"op": "add", "path": "/l/x/y"}, 'add operation does not apply: doc is missing path: "/l/x/y": missing value'),
        ({"op": "test", "path": "/l", "value": []}, "testing value /l failed: test failed"),
        ({"op": "test", "path": "/l"}, "testing value /l failed: test failed"),
        ({"op": "test", "path": "/l/9"}, f"error in test for path: '/l/9': {BEYOND}"),
        ({"op": "test", "path": "x"}, "test operation does not apply: is missing path: x: missing value"),
        (
            {"op": "replace", "path": "/l/9"},
            "replace operation does not apply: doc is missing key: /l/9: missing value",
        ),
        (
            {"op": "replace", "path": "/x/y"},
            "replace operation does not apply: doc is missing path: /x/y: missing value",
        ),
        ({"op": "replace"}, "replace operation failed to decode path: operation missing path field: missing value"),
        (
            {"op": "replace", "path": 1},
            "replace operation failed to decode path: json: cannot unmarshal number into Go value of type string",
        ),
        ({"op": "move"}, "move operation failed to decode from: operation, missing from field: missing value"),
        ({"op": "move", "from": "x"}, "move operation does not apply: doc is missing from path: x: missing value"),
        ({"op": "move", "from": "/l/9"}, f"error in move for path: '9': {BEYOND}"),
        (
            {"op": "move", "from": "/l/0", "path": "x"},
            "move operation does not apply: doc is missing destination path: x: missing value",
        ),
        ({"op": "move", "from": "/l/0", "path": "/l/9"}, f"error in move for path: '/l/9': {BEYOND}"),
        ({"op": "copy", "from": "x"}, "copy operation does not apply: doc is missing from path: x: missing value"),
        ({"op": "copy", "from": "/l/9"}, f"error in copy for from: '/l/9': {BEYOND}"),
        ({"op": "copy", "from": "/l/0"}, "copy operation failed to decode path: missing value"),
        (
            {"op": "copy", "from": "/l/0", "path": "x"},
            "copy operation does not apply: doc is missing destination path: x: missing value",
        ),
        ({"op": "copy", "from": "/l/0", "path": "/l/9"}, f"error while adding value during copy: {BEYOND}"),
        ({"op": "nonsense"}, "Unexpected kind: nonsense"),
        ({}, "Unexpected kind: unknown"),
        ({"op": "replace", "path": "", "value": 1}, "replace operation value must be object or array: %!w(<nil>)"),
    ],
)
def test_failing_operations_have_the_librarys_message(operation: Any, message: str) -> None:
    with pytest.raises(OperationError) as caught:
        _apply({"l": [1]}, [{"op": "test", "path": "/l/0", "value": 1}, operation])
    assert (str(caught.value), caught.value.index, caught.value.panics) == (message, 1, False)


@pytest.mark.parametrize(
    ("operation", "release"),
    [
        ({"op": "replace", "path": ""}, NEWEST),
        ({"op": "test", "path": ""}, NEWEST),
        ({"op": "test", "path": "/x"}, OLDER),
        ({"op": "test", "path": "/l/-1", "value": 1}, OLDEST),
        ({"op": "replace", "path": "/l/-1", "value": 1}, OLDEST),
        ({"op": "add", "path": "/l/-1/x", "value": 1}, OLDEST),
    ],
)
def test_some_operations_make_the_server_panic(operation: Any, release: Any) -> None:
    with pytest.raises(OperationError) as caught:
        _apply({"l": [1]}, [operation], release)
    assert caught.value.panics


def test_older_versions_ignore_a_scalar_as_the_whole_document() -> None:
    assert _apply({"l": 1}, [{"op": "replace", "path": "", "value": 1}], OLDER) == {"l": 1}


def test_the_oldest_version_cannot_replace_the_whole_document() -> None:
    with pytest.raises(OperationError, match="missing value"):
        _apply({"l": 1}, [{"op": "replace", "path": "", "value": {}}], OLDEST)


def test_a_patch_modifies_neither_the_document_nor_its_values() -> None:
    document, value = {"a": {"b": [1]}}, {"c": [{"d": 1}]}
    operations = [
        {"op": "add", "path": "/a/b/-", "value": value},
        {"op": "copy", "from": "/a/b", "path": "/x"},
        {"op": "add", "path": "/x/1/c/0/e", "value": 2},
        {"op": "copy", "from": "/x/1", "path": "/y"},
        {"op": "replace", "path": "/y/c/0/d", "value": 9},
    ]
    assert _apply(document, operations) == {
        "a": {"b": [1, value]},
        "x": [1, {"c": [{"d": 1, "e": 2}]}],
        "y": {"c": [{"d": 9, "e": 2}]},
    }
    assert (document, value) == ({"a": {"b": [1]}}, {"c": [{"d": 1}]})


def test_unchanged_parts_are_shared() -> None:
    document = {"a": {"b": [1]}, "c": {"d": []}}
    patched = jsonpatch.apply(document, [{"op": "add", "path": "/a/b/-", "value": 2}], NEWEST)
    assert patched == {"a": {"b": [1, 2]}, "c": {"d": []}}
    assert patched["c"] is document["c"]


def test_a_value_with_a_reused_id_is_not_modified() -> None:
    value = documents.read('{"z":{"y":1}}')
    operations: list[Any] = [{"op": "add", "path": "/a", "value": {"b": {}}}]
    operations += [{"op": "add", "path": "/a/b/c", "value": 1}, {"op": "remove", "path": "/a"}]
    operations += [
        {"op": "add", "path": "/d", "value": value},
        {"op": "copy", "from": "/d", "path": "/e"},
        {"op": "add", "path": "/e/z/x", "value": 2},
    ]
    patched = jsonpatch.apply({}, operations, NEWEST)
    assert documents.to_text(patched) == '{"d":{"z":{"y":1}},"e":{"z":{"x":2,"y":1}}}'
    assert value == {"z": {"y": 1}}


def test_a_copy_keeps_its_spelling() -> None:
    operations = documents.read(
        '[{"op":"add","path":"/a","value":{"z":1,"y":[2]}},{"op":"copy","from":"/a","path":"/b"}]'
    )
    assert documents.to_text(jsonpatch.apply({}, operations, NEWEST)) == '{"a":{"z":1,"y":[2]},"b":{"z":1,"y":[2]}}'


def test_copies_beyond_the_size_limit_are_refused() -> None:
    twice = {"op": "copy", "from": "/a", "path": "/b"}
    document = {"a": "x" * (jsonpatch.MAX_COPIED // 2 - 2)}
    assert _apply(document, [twice, twice])["b"] == document["a"]
    with pytest.raises(
        OperationError, match="the accumulated size increase of copy is 4718592, exceeding the limit 3145728"
    ):
        _apply(document, [twice, twice, twice])
