"""YAML and JSON are read as by the API server and kubectl; expectations are made by sigs.k8s.io/yaml and apimachinery."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import decoder, yamlreader
from pytest_crd.engine.yaml.document import Duplicate


def body(text: str | bytes) -> object:
    return yamlreader.read_one(text).value


def stream(text: str | bytes) -> list[object]:
    return [document.value for document in yamlreader.read(text)]


def refusal(read: Callable[[str | bytes], object], text: str | bytes) -> str:
    with pytest.raises(ManifestError) as caught:
        read(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("{v: [yes, y, N, off]}", {"v": [True, True, False, False]}, id="y and n are booleans"),
        pytest.param("a: 2001-01-01\nb: 2001-02-30", {"a": "2001-01-01", "b": "2001-02-30"}, id="dates are strings"),
        pytest.param("a: [1e3, 1.0, -.5, 1e400]", {"a": [1000, 1, -0.5, "1e400"]}, id="exponents make numbers"),
        pytest.param("a: [1:30, 190:20:30]", {"a": ["1:30", "190:20:30"]}, id="nothing is base 60"),
        pytest.param("a: [0777, 0o14, 0B11, 0X1f, 08]", {"a": [511, 12, 3, 31, 8]}, id="numbers in other bases"),
        pytest.param("a: [1_000, 0x_1F, .6_1]", {"a": [1000, 31, 0.61]}, id="underscores in numbers"),
        pytest.param("a: 9223372036854775808", {"a": 2.0**63}, id="integers beyond int64 are floats"),
        pytest.param("a: [=, <<]", {"a": ["=", "<<"]}, id="equals sign and merge key are strings as values"),
        pytest.param("a: !custom x", {"a": "x"}, id="an unknown tag is ignored"),
        pytest.param("a: !foo {b: 1}", {"a": {"b": 1}}, id="an unknown tag of a mapping is ignored"),
        pytest.param("a: !!python/object:os.system x", {"a": "x"}, id="a Python tag is ignored"),
        pytest.param("a: !!set {b, c}", {"a": {"b": None, "c": None}}, id="a set is a mapping of nulls"),
        pytest.param("a: !!omap [{b: 1}]", {"a": [{"b": 1}]}, id="an ordered map is a list"),
        pytest.param("a: ! 12", {"a": "12"}, id="an exclamation mark makes a string"),
        pytest.param("a: !!binary aGk=", {"a": "hi"}, id="binary is decoded"),
        pytest.param('a: !!int "12"', {"a": 12}, id="a tag counts on a quoted scalar"),
        pytest.param("a: '12'\nb: \"true\"\nc: |\n  1", {"a": "12", "b": "true", "c": "1"}, id="quoted is a string"),
        pytest.param("a: 1\na: 2", {"a": 2}, id="the last of equal keys wins"),
        pytest.param("a: 2\n<<: {a: 1}", {"a": 1}, id="a merge overwrites what stands before it"),
        pytest.param("<<: {a: 1}\na: 2", {"a": 2}, id="and is overwritten by what stands behind it"),
        pytest.param('! "<<": {a: 1}', {"a": 1}, id="an exclamation mark makes a merge key of a quoted one"),
        pytest.param('"<<": {a: 1}', {"<<": {"a": 1}}, id="a quoted merge key is a key"),
        pytest.param("{1: a, 0777: b, 1.5: c, 1e3: d, on: e, 2001-01-01: f}",
            {"1": "a", "511": "b", "1.5": "c", "1000": "d", "true": "e", "2001-01-01": "f"}, id="keys become text"),
        pytest.param("8777500331.07: a", {"8777500331.07"[:0] + "8.777501e+09": "a"}, id="float keys have 32 bits"),
        pytest.param("1: a\n'1': b", {"1": "b"}, id="keys that become equal are one key"),
        pytest.param("? a\n: 1\n? b", {"a": 1, "b": None}, id="complex keys"),
        pytest.param("a: &x 1\nb: &x 2\nc: *x", {"a": 1, "b": 2, "c": 2}, id="an anchor may be defined again"),
        pytest.param("&k a: 1\nb: *k", {"a": 1, "b": "a"}, id="a key may have an anchor"),
        pytest.param("a: &x b\n*x : 1", {"a": "b", "b": 1}, id="a key may be an alias"),
        pytest.param("a: 1\n...\nb: 2", {"a": 1}, id="what follows the end marker is not read"),
        pytest.param("a:\t1\nb: {c:\t2}", {"a": 1, "b": {"c": 2}}, id="a tab may follow a colon"),
        pytest.param('"a": "\\u00e9\\x41\\\n  b"', {"a": "éAb"}, id="escapes of double quotes"),
        pytest.param('a: "https:\\u002f\\\\/"', {"a": "https:/\\/"}, id="an escaped backslash before a slash"),
        pytest.param("a: '\\/'\nb: \\/", {"a": "\\/", "b": "\\/"}, id="no escapes without double quotes"),
        pytest.param("a: b?c", {"a": "b?c"}, id="a question mark in a plain scalar of a block"),
        pytest.param('a: ["b?c", d]', {"a": ["b?c", "d"]}, id="a question mark in a quoted scalar of a list"),
        pytest.param("a: [!x , b]", {"a": ["", "b"]}, id="a blank between tag and comma"),
        pytest.param("[!x &a, b]", ["", "b"], id="an anchor between tag and comma"),
        pytest.param("%YAML 1.1\n--- {a: 1}", {"a": 1}, id="the version that the server knows, and content behind ---"),
        pytest.param("%TAG !e! tag:yaml.org,2002:\n---\na: !e!int '1'", {"a": 1}, id="tag handles"),
        pytest.param("\ufeffa: 1", {"a": 1}, id="a byte order mark"),
        pytest.param(b"\xef\xbb\xbfa: \xc3\xa9", {"a": "é"}, id="UTF-8 with a byte order mark"),
        pytest.param("a: é😀".encode("utf-16"), {"a": "é😀"}, id="UTF-16 with a byte order mark"),
        pytest.param("---\n# nothing\n---\na: 1", {"a": 1}, id="an empty document before it"),
        pytest.param("a: 1\n---\n# nothing\n---\n", {"a": 1}, id="empty documents behind it"),
        pytest.param("a: 1\r\nb: |\r\n  c\r\n", {"a": 1, "b": "c\n"}, id="lines that end with CR LF"),
        pytest.param("a: |\n  b", {"a": "b"}, id="a block scalar that the end of the body cuts off"),
        pytest.param("text", "text", id="a scalar"),
        pytest.param("12", 12, id="a number"),
        pytest.param("!x 12", "12", id="a scalar with a tag"),
        pytest.param("- a\n- [b, !x c, &d e]\n- 1.5", ["a", ["b", "c", "e"], 1.5], id="a list"),
        pytest.param("&x [a]", ["a"], id="a list with an anchor"),
        pytest.param("a: [b, c]\nd: {e: []}\nf: {}", {"a": ["b", "c"], "d": {"e": []}, "f": {}}, id="flow style"),
        pytest.param("{a: 1}", {"a": 1}, id="a flow mapping is no JSON"),
        pytest.param('{"a": 1, b: 2}', {"a": 1, "b": 2}, id="a flow mapping that begins like JSON"),
        pytest.param('{"a": NaN, "b": 1.0}', {"a": "NaN", "b": 1}, id="what is no JSON is YAML"),
        pytest.param('{"a": 1.0, "b": 1e2, "c": 1}', {"a": 1.0, "b": 100.0, "c": 1}, id="JSON keeps floats"),
        pytest.param('\n {"a": 1}\n', {"a": 1}, id="JSON between blanks"),
        pytest.param('{"a": 1}\n---\n', {"a": 1}, id="JSON and a separator"),
    ],
)  # fmt: skip
def test_a_body_is_read_as_the_server_reads_it(text: str | bytes, value: object) -> None:
    assert jsonvalue.equal(body(text), value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: .inf", "<text>:1: json: unsupported value: +Inf", id="infinity"),
        pytest.param("a:\n- .nan", "<text>:2: json: unsupported value: NaN", id="not a number"),
        pytest.param(
            "a: 1\n~: 2",
            "<text>:2: null cannot be a key: quote it, or write a key before the colon",
            id="null key",
        ),
        pytest.param(
            "9223372036854775808: a",
            "<text>:1: unsupported map key of type: uint64: quote the key, as in '9223372036854775808'",
            id="key beyond int64",
        ),
        pytest.param("[a]: b", "<text>:1: invalid map key: a list cannot be a key", id="list key"),
        pytest.param("? {a: b}\n: c", "<text>:1: invalid map key: a mapping cannot be a key", id="mapping key"),
        pytest.param("a: !!int x", "<text>:1: cannot decode !!str `x` as a !!int", id="tag of another type"),
        pytest.param("!!int x: 1", "<text>:1: cannot decode !!str `x` as a !!int", id="tag of a key"),
        pytest.param("a: !!binary x", "<text>:1: !!binary value contains invalid base64 data", id="not base64"),
        pytest.param("a: &x [*x]", "<text>:1: anchor 'x' value contains itself", id="cycle"),
        pytest.param("a: *x", "<text>:1: unknown anchor 'x' referenced", id="unknown anchor"),
        pytest.param(
            "a: 1\n<<: 2", "<text>:2: map merge requires map or sequence of maps as the value", id="merged scalar"
        ),
        pytest.param(
            "a: &x [1]\n<<: *x", "<text>:2: map merge requires map or sequence of maps as the value", id="merged list"
        ),
        pytest.param(
            "a: 1\n<<:\n- {b: 1}\n- 2",
            "<text>:4: map merge requires map or sequence of maps as the value",
            id="merged list with a scalar",
        ),
        pytest.param(
            "a:\n  b: [x:]",
            "<text>:2: found unexpected ':': quote a value that ends with ':' inside [] or {} (while scanning a plain scalar)",
            id="flow scalar that ends with a colon",
        ),
        pytest.param(
            "a:\n- {b: c:}",
            "<text>:2: found unexpected ':': quote a value that ends with ':' inside [] or {} (while scanning a plain scalar)",
            id="flow value that ends with a colon",
        ),
        pytest.param(
            "a: [b?]", "<text>:1: a plain scalar inside [] or {} has a '?': quote it", id="flow scalar with a question mark"
        ),
        pytest.param(
            "a: &x [b?]",
            "<text>:1: a plain scalar inside [] or {} has a '?': quote it",
            id="flow scalar with a question mark in an anchored list",
        ),
        pytest.param(
            "a: [!x, b]", "<text>:1: a comma follows a tag: write a blank between them", id="comma behind a tag"
        ),
        pytest.param(
            'a: 1\nb: "x\\/"',
            "<text>:2: found unknown escape character: write the character itself, or double a backslash that is meant",
            id="escaped slash",
        ),
        pytest.param(
            "%YAML 1.2\n---\na: 1",
            "<text>:1: found incompatible YAML document: the server reads YAML 1.1: leave the %YAML line out",
            id="YAML 1.2",
        ),
        pytest.param(
            "%FOO x\n---\na: 1", "<text>:1: found unknown directive name (while scanning a directive)", id="directive"
        ),
        pytest.param(
            "a: b\n\tc: 2",
            "<text>:2: found a tab character that violates indentation: indent with spaces (while scanning a plain scalar)",
            id="tab in the indentation",
        ),
        pytest.param(
            "a:\n\tb: 2",
            "<text>:2: found character that cannot start any token: quote a value that begins with it, "
            "and indent with spaces, not tabs (while scanning for the next token)",
            id="tab before a key",
        ),
        pytest.param(
            "a: b: c",
            "<text>:1: mapping values are not allowed in this context: quote a value that contains ': ', "
            "and check the indentation",
            id="colon in a value",
        ),
        pytest.param("é: \x00", "<text>:1: control characters are not allowed: U+0000", id="NUL"),
        pytest.param("a: 1\r\nb: \x07", "<text>:2: control characters are not allowed: U+0007", id="bell"),
        pytest.param(b"a: 1\nb: \xff", "<text>:2: not UTF-8: byte 0xff; save the file as UTF-8", id="not UTF-8"),
        pytest.param("a: \ud800", "<text>:1: not Unicode: the lone surrogate U+D800", id="lone surrogate"),
        pytest.param(b"\xff\xfea", "<text>: not UTF-16: truncated data; save the file as UTF-8", id="cut off UTF-16"),
        pytest.param(
            "a: 1\n\ufeffb: 2", "<text>:2: byte order mark inside the text: remove it", id="second byte order mark"
        ),
        pytest.param(
            "", "<text>: no document: the text is empty, null, or has nothing but comments", id="empty text"
        ),
        pytest.param(
            "---\nnull\n...\n", "<text>: no document: the text is empty, null, or has nothing but comments", id="null"
        ),
        pytest.param(
            "a: 1\n---\nb: 2",
            "<text>:3: several documents where one is expected: leave one, or put the others into files of their own",
            id="two documents",
        ),
        pytest.param(
            "a: 1\n---\n[",
            "<text>:2: several documents where one is expected: leave one, or put the others into files of their own",
            id="a document and a broken one",
        ),
        pytest.param(
            '{"a": 1}\n{"b": 2}',
            "<text>:2: several documents where one is expected: leave one, or put the others into files of their own",
            id="two JSON values",
        ),
        pytest.param(
            '{"a": 1,}\n---\n[',
            "<text>:2: several documents where one is expected: leave one, or put the others into files of their own",
            id="a flow mapping and a broken document",
        ),
        pytest.param('{"a": 1 "b": 2}', "<text>:1: not JSON: Expecting ',' delimiter", id="broken JSON"),
        pytest.param(
            '{"a":\n1E400}',
            "<text>:2: json: cannot unmarshal number 1E400 into Go value of type float64",
            id="a JSON number beyond float64",
        ),
        pytest.param(
            "{a: [}",
            "<text>:1: did not find expected node content (while parsing a flow node)",
            id="broken flow mapping",
        ),
    ],
)  # fmt: skip
def test_a_body_is_refused_with_line_and_reason(text: str | bytes, message: str) -> None:
    assert refusal(body, text) == message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("# only a comment", [], id="a comment"),
        pytest.param("---\n---\nnull\n---\n", [], id="empty documents and null"),
        pytest.param("a: 1\n---\nb: 2\n--- # comment\nc: 3", [{"a": 1}, {"b": 2}, {"c": 3}], id="documents"),
        pytest.param("a: 1\n---", [{"a": 1}], id="a separator at the end"),
        pytest.param("---\r\na: |\r\n  b\r\n---\r\nc: 1", [{"a": "b\n"}, {"c": 1}], id="CR LF"),
        pytest.param("a: |\n  b", [{"a": "b\n"}], id="the last line gets its end"),
        pytest.param("a: 1\n...\nb: 2\n---\nc: 3", [{"a": 1}, {"c": 3}], id="what follows an end marker is not read"),
        pytest.param("a: 1\n---\n\ufeffb: 2", [{"a": 1}, {"b": 2}], id="a byte order mark in the second document"),
        pytest.param("\ufeff---x", ["---x"], id="a byte order mark before what would be a separator"),
        pytest.param('{"a": 1}{"b": 2.0}\n[3] null 4', [{"a": 1}, {"b": 2.0}, [3], 4], id="JSON values"),
        pytest.param('{"a": 1}\n---\nb: 2\n---\n{"c": 3.0}', [{"a": 1}, {"b": 2}, {"c": 3}], id="JSON, then YAML"),
        pytest.param('{"a": 1} \n---\nb: 2', [{"a": 1}, {"b": 2}], id="JSON, a blank, then YAML"),
        pytest.param('{"a": 1} 24.+', [{"a": 1}, "24.+"], id="JSON, then what is no number"),
        pytest.param('{"a": 1}\n', [{"a": 1}], id="JSON and a line break"),
        pytest.param("{a: 1}", [{"a": 1}], id="a flow mapping"),
        pytest.param("  {a: 1}\n---\n{b: 2}", [{"a": 1}, {"b": 2}], id="flow mappings"),
        pytest.param('\ufeff{"a": 1.0}', [{"a": 1}], id="JSON behind a byte order mark is read as YAML"),
        pytest.param(b'{"a": "\xff\xe2\x82"}', [{"a": "\ufffd\ufffd\ufffd"}], id="JSON that is not UTF-8"),
    ],
)  # fmt: skip
def test_a_stream_is_cut_as_kubectl_cuts_it(text: str | bytes, values: list[object]) -> None:
    assert jsonvalue.equal(stream(text), values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "a: 1\n--- {b: 2}",
            "<text>:2: invalid Yaml document separator: {b: 2}: put the document on the next line",
            id="content behind a separator",
        ),
        pytest.param(
            "a: 1\n---\nb: 1\n----",
            "<text>:4: invalid Yaml document separator: -: quote or indent what is no separator",
            id="four dashes",
        ),
        pytest.param(
            "---x\n", "<text>:1: invalid Yaml document separator: x: quote or indent what is no separator", id="no blank"
        ),
        pytest.param("a: 1\n---\nb: [\n", "<text>:4: did not find expected node content (while parsing a flow node)", id="a broken second document"),
        pytest.param('{"a": 1}\n---\nb: [\n', "<text>:4: did not find expected node content (while parsing a flow node)", id="broken YAML behind JSON"),
        pytest.param('{"a": 1}\n{"b": 2}\n---\nc: 3', "<text>:3: not JSON: Expecting value", id="YAML behind two JSON values"),
        pytest.param('{"a": 1}x', "<text>:1: not JSON: Expecting value", id="too short for YAML behind JSON"),
        pytest.param('{"a": 1 "b": 2}', "<text>:1: not JSON: Expecting ',' delimiter", id="broken JSON"),
        pytest.param("{a: [}", "<text>:1: did not find expected node content (while parsing a flow node)", id="a broken flow mapping"),
        pytest.param('{"a": [\n-1e999]}', "<text>:2: json: cannot unmarshal number -1e999 into Go value of type float64", id="a number beyond float64"),
        pytest.param("a: 1".encode("utf-16"), "<text>: UTF-16, which kubectl does not read: save the file as UTF-8", id="UTF-16"),
        pytest.param(b"\xff\xfea", "<text>: not UTF-16: truncated data; save the file as UTF-8", id="cut off UTF-16"),
    ],
)  # fmt: skip
def test_a_stream_is_refused_with_line_and_reason(text: str | bytes, message: str) -> None:
    assert refusal(stream, text) == message


def test_the_format_may_be_given() -> None:
    assert yamlreader.read('{"a": 1.0}', format="yaml")[0].value == {"a": 1}
    assert [document.value for document in yamlreader.read("1 [2]", format="json")] == [1, [2]]
    with pytest.raises(ManifestError, match="not JSON"):
        yamlreader.read("a: 1", format="json")


def test_a_refusal_names_the_file() -> None:
    with pytest.raises(ManifestError) as caught:
        yamlreader.read("a: 1\nb: ]", source="config/crd.yaml")
    (mistake,) = caught.value.mistakes
    assert (mistake.source, mistake.line) == ("config/crd.yaml", 2)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        pytest.param("a: 1\na: 2", ['line 2: key "a" already set in map'], id="a key twice"),
        pytest.param("a: 1\na:\n  b: 2", ['line 3: key "a" already set in map'], id="the line is the value's"),
        pytest.param("a: 1\na: 2\na: 3", ['line 2: key "a" already set in map', 'line 3: key "a" already set in map'], id="a key three times"),
        pytest.param("a: {b: 1, b: 2}\na: 1", ['line 1: key "b" already set in map', 'line 2: key "a" already set in map'], id="inner before outer"),
        pytest.param("<<: {a: 1}\na: 2", ['line 2: key "a" already set in map'], id="a key that was merged"),
        pytest.param("a: &x {b: 1}\nc:\n  b: 2\n  <<: *x", ['line 1: key "b" already set in map'], id="a merged key, at its own line"),
        pytest.param("a: &x\n  b: 1\n  b: 2\nc: *x", ['line 3: key "b" already set in map'] * 2, id="again for each alias"),
        pytest.param("<<: [{a: 1}, {a: 2}]", ['line 1: key "a" already set in map'], id="twice in a merged list"),
        pytest.param("1: a\n0x1: b\n1.0: c\n'1': d", ["line 2: key 1 already set in map"], id="keys are compared by type"),
        pytest.param("on: a\nyes: b", ["line 2: key true already set in map"], id="booleans"),
        pytest.param("1e6: a\n1000000.0: b", ["line 2: key 1e+06 already set in map"], id="floats"),
        pytest.param(".nan: a\n.nan: b", [], id="not a number is a new key each time"),
        pytest.param('"a\\tb": 1\n"a\\tb": 2', ['line 2: key "a\\tb" already set in map'], id="keys are quoted"),
        pytest.param("a: .inf\na: 1", ['line 2: key "a" already set in map'], id="an overwritten value may be no JSON"),
        pytest.param("a: {~: 1, ~: 2}\na: 1", ["line 1: key interface {}(nil) already set in map", 'line 2: key "a" already set in map'], id="an overwritten key may be no JSON"),
        pytest.param('{"a": 1, "a": 2}', ['duplicate field "a"'], id="JSON"),
        pytest.param('{"a": [{"b": 1, "b": 2, "b": 3}]}', ['duplicate field "a[0].b"'], id="JSON, each place once"),
        pytest.param('{"a": {"a": 1, "a": 2}, "a": {"b": 1, "b": 2}}', ['duplicate field "a.a"', 'duplicate field "a"', 'duplicate field "a.b"'], id="JSON, in reading order"),
        pytest.param('{"": {"a": 1, "a": 2}}', ['duplicate field ".a"'], id="JSON, below an empty key"),
        pytest.param('{"\\ud800": 1, "\\udc01": 2}', ['duplicate field "\ufffd"'], id="JSON, keys that are no Unicode"),
    ],
)  # fmt: skip
def test_duplicate_keys_are_reported_in_the_words_of_the_server(text: str, messages: list[str]) -> None:
    assert [duplicate.message for duplicate in yamlreader.read_one(text).duplicates] == messages


def test_a_duplicate_has_line_and_path() -> None:
    """The line is that in the file; the line in the message is that in the document as kubectl sends it."""
    (document,) = yamlreader.read("# empty\n---\nspec:\n  list:\n  - a: 1\n    a: 2\n")
    assert document.duplicates == (Duplicate(6, "a", ("spec", "list", 0, "a"), 'line 4: key "a" already set in map'),)
    (document,) = yamlreader.read('{"a": [{}, {"b": 1,\n"b": 2}]}')
    assert document.duplicates == (Duplicate(2, "b", ("a", 1, "b"), 'duplicate field "a[1].b"'),)


def test_json_reports_at_most_a_hundred_duplicates() -> None:
    text = "{" + ",".join(f'"{key}": 1' for key in [*range(150), *range(150)]) + "}"
    assert len(yamlreader.read_one(text).duplicates) == 100


def test_aliases_are_independent_copies() -> None:
    value = yamlreader.read_one("a: &x {b: [1]}\nc: *x\nd: {<<: *x}").value
    value["a"]["b"].append(2)
    assert value["c"] == value["d"] == {"b": [1]}


def bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return "\n".join(lines)


def test_an_alias_bomb_is_refused() -> None:
    """At most 99 % of the nodes of a small document may come from aliases."""
    assert refusal(body, bomb(10, 9)).endswith("document contains excessive aliasing")


@pytest.mark.parametrize(
    ("decoded", "share"), [(1, 0.99), (400_000, 0.99), (2_200_000, 0.545), (4_000_000, 0.1), (9_000_000, 0.1)]
)
def test_the_allowed_share_of_aliases_falls_with_the_size_of_a_document(decoded: int, share: float) -> None:
    assert decoder.allowed_share(decoded) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "is_yaml"),
    [
        pytest.param('{"a": 1}\n#ab', True, id="four bytes"),
        pytest.param('{"a": 1}\n#a', False, id="three bytes"),
        pytest.param('{"a": 1} #aü', True, id="three characters of four bytes"),
        pytest.param('{"a": 1} #ü', False, id="two characters of three bytes"),
    ],
)
def test_yaml_behind_json_has_at_least_four_bytes(text: str, *, is_yaml: bool) -> None:
    """The number of bytes that the server reads ahead."""
    if is_yaml:
        assert stream(text) == [{"a": 1}]
    else:
        assert "not JSON" in refusal(stream, text)


def test_few_aliases_are_read() -> None:
    assert isinstance(body(bomb(3, 9)), dict)


def test_many_aliases_of_a_large_document_are_read() -> None:
    """Half of 4,000 nodes come from aliases here."""
    text = "a: &a\n" + "- 1\n" * 1000 + "b:\n- *a\n- *a\n"
    assert len(yamlreader.read_one(text).value["b"][1]) == 1000


DEPTH = jsonvalue.MAX_DEPTH
# Keeps the share of aliased nodes small.
BALLAST = "- 1\n" * 3000


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param(lambda levels: "[" * levels + "]" * levels, id="lists"),
        pytest.param(lambda levels: "{a: " * levels + "1" + "}" * levels, id="flow mappings"),
        pytest.param(lambda levels: '{"a": ' * levels + "1" + "}" * levels, id="JSON objects"),
        pytest.param(lambda levels: '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}", id="JSON lists"),
        pytest.param(lambda levels: "&x " + "[" * levels + "]" * levels, id="lists with an anchor"),
        pytest.param(lambda levels: "".join("\n" + " " * level + "a:" for level in range(levels)), id="mappings"),
        pytest.param(
            lambda levels: BALLAST + "\n".join(["- &a1 []", *(f"- &a{n} [*a{n - 1}]" for n in range(2, levels))]),
            id="aliases",
        ),
        pytest.param(
            lambda levels: (
                BALLAST + "\n".join(["- &a1 {x: 1}", *(f"- &a{n} {{<<: *a{n - 1}}}" for n in range(2, levels))])
            ),
            id="merges",
        ),
    ],
)
def test_the_depth_has_a_limit(nested: Callable[[int], str]) -> None:
    """The maximal depth is read, one more level is an error with the limit."""
    assert yamlreader.read_one(nested(DEPTH)).value
    assert refusal(body, nested(DEPTH + 1)).endswith(f"nested more than {DEPTH} levels deep")


def test_width_has_no_limit() -> None:
    assert len(yamlreader.read_one('{"a": [' + ",".join(["[]"] * 1000) + "]}").value["a"]) == 1000


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "- " * 3000], ids=["flow", "JSON", "block"])
def test_any_depth_is_a_clear_error(text: str) -> None:
    assert refusal(body, text).endswith(f"nested more than {DEPTH} levels deep")


def test_a_short_stack_is_a_clear_error() -> None:
    """A caller deep inside a recursion gets the same error, not a RecursionError."""
    text = "[" * 200 + "]" * 200
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(_frames()) + 120)
    try:
        with pytest.raises(ManifestError, match="levels deep"):
            yamlreader.read_one(text)
    finally:
        sys.setrecursionlimit(limit)


def _frames() -> list[object]:
    frames: list[object] = []
    frame = sys._getframe()
    while frame.f_back:
        frame = frame.f_back
        frames.append(frame)
    return frames


def test_pyyaml_without_libyaml_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert refusal(body, "a: 1") == "<text>: PyYAML was built without libyaml: install one of its wheels, which have it"


DOCUMENT = """\
# comment
kind: A
spec:
  list:
  - name: x
    value: 1
  - {name: y,
     value: 2}
  text: |
    one
    two
  1: one
  base: &base
    port: 80
  copy: *base
  merged:
    <<: [*base, {host: h}]
    port: 90
  last: 1
