"""CRDs of classes: of pydantic models, and of others with a JSON Schema."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.classes.conjunctions import JSONSchema
from pytest_crd.classes.structuralschemas import SchemaReader, Structural
from pytest_crd.engine import CrdError, CustomResourceDefinition, Mistake
from pytest_crd.engine.inputerror import WrongTypeError
from pytest_crd.engine.jsonvalue import NotJSONError

OF_OBJECTS: Final = frozenset({"apiVersion", "kind", "metadata"})
SPEC: Final = "spec"
_STATUS: Final = "status"


class ReadClass(NamedTuple):
    """
    A class as a CRD can say it.

    Attributes:
        source: The name of the class for messages.
        structural: Its structural schema.
    """

    source: str
    structural: Structural

    @property
    def is_whole(self) -> bool:
        """Whether the class is the whole object, as it has a spec; else it is the spec."""
        return SPEC in self.structural.get("properties", {})

    def whole_object(self) -> Structural:
        """Return the schema of the whole object, without the fields of every object."""
        if not self.is_whole:
            return {"type": "object", "required": [SPEC], "properties": {SPEC: self.structural}}
        required = [name for name in self.structural.get("required", ()) if name not in OF_OBJECTS]
        properties = {name: schema for name, schema in self.structural["properties"].items() if name not in OF_OBJECTS}
        rest = {key: value for key, value in self.structural.items() if key not in {"required", "properties"}}
        return {**rest, **({"required": required} if required else {}), "properties": properties}


def read_class(model: Any, kind: str = "") -> ReadClass:
    """
    Return a class as a CRD can say it.

    Args:
        model: As for `crd_of`.
        kind: The name for messages if the class has none.

    Raises:
        CrdError: The class has something that a structural schema cannot say.
        TypeError: The model has no JSON Schema, or neither it nor *kind* has a name.
    """
    schema, title = _json_schema(model)
    source = title or kind
    if not source:
        raise WrongTypeError("the schema has no title: pass kind=")
    reader = SchemaReader(schema, source)
    structural = reader.read()
    if reader.mistakes:
        raise CrdError(dict.fromkeys(reader.mistakes))
    return ReadClass(source, structural)


def crd_of(  # noqa: PLR0913 - the parts of a CRD
    model: Any,
    *,
    group: str,
    kind: str = "",
    plural: str = "",
    versions: str | Sequence[str] = "v1",
    scope: str = "Namespaced",
    names: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """
    Return the manifest of a CRD with the fields of a class.

    A class with a field `spec` is the whole object; its `apiVersion`, `kind` and `metadata` are the server's. Any other class is the spec. A
    field `status` makes a subresource. Classes with `extra = "forbid"` have no other CRD: a server drops unknown fields.

    Args:
        model: A pydantic model or `TypeAdapter`, another class with `model_json_schema()`, or a JSON Schema as a mapping.
        group: The API group.
        kind: The kind; default: the name of the class, or the title of the schema.
        plural: The plural name; default: the kind in lower case, with an ending.
        versions: The name of the version, or of several with the same schema; the last one is stored.
        scope: `Namespaced` or `Cluster`.
        names: Further names of the CRD, such as `shortNames`.

    Returns:
        The manifest, which a server accepts.

    Raises:
        CrdError: The class has something that a structural schema cannot say, or the server refuses the CRD; the message has all
            mistakes, each with its field.
        TypeError: The model has no JSON Schema, or the kind is not known.
    """
    version_names = [versions] if isinstance(versions, str) else list(versions)
    return make_manifest(
        read_class(model, kind), group, version_names, kind=kind, plural=plural, scope=scope, names=names or {}
    )


def make_manifest(  # noqa: PLR0913 - the parts of a CRD
    read: ReadClass,
    group: str,
    versions: Sequence[str],
    *,
    kind: str = "",
    plural: str = "",
    scope: str = "Namespaced",
    names: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """
    Return the manifest of a CRD with the fields of a class that is read; see `crd_of`.

    Raises:
        CrdError: The server refuses the CRD.
    """
    kind = kind or read.source
    plural = plural or pluralize(kind.lower())
    names_of = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List", **(names or {})}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": names_of,
            "scope": scope,
            "versions": [_version(name, read.whole_object(), is_stored=name == versions[-1]) for name in versions],
        },
    }
    try:
        _require_accepted(manifest, read.source)
    except NotJSONError as error:
        raise CrdError([Mistake(read.source, 0, str(error))]) from error
    return manifest


def pluralize(singular: str) -> str:
    """Return the plural of a kind in lower case, as kubebuilder forms it for regular nouns."""
    if singular.endswith("y") and singular[-2:-1] not in "aeiou":
        return f"{singular[:-1]}ies"
    return f"{singular}es" if singular.endswith(("s", "x", "z", "ch", "sh")) else f"{singular}s"


def _json_schema(model: Any) -> tuple[JSONSchema, str]:
    """
    Return the JSON Schema of a class, and its title, which may be empty.

    Raises:
        CrdError: A field has a type without a JSON Schema.
        TypeError: The class has none.
    """
    if isinstance(model, Mapping):
        return model, str(model.get("title", ""))
    make = getattr(model, "model_json_schema", None) or getattr(model, "json_schema", None)
    if make is None:
        raise WrongTypeError(
            f"{model!r} has no model_json_schema(): pass a pydantic model, pydantic.TypeAdapter(...), or a JSON Schema as a mapping"
        )
    try:
        schema: JSONSchema = make()
    except Exception as error:  # pydantic has several for a type without a JSON Schema, each of another class
        source = getattr(model, "__name__", type(model).__name__)
        raise CrdError([Mistake(source, 0, f"it has no JSON Schema: {error}")]) from error
    return schema, str(getattr(model, "__name__", schema.get("title", "")))


def _version(name: str, schema: Structural, *, is_stored: bool) -> dict[str, Any]:
    subresources: dict[str, Any] = {"subresources": {_STATUS: {}}} if _STATUS in schema["properties"] else {}
    own = {"name": name, "served": True, "storage": is_stored, "schema": {"openAPIV3Schema": copy.deepcopy(schema)}}
    return {**own, **subresources}


def _require_accepted(manifest: dict[str, Any], source: str) -> None:
    """
    Raise an error if a server refuses a CRD.

    Raises:
        CrdError: The server's errors.
    """
    answer = CustomResourceDefinition.from_manifest(manifest, source=source).first_response
    if not answer.accepted:
        raise CrdError(
            [Mistake(source, 0, str(error)) for error in answer.errors] or [Mistake(source, 0, answer.message)]
        )
