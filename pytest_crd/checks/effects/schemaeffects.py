"""Keywords of a schema without effect, and objects that keep nothing."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.checks.effects import effect, patheffects, sizes
from pytest_crd.checks.effects.effect import LostEffect
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CrdVersion, profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.synthesis import objectplaces
from pytest_crd.wording import counted

_STRING: Final = ("minLength", "maxLength", "pattern")
_NUMBER: Final = ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
_ARRAY: Final = ("minItems", "maxItems")
_OBJECT: Final = ("minProperties", "maxProperties")
# The keywords that check values of a type.
_OF_TYPE: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset(_STRING),
    "integer": frozenset(_NUMBER),
    "number": frozenset(_NUMBER),
    "array": frozenset(_ARRAY),
    "object": frozenset(_OBJECT),
    "boolean": frozenset(),
}
_ALL: Final = frozenset({*_STRING, *_NUMBER, *_ARRAY, *_OBJECT})
_LIMITS: Final = (
    ("minLength", "maxLength"),
    ("minimum", "maximum"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
# Keywords and values that make a closer look at a schema worthwhile.
_SUSPICIOUS: Final = frozenset({*_ALL, "enum", "default"})
_NAME_FORMATS: Final = frozenset({"k8s-short-name", "k8s-long-name"})
_SWITCH: Final = re.compile(r"enabled?(?:$|[A-Z_])")
_CONDITION: Final = re.compile(r"(?i)\b(?:when|if|once)\b")
_PRESENCE: Final = re.compile(r"(?i)\b(?:present|set|given|specified|defined|configured)\b")
_CONTENT: Final = frozenset(
    {
        *("properties", "additionalProperties", "x-kubernetes-preserve-unknown-fields"),
        "x-kubernetes-embedded-resource",
    }
)


def find_warnings(read: ReadCrd) -> tuple[CheckFinding, ...]:
    """Return the warnings about the size, keywords, columns and paths of a CRD; empty if the server refuses it."""
    return effect.find_warnings(read, _find_in_version, sizes.find_effects(read))


def _find_in_version(read: ReadCrd, version: CrdVersion) -> Iterator[LostEffect]:
    around = declared.place_of_schema(read.crd.declared, version.name)
    for item in itertools.chain(_find_in_schema(version), _find_unchecked_formats(read, version)):
        yield item._replace(steps=(*around, *item.steps))
    yield from _find_unknown_rules(read, version, around)
    spec = read.crd.declared["spec"]
    yield from patheffects.find_effects(version, spec, ("spec",))
    for index, entry in enumerate(spec.get("versions") or ()):
        if entry.get("name") == version.name:
            yield from _find_unknown_selectable_fields(version, entry, ("spec", "versions", index))
            yield from patheffects.find_effects(version, entry, ("spec", "versions", index))


def _find_unknown_rules(read: ReadCrd, version: CrdVersion, around: Steps) -> Iterator[LostEffect]:
    """Yield an effect for the rules of a version if its Kubernetes version drops them."""
    if profile.named(version.crd.kubernetes_version).validation_rules:
        return
    steps, rest = objectplaces.split_path(read.manifest.value, around)
    schema = {} if rest else objectplaces.get_value(read.manifest.value, steps)
    nodes = [node for node in SchemaNode(schema) if node.rules]
    if nodes:
        count = counted(sum(len(node.rules) for node in nodes), "rule")
        text = f"Kubernetes {version.crd.kubernetes_version} drops x-kubernetes-validations, so that {count} of {version.name} check nothing there; a webhook can check the same"
        yield LostEffect("droppedrules", (*around, *nodes[0].steps, schemamap.RULES), text)


def _find_unknown_selectable_fields(
    version: CrdVersion, entry: Mapping[str, Any], steps: Steps
) -> Iterator[LostEffect]:
    """Yield an effect for the selectable fields of an entry of `versions` if the Kubernetes version drops them."""
    kubernetes = version.crd.kubernetes_version
    if entry.get("selectableFields") and not profile.named(kubernetes).selectable_fields:
        paths = " and ".join(str(field.get("jsonPath")) for field in entry["selectableFields"])
        text = (
            f"Kubernetes {kubernetes} drops selectableFields, so that it refuses lists of {version.name} selected by {paths}; "
            "select by labels, or use Kubernetes 1.30 or newer"
        )
        yield LostEffect("droppedfield", (*steps, "selectableFields"), text)


def _find_unchecked_formats(read: ReadCrd, version: CrdVersion) -> Iterator[LostEffect]:
    """Yield an effect for each format that an older Kubernetes version ignores without a warning; steps begin at the schema."""
    kubernetes = read.crd.kubernetes_version
    behaviour = profile.named(kubernetes)
    if behaviour.has_kubernetes_name_formats or behaviour.warns_about_unrecognized_formats:
        return
    for node in version.schema_map:
        if (format_ := node.schema.get("format")) in _NAME_FORMATS and node.schema.get("type") == "string":
            text = f"{node.path}: Kubernetes {kubernetes} does not check the format {format_}, which 1.35 and newer check; write a pattern beside it"
            yield LostEffect("uncheckedformat", (*node.steps, "format"), text)


def _find_in_schema(version: CrdVersion) -> Iterator[LostEffect]:
    """Yield the effects of the keywords of a version's schema; steps begin at the schema."""
    root = version.schema_map
    for place in _find_suspects(root.schema, ()):
        node = root.at(place)
        if node is not None and node.meta_of is None and not any(outer.keeps_unknown_fields for outer in node.around):
            yield from _find_in(node, version)


