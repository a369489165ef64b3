"""Messages of Go's YAML library, beside the recordings in `tests/conformance/server/1.37-unreadable.jsonl`."""

from __future__ import annotations

import pytest

from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import yamlreader, yamlwords


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff", "yaml: invalid leading UTF-8 octet"),
        (b"a: \xc3(", "yaml: invalid trailing UTF-8 octet"),
        (b"a: \xc3", "yaml: incomplete UTF-8 octet sequence"),
        (b"a: 1\nb: [", "yaml: line 2: did not find expected node content"),
        (b"a: &x 1\nb: *y", "yaml: unknown anchor 'y' referenced"),
        (b"a: {null: 8}", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 8"),
        (b"a: {null: null}", "unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>"),
        (
            b"a: {null: [1, a, {b: true}]}",
            'unsupported map key of type: %!s(<nil>), key: <nil>, value: []interface {}{1, "a", map[interface {}]interface {}{"b":true}}',
        ),
        (b"{9223372036854775808: 1}", "unsupported map key of type: uint64, key: 0x8000000000000000, value: 1"),
        (b"- {? [x, 1] : b}", 'yaml: invalid map key: []interface {}{"x", 1}'),
        (b"a: {? &x [a] : 1, ? *x : 2}", 'yaml: invalid map key: []interface {}{"a"}'),
        (b"a: &x [1]\nb: {null: *x}", "unsupported map key of type: %!s(<nil>), key: <nil>, value: []interface {}{1}"),
        (
            b"a: &x {k: 1}\nb: &z {l: *x}\nc: {null: *z}",
            "yaml: null cannot be a key: quote it, or write a key before the colon",
        ),
        (b"? {null: 1}\n: x", "yaml: invalid map key: map[interface {}]interface {}{interface {}(nil):1}"),
        (b"[" * 11_000 + b"]", "yaml: exceeded max depth of 10000"),
        (b"[" * 2_000 + b"]" * 2_000, "yaml: exceeded maximum nesting depth"),
        (b"a: .inf", "json: unsupported value: +Inf"),
        (b"%YAML 1.1\n---\na: [", "yaml: line 3: did not find expected node content"),
        (b"# one\n%YAML 1.2\n---\na: 1", "yaml: line 1: found incompatible YAML document"),
    ],
)
def test_messages_are_those_of_the_go_library(text: bytes, words: str) -> None:
    with pytest.raises(ManifestError) as caught:
        yamlreader.read_one(text, as_yaml=True)
    assert yamlwords.server_message(text, caught.value.mistakes[0].message) == words
