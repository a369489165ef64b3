"""
The table of all options and ini keys, and their declaration.

Every session imports this module, even one without CRDs: it holds texts alone, and imports only pytest. Parsers and defaults are
in the module of each feature, which `setting.define` joins with a row. One table in one module has more lines than others.
"""

from __future__ import annotations

import argparse
import os
from typing import Any, Final, Literal

import pytest

# The session for CRDs alone, and its hidden options: the default baseline, and calls of webhooks.
ALONE: Final = "--crd-alone"
ALONE_DEST: Final = "crd_alone"
ALONE_WEBHOOKS: Final = "--crd-alone-webhooks"
ALONE_WEBHOOKS_DEST: Final = "crd_alone_webhooks"
# A hidden option of `pytest-crd test`: the format of the results on stdout, where pytest writes no lines then.
STDOUT: Final = "--crd-stdout"
STDOUT_DEST: Final = "crd_stdout"
# Titles of groups in `--help`, by their first option. In a group, pytest compares each option with all before it.
_GROUPS: Final = {
    "--crd-path": "Kubernetes CustomResourceDefinitions",
    "--crd-checks": "CustomResourceDefinitions: checks, upgrades and classes",
    "--crd-fill": "CustomResourceDefinitions: writing of case files",
    "--crd-live": "CustomResourceDefinitions: a real API server, and servers of tests",
    "--crd-cov": "CustomResourceDefinitions: coverage and reports",
}
SWITCH: Final = "bool"
# Whether the session has started: hooks of the project that are registered later do not count.
IS_CONFIGURED: Final[pytest.StashKey[bool]] = pytest.StashKey()
# Environment variables that code hosts set in their CI, and the variable of a session that a test started.
_CODE_HOSTS: Final = {"GITHUB_ACTIONS": "github", "GITLAB_CI": "gitlab"}
_NESTED: Final = "PYTEST_CURRENT_TEST"
_FIRST: Final = "crd_paths"
_PREFIX: Final = "crd_"

