"""A server's messages about unreadable YAML, with the wording and line numbers of Go's YAML library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import yaml
from yaml.events import DocumentEndEvent, DocumentStartEvent, StreamEndEvent
from yaml.reader import ReaderError
from yaml.scanner import ScannerError

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import parser, yamlnode, yamlscalar
from pytest_crd.engine.yaml.yamlnode import AliasNode, MappingNode, ScalarNode, SequenceNode, YamlNode
from pytest_crd.engine.yaml.yamlscalar import Native, ScalarError
from pytest_crd.engine.yaml.yamlstream import UnreadableError

# The prefix of errors about the JSON form of a document.
_OF_JSON: Final = "json: "
_INCOMPATIBLE: Final = "found incompatible YAML document"
# Go's limit on nested lists and mappings.
_MOST_OPEN: Final = 10_000
_BRACKET: Final = lazyre.compile(rb"[\[\]{}]")
_ENDS: Final = (DocumentEndEvent, StreamEndEvent)


def server_message(text: bytes, message: str) -> str:
    """
    Return the server's message about an unreadable document, `yaml: line 2: did not find expected key`.

    Args:
        text: The document.
        message: The message of `yamlreader`.

    Reference:
        go.yaml.in/yaml/v2 decode.go, (*parser).fail; sigs.k8s.io/yaml, YAMLToJSON.
    """
    if problem := _syntax_error(text):
        return f"yaml: {problem}"
    if problem := _of_keys(text):
        return problem
    return message if message.startswith(_OF_JSON) else f"yaml: {message}"


def _syntax_error(text: bytes) -> str:
    """Return the syntax error of the first document; empty if there is no error."""
    try:
        advance = yaml.cyaml.CParser(text).get_event  # type: ignore[attr-defined]  # the stubs hide it
        while not isinstance(event := advance(), _ENDS):
            if isinstance(event, DocumentStartEvent) and event.version not in (None, (1, 1)):
                mark = event.start_mark
                return _at(mark.line if mark else 0, _INCOMPATIBLE)
    except ReaderError as error:
        return str(error.reason)
    except yaml.MarkedYAMLError as error:
        if error.problem == parser.TOO_DEEP and _is_beyond_go(text):
            return f"exceeded max depth of {_MOST_OPEN}"
        return _at(_line(error), str(error.problem))
    return ""


def _is_beyond_go(text: bytes) -> bool:
    """Return whether brackets are nested deeper than Go reads them; libyaml stops earlier."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > _MOST_OPEN:
            return True
    return False


def _of_keys(text: bytes) -> str:
    """
    Return the message for the first map key that JSON cannot have; empty if all keys are valid.

    Reference:
        go.yaml.in/yaml/v2 decode.go, (*decoder).mapping; sigs.k8s.io/yaml yaml.go, convertToJSONableObject.
    """
    try:
        root = yamlnode.compose(text.decode(errors="surrogateescape")).root
        pairs = [] if root is None else [*_pairs(root)]
        for key, _ in pairs:
            if not isinstance(_target(key), ScalarNode):
                return f"yaml: invalid map key: {_go_syntax(key)}"
        for key, value in pairs:
            if words := _refuse_key(_native(key), value):
                return words
    except (UnreadableError, ScalarError):
        pass
    return ""


def _pairs(node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Yield the keys and values of all mappings in *node*, in document order; aliases are not followed."""
    if isinstance(node, SequenceNode):
        for item in node.items:
            yield from _pairs(item)
    elif isinstance(node, MappingNode):
        for key, value in node.pairs:
            yield key, value
            yield from _pairs(key)
            yield from _pairs(value)


def _refuse_key(key: Native, value: YamlNode) -> str:
    """Return the message for a scalar *key* that is null or beyond int64; empty for others."""
    if key is None:
        return f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {_go_value(value)}"
    if type(key) is int and key > jsonvalue.MAX_INT64:
        return f"unsupported map key of type: uint64, key: {key:#x}, value: {_go_value(value)}"
    return ""


def _go_value(node: YamlNode) -> str:
    """Return a value as Go's `%#v` prints it; `<nil>` for null."""
    target = _target(node)
    return "<nil>" if isinstance(target, ScalarNode) and target.resolve() is None else _go_syntax(node)


def _go_syntax(node: YamlNode) -> str:
    """
    Return a node as Go's `%#v`.

    Raises:
        ScalarError: A scalar has no value.
    """
    target = _target(node)
    if isinstance(target, ScalarNode):
        return yamlscalar.go_syntax(target.resolve())
    if isinstance(target, SequenceNode):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, target.items))}}}"
    entries = {_go_syntax(key): _go_syntax(value) for key, value in target.pairs}
    return f"map[interface {{}}]interface {{}}{{{', '.join(f'{key}:{entries[key]}' for key in sorted(entries))}}}"


def _native(node: YamlNode) -> Native:
    target = _target(node)
    assert isinstance(target, ScalarNode)  # noqa: S101 - other keys are refused before
    return target.resolve()


def _target(node: YamlNode) -> ScalarNode | SequenceNode | MappingNode:
    """
    Return *node*, or the target of an alias.

    Raises:
        UnreadableError: The target contains another alias, which may refer to the target itself.
    """
    if not isinstance(node, AliasNode):
        return node
    if any(isinstance(child, AliasNode) for pair in _pairs(node.target) for child in pair):
        raise UnreadableError(node.line, "alias of an alias")
    return node.target


def _line(error: yaml.MarkedYAMLError) -> int:
    """Return the line in Go's message: 1-based from the scanner, 0-based from the parser; 0 for no line."""
    if error.problem_mark is not None and error.problem_mark.line:
        return int(error.problem_mark.line) + isinstance(error, ScannerError)
    return int(error.context_mark.line) if error.context_mark is not None else 0


def _at(line: int, problem: str) -> str:
    return f"line {line}: {problem}" if line else problem
