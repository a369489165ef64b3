"""The webhooks of a session: lines of `crd_webhooks`, and functions of `pytest_crd_webhooks`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd.plugin import projectwebhooks
from pytest_crd.plugin.settings import webhooks
from pytest_crd.webhooks.project import ProjectWebhooks
from pytest_crd.webhooks.transport import WebhookError

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session

NAMES: Final = """\
from pytest_crd.plugin import projectwebhooks

def test_it(request):
    webhooks = projectwebhooks.get_webhooks(request.config)
    assert webhooks is projectwebhooks.get_webhooks(request.config) is projectwebhooks.get_opened(request.config)
    print(f"NAMES {webhooks.names} {[item.where for item in webhooks.configurations]}")
"""
HOOKS: Final = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks: [{name: vbackup.kb.io}]
"""


def _hook(project: Project, body: str, name: str = "conftest.py", arguments: str = "config") -> None:
    project.write(
        name, f"import pytest\nfunction = lambda review: {{}}\n\ndef pytest_crd_webhooks({arguments}):\n    {body}\n"
    )


def _open(project: Project, *arguments: str) -> ProjectWebhooks | None:
    """Return the webhooks of a session that is not started."""
    config = project.parse(*arguments)
    settings = webhooks.read(config)
    if settings is not None:
        projectwebhooks.allow(config, settings, projectwebhooks.read_lines(config, settings))
    return projectwebhooks.get_webhooks(config)


def test_without_endpoints_no_webhook_is_called(empty: Project) -> None:
    assert _open(empty) is None


def test_lines_and_functions_are_endpoints(empty: Project) -> None:
    empty.ini("crd_webhooks =", "  all: https://127.0.0.1:1 ca=ca.crt", "  conversion: run ./hooks")
    _hook(empty, "return {'vbackup.kb.io': function}", arguments="")
    empty.write("config/webhook/manifests.yaml", HOOKS)
    empty.write("test_it.py", NAMES)

    result = empty.run("-s")

    result.assert_outcomes(passed=1)
    names = "('all: https://127.0.0.1:1', 'conversion: `./hooks`', 'vbackup.kb.io: conftest.py[[]vbackup.kb.io]')"
    result.stdout.fnmatch_lines([f"*NAMES {names} [[]'config/webhook/manifests.yaml:1']*"])


def test_the_option_replaces_lines_and_functions(empty: Project) -> None:
    empty.ini("crd_webhooks = all: https://127.0.0.1:1", "crd_webhook_configurations = hooks.yaml")
    _hook(empty, "raise Exception")
    empty.write("hooks.yaml", HOOKS)

    opened = _open(empty, "--crd-webhook", "admission: https://127.0.0.1:2 ca=ca.crt")

    assert opened is not None
    assert opened.names == ("admission: https://127.0.0.1:2",)
    assert [item.where for item in opened.configurations] == ["hooks.yaml:1"]


def test_wrong_lines_are_reported_at_once_with_their_places(empty: Project) -> None:
    empty.ini("crd_webhooks =", "  alle: https://127.0.0.1:1", "  all: https://127.0.0.1:1", "  conversion: hooks")

    with pytest.raises(pytest.UsageError) as error:
        _open(empty)

    pytest.LineMatcher(str(error.value).splitlines()).fnmatch_lines(
        [
            "*pytest.ini:3: crd_webhooks: 'alle: https://127.0.0.1:1': no webhook is called 'alle': write conversion, *",
            "*pytest.ini:5: crd_webhooks: 'conversion: hooks': no URL, and no command with {port} or {cert_dir}; *",
        ]
    )


def test_a_wrong_option_is_a_usage_error(empty: Project) -> None:
    result = empty.run("--crd-webhook", "hooks")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--crd-webhook: 'hooks': write WHICH: HOW, such as *"])


# The body of a hook, and lines about it behind the name of its file.
MISTAKES: Final = {
    "nothing": ("return", [" returns an object of the type NoneType; return a mapping to functions: *"]),
    "empty": ("return {}", [" returns an empty mapping; return a mapping to functions: *"]),
    "raises": ("raise LookupError('no size')", [" fails:", "*LookupError: no size"]),
    "skips": ("pytest.skip('not today')", [" fails:", "*Skipped: not today"]),
    "names": (
        "return {'every': function, 'all': 3}",
        [": no webhook is called 'every': write *", "*type int; return a *"],
    ),
    "number": ("return {3: function}", [": no webhook is called 3: write *"]),
}


def test_mistakes_of_hooks_name_their_files(empty: Project) -> None:
    for name, (body, _) in MISTAKES.items():
        _hook(empty, body, f"{name}.py")
    wrapper = "@pytest.hookimpl(wrapper=True)\ndef pytest_crd_webhooks():\n    return (yield)\n"
    empty.write("conftest.py", f"import pytest\npytest_plugins = {[*MISTAKES]}\n\n{wrapper}")

    with pytest.raises(WebhookError) as error:
        _open(empty)

    lines = pytest.LineMatcher(str(error.value).splitlines())
    for name, (_, (first, *others)) in MISTAKES.items():
        lines.fnmatch_lines([f"{name}: pytest_crd_webhooks{first}", *others])
    lines.fnmatch_lines(["conftest.py: pytest_crd_webhooks cannot be a wrapper: each returns its own functions"])


def test_an_endpoint_of_line_and_function_is_an_error(empty: Project) -> None:
    empty.ini("crd_webhooks = all: https://127.0.0.1:1")
    _hook(empty, "return {'all': function}")

    words = "conftest.py[all]: 'all' has an endpoint from pytest.ini:2: crd_webhooks, too: "
    with pytest.raises(WebhookError, match=f"^{re.escape(words)}"):
        _open(empty)


@pytest.mark.parametrize("option", [(), ("--crd-webhook=all: https://127.0.0.1:1",)])
def test_a_hook_that_is_registered_late_is_refused_if_it_would_count(empty: Project, option: tuple[str, ...]) -> None:
    _hook(empty, "return {'all': function}", "deep/down/conftest.py")
    empty.write("deep/down/test_it.py", "def test_it(): pass\n")

    result = empty.run(*option)

    if option:
        result.assert_outcomes(passed=1)
    else:
        result.stdout.fnmatch_lines(
            [
                "*deep/down/conftest.py: pytest_crd_webhooks is registered too late, after the start of the session: move it to *"
            ]
        )


def test_hooks_that_are_not_loaded_are_reported(empty: Project) -> None:
    _hook(empty, "return {'all': function}")
    empty.write("test_it.py", "def test_it(): pass\n")

    empty.run("--noconftest").stdout.fnmatch_lines(
        ["crd: no conftest.py is loaded: webhooks of pytest_crd_webhooks in conftest.py are not called"]
    )
    empty.crd()
    empty.run("--noconftest", "--crd-alone=").stdout.fnmatch_lines(
        ["crd: no conftest.py is loaded: *; --crd-python and --webhooks call them"]
    )