"""


@pytest.mark.parametrize(
    ("path", "value_line", "key_line"),
    [
        ((), 2, 2),
        (("kind",), 2, 2),
        (("spec",), 4, 3),
        (("spec", "list"), 5, 4),
        (("spec", "list", 0), 5, 5),
        (("spec", "list", 0, "value"), 6, 6),
        (("spec", "list", 1, "value"), 8, 8),
        (("spec", "list", 2, "value"), 5, 5),
        (("spec", "list", "0"), 5, 5),
        (("spec", "text"), 9, 9),
        (("spec", "1"), 12, 12),
        (("spec", "base", "port"), 14, 14),
        (("spec", "copy"), 15, 15),
        (("spec", "copy", "port"), 14, 14),
        (("spec", "merged"), 17, 16),
        (("spec", "merged", "host"), 17, 17),
        (("spec", "merged", "port"), 18, 18),
        (("spec", "merged", "none", "at", "all"), 17, 17),
        (("kind", "none"), 2, 2),
        (("none",), 2, 2),
    ],
)
def test_every_value_has_a_line(path: tuple[str | int, ...], value_line: int, key_line: int) -> None:
    """A path that does not exist has the line of its nearest existing ancestor."""
    first, document = yamlreader.read("a: 1\n---\n" + DOCUMENT)
    assert (first.line, document.line) == (1, 4)
    assert document.line_of(path) == value_line + 2
    assert document.line_of(path, key=True) == key_line + 2


def test_json_values_have_lines_too() -> None:
    first, second = yamlreader.read('{"a": 1}\n\n{"b": [1,\n{"c\\u0064":\n"x\\"]"}],\n "e": null}')
    assert (first.line, second.line) == (1, 3)
    assert second.line_of(("b", 1, "cd")) == 5
    assert second.line_of(("b", 1, "cd"), key=True) == 4
    assert second.line_of(("e",)) == second.line_of(("e",), key=True) == 6
    assert second.line_of(("b", 7)) == 3


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_json_reads_back_as_it_was_written(value: dict[str, object]) -> None:
    """Any JSON object, with or without escapes, except unescaped NEL and control characters."""
    assert jsonvalue.equal(body(json.dumps(value)), value)


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_yaml_reads_back_as_it_was_written(value: object) -> None:
    """PyYAML's output with escaped, double-quoted strings is read back as the same value."""
    assert body(yaml.safe_dump([value], default_style='"', allow_unicode=False)) == [value]


@pytest.mark.parametrize("empty", ["---\n", "# b\n--- # c\r\n\n", "  \n---  \n"])
def test_many_empty_documents_are_skipped_fast(empty: str) -> None:
    count = 20_000
    started = time.process_time()
    document = yamlreader.read_one(empty * count + "a: 1\n")
    assert time.process_time() - started < 2  # parsing them separately would take ten times as long
    assert (document.value, document.line) == ({"a": 1}, empty.count("\n") * count + 1)


def test_errors_behind_empty_documents_have_their_line() -> None:
    with pytest.raises(ManifestError, match=r"^<text>:5: "):
        yamlreader.read_one("---\n# a\n---\na: [1\n")


def test_the_lines_of_all_keys_and_items_below_a_place_are_known() -> None:
    document = yamlreader.read_one("# first\na:\n  b: [1,\n    {c: 2}]\n")

    assert document.key_lines(("a",)) == {("b",): 3, ("b", 0): 3, ("b", 1): 4, ("b", 1, "c"): 4}
    assert document.key_lines(("a", "nothing")) == {}
