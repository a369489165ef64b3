"""
Conversion of YAML nodes to JSON values, with the features of the server's YAML.

It handles merge keys, aliases, keys of other types, duplicate keys and tags, and counts nodes as the server does to
stop alias bombs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlnode, yamlscalar, yamlstream
from pytest_crd.engine.yaml.yamlnode import AliasNode, MappingNode, ScalarNode, SequenceNode, YamlNode
from pytest_crd.engine.yaml.yamlstream import UnreadableError

# The allowed share of nodes from aliases is 99 % of a small document, 10 % of a huge one.
_SMALL: Final = 400_000
_HUGE: Final = 4_000_000
_MERGE_NEEDS_MAP: Final = "map merge requires map or sequence of maps as the value"


class DuplicateKey(NamedTuple):
    """
    A key that was already set.

    Attributes:
        line: 1-based line of its value.
        key: The key as in JSON.
        printed: The key as Go prints it.
        path: The path including the key.
        overrides_merge: Whether it replaces a value merged by `<<`, which is the purpose of YAML's merge keys; the
            server reports it all the same.
    """

    line: int
    key: str
    printed: str
    path: tuple[str | int, ...]
    overrides_merge: bool = False


# The merge keys that brought a key into a mapping, innermost last: the id of each, and the index in its value.
_Origin = tuple[tuple[int, int], ...]


class DecodedDocument(NamedTuple):
    """The value of a document, and its duplicate keys in the order in which the server reports them."""

    value: JSONValue
    duplicates: tuple[DuplicateKey, ...]


def decode(root: YamlNode) -> DecodedDocument:
    """
    Return the JSON value of a document.

    Args:
        root: The document's node.

    Returns:
        A value without shared parts, with the last of equal keys, and all duplicate keys.

    Raises:
        UnreadableError: The server cannot decode it, or it is not JSON.

    Reference:
        go.yaml.in/yaml/v2 decode.go, (*decoder).unmarshal; sigs.k8s.io/yaml YAMLToJSON and YAMLToJSONStrict.
    """
    decoder = _Decoder()
    value = decoder.decode(root, 1)
    for unsupported in decoder.unsupported:
        if _holds(value, unsupported):
            raise UnreadableError(unsupported.line, unsupported.message)
    return DecodedDocument(value, tuple(decoder.duplicates))


@dataclass(frozen=True, slots=True, eq=False)
class _Unsupported:
    """Key or value that JSON cannot hold: an error unless a later duplicate replaces it."""

    line: int
    message: str

    def __str__(self) -> str:
        return self.message


def _holds(value: JSONValue, wanted: _Unsupported) -> bool:
    if isinstance(value, dict):
        return wanted in value or any(_holds(item, wanted) for item in value.values())
    if isinstance(value, list):
        return any(_holds(item, wanted) for item in value)
    return value is wanted


@dataclass(slots=True)
class _Decoder:
    duplicates: list[DuplicateKey] = field(default_factory=list)
    unsupported: list[_Unsupported] = field(default_factory=list)
    path: list[Any] = field(default_factory=list)
    active: set[AliasNode] = field(default_factory=set)
    # The document itself counts as one.
    decoded: int = 1
    aliased: int = 0

    def decode(self, node: YamlNode, depth: int) -> JSONValue:
        target = self.enter(node)
        value: JSONValue
        if isinstance(target, ScalarNode):
            value = self.scalar(target)
        else:
            _limit(depth, node.line)
            if isinstance(target, SequenceNode):
                value = []
                for index, item in enumerate(target.items):
                    self.path.append(index)
                    value.append(self.decode(item, depth + 1))
                    self.path.pop()
            else:
                value = {}
                self.fill(target, value, {}, depth)
        self.leave(node)
        return value

    def enter(self, node: YamlNode) -> ScalarNode | SequenceNode | MappingNode:
        """Count *node* and the target of an alias; raise UnreadableError for cycles and alias bombs."""
        self.count(node)
        if not isinstance(node, AliasNode):
            return node
        if node in self.active:
            raise UnreadableError(node.line, f"anchor '{node.name}' value contains itself")
        self.active.add(node)
        self.count(node)
        return node.target

    def leave(self, node: YamlNode) -> None:
        if isinstance(node, AliasNode):
            self.active.remove(node)

    def count(self, node: YamlNode) -> None:
        self.decoded += 1
        if self.active:
            self.aliased += 1
            # Go only checks documents with more than 1,000 nodes and 100 aliased nodes; smaller ones cannot exceed the share.
            if self.aliased / self.decoded > allowed_share(self.decoded):
                raise UnreadableError(node.line, "document contains excessive aliasing")

    def scalar(self, node: ScalarNode) -> JSONValue:
        try:
            native = node.resolve()
        except yamlscalar.ScalarError as error:
            raise UnreadableError(node.line, str(error)) from None
        try:
            return yamlscalar.to_json(native)
        except yamlscalar.ScalarError as error:
            return self.refuse_later(node, error)

    def key(self, node: YamlNode) -> tuple[Any, Any]:
        """Return the key as the server's YAML holds it, and its text in JSON."""
        target = self.enter(node)
        if not isinstance(target, ScalarNode):
            kind = "list" if isinstance(target, SequenceNode) else "mapping"
            raise UnreadableError(node.line, f"invalid map key: a {kind} cannot be a key")
        self.leave(node)
        try:
            native = target.resolve()
        except yamlscalar.ScalarError as error:
            raise UnreadableError(node.line, str(error)) from None
        try:
            return native, yamlscalar.to_key(native)
        except yamlscalar.ScalarError as error:
            return native, self.refuse_later(target, error)

    def refuse_later(self, node: YamlNode, error: yamlscalar.ScalarError) -> _Unsupported:
        marker = _Unsupported(node.line, str(error))
        self.unsupported.append(marker)
        return marker

    def fill(
        self,
        node: MappingNode,
        into: dict[Any, JSONValue],
        seen: dict[object, _Origin],
        depth: int,
        origin: _Origin = (),
    ) -> None:
        """Set the keys of *node* in *into*; *seen* has the keys set before, by type: `1` and `"1"` are different."""
        for key_node, value_node in node.pairs:
            if isinstance(key_node, ScalarNode) and key_node.is_merge():
                self.merge(value_node, into, seen, depth + 1, origin)
                continue
            native, key = self.key(key_node)
            self.path.append(str(key))
            value = self.decode(value_node, depth + 1)
            identity = _identity(native)
            if identity in seen:
                printed, overrides = yamlscalar.go_syntax(native), _overrides(seen[identity], origin)
                self.duplicates.append(
                    DuplicateKey(value_node.line, str(key), printed, tuple(self.path), overrides_merge=overrides)
                )
            self.path.pop()
            seen[identity] = origin
            into[key] = value

    def merge(
        self, node: YamlNode, into: dict[Any, JSONValue], seen: dict[object, _Origin], depth: int, origin: _Origin
    ) -> None:
        _limit(depth, node.line)
        for index, source in enumerate(yamlnode.merged(node)):
            target = self.enter(source)
            if not isinstance(target, MappingNode):
                raise UnreadableError(source.line, _MERGE_NEEDS_MAP)
            self.fill(target, into, seen, depth, (*origin, (id(node), index)))
            self.leave(source)


def _overrides(earlier: _Origin, later: _Origin) -> bool:
    """Return whether a key from *later* overrides a key from *earlier*: it is nearer, or first in a list of merges."""
    for before, now in zip(earlier, later, strict=False):
        if before != now:
            return before[0] == now[0]
    return len(earlier) > len(later)


def _identity(key: yamlscalar.Native) -> object:
    """Return a hashable identity as Go compares keys: `1` and `"1"` differ, and NaN is always new."""
    if isinstance(key, float) and math.isnan(key):
        return object()
    return key if isinstance(key, str) else (type(key), key)


def _limit(depth: int, line: int) -> None:
    if depth > jsonvalue.MAX_DEPTH:
        raise UnreadableError(line, yamlstream.TOO_DEEP)


def allowed_share(decoded: int) -> float:
    """
    Return the allowed share of aliased nodes among *decoded* nodes.

    Reference:
        go.yaml.in/yaml/v2 decode.go, allowedAliasRatio.
    """
    share = (min(max(decoded, _SMALL), _HUGE) - _SMALL) / (_HUGE - _SMALL)
    return 0.99 - 0.89 * share