# In the order of `--help`: option, ini key (empty for none), type (pytest's name in ini files), placeholder of the value, how often the
# option counts (several times, the last time, or once: a second one is an error), the ini keys that it replaces in words; and the help.
OPTIONS: Final[
    tuple[tuple[tuple[str, str, Literal["args", "linelist", "string", "bool"], str, str, str], str], ...]
] = (
    (
        ("--crd-path", "crd_paths", "args", "VALUE", "several", "crd_paths, crd_commands and pytest_crd_manifests"),
        (
            "Files, folders and globs with CustomResourceDefinitions; `!pattern` excludes files. Default: the usual "
            "places, else the whole project."
        ),
    ),
    (
        ("--crd-command", "crd_commands", "linelist", "COMMAND", "several", "crd_commands"),
        "Commands that print manifests, one per line. They run without a shell, in the folder of the ini file.",
    ),
    (
        ("--crd-stored", "crd_stored", "args", "NAME", "several", "crd_stored"),
        "Names of CRDs that count as stored even if today's server refuses them.",
    ),
    (
        ("--crd-case-file", "crd_case_files", "args", "PATTERN", "several", "crd_case_files"),
        "Name patterns of case files. Default: test_*.crd.yaml test_*.crd.yml.",
    ),
    (
        ("--crd-kubernetes-version", "crd_kubernetes_version", "string", "VALUE", "several", "crd_kubernetes_version"),
        (
            "The Kubernetes versions of the answers. With several, every test runs once for each. Default: the newest "
            "version but previews."
        ),
    ),
    (
        ("--crd-sample", "crd_samples", "args", "PATH", "several", "crd_samples"),
        (
            "Files, folders and globs with custom resources for checks and upgrades; the server must accept them "
            "unchanged. `!pattern` excludes files, and `auto` means all of the project except test data. Default: "
            "`config/samples`, `examples`, `example` and `samples`."
        ),
    ),
    (
        ("--crd-python", "", "bool", "VALUE", "several", ""),
        (
            "Collect Python files even if checks or upgrades run without a path, in a project without pytest settings. "
            "`pytest-crd test` collects none, but loads `conftest.py` and plugins for `pytest_crd_manifests`."
        ),
    ),
    (
        ("--crd-webhook", "crd_webhooks", "linelist", "LINE", "several", "crd_webhooks and pytest_crd_webhooks"),
        (
            "Endpoints of the project's webhooks, one per line: `WHICH: HOW`. WHICH is `conversion`, `admission`, `all`, "
            "or the name of a webhook or CRD. HOW is a URL (`https://127.0.0.1:9443`, then `ca=FILE` if needed), or a "
            "command with `{port}` or `{cert_dir}` that starts a server. Default: no webhook is called."
        ),
    ),
    (
        (
            "--crd-webhook-configuration",
            "crd_webhook_configurations",
            "args",
            "PATH",
            "several",
            "crd_webhook_configurations",
        ),
        (
            "Files, folders and globs with MutatingWebhookConfigurations and ValidatingWebhookConfigurations; `!pattern` "
            "excludes files. Default: `config/webhook`, else the whole project except test data."
        ),
    ),
    (
        (
            "--crd-webhook-start-seconds",
            "crd_webhook_start_seconds",
            "string",
            "SECONDS",
            "last",
            "crd_webhook_start_seconds",
        ),
        "The time limit in seconds until a command of `crd_webhooks` accepts connections. Default: 60.",
    ),
    (
        ("--crd-policy", "crd_policies", "args", "PATH", "several", "crd_policies and crd_policies_commands"),
        (
            "Files, folders and globs with the admission policies of the project, their bindings and params; `!pattern` "
            "excludes files, and a folder with a kustomization stands for the files that it lists. Default: no policy is "
            "evaluated."
        ),
    ),
    (
        ("--crd-policies-command", "crd_policies_commands", "linelist", "COMMAND", "several", "crd_policies_commands"),
        (
            "Commands that print admission policies, their bindings and params, one per line. They run without a shell, "
            "in the folder of the ini file."
        ),
    ),
    (
        ("--crd-checks", "crd_checks", "bool", "VALUE", "several", ""),
        "Check every CRD and every sample without cases. Each check is a test.",
    ),
    (
        ("--crd-warnings", "crd_warnings", "string", "VALUE", "last", "crd_warnings"),
        "The effect of the server's warnings in checks: `show` (default) or `error`.",
    ),
    (
        ("--crd-lint", "crd_lints", "args", "NAME", "several", "crd_lints"),
        "Lints to run: names of mistakes that a server accepts. Default: none.",
    ),
    (
        ("--crd-rule-budget", "crd_rule_budget", "string", "VALUE", "last", "crd_rule_budget"),
        "The share of the server's cost budget that CEL rules may use in checks, such as `50%`. Default: 100%.",
    ),
    (
        ("--crd-checks-allow", "crd_checks_allow", "linelist", "ENTRY", "several", "crd_checks_allow"),
        (
            "Checks whose findings are allowed, one per line: `CHECK SUBJECT: REASON`, as in the name of the test. `*` "
            "matches any characters. Such a check is skipped if it fails; with `CHECK SUBJECT [warn]: REASON` its "
            "findings are warnings."
        ),
    ),
    (
        ("--crd-baseline", "crd_baseline", "string", "VALUE", "several", "crd_baseline"),
        (
            "The CustomResourceDefinitions of your users, for tests of upgrades: folders, files or `git:REF`. "
            "`git:latest-tag` is the last release; `auto` is the same, without an error if there is no release. "
            "`git:all-tags` is all releases."
        ),
    ),
    (
        ("--crd-baseline-rollback", "crd_baseline_rollback", "bool", "VALUE", "several", ""),
        "Also test a rollback: today's objects under the CustomResourceDefinitions of `crd_baseline`.",
    ),
    (
        ("--crd-baseline-allow", "crd_baseline_allow", "linelist", "ENTRY", "several", "crd_baseline_allow"),
        (
            "Allowed effects of upgrades, one per line: `NAME PATH KIND`, as printed by a failure. `*` means any name, "
            "path or kind, and `PATH.**` all paths below. `NAME PATH KIND: CAUSE` allows one of several effects with this path and kind. "
            "A line for a rollback begins with `rollback`."
        ),
    ),
    (
        ("--crd-baseline-migrated", "crd_baseline_migrated", "linelist", "ENTRY", "several", "crd_baseline_migrated"),
        (
            "Versions of CustomResourceDefinitions without stored objects, because they were migrated, one per line: "
            "`GROUP/VERSION: REASON`."
        ),
    ),
    (
        ("--crd-parity", "crd_parity", "linelist", "ENTRY", "several", "crd_parity"),
        (
            "Classes that must agree with a version of a CRD, one per line: `MODULE:CLASS = CRD/VERSION`, as in "
            "`myop.models:BackupSpec = backups.example.com/v1`. Each is a test."
        ),
    ),
    (
        ("--crd-parity-allow", "crd_parity_allow", "linelist", "ENTRY", "several", "crd_parity_allow"),
        (
            "Allowed differences between classes and CRDs, one per line: `CRD/VERSION FIELD KIND: REASON`, as printed by "
            "a failure. `*` matches any characters. Without `KIND`, all kinds are allowed."
        ),
    ),
    (
        ("--crd-fill", "", "bool", "VALUE", "several", ""),
        "Write observed answers into case files, in place of missing expectations and `TODO`.",
    ),
    (
        ("--crd-update", "", "bool", "VALUE", "several", ""),
        "Fill in, and correct failing cases whose verdict (accepted or refused) is unchanged.",
    ),
    (
        ("--crd-update-verdicts", "", "bool", "VALUE", "several", ""),
        "Update, and also correct cases whose verdict changed.",
    ),
    (
        ("--crd-generate", "", "args", "VALUE", "several", ""),
        "Write a case file for a CustomResourceDefinition instead of running tests: `NAME` or `NAME/VERSION`.",
    ),
    (
        ("--crd-generate-path", "", "args", "PATH", "several", ""),
        "Write only cases at this path or below it: `spec.tls`, `spec.items[*].name`.",
    ),
    (
        ("--crd-generate-all", "", "bool", "VALUE", "several", ""),
        (
            "Write all cases, without a limit, also for embedded Kubernetes types. Default: the most useful cases, in at "
            "most 600 lines, more for the enums, bounds and defaults of large CRDs."
        ),
    ),
    (
        ("--crd-live", "", "string", "URL|KUBECONFIG", "once", ""),
        (
            "Also send the requests of cases and checks to a real API server, and fail if its answer differs: a URL "
            "without credentials, as printed by `kubectl proxy`, or a kubeconfig. Created objects are removed again."
        ),
    ),
    (
        ("--crd-live-context", "", "string", "NAME", "once", ""),
        "The context of the kubeconfig of `--crd-live`.",
    ),
    (
        ("--crd-live-installed", "", "bool", "VALUE", "several", ""),
        (
            "Use the CustomResourceDefinitions installed on the server of `--crd-live`, with dry runs only. Nothing is "
            "created."
        ),
    ),
    (
        (
            "--crd-server-rbac",
            "crd_server_rbac",
            "args",
            "PATH",
            "several",
            "crd_server_rbac and crd_server_rbac_commands",
        ),
        (
            "Files, folders and globs with the Roles, ClusterRoles and bindings of `crd_server`; `!pattern` excludes "
            "files, and a folder with a kustomization stands for the files that it lists. Default: no roles but those of "
            "a new cluster."
        ),
    ),
    (
        (
            "--crd-server-rbac-command",
            "crd_server_rbac_commands",
            "linelist",
            "COMMAND",
            "several",
            "crd_server_rbac_commands",
        ),
        (
            "Commands that print the roles and bindings of `crd_server`, one per line. They run without a shell, in the "
            "folder of the ini file."
        ),
    ),
    (
        ("--crd-server-unvalidated", "crd_server_unvalidated", "string", "VALUE", "last", "crd_server_unvalidated"),
        (
            "The result of a test whose `crd_server` stored an object of a built-in kind without validation, or answered "
            "a request for another built-in kind with 404: `note` (default) adds a line to the summary, `error` fails the "
            "test."
        ),
    ),
    (
        (
            "--crd-server-unknown-fields",
            "crd_server_unknown_fields",
            "string",
            "VALUE",
            "last",
            "crd_server_unknown_fields",
        ),
        (
            "The result of a test whose `crd_server` dropped an unknown field: `note` (default) adds a line to the "
            "summary, `error` fails the test."
        ),
    ),
    (
        ("--crd-server-service-accounts", "crd_server_service_accounts", "bool", "VALUE", "several", ""),
        "Create the ServiceAccount `default` in each namespace of a `crd_server`, as kube-controller-manager does.",
    ),
    (
        (
            "--crd-server-admission-plugin",
            "crd_server_admission_plugins",
            "args",
            "NAME",
            "several",
            "crd_server_admission_plugins",
        ),
        (
            "Admission plugins of `crd_server` that are off by default on a server: `OwnerReferencesPermissionEnforcement`, "
            "which OpenShift has."
        ),
    ),
    (
        ("--crd-server-garbage-collection", "crd_server_garbage_collection", "bool", "VALUE", "several", ""),
        "Delete the objects of a `crd_server` whose owners are gone, as kube-controller-manager does.",
    ),
    (
        ("--crd-server-workloads", "crd_server_workloads", "bool", "VALUE", "several", ""),
        "Simulate the statuses of workloads, Pods and claims of a `crd_server`: all become ready, and Jobs complete.",
    ),
    (
        ("--crd-cov", "crd_cov", "bool", "VALUE", "several", ""),
        "Measure the coverage of schemas by tests.",
    ),
    (
        ("--crd-cov-report", "crd_cov_report", "args", "VALUE", "several", "crd_cov_report"),
        (
            "Coverage reports: `term` (default), `term-missing`, `json`, `html`, `lcov` or `cobertura`. `:FILE` after the "
            "last four sets the file, and `html:FOLDER/` writes a page for each CRD. An empty value means no report."
        ),
    ),
    (
        ("--crd-cov-fail-under", "crd_cov_fail_under", "string", "VALUE", "last", "crd_cov_fail_under"),
        "Fail if cases hold less than this percentage of the schemas' points, or see less of the policies' results.",
    ),
    (
        ("--crd-cov-seen", "crd_cov_seen", "bool", "VALUE", "several", ""),
        "Also count points that requests reach but no case holds.",
    ),
    (
        ("--crd-cov-exclude", "crd_cov_exclude", "linelist", "ENTRY", "several", "crd_cov_exclude"),
        (
            "Paths to exclude, one per line: `NAME PATH` or `NAME/VERSION PATH`. An entry excludes the path and all paths "
            "below."
        ),
    ),
    (
        ("--crd-cov-append", "", "bool", "VALUE", "several", ""),
        "Add the coverage of earlier runs, from `.crd_coverage`.",
    ),
    (
        ("--crd-annotations", "crd_annotations", "string", "VALUE", "last", "crd_annotations"),
        (
            "The code host for annotations at the lines of CRDs, samples and cases: `github`, `gitlab`, `never`, or "
            "`auto` (default), from the environment."
        ),
    ),
    (
        ("--crd-sarif", "", "string", "FILE", "last", ""),
        "Write failures as SARIF 2.1.0 into this file.",
    ),
    (
        ("--crd-json", "", "string", "FILE", "last", ""),
        "Write every verdict as JSON into this file.",
    ),
)