def _find_suspects(schema: Schema, place: Place) -> Iterator[Place]:
    """Yield the places of schemas that may have an effect to report, without the map of the schema, which takes longer."""
    if not _SUSPICIOUS.isdisjoint(schema) or (
        "type" in schema and schema["type"] == "object" and _CONTENT.isdisjoint(schema)
    ):
        yield place
    if schema.get("properties"):
        for name, child in schema["properties"].items():
            yield from _find_suspects(child, (*place, name))
    if "items" in schema and type(schema["items"]) is dict:
        yield from _find_suspects(schema["items"], (*place, Each.ITEM))
    if "additionalProperties" in schema and type(schema["additionalProperties"]) is dict:
        yield from _find_suspects(schema["additionalProperties"], (*place, Each.VALUE))


def _find_in(node: SchemaNode, version: CrdVersion) -> Iterator[LostEffect]:
    yield from _find_emptied(node, version)
    yield from _find_foreign_keywords(node)
    yield from _find_contradictions(node)
    yield from _find_excluded(node)
    yield from _find_unreachable(node, version)


def _find_emptied(node: SchemaNode, version: CrdVersion) -> Iterator[LostEffect]:
    """Yield an effect for an object that drops each field, if it was certainly meant to have some."""
    schema = node.schema
    if schema.get("type") != "object" or not _CONTENT.isdisjoint(schema) or not node.place:
        return
    step = node.place[-1]
    needs_fields = schema.get("minProperties") or schema.get("required")
    if not (isinstance(step, Each) or _is_template_metadata(node) or needs_fields):
        return
    is_metadata = step == "metadata"
    content = {"labels": {"app": "a"}} if is_metadata else {"name": "a"}
    sent = effect.nest(node.place, content)
    stored = version.unobserved.passes.prune(sent).value
    remedy = (
        "declare its labels and annotations (controller-gen: crd:generateEmbeddedObjectMeta=true)"
        if is_metadata
        else "declare its properties, or x-kubernetes-preserve-unknown-fields: true"
    )
    text = f"{node.path} has no properties, so that it keeps nothing: {effect.spell(sent)} is stored as {effect.spell(stored)}; {remedy}"
    yield LostEffect("emptyobject", node.steps, text)


def _is_template_metadata(node: SchemaNode) -> bool:
    """Return whether an object is the metadata of a template, beside its spec."""
    return node.place[-1] == "metadata" and node.parent is not None and "spec" in node.parent.properties


def _find_foreign_keywords(node: SchemaNode) -> Iterator[LostEffect]:
    """Yield an effect for each keyword that checks values of another type."""
    type_ = str(node.schema.get("type"))
    if type_ not in _OF_TYPE:
        return
    for keyword in sorted((_ALL - _OF_TYPE[type_]).intersection(node.schema)):
        types = " and ".join(sorted(name for name, keywords in _OF_TYPE.items() if keyword in keywords))
        inner = "items" if type_ == "array" and _OF_TYPE.get(str(_inner_type(node)), frozenset()) & {keyword} else ""
        remedy = "write it in items" if inner else f"remove it, or write a keyword for {type_}"
        yield LostEffect(
            "otherkeyword",
            (*node.steps, keyword),
            f"{node.path}: {keyword} checks values of type {types}, and here they are of type {type_}; {remedy}",
        )


