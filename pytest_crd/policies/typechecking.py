"""
Type checking of ValidatingAdmissionPolicies against the schemas of CRDs: the warnings of `status.typeChecking`.

A server checks each expression once for each kind of the match constraints, with types for `object`, `oldObject` and `params`.

Reference:
    apiserver admission/plugin/policy/validating/typechecking.go; cel/openapi/resolver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import AUTHORIZER, OBJECT, OLD_OBJECT, PARAMS
from pytest_crd.admission.expressions.variabletypes import AdmissionStructs
from pytest_crd.admission.matching.matchcriteria import RequestRule
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.library import accesschecks
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import DYN, Type, TypeProvider
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import environments, schemadeclarations
from pytest_crd.engine.rules.schemadeclarations import Declaration, SchemaDeclarations
from pytest_crd.engine.schema import structural
from pytest_crd.policies import composition
from pytest_crd.policies.definitions import Policy, PolicyVariable

_MOST_TYPES: Final = 10
_WILDCARD: Final = "*"
# A server adds the nanoseconds of its clock to the names of types.
_UNIQUE: Final = "0"


class ExpressionWarning(NamedTuple):
    """
    A warning about an expression.

    Attributes:
        field_ref: The path of the expression.
        warning: The server's words, with a line for each kind; names of types end in `0` instead of a random number.
    """

    field_ref: str
    warning: str


class TypeChecking(NamedTuple):
    """
    The result of a type check.

    Attributes:
        warnings: The warnings, in the order of the expressions.
        unchecked: Resources and param kinds outside of the CRDs, which a server may check too: `apps/v1, deployments`.
    """

    warnings: tuple[ExpressionWarning, ...]
    unchecked: tuple[str, ...] = ()


class _Kind(NamedTuple):
    """A served version of a CRD, as the order of a server sorts it."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Kind={self.kind}"


def check(policy: Policy, crds: Sequence[CustomResourceDefinition], profile: Profile) -> TypeChecking:
    """
    Return the warnings of a server about the types in the expressions of a ValidatingAdmissionPolicy.

    Args:
        policy: The policy.
        crds: The CRDs of the server, under the Kubernetes version.
        profile: The Kubernetes version.
    """
    served = _Served(crds)
    kinds, unchecked = _find_kinds(policy.criteria.rules, served)
    params: Declaration | None = None
    if policy.param_kind is not None:
        group, _, version = policy.param_kind.api_version.rpartition("/")
        kind = _Kind(group, version, policy.param_kind.kind)
        params = served.declare(kind, profile)
        unchecked += [] if kind in served.kinds else [str(kind)]
    declared = [(kind, declaration) for kind in kinds if (declaration := served.declare(kind, profile)) is not None]
    checkers = [(kind, _environment(policy, declaration, params, profile)) for kind, declaration in declared]
    warnings = (
        ExpressionWarning(path, "\n".join(problems))
        for path, text in _expressions(policy)
        if (
            problems := [
                f"{kind}: {problem}\n" for kind, environment in checkers if (problem := _problem(environment, text))
            ]
        )
    )
    return TypeChecking(tuple(warnings), tuple(dict.fromkeys(unchecked)))


