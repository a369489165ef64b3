"""Random conversations with admission policies: policies, bindings, params, objects and users."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from conformance import policyconversations
from conformance.policyconversations import Conversation

# Expressions with a bool.
_CONDITIONS: Final = (
    "true", "false", "object == null", "oldObject == null", "oldObject != null", "has(object.spec)", "has(object.spec.size)",
    "object.spec.size < 5", "object.spec.size == 3", "object.spec.color == 'red'", "object.spec.missing == 1", "has(object.spec.any.a)", "object.spec.any.a == 1",
    "object.?spec.?size.orValue(0) < 5", "object.?spec.?tags.orValue([]).all(t, t != 'x')", "object.spec.tags.exists(t, t.startsWith('a'))",
    "object.spec.parts.all(p, p.weight > 1)", "object.spec.labels.exists(k, object.spec.labels[k] == k)", "'a' in object.spec.labels", "size(object.spec.tags) > 1",
    "object.metadata.name == 'a'", "object.metadata.name.startsWith('b') || object.spec.size > 1", "has(object.metadata.labels) && 'x' in object.metadata.labels",
    "oldObject == null || object.spec == oldObject.spec", "oldObject.spec.size <= object.spec.size", "object.spec.maybe == null", "1 / object.spec.size > 0",
    "request.operation == 'CREATE'", "request.operation != 'DELETE'", "request.dryRun", "request.name == 'a'", "request.namespace == '{ns}'", "request.?subResource.hasValue()",
    "request.userInfo.username == 'admin'", "'{ns}-writers' in request.userInfo.groups", "request.userInfo.groups.size() > 2", "has(request.userInfo.uid)",
    "request.kind.version == 'v1'", "request.requestKind.version == 'v1'", "request.kind.kind == 'Thing'", "request.options.kind == 'CreateOptions'", "has(request.options.fieldManager)",
    "object.spec.size == 1 && object.spec.missing == 2", "object.spec.missing == 2 || object.spec.size == 1", "object.spec.size > 2 ? object.spec.missing == 1 : true",
    "type(object.spec.size) == int", "object.spec.size == 3.0", "object.spec.size < 2.5", "object.spec.color.matches('^[a-z]+$')", "object.spec.color in ['red', 'blue']",
    "object.spec.any == {'a': 1}", "object.spec.tags == ['a', 'b']", "object.spec.size in [1, 2, 3]", "object.spec.size > 'a'", "object.spec.color > 1",
    "quantity(object.spec.color).isLessThan(quantity('1'))", "isQuantity(object.spec.color)", "object.spec.color.size() > 3", "int(object.spec.color) > 1",
    "dyn(object.spec).all(k, k != 'size')", "object.spec.exists(k, v, v == 3)", "object.spec.tags.map(t, t + 'x').filter(t, t != 'ax').size() == 1", "has(object.status.seen)",
    "object.status.seen > 2", "object.spec.replicas < 4", "object.kind == 'Scale'", "[object.spec.size].all(s, s * s < 20)", "optional.of(object.spec).?size.orValue(9) < 5",
)  # fmt: skip
_WITH_PARAMS: Final = (
    "params == null", "params != null && object.spec.size <= params.spec.max", "params.spec.max > 3", "object.spec.color in params.spec.names",
    "has(params.spec.names)", "params.metadata.name == 'low'", "params.spec.rules.x == 1",
)  # fmt: skip
_WITH_CONFIG_MAPS: Final = (
    "params == null", "params != null && object.spec.size <= int(params.data.max)", "params.data.max == '3'", "object.spec.color in params.data", "has(params.data)", "params.kind == 'ConfigMap'",
)  # fmt: skip
_WITH_AUTHORIZER: Final = (
    "authorizer.path('/allowed').check('get').allowed()", "authorizer.group('').resource('pods').namespace('{ns}').check('list').allowed()",
    "authorizer.requestResource.check('breakglass').allowed()", "authorizer.requestResource.check('update').allowed()",
    "authorizer.group('').resource('secrets').name('known').check('get').allowed()", "authorizer.group('').resource('secrets').name(object.metadata.name).check('get').reason() == ''",
    "authorizer.serviceAccount('{ns}', 'robot').group('').resource('pods').namespace('{ns}').check('list').allowed()",
)  # fmt: skip
_WITH_NAMESPACE: Final = (
    "namespaceObject.metadata.labels.env == 'prod'", "namespaceObject.metadata.labels.team == 'a'", "namespaceObject.metadata.name == '{ns}'", "namespaceObject.status.phase == 'Active'", "has(namespaceObject.metadata.annotations)",
)  # fmt: skip
_MESSAGES: Final = (
    "'fixed'", "'size ' + string(object.spec.size)", "string(object.spec.missing)", "''", "'a\\nb'", "'  x  '", "object.metadata.name + ' by ' + request.userInfo.username", "'%s'.format([object.spec.tags])",
    "'%s and %d'.format([object.spec.color, object.spec.size])", "request.operation + ' ' + request.kind.kind", "string(namespaceObject.metadata.labels.team)", "'%s'.format([object.spec])",
)  # fmt: skip
# Variables by name; later ones may name those before.
_VARIABLES: Final = (
    ("size", "object.spec.size"), ("spec", "object.spec"), ("tags", "has(object.spec.tags) ? object.spec.tags : []"), ("bad", "object.spec.missing"),
    ("count", "object.?spec.?tags.orValue([]).size()"), ("text", "'t' + object.metadata.name"), ("list", "[1, 2, 3]"), ("flag", "object.spec.size > 2"),
)  # fmt: skip
_WITH_VARIABLES: Final = {
    "size": ("variables.size < 5", "variables.size == 3"), "spec": ("has(variables.spec.size)", "variables.spec.size > 2"), "tags": ("variables.tags.size() > 0", "'a' in variables.tags"),
    "bad": ("variables.bad == 1", "object.spec.size == 1 || variables.bad == 2"), "count": ("variables.count == 2", "variables.count + 1 > 2"),
    "text": ("variables.text == 'ta'",), "list": ("variables.list.sum() == 6", "object.spec.size in variables.list"), "flag": ("variables.flag", "!variables.flag"),
}  # fmt: skip
_ANNOTATIONS: Final = (
    "'x'", "null", "''", "'size ' + string(object.spec.size)", "string(object.spec.missing)", "string(object.metadata.name)", "request.operation", "'  y '", "has(object.spec) ? string(object.spec.color) : 'none'",
)  # fmt: skip
_APPLIED: Final = (
    "Object{spec: Object.spec{size: 3}}", "Object{spec: Object.spec{color: 'blue'}}", "Object{metadata: Object.metadata{labels: {'m': 'y'}}}", "Object{metadata: Object.metadata{annotations: {'m': object.metadata.name}}}",
    "Object{spec: Object.spec{tags: ['a', 'z']}}", "Object{spec: Object.spec{parts: [Object.spec.parts{name: 'a', weight: 5}]}}", "Object{spec: Object.spec{parts: [Object.spec.parts{name: 'n'}, Object.spec.parts{name: 'm', tags: ['x']}]}}",
    "Object{spec: Object.spec{labels: {'a': 'x'}}}", "Object{spec: Object.spec{steps: ['a']}}", "Object{spec: Object.spec{fixed: Object.spec.fixed{a: 'x'}}}", "Object{spec: Object.spec{any: Object.spec.any{a: 1}}}",
    "Object{spec: Object.spec{nested: Object.spec.nested{deep: Object.spec.nested.deep{x: 'x'}}}}", "Object{spec: Object.spec{size: 100}}", "Object{spec: Object.spec{size: 'x'}}", "Object{spec: Object.spec{unknown: 1}}",
    "Object{spec: Object.spec{size: object.spec.missing}}", "Object{spec: Object.spec{maybe: null}}", "Object{spec: Object.spec{ratio: 1.5}}", "Object{spec: Object.spec{size: object.?spec.?size.orValue(0) + 1}}",
    "Object{status: Object.status{seen: 3}}", "Object{}", "Object{spec: Object.spec{?size: object.?spec.?any.?a}}", "Object{spec: Object.spec{nested: Object.spec.other{}}}", "Object{spec: Object.spec{either: object.spec.size > 2 ? dyn('x') : dyn(4)}}",
    "Object{spec: Object.spec{ports: [Object.spec.ports{port: 80, title: 'web'}]}}", "Object{metadata: Object.metadata{finalizers: ['example.com/f']}}", "has(object.spec.size) ? Object{spec: Object.spec{color: 'big'}} : Object{spec: Object.spec{size: 1}}",
)  # fmt: skip
_PATCHED: Final = (
    "JSONPatch{op: 'add', path: '/spec/color', value: 'blue'}", "JSONPatch{op: 'replace', path: '/spec/size', value: 2}", "JSONPatch{op: 'remove', path: '/spec/size'}", "JSONPatch{op: 'test', path: '/spec/size', value: 1}",
    "JSONPatch{op: 'add', path: '/spec/tags/-', value: 'z'}", "JSONPatch{op: 'add', path: '/spec/tags', value: ['p']}", "JSONPatch{op: 'add', path: '/metadata/labels', value: {'l': 'v'}}", "JSONPatch{op: 'copy', from: '/spec/size', path: '/spec/replicas'}",
    "JSONPatch{op: 'move', from: '/spec/color', path: '/spec/maybe'}", "JSONPatch{op: 'add', path: '/spec/any', value: {'a': {'b': 1}}}", "JSONPatch{op: 'add', path: '/spec/any', value: object.spec}", "JSONPatch{op: 'add', path: '/spec/size', value: 'x'}",
    "JSONPatch{op: 'add', path: '/spec/parts', value: [{'name': 'p'}]}", "JSONPatch{op: 'add', path: '/spec/labels/' + jsonpatch.escapeKey('a/b'), value: 'x'}", "JSONPatch{op: 'add', path: '/spec/unknown', value: 1}", "JSONPatch{op: 'add', path: '/spec/size', value: object.spec.missing}",
    "JSONPatch{op: 'replace', path: '/spec/parts/0/weight', value: 7}", "JSONPatch{op: 'add', path: '/spec/ratio', value: 2.5}", "JSONPatch{op: 'remove', path: '/spec'}", "JSONPatch{op: 'add', path: '/spec/nested', value: Object.spec.nested{deep: Object.spec.nested.deep{x: 'x'}}}",
)  # fmt: skip
_SPECS: Final[tuple[Any, ...]] = (
    {}, {"size": 1}, {"size": 3}, {"size": 7, "color": "blue"}, {"size": 2, "tags": ["a", "b"]}, {"tags": ["x"], "labels": {"a": "a"}}, {"any": {"a": 1}, "size": 5}, {"any": {"a": {"b": [1]}}}, {"parts": [{"name": "a"}, {"name": "b", "weight": 3}]},
    {"maybe": None, "size": 4}, {"color": "5", "size": 9}, {"color": "1Gi"}, {"size": 100}, {"size": "x"}, {"unknown": 1}, {"replicas": 2, "size": 3}, {"nested": {"deep": {}}}, {"ports": [{"port": 80}]}, {"ratio": 1.0}, {"labels": {"b": "c"}, "steps": ["s"]},
)  # fmt: skip
_DECLARED: Final = frozenset({"size", "color", "any", "replicas"})
_METADATA: Final[tuple[Any, ...]] = (
    {},
    {},
    {},
    {"labels": {"x": "1"}},
    {"labels": {"x": "2", "y": ""}},
    {"annotations": {"a": "b"}},
)
_OPERATIONS: Final = (["*"], ["*"], ["CREATE"], ["UPDATE"], ["CREATE", "UPDATE"], ["DELETE"])
_RESOURCES: Final = (
    ["things"],
    ["things"],
    ["*"],
    ["things", "things/status"],
    ["*/*"],
    ["things/*"],
    ["things/scale"],
)
_SELECTORS: Final[tuple[Any, ...]] = (
    {"matchLabels": {"x": "1"}},
    {"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]},
    {"matchExpressions": [{"key": "x", "operator": "In", "values": ["1", "2"]}]},
)
_NAMESPACES: Final[tuple[Any, ...]] = (
    {"matchLabels": {"env": "prod"}},
    {"matchLabels": {"env": "test"}},
    {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["b"]}]},
)
_ACTIONS: Final = (["Deny"], ["Deny"], ["Deny"], ["Warn"], ["Audit"], ["Warn", "Audit"], ["Deny", "Audit"])
_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_LABELS: Final[tuple[dict[str, str], ...]] = ({}, {"env": "prod"}, {"env": "test", "team": "a"}, {"team": "b"})
_USERS: Final[tuple[Any, ...]] = (
    None,
    None,
    None,
    {"name": "jane", "groups": ["{ns}-writers"]},
    {"name": "john", "groups": ["{ns}-writers", "others"], "uid": "u1"},
    {"name": "system:serviceaccount:{ns}:robot", "groups": ["{ns}-writers"]},
)
_ACCESS: Final[list[Any]] = [
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "{ns}-all"}, "rules": [{"apiGroups": ["{ns}.example.com"], "resources": ["*"], "verbs": ["get", "list", "create", "update", "patch", "delete", "deletecollection"]}, {"nonResourceURLs": ["/allowed"], "verbs": ["get"]}, {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["known", "a"], "verbs": ["get"]}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "{ns}-all"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "{ns}-all"}, "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "{ns}-writers"}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "pods"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "pods"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "pods"}, "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "{ns}"}, {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "john"}]},
]  # fmt: skip
_CONFIG_MAPS: Final = ({"name": "low", "labels": {"use": "yes"}}, {"name": "high"})


def conversation(random: Random, number: int, length: int) -> Conversation:
    """
    Return a random conversation.

    Several denials at once would be in random order, so there is one validating policy with the action Deny. Up to three mutating policies
    make answers that may depend on their order.

    Args:
        random: The source of randomness.
        number: The number of the conversation, for its name.
        length: The number of requests.
    """
    crds, params = random.choice((["typed"], ["typed"], ["two"])), random.choice(("", "", "ConfigMap", "Limit"))
    objects: list[Any] = [*_ACCESS, *_params(random, params)]
    declared: dict[str, Any] = {
        "name": str(number),
        "crds": [*crds, *(["limits"] if params == "Limit" else [])],
        "labels": random.choice(_LABELS),
        "objects": objects,
        "requests": [_request(random, place, crds[0]) for place in range(length)],
    }
    if random.random() < 0.8:
        policy = _policy(random, params)
        declared |= {
            "policies": {"one": policy},
            "bindings": _bindings(random, params, is_one="auditAnnotations" in policy),
        }
    if random.random() < 0.6 or "policies" not in declared:
        declared |= {
            "mutations": {"set": _mutating(random, params)},
            "mutationBindings": {"set": _binding(random, params)},
        }
        for name in ("alter", "touch")[: random.choice((0, 0, 0, 1, 1, 2))]:
            declared["mutations"][name] = _mutating(random, params)
            declared["mutationBindings"][name] = _binding(random, params)
    return policyconversations.conversation("random", json.loads(json.dumps(declared)))


def _params(random: Random, kind: str) -> list[Any]:
    if kind == "ConfigMap":
        data: tuple[dict[str, str], ...] = ({}, {"max": "3"}, {"max": "5", "red": "x"})
        return [
            {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": random.choice(data)}
            for metadata in _CONFIG_MAPS
        ]
    specs: tuple[Any, ...] = ({}, {"max": 3}, {"max": 6, "names": ["red", "blue"]}, {"rules": {"x": 1}})
    return [{"apiVersion": "{ns}.example.com/v1", "kind": kind, "metadata": metadata, "spec": random.choice(specs)} for metadata in _CONFIG_MAPS] if kind else []  # fmt: skip


def _expression(random: Random, params: str, *, conditions: Sequence[str] = (), authorizer: bool = True, namespace: bool = True) -> str:  # fmt: skip
    chance = random.random()
    if conditions and chance < 0.4:
        return random.choice(conditions)
    if params and chance < 0.5:
        return random.choice(_WITH_CONFIG_MAPS if params == "ConfigMap" else _WITH_PARAMS)
    if authorizer and chance < 0.57:
        return random.choice(_WITH_AUTHORIZER)
    if namespace and chance < 0.64:
        return random.choice(_WITH_NAMESPACE)
    if chance < 0.7:
        joined = random.choice((" && ", " || ")).join(random.choice(_CONDITIONS) for _ in range(2))
        return f"!({joined})" if chance < 0.66 else joined
    return random.choice(_CONDITIONS)


def _common(random: Random, params: str, operations: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the fields that both kinds of policies have."""
    rule: dict[str, Any] = {"operations": random.choice(operations), "apiGroups": ["{ns}.example.com"], "apiVersions": random.choice((["*"], ["*"], ["v1"])), "resources": random.choice(_RESOURCES)}  # fmt: skip
    if random.random() < 0.1:
        rule["resourceNames"] = ["a"]
    if random.random() < 0.1:
        rule["scope"] = random.choice(("Namespaced", "Cluster"))
    constraints: dict[str, Any] = {"resourceRules": [rule]}
    if random.random() < 0.1:
        constraints["excludeResourceRules"] = [{**rule, "operations": ["UPDATE"], "resourceNames": ["b"]}]
    constraints |= _selection(random)
    policy: dict[str, Any] = {"matchConstraints": constraints}
    if random.random() < 0.4:
        policy["failurePolicy"] = random.choice(("Ignore", "Fail"))
    if random.random() < 0.3:
        policy["matchConditions"] = {f"c{place}": _expression(random, params, namespace=False) for place in range(random.randint(1, 2))}  # fmt: skip
    if random.random() < 0.5:
        policy["variables"] = dict(random.sample(_VARIABLES, random.randint(1, 3)))
    if params:
        policy["paramKind"] = {"apiVersion": "v1" if params == "ConfigMap" else "{ns}.example.com/v1", "kind": params}
    return policy


