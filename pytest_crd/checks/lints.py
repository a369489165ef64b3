"""
Lints: mistakes in CRDs that a server accepts, with the usual names in the field.

Reference:
    kube-api-linter docs/linters.md: SSATags, StatusSubresource, StatusOptional, MaxLength; openshift's
        crd-schema-checker:
    ListsMustHaveSSATags, MustHaveStatus. The others have no name there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pytest_crd.checks import lintrecords
from pytest_crd.checks.effects import schemaeffects, sizes
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.golang import printing
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.engine.yaml import yamlreader


def lint(read: ReadCrd, name: str) -> CheckVerdict:
    """Return the findings of the lint *name* of LINTS about a CRD."""
    heading, find = _LINTS[name]
    findings = (
        CheckFinding(f"{read.manifest.document.source}:{read.manifest.key_line_of(*steps)}", text)
        for steps, text in find(read)
    )
    return CheckVerdict(heading, tuple(dict.fromkeys(findings)))


def _schemas(read: ReadCrd) -> Iterator[tuple[Steps, SchemaNode]]:
    """Yield the schema nodes of all versions with their places in the CRD; shared schemas once for each version."""
    for version in read.crd.versions:
        around = declared.place_of_schema(read.crd.declared, version.name)
        yield from (((*around, *node.steps), node) for node in version.schema_map)


def _ssatags(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        if node.schema.get("type") == "array" and not node.schema.get("x-kubernetes-list-type"):
            yield steps, f"{node.path}: a list without x-kubernetes-list-type"


def _statussubresource(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for version in read.crd.versions:
        if (status := version.schema_map.properties.get("status")) is not None and not version.has_status:
            steps = (*declared.place_of_schema(read.crd.declared, version.name), *status.steps)
            yield steps, f"{version.name} has a status, but no subresource for it"


def _statusoptional(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        required = node.schema.get("required") or ()
        if not node.place and "status" in required:
            yield (*steps, "required"), "status is required, which no new object has"
        if node.place == ("status",):
            yield from (((*steps, "required"), f"status.{name} is required") for name in required)


# The keyword that bounds values of a type.
_BOUNDS: Final = {"string": "maxLength", "array": "maxItems"}


def _maxlength(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        if node.meta_of is not None:
            continue  # the server knows the bounds of apiVersion, kind and metadata
        is_under_rule = any(ancestor.rules for ancestor in (node, *node.around))
        schema, bound = node.schema, _BOUNDS.get(str(node.schema.get("type")), "")
        is_open = bound and bound not in schema and not schema.get("enum") and not schema.get("format")
        if is_under_rule and is_open:
            yield steps, f"{node.path}: {schema['type']} without {bound} under a rule"
        if is_under_rule and schema.get("additionalProperties") and "maxProperties" not in schema:
            yield steps, f"{node.path}: map without maxProperties under a rule"


def _preserveunknownfields(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        if node.schema.get("x-kubernetes-preserve-unknown-fields") and node.schema.get("properties"):
            yield (
                (*steps, "x-kubernetes-preserve-unknown-fields"),
                f"{node.path or 'the whole object'}: keeps misspelt fields",
            )


def _applysize(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    if (size := sizes.measure(read)) > sizes.LIMIT:
        yield (), f"its annotations would have {size:,} bytes, more than the {sizes.LIMIT:,} that there may be"


def _booleannames(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        for name in node.schema.get("properties") or {}:
            if name.isalpha() and isinstance(value := yamlreader.read_one(f"- {name}").value[0], bool):
                path = f"{node.path}.{name}" if node.path else name
                words = f"{path}: YAML without quotes reads the name as {printing.marshal(value)}"
                yield (*steps, "properties", name), words


def _unreachabledefault(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for version in read.crd.versions:
        around = declared.place_of_schema(read.crd.declared, version.name)
        for node in version.schema_map:
            if "default" in node.schema and node.meta_of is None and schemaeffects.is_unreachable(node):
                yield (*around, *node.steps, "default"), schemaeffects.explain_unreachable(node, version)


def _requireddefault(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        for name in node.schema.get("required") or ():
            if (child := node.properties.get(name)) is not None and "default" in child.schema:
                yield (*steps, "properties", name, "default"), f"{child.path} is required and has a default"


def _goduration(read: ReadCrd) -> Iterator[tuple[Steps, str]]:
    for steps, node in _schemas(read):
        if node.schema.get("format") == "duration" and not node.schema.get("pattern") and not node.schema.get("enum"):
            yield (*steps, "format"), f"{node.path}: the server accepts 2d, 1w and 5 days"


# Functions named after their lints, by name.
_FINDERS: Final[Mapping[str, Callable[[ReadCrd], Iterator[tuple[Steps, str]]]]] = {
    find.__name__.removeprefix("_"): find
    for find in (
        _ssatags,
        _statussubresource,
        _statusoptional,
        _maxlength,
        _preserveunknownfields,
        _applysize,
        _booleannames,
        _unreachabledefault,
        _requireddefault,
        _goduration,
    )
}
# The words and the function of each lint by its name; a record without a function is an error of this module.
_LINTS: Final = {record.name: (record.heading, _FINDERS[record.name]) for record in lintrecords.LINTS}
LINTS: Final = tuple(_LINTS)
