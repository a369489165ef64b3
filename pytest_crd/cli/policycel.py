"""Evaluation of an expression with the variables of an admission policy, for the command `cel`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression, CostBudget, Variables
from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.versionedobjects import VersionedObjects
from pytest_crd.cli import lookup, objectfiles
from pytest_crd.discovery import inifiles, policyfiles
from pytest_crd.engine import profile
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import ADMINISTRATOR, AdmissionRequest
from pytest_crd.engine.rules.trial import TrialError
from pytest_crd.policies import activation, compiledpolicies, reading
from pytest_crd.policies.composition import VARIABLES, LazyVariables
from pytest_crd.policies.definitions import Policy, PolicyBinding
from pytest_crd.policies.invocations import PolicyInvocation
from pytest_crd.policies.projectadmission import user_of
from pytest_crd.server.builtin import builtinkinds
from pytest_crd.webhooks.calledwebhooks import labelled

_BUDGET: Final = 10_000_000
_CREATE_OPTIONS: Final = {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group("expressions of admission policies")
    group.add_argument("--policy", metavar="NAME", help="an admission policy; the expression then has its variables")
    group.add_argument(
        "--policy-path",
        action="append",
        default=[],
        metavar="PATH",
        help="a file, a folder or a glob with the policy and its bindings; may be given several times; default: those "
        "of crd_policies in the ini file of the current folder",
    )
    group.add_argument("--params", metavar="FILE", help="a file with the param")
    group.add_argument("--namespace-object", metavar="FILE", help="a file with the Namespace of the object")
    group.add_argument("--user", metavar="NAME", help="the user of the request; default: an administrator")
    group.add_argument("--group", action="append", default=[], metavar="GROUP", help="a group of the user")


def run(options: argparse.Namespace) -> int:
    """
    Print the result of an expression; return 1 if it is false or an error.

    Raises:
        InputError: A file cannot be read, or the policies have mistakes.
        TrialError: There is no such policy, or the expression does not compile.
        UnsupportedExpressionError: The expression uses a feature that the server has and this engine has not.
    """
    named = profile.named(options.kubernetes_version)
    policy = _find_policy(options, named)
    compiled = compiledpolicies.compile(policy, named)
    expression = compiled.composition.compile(options.expression, ())
    if expression.problem:
        raise TrialError(expression.problem)
    budget = CostBudget(_BUDGET)
    bound = compiled.composition.bind(_variables(options, policy, named), budget)
    outcome = admissionexpressions.evaluate(expression, bound, budget)
    print("\n".join(_lines(outcome.problem, outcome.value, str(expression.type), _BUDGET - budget.left)))
    print("\n".join(f"  {line}" for line in _explain(expression, bound)))
    return 1 if outcome.problem or outcome.value is False else 0


def _lines(problem: str, value: object, type_: str, cost: int) -> Iterator[str]:
    yield f"error  {problem}" if problem else f"value  {spelling.value(value)}"
    yield f"type   {type_}"
    yield f"cost   {cost}"


def _explain(expression: AdmissionExpression, bound: Variables) -> Iterator[str]:
    """Yield the values of evaluated variables, then the values of the expression's parts."""
    lazy = bound[VARIABLES]
    assert isinstance(lazy, LazyVariables)  # noqa: S101 - composition binds it
    for name, value in lazy.values.items():
        spelled = f"error: {value}" if isinstance(value, Exception) else spelling.value(value)
        yield f"variables.{name} = {spelled}"
    assert expression.find_parts is not None  # noqa: S101 - it compiled
    yield from expression.find_parts(bound).lines


def _find_policy(options: argparse.Namespace, named: Profile) -> Policy:
    paths, commands, base = options.policy_path, (), Path.cwd()
    if not paths:
        path = inifiles.find_file(base)
        paths = () if path is None else inifiles.paths(path, policyfiles.SETTING)
    if not paths:
        raise TrialError("name the files of the policy with --policy-path, or set crd_policies in the ini file")
    manifests = policyfiles.read(paths, commands, base=base, folder=base)
    policies = reading.read(manifests, named).policies
    by_name = {bound.policy.name: bound.policy for bound in (*policies.validating, *policies.mutating)}
    if options.policy not in by_name:
        names = ", ".join(sorted(by_name))
        raise TrialError(f"no policy with a binding is called {options.policy!r}; there are: {names}")
    return by_name[options.policy]


def _variables(options: argparse.Namespace, policy: Policy, named: Profile) -> admissionexpressions.Variables:
    new, old = _read(options.self), _read(options.old)
    subject = new or old
    if subject is None:
        raise TrialError("name the file of the object with --self, or that of the old object with --old")
    request = _request(options, new, old, _resource(options, subject))
    invocation = matchcriteria.invocation(request, request.version)
    item = PolicyInvocation(policy, PolicyBinding("", policy.name), invocation, _read(options.params))
    namespace = _read(options.namespace_object) or (labelled(request.namespace) if request.namespace else None)
    return activation.activate(item, request, VersionedObjects(request, named), namespace).expressions


def _request(
    options: argparse.Namespace, new: JSONObject | None, old: JSONObject | None, resource: str
) -> AdmissionRequest:
    described = new or old or {}
    group, _, version = str(described.get("apiVersion", "")).rpartition("/")
    kind, metadata = str(described.get("kind", "")), described.get("metadata") or {}
    user = user_of({"username": options.user, "groups": options.group}) if options.user else ADMINISTRATOR
    return AdmissionRequest(
        operation="CREATE" if old is None else "DELETE" if new is None else "UPDATE",
        group=group,
        version=version,
        kind=kind,
        resource=resource,
        subresource="",
        name=metadata.get("name", ""),
        namespace=metadata.get("namespace", ""),
        object=new,
        old_object=old,
        options=_CREATE_OPTIONS,
        dry_run=False,
        user=user,
        interfaces=admission.single_version(str(described.get("apiVersion", ""))),
    )


def _resource(options: argparse.Namespace, stated: JSONObject) -> str:
    """Return the plural of an object's kind."""
    api_version, kind = stated.get("apiVersion"), stated.get("kind")
    for record in builtinkinds.records():
        if (record.api_version, record.kind) == (api_version, kind):
            return record.plural
    group = str(api_version).rpartition("/")[0]
    for crd in lookup.crds(options.crd_path, options.kubernetes_version):
        if (crd.group, crd.kind) == (group, kind):
            return crd.name.partition(".")[0]
    raise TrialError(f"no CRD and no built-in kind has the apiVersion {api_version} and the kind {kind}")


def _read(file: str | None) -> JSONObject | None:
    return None if file is None else objectfiles.read_one(file)