def _inner_type(node: SchemaNode) -> JSONValue:
    return None if node.items is None else node.items.schema.get("type")


def _find_contradictions(node: SchemaNode) -> Iterator[LostEffect]:
    """Yield an effect for each pair of limits that no value keeps."""
    schema = node.schema
    for least, most in _LIMITS:
        low, high = schema.get(least), schema.get(most)
        if (
            low is not None
            and high is not None
            and low > high
            and {least, most} <= _OF_TYPE.get(str(schema.get("type")), _ALL)
        ):
            yield LostEffect(
                "novalue",
                (*node.steps, least),
                f"{node.path}: no value has {least} {low} and {most} {high}; correct one of them",
            )


def _find_excluded(node: SchemaNode) -> Iterator[LostEffect]:
    """Yield an effect for each value of an enum that another keyword of the same schema refuses."""
    schema = node.schema
    for value in schema.get("enum") or ():
        if keyword := _excluding_keyword(schema, value):
            limit = effect.spell(schema[keyword])
            yield LostEffect(
                "excludedvalue",
                (*node.steps, "enum"),
                f"{node.path}: {keyword} {limit} refuses {effect.spell(value)} of the enum; correct one of them",
            )


def _excluding_keyword(schema: Schema, value: Any) -> str:
    if isinstance(value, str):
        if (pattern := schema.get("pattern")) and not _matches(pattern, value):
            return "pattern"
        if len(value) > schema.get("maxLength", len(value)):
            return "maxLength"
        return "minLength" if len(value) < schema.get("minLength", 0) else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value > schema.get("maximum", value):
            return "maximum"
        return "minimum" if value < schema.get("minimum", value) else ""
    return ""


def _matches(pattern: str, value: str) -> bool:
    return patterns.compile(pattern)(value)


def _find_unreachable(node: SchemaNode, version: CrdVersion) -> Iterator[LostEffect]:
    """Yield an effect for a switch that is on by default, in an object that may be left out and then leaves it unset."""
    if node.schema.get("default") is not True or not _SWITCH.match(str(node.place[-1])) or node.place[0] == "status":
        return
    if not is_unreachable(node) or any(
        _is_about_presence(str(item.schema.get("description") or ""))
        for item in (node, node.parent)
        if item is not None
    ):
        return
    yield LostEffect("unreachabledefault", (*node.steps, "default"), explain_unreachable(node, version))


def _is_about_presence(description: str) -> bool:
    """Return whether a sentence has a condition about a field that is set."""
    return any(
        condition is not None and _PRESENCE.search(sentence, condition.end()) is not None
        for sentence in description.split(".")
        for condition in (_CONDITION.search(sentence),)
    )


def explain_unreachable(node: SchemaNode, version: CrdVersion) -> str:
    """Return the words about a default that does not apply while its parent is left out."""
    parent, name = node.place[:-1], node.place[-1]
    without, with_parent = effect.nest(parent[:-1], {}), effect.nest(parent, {})
    stored = version.passes.default(effect.nest(parent, {})).value
    value = effect.spell(objectplaces.get_value(stored, (*effect.find_steps(parent), str(name))))
    outer = schemamap.spelled(parent)
    return (
        f"{node.path}: the default does not apply while {outer} is left out: {effect.spell(without)} stays without it, "
        f"and {effect.spell(with_parent)} gets {name}: {value}; write default: {{}} at {outer}"
    )


def is_unreachable(node: SchemaNode) -> bool:
    """Return whether a default is in an optional object without a default, and `{}` would be a complete value of that object."""
    parent = node.parent
    if parent is None or parent.parent is None or not isinstance(parent.place[-1], str) or "default" in parent.schema:
        return False
    is_optional = parent.place[-1] not in (parent.parent.schema.get("required") or ())
    return is_optional and all("default" in child for child in (parent.schema.get("properties") or {}).values())