def declare(parser: pytest.Parser) -> None:
    """Declare the options and ini keys, and the hidden options."""
    for (option, ini, kind, placeholder, times, replaces), text in OPTIONS:
        if option in _GROUPS:
            group = parser.getgroup(option, _GROUPS[option])
        if ini:
            parser.addini(ini, text, type=kind, default=None)
        if kind == SWITCH:
            group.addoption(option, action="store_true", default=None, dest=ini or dest_of(option), help=text)
        else:
            several = " May be given several times." if times == "several" else ""
            help_text = f"{text}{several} Replaces {replaces}." if replaces else f"{text}{several}"
            group.addoption(
                option,
                action="store" if times == "last" else "append",  # only append shows that an option was given twice
                dest=ini or dest_of(option),
                metavar=placeholder,
                help=help_text.replace("%", "%%") if "%" in help_text else help_text,  # argparse formats the help
            )
    parser.addoption(ALONE, dest=ALONE_DEST, default=None, help=argparse.SUPPRESS)
    parser.addoption(
        ALONE_WEBHOOKS, dest=ALONE_WEBHOOKS_DEST, action="store_true", default=None, help=argparse.SUPPRESS
    )
    parser.addoption(STDOUT, dest=STDOUT_DEST, default=None, help=argparse.SUPPRESS)