def _selection(random: Random) -> dict[str, Any]:
    selection: dict[str, Any] = {}
    if random.random() < 0.15:
        selection["objectSelector"] = random.choice(_SELECTORS)
    if random.random() < 0.15:
        selection["namespaceSelector"] = random.choice(_NAMESPACES)
    if random.random() < 0.2:
        selection["matchPolicy"] = random.choice(("Exact", "Equivalent"))
    return selection


def _policy(random: Random, params: str) -> dict[str, Any]:
    policy = _common(random, params, _OPERATIONS)
    conditions = [each for name in policy.get("variables", ()) for each in _WITH_VARIABLES[name]]
    validations = []
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        validation = {"expression": _expression(random, params, conditions=conditions)}
        if random.random() < 0.4:
            validation["message"] = random.choice(("fixed", " trimmed "))
        if random.random() < 0.4:
            validation["messageExpression"] = random.choice(_MESSAGES)
        if random.random() < 0.3:
            validation["reason"] = random.choice(_REASONS)
        validations.append(validation)
    if validations:
        policy["validations"] = validations
    if not validations or random.random() < 0.2:
        policy["auditAnnotations"] = {f"k{place}": random.choice(_ANNOTATIONS) for place in range(random.randint(1, 2))}
    return policy


def _mutating(random: Random, params: str) -> dict[str, Any]:
    policy = _common(random, params, (["CREATE"], ["CREATE", "UPDATE"], ["UPDATE"], ["*"]))
    if random.random() < 0.3:
        policy["reinvocationPolicy"] = "IfNeeded"
    policy["mutations"] = [_mutation(random) for _ in range(random.choice((1, 1, 2, 3)))]
    return policy


