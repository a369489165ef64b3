"""Sessions with admission policies, in cases and on servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: timers.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: timers, singular: timer, kind: Timer, listKind: TimerList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {seconds: {type: integer}, owner: {type: string}}}}
"""
POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: short-timers}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [timers]}]
  matchConditions: [{name: people, expression: "!('robots' in request.userInfo.groups)"}]
  validations:
  - expression: object.spec.seconds <= int(params.data.max)
    messageExpression: "'at most ' + params.data.max + ' in ' + namespaceObject.metadata.labels.team"
    reason: Forbidden
  - expression: authorizer.group('stories.example.com').resource('timers').check('own').allowed()
    message: not an owner
"""
BINDING = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: short-timers}
spec: {policyName: short-timers, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}}
"""
PARAM = "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {max: '60'}}\n"
CASES = """\
crd: timers.stories.example.com
create:
- name: long timers
  namespaceObject: {metadata: {labels: {team: a}}}
  input: {spec: {seconds: 61}}
  denied: [{by: short-timers, message: at most 60 in a, reason: Forbidden}]
- name: longer timers
  params: [{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {max: '90'}}]
  input: {spec: {seconds: 61}}
  accepted: true
- name: not an owner
  user: {username: jane, groups: [people]}
  authorizer: [{verbs: [get], apiGroups: [stories.example.com], resources: [timers]}]
  input: {spec: {seconds: 1}}
  denied: [{by: short-timers, message: not an owner, reason: Invalid}]
- name: an owner
  user: {username: jane}
  authorizer: [{verbs: [own], apiGroups: [stories.example.com], resources: [timers]}]
  input: {spec: {seconds: 1}}
  accepted: true
- name: a robot
  user: {username: r2, groups: [robots]}
  input: {spec: {seconds: 100}}
  accepted: true
"""


@pytest.fixture
def timers(empty: Project) -> Project:
    """A project with a CRD, a policy with its binding and param, and cases."""
    empty.write("config/crd/bases/timers.yaml", CRD)
    empty.write("config/policies/policy.yaml", f"{POLICY}---\n{BINDING}---\n{PARAM}")
    empty.write("test_timers.crd.yaml", CASES)
    empty.ini("crd_policies = config/policies")
    return empty


UNKNOWN = """\
crd: timers.stories.example.com
create: [{name: unknown roles, user: {username: jane}, input: {spec: {seconds: 1}}, accepted: true}]
"""


def test_cases_ask_the_policies_and_those_that_match_no_request_are_named(timers: Project) -> None:
    """Unknown roles are no answer."""
    idle = (
        (POLICY + "---\n" + BINDING).replace("short-timers", "idle").replace("apiVersions: [v1]", "apiVersions: [v2]")
    )
    timers.write("config/policies/idle.yaml", idle)
    timers.cases(UNKNOWN, "test_unknown.crd.yaml")

    whole = timers.run("-v")

    whole.assert_outcomes(passed=5, failed=1)
    whole.stdout.fnmatch_lines(
        [
            "crd: admission policies from config/policies",
            '*the authorizer in expressions of admission for the user "jane"*',
            "crd: no request of the session matches these policies: idle (config/policies/idle.yaml:1)",
        ]
    )
    timers.run("-k", "robot").stdout.no_fnmatch_line("*no request of the session*")


def test_facts_of_a_case_without_policies_are_a_mistake(timers: Project) -> None:
    timers.ini()
    result = timers.run()
    result.assert_outcomes(failed=5)
    words = "`namespaceObject` does nothing, as no admission policy is asked: set crd_policies"
    result.stdout.fnmatch_lines([f"test_timers.crd.yaml:4: {words}"])


LIMITS = """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.stories.example.com}
spec:
  group: stories.example.com
  scope: Cluster
  names: {plural: limits, singular: limit, kind: Limit, listKind: LimitList}
  versions:
  - &version
    name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {max: {type: integer, default: 60}}}}
  - {<<: *version, name: v1beta1, storage: false}
"""
LIMIT = "{apiVersion: stories.example.com/%s, kind: Limit, metadata: {name: limits}%s}"


@pytest.fixture
def limits(timers: Project) -> Project:
    """A project whose policy has custom resources as params."""
    timers.write("config/crd/bases/timers.yaml", CRD + LIMITS)
    policy = POLICY.partition("    messageExpression")[0].replace(
        "apiVersion: v1, kind: ConfigMap", "apiVersion: stories.example.com/v1, kind: Limit"
    )
    policy = policy.replace("int(params.data.max)", "params.max")
    timers.write("config/policies/policy.yaml", f"{policy}---\n{BINDING}---\n{LIMIT % ('v1beta1', '')}\n")
    return timers