def _expressions(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each checked expression."""
    for index, validation in enumerate(policy.validations):
        yield f"spec.validations[{index}].expression", validation.expression
        if validation.message_expression:
            yield f"spec.validations[{index}].messageExpression", validation.message_expression


def _problem(environment: Environment, text: str) -> str:
    try:
        environment.compile(text)
    except CompileError as error:
        return str(error)
    return ""


def _environment(policy: Policy, own: Declaration, params: Declaration | None, profile: Profile) -> Environment:
    """Return the environment with the types of a kind, after the compilation of the variables."""
    fields: dict[str, Type] = {}
    provider = _Types(own, params, AdmissionStructs({composition.STRUCT: fields}))
    variables = {
        **admissionexpressions.ALWAYS_DECLARED,
        **dict.fromkeys((OBJECT, OLD_OBJECT), own.type),
        **({} if policy.param_kind is None else {PARAMS: DYN if params is None else params.type}),
        AUTHORIZER: accesschecks.AUTHORIZER,
        composition.VARIABLES: celtypes.struct(composition.STRUCT),
    }
    environment = environments.stored(profile).extend(variables, provider)
    for variable in policy.variables:
        fields[variable.name] = _type_of(variable, environment)
    return environment


def _type_of(variable: PolicyVariable, environment: Environment) -> Type:
    try:
        return composition.declare_variable(environment.compile(variable.expression).type)
    except CompileError:
        return DYN


class _Types:
    """Struct types of a kind, its params and admission, in this order."""

    def __init__(self, own: Declaration, params: Declaration | None, others: TypeProvider) -> None:
        declarations = [own] if params is None else [own, params]
        self._schemas = [SchemaDeclarations(item, schemadeclarations.structs(item)) for item in declarations]
        self._others = others

    def find_struct(self, name: str) -> Type | None:
        """Return the struct type with a name, or None."""
        types = (provider.find_struct(name) for provider in (*self._schemas, self._others))
        return next((type_ for type_ in types if type_ is not None), None)

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        """Return the type of a field, or None."""
        types = (provider.find_field(struct_name, field_name) for provider in (*self._schemas, self._others))
        return next((type_ for type_ in types if type_ is not None), None)


class _Served:
    """The served versions of CRDs; a CRD with taken names has none."""

    def __init__(self, crds: Iterable[CustomResourceDefinition]) -> None:
        self.kinds = {
            _Kind(crd.group, version.name, crd.kind): (crd, version)
            for crd in crds
            if crd.naming.is_accepted
            for version in crd.versions
            if version.served
        }

    def find(self, group: str, version: str, resource: str) -> list[_Kind]:
        """
        Return the kinds of a resource in a group; an empty group is any group.

        Reference:
            apimachinery api/meta/restmapper.go, ResourcesFor.
        """
        named = [
            kind
            for kind, (crd, _) in self.kinds.items()
            if kind.version == version and resource.lower() in _resources(crd)
        ]
        return [kind for kind in named if group in ("", kind.group)]

    def declare(self, kind: _Kind, profile: Profile) -> Declaration | None:
        """Return the declaration of the published schema of a kind; None if expressions cannot use its objects."""
        if kind not in self.kinds:
            return None
        _, version = self.kinds[kind]
        document = version.openapi(3)
        assert document is not None  # noqa: S101 - each version with policies has OpenAPI 3
        schemas = document["components"]["schemas"]
        own = next(schema for schema in schemas.values() if _is_of(schema, kind))
        schema = structural.from_schema(_resolved(own, schemas))
        return schemadeclarations.declare(schema, profile, f"{kind.kind}{_UNIQUE}", is_resource=True)


def _resources(crd: CustomResourceDefinition) -> tuple[str, str]:
    """Return the plural and the singular name of a CRD."""
    stored = crd.response.kept
    names = {} if stored is None else stored.value["spec"]["names"]
    return names.get("plural", ""), names.get("singular", "")


def _is_of(schema: Mapping[str, Any], kind: _Kind) -> bool:
    wanted = {"group": kind.group, "version": kind.version, "kind": kind.kind}
    return wanted in schema.get("x-kubernetes-group-version-kind", ())


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a published schema with the referred types in it, and without keywords that declare no types."""
    (referred,) = schema.get("allOf") or (schema,) if len(schema.get("allOf") or ()) < 2 else (schema,)
    reference = referred.get("$ref") or schema.get("$ref")
    if reference:
        return _resolved(schemas[reference.rpartition("/")[2]], schemas)
    resolved = {key: value for key, value in schema.items() if key in _KEPT}
    if "properties" in schema:
        resolved["properties"] = {name: _resolved(item, schemas) for name, item in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            resolved[key] = _resolved(schema[key], schemas)
    return resolved


_KEPT: Final = frozenset(
    {
        *("type", "format", "required", "default", "enum", "maxLength", "maxItems", "maxProperties"),
        *("x-kubernetes-int-or-string", "x-kubernetes-embedded-resource"),
    }
)


def _find_kinds(rules: Sequence[RequestRule], served: _Served) -> tuple[list[_Kind], list[str]]:
    """Return the sorted kinds of rules without wildcards, and the resources that no CRD has."""
    kinds: set[_Kind] = set()
    unknown: list[str] = []
    for rule in rules:
        if any(_WILDCARD in name for name in (*rule.api_groups, *rule.api_versions)):
            continue
        resources = sorted(name for name in rule.resources if not {_WILDCARD, "/"} & {*name})
        count = 0
        for group in sorted(rule.api_groups):
            for version in sorted(rule.api_versions):
                for resource in resources:
                    matching = served.find(group, version, resource)
                    unknown += [] if matching else [f"{group}/{version}, {resource}"]
                    for kind in matching:
                        kinds.add(kind)
                        count += 1
                        if count == _MOST_TYPES:
                            return sorted(kinds), unknown
    return sorted(kinds), unknown