def _mutation(random: Random) -> str:
    if random.random() < 0.6:
        return random.choice(_APPLIED)
    return f"[{', '.join(random.choice(_PATCHED) for _ in range(random.choice((1, 1, 2, 3))))}]"


def _bindings(random: Random, params: str, *, is_one: bool) -> dict[str, Any]:
    """Return one binding or, unless *is_one*, perhaps two: only the first may deny and audit, as their order is random."""
    if is_one or random.random() < 0.8:
        return {"one": {"validationActions": random.choice(_ACTIONS), **_binding(random, params)}}
    first = {"policy": "one", "validationActions": random.choice((["Deny"], ["Audit"])), **_binding(random, params)}
    return {
        "first": first,
        "second": {"policy": "one", "validationActions": ["Warn"], **_binding(random, params, is_sure=True)},
    }


def _binding(random: Random, params: str, *, is_sure: bool = False) -> dict[str, Any]:
    """Return fields of a binding; *is_sure* leaves out params that may be missing, as another binding may deny, too."""
    binding: dict[str, Any] = {}
    if random.random() < 0.2:
        binding["matchResources"] = _selection(random)
    if params and (is_sure or random.random() < 0.9):
        name = {"name": random.choice(("low", "high") if is_sure else ("low", "low", "high", "gone"))}
        selected = {"selector": {"matchLabels": {"use": random.choice(("yes",) if is_sure else ("yes", "yes", "no"))}}}
        binding["paramRef"] = {
            **random.choice((name, name, selected)),
            **random.choice(({}, {"namespace": "{ns}"})),
            "parameterNotFoundAction": random.choice(("Allow", "Deny")),
        }
    return binding