def _cases(param: str) -> str:
    return f"""\
crd: timers.stories.example.com
create:
- name: a
  params: [{param}]
  input: {{spec: {{seconds: 61}}}}
  denied: [{{by: short-timers}}]
"""


# The params of a case, and the words about them.
PARAMS = {
    "project": ("", ""),
    "default": (LIMIT % ("v1", ""), ""),
    "converted": (LIMIT % ("v1beta1", ", max: 60"), ""),
    "invalid": (
        LIMIT % ("v1", ", max: 60.5"),
        'cannot be stored: *Limit.stories.example.com "limits" is invalid: ?max: Invalid value: *',
    ),
    "type": (
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {max: 60}}",
        "cannot be stored: *cannot unmarshal number*",
    ),
    "unknown": (LIMIT % ("v1", ", most: 60"), 'cannot be stored: *unknown field "most"*'),
    "version": (
        LIMIT % ("v2", ""),
        "cannot be stored: *Kubernetes 1.37 does not serve Limit of stories.example.com/v2",
    ),
    "unread": (
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}}",
        "does nothing, as no policy reads it: their params are Limit of stories.example.com",
    ),
}


def test_params_have_the_defaults_and_version_of_their_crd_and_others_are_mistakes(limits: Project) -> None:
    (limits.path / "test_timers.crd.yaml").unlink()
    for name, (param, _) in PARAMS.items():
        limits.write(f"test_{name}.crd.yaml", _cases(param))

    result = limits.run()

    result.assert_outcomes(passed=3, failed=5)
    for name, (_, words) in PARAMS.items():
        file = f"test_{name}.crd.yaml"
        result.stdout.fnmatch_lines([f"{file}:4: 'params?0?' of *a* {words}" if words else f"{file} .*"])


def test_params_of_the_project_that_no_server_stores_are_mistakes(timers: Project) -> None:
    timers.write("config/policies/policy.yaml", f"{POLICY}---\n{BINDING}---\n{PARAM.replace('v1', 'v3', 1)}")
    result = timers.run()
    result.assert_outcomes(failed=4, passed=1)  # a case has its own ConfigMap
    result.stdout.fnmatch_lines(["config/policies/policy.yaml:*: Kubernetes 1.37 does not serve ConfigMap of v3"])


def test_the_roles_of_the_project_answer_the_authorizer(timers: Project) -> None:
    rule = "{verbs: [own], apiGroups: [stories.example.com], resources: [timers]}"
    timers.write(
        "config/rbac/roles.yaml",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: owner}\n"
        f"rules: [{rule}]\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: owner}\n"
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: owner}\n"
        "subjects: [{kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}]\n",
    )
    timers.write(
        "test_timers.crd.yaml",
        "crd: timers.stories.example.com\n"
        "create:\n"
        "- {name: a, user: {username: jane}, input: {spec: {seconds: 1}}, accepted: true}\n"
        "- {name: b, user: {username: joe}, input: {spec: {seconds: 1}}, denied: [{by: short-timers}]}\n",
    )
    timers.ini("crd_policies = config/policies", "crd_server_rbac = config/rbac")
    timers.run().assert_outcomes(passed=2)


def test_a_policy_without_an_effect_is_a_mistake_and_coverage_is_not_known(timers: Project) -> None:
    timers.write("config/policies/policy.yaml", POLICY)

    result = timers.run("--crd-cov", "--crd-cov-fail-under=1")

    result.assert_outcomes(failed=5)
    words = "config/policies/policy.yaml:1: the policy short-timers has no binding, so it has no effect"
    result.stdout.fnmatch_lines([words + "*", f"crd: coverage of policies is not known: {words}*"])


def test_coverage_names_the_results_that_no_passed_test_has_seen(timers: Project) -> None:
    head, _, rest = CASES.partition("- name: not an owner")
    timers.write("test_timers.crd.yaml", f"{head}- name: not an owner{rest.partition('- name: a robot')[0]}")
    result = timers.run("--crd-cov")
    result.stdout.fnmatch_lines(
        [
            "*coverage of admission policies*",
            "config/policies/policy.yaml:1: short-timers: 7 of 8 results",
            "  not seen: matchConditions[[]0] is false",
        ]
    )
    assert result.ret == 0