def dest_of(option: str) -> str:
    """Return the attribute of the value of an option without an ini key in pytest's options."""
    return option[2:].replace("-", "_")


def are_declared(config: pytest.Config) -> bool:
    """Return whether the settings are declared; they are not if `-p no:crd` is given and the module is loaded all the same."""
    return hasattr(config.option, _FIRST)


def is_alone(config: pytest.Config) -> bool:
    """Return whether a session is for CRDs alone."""
    return getattr(config.known_args_namespace, ALONE_DEST, None) is not None  # also if the plugin is blocked


def find_code_host() -> str:
    """Return the code host that runs the session in its CI; empty outside of CI."""
    if _NESTED not in os.environ:
        for name, host in _CODE_HOSTS.items():
            if os.environ.get(name) == "true":
                return host
    return ""


def are_set(config: pytest.Config) -> bool:
    """
    Return whether any option or ini key has a value, or no `conftest.py` is loaded, which may hold hooks for CRDs.

    Raises:
        UsageError: A switch of the ini file is neither true nor false.
    """
    if config.option.noconftest:
        return True
    for dest, value in vars(config.option).items():
        if value is not None and dest[:4] == _PREFIX:
            return True
    has_ini = config.inipath is not None or config.option.override_ini
    return bool(has_ini) and any(ini and read_ini(config, ini, kind) for (_, ini, kind, *_), _ in OPTIONS)


def list_set(config: pytest.Config) -> list[str]:
    """
    Return the options that have a value, themselves or by their ini key.

    Raises:
        UsageError: A switch of the ini file is neither true nor false.
    """
    values = vars(config.option)
    return [
        option
        for (option, ini, kind, *_), _ in OPTIONS
        if values[ini or dest_of(option)] is not None or (ini and read_ini(config, ini, kind))
    ]


def read_ini(config: pytest.Config, ini: str, kind: str) -> Any:
    """
    Return the value of a key in the ini file as pytest reads it; None or an empty value if it is unset.

    Raises:
        UsageError: A switch is neither true nor false.
    """
    try:
        return config.getini(ini)
    except (TypeError, ValueError, pytest.UsageError) as error:
        if kind != SWITCH:
            raise
        raise pytest.UsageError(f"{ini}: {error}; write true or false") from None