def _request(random: Random, place: int, crd: str) -> dict[str, Any]:
    version = random.choice(("v1", "v1", "v2")) if crd == "two" else "v1"
    request: dict[str, Any] = {"version": version, "name": random.choice("aab")}
    if user := random.choice(_USERS):
        request["user"] = user
    if random.random() < 0.1:
        request["query"] = random.choice(("dryRun=All", "fieldValidation=Strict", "fieldManager=me"))
    # Of several undeclared fields, a server names a random one.
    specs = _SPECS if crd == "typed" else [spec for spec in _SPECS if len({*spec} - _DECLARED) < 2]
    body = {"spec": random.choice(specs), **({"metadata": metadata} if (metadata := random.choice(_METADATA)) else {})}
    verbs = ("create", "create", "create", "create", "merge", "merge", "apply", "apply", "delete", "status", "json")
    verb = random.choice((*verbs, "scale", "deleteAll")) if crd == "two" else random.choice((*verbs, "deleteAll"))
    if verb == "create" or place == 0:
        if random.random() < 0.05:
            body["metadata"] = {"generateName": "gen-", **body.get("metadata", {})}
            request["query"] = "dryRun=All"  # stored ones would be listed in random order
        return {**request, "create": body}
    if verb == "status":
        return {**request, "merge": {"status": {"seen": random.randint(0, 5)}}, "sub": "status"}
    if verb == "scale":
        return {**request, "merge": {"spec": {"replicas": random.randint(0, 5)}}, "sub": "scale"}
    if verb == "json":
        return {**request, "json": [{"op": "add", "path": "/spec", "value": body["spec"]}]}
    bodies = {"merge": body, "apply": body}
    return {**request, verb: bodies.get(verb)}