ROBOT = "{name: a robot, user: {username: r2, groups: [robots]}, input: {spec: {seconds: 100}}, error: too long}"
# A section of cases, options, and a line of the report.
LITTLE = {
    "too little": (
        "pruning: [{name: a, input: {}, expected: {}}]",
        (),
        "crd: coverage of admission policies is 0%, less than the 1% of crd_cov_fail_under",
    ),
    "earlier runs": (
        "pruning: [{name: a, input: {}, expected: {}}]",
        ("--crd-cov-append",),
        "crd: results of earlier runs do not count, so crd_cov_fail_under is not applied to 0 of 8 results",
    ),
    "a failed case": (
        f"create: [{ROBOT}]",
        (),
        "crd: coverage of admission policies is 0%, less than the 1% of crd_cov_fail_under",
    ),
}


@pytest.mark.parametrize(("cases", "options", "line"), LITTLE.values(), ids=LITTLE)
def test_too_few_results_fail_a_session(timers: Project, cases: str, options: tuple[str, ...], line: str) -> None:
    timers.write("test_timers.crd.yaml", f"crd: timers.stories.example.com\n{cases}\n")
    result = timers.run("--crd-cov", "--crd-cov-fail-under=1", *options)
    result.stdout.fnmatch_lines([line])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.long
@pytest.mark.counted("pytest_crd.plugin.features.policies.hooks")
@pytest.mark.session
def test_workers_measure_the_coverage_together(timers: Project) -> None:
    result = timers.run("--crd-cov", "-n2", "-p", "xdist", "-p", "pytest_crd.plugin")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["config/policies/policy.yaml:1: short-timers: 8 of 8 results"])


@pytest.mark.session
def test_a_server_stores_policies_and_counts_their_results_in_passed_tests(timers: Project) -> None:
    timers.write(
        "test_server.py",
        "import pytest\n"
        "from pytest_crd.server.resourceaccess import RequestFailedError\n\n"
        "@pytest.fixture\n"
        "def short(crd_server):\n"
        "    crd_server['timers'].create({'metadata': {'name': 'b'}, 'spec': {'seconds': 1}})\n\n"
        "def test_fails(short):\n"
        "    assert False\n\n"
        "def test_it(crd_server):\n"
        "    for _ in range(2):\n"
        "        with pytest.raises(RequestFailedError, match=\"'short-timers' with binding\"):\n"
        "            crd_server['timers'].create({'metadata': {'name': 'a'}, 'spec': {'seconds': 61}})\n"
        "        assert crd_server['validatingadmissionpolicies'].get('short-timers')['spec']['failurePolicy'] == 'Fail'\n"
        "        crd_server.reset()\n",
    )
    result = timers.run("--crd-cov", "test_server.py")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["config/policies/policy.yaml:1: short-timers: 4 of 8 results"])


@pytest.mark.session
def test_a_server_refuses_policies_of_kinds_that_it_does_not_serve(timers: Project) -> None:
    timers.write("test_server.py", "def test_it(crd_server):\n    pass\n")
    timers.write("config/policies/other.yaml", "{apiVersion: b.example.com/v1, kind: Limit, metadata: {name: a}}\n")
    result = timers.run("test_server.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*Kubernetes 1.37 does not serve Limit of b.example.com/v1*"])


ORDERED = """\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {{name: {0}}}
spec:
  matchConstraints:
    resourceRules: [{{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [timers]}}]
  reinvocationPolicy: Never
  mutations: [{{patchType: ApplyConfiguration, applyConfiguration: {{expression: "Object{{spec: Object.spec{{owner: '{0}'}}}}"}}}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {{name: {0}}}
spec: {{policyName: {0}}}
"""


@pytest.mark.session
def test_answers_that_depend_on_the_order_of_policies_fail_cases_and_are_warnings_of_servers(timers: Project) -> None:
    timers.write("config/policies/policy.yaml", "---\n".join(map(ORDERED.format, ("jack", "jane"))))
    case = "{name: a, input: {spec: {seconds: 1}}, accepted: true}"
    timers.write("test_timers.crd.yaml", f"crd: timers.stories.example.com\ncreate:\n- {case}\n")
    timers.write(
        "test_server.py",
        "def test_it(crd_server):\n    crd_server['timers'].create({'metadata': {'name': 'a'}, 'spec': {'seconds': 1}})\n",
    )
    result = timers.run("test_server.py", "test_timers.crd.yaml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "  the answer depends on the order of mutating admission policies, which is random on a server:",
            '    jack, jane: 201, spec.owner: "jane"',
            '    jane, jack: 201, spec.owner: "jack"',
            "*crd_server: warning: the answer depends on the order of mutating admission policies, *:",
            '*    jack, jane: 201, spec.owner: "jane"',
        ]
    )
