"""
The webhooks of a session's project, which `crd_webhooks` and the hook `pytest_crd_webhooks` name.

A hook is called when the first webhook is needed, in each process that needs one.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import pytest

from pytest_crd.discovery import webhookfiles
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.plugin import manifests, progressline
from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.webhooks import FIND_WEBHOOKS, HOOK, WEBHOOKS, FindWebhooks, WebhookSettings
from pytest_crd.webhooks import endpoints
from pytest_crd.webhooks.calledwebhooks import CalledWebhooks
from pytest_crd.webhooks.commands import CommandLimits
from pytest_crd.webhooks.endpoints import Assignment, FunctionEndpoint, UrlEndpoint
from pytest_crd.webhooks.project import ProjectWebhooks
from pytest_crd.webhooks.transport import WebhookError

_SHAPE: Final = 'return a mapping to functions: {"conversion": convert, "vbackup.kb.io": validate}'


class _Endpoints(NamedTuple):
    settings: WebhookSettings
    assignments: tuple[Assignment, ...]


_ENDPOINTS: Final[pytest.StashKey[_Endpoints]] = pytest.StashKey()
_WEBHOOKS: Final[pytest.StashKey[ProjectWebhooks]] = pytest.StashKey()


def allow(config: pytest.Config, settings: WebhookSettings, assignments: tuple[Assignment, ...]) -> None:
    """Let `get_webhooks` return the webhooks of the settings, and end them with the session."""
    config.stash[_ENDPOINTS] = named = _Endpoints(settings, assignments)
    find: FindWebhooks = functools.partial(_find_called, config, named)
    config.stash[FIND_WEBHOOKS] = find
    config.add_cleanup(functools.partial(_end, config))


def get_webhooks(config: pytest.Config) -> ProjectWebhooks | None:
    """
    Return the webhooks of the session's project; None if no webhook is to be called.

    Raises:
        WebhookError: A hook has mistakes, or two endpoints are for the same webhooks.
    """
    named = config.stash.get(_ENDPOINTS, None)
    return None if named is None else _open(config, named)


def _open(config: pytest.Config, named: _Endpoints) -> ProjectWebhooks:
    if _WEBHOOKS not in config.stash:
        settings = named.settings
        config.stash[_WEBHOOKS] = ProjectWebhooks(
            (*named.assignments, *_call_hooks(config, settings)),
            base=settings.folder,
            read_configurations=functools.partial(_read_configurations, settings),
            limits=CommandLimits(seconds=settings.seconds, progress=progressline.get_progress(config)),
        )
    return config.stash[_WEBHOOKS]


def _find_called(config: pytest.Config, named: _Endpoints, crds: Mapping[str, bool]) -> CalledWebhooks:
    """
    Return the session's webhooks as the engine calls them.

    Args:
        config: The session's configuration.
        named: The endpoints.
        crds: Whether a webhook converts the objects of a CRD, by the names of the project's CRDs.

    Raises:
        InputError: A hook or a configuration has mistakes; or an endpoint is for a webhook that is unknown or never called.
    """
    project = _open(config, named)
    project.check_names(crds)
    project.check_conversions(crds)
    return CalledWebhooks(project)


def get_opened(config: pytest.Config) -> ProjectWebhooks | None:
    """Return the webhooks if a test has needed them; else None."""
    return config.stash.get(_WEBHOOKS, None)


def close(config: pytest.Config) -> list[str]:
    """End the commands of the webhooks, and return notes about them."""
    opened = config.stash.get(_WEBHOOKS, None)
    return [] if opened is None else opened.close()


def _end(config: pytest.Config) -> None:
    close(config)


def read_lines(config: pytest.Config, settings: WebhookSettings) -> tuple[Assignment, ...]:
    """
    Return the assignments of the lines.

    Raises:
        UsageError: The wrong lines, each with its place; or certificates outside of the project.
    """
    assignments: list[Assignment] = []
    problems: list[str] = []
    entry = WEBHOOKS.find_entry(config)
    for line in settings.lines:
        source = _source_of(config, line)
        try:
            which, endpoint = endpoints.parse(line)
        except ValueError as error:
            problems.append(f"{source}: {error}")
            continue
        if isinstance(endpoint, UrlEndpoint) and endpoint.authority:
            if line not in entry.named:
                entry.require_inside(endpoint.authority)
            endpoint = endpoint._replace(authority=str(settings.base / endpoint.authority))
        assignments.append(Assignment(which, endpoint, source))
    if problems:
        raise pytest.UsageError("\n".join(problems))
    return tuple(assignments)


def _source_of(config: pytest.Config, line: str) -> str:
    number = inilines.line_of_entry(config, WEBHOOKS, line)
    return f"{config.inipath.name}:{number}: {WEBHOOKS.ini}" if config.inipath and number else WEBHOOKS.option


def _read_configurations(settings: WebhookSettings) -> Sequence[Manifest]:
    if settings.configurations:
        return webhookfiles.read_named(settings.configurations, base=settings.configurations_base)
    return webhookfiles.find(settings.folder)


def _call_hooks(config: pytest.Config, settings: WebhookSettings) -> list[Assignment]:
    """
    Return the functions of the hooks.

    Raises:
        WebhookError: The mistakes of all hooks.
    """
    assignments: list[Assignment] = []
    mistakes: list[Mistake] = []
    for hook in settings.hooks:
        maker = manifests.maker_of(hook, settings.folder)
        try:
            assignments += _call(hook, config, maker)
        except WebhookError as error:
            mistakes += error.mistakes
    if mistakes:
        raise WebhookError(mistakes)
    return assignments


def _call(hook: Any, config: pytest.Config, maker: str) -> list[Assignment]:
    """
    Return the functions of a hook.

    Raises:
        WebhookError: It raises (the message has its traceback), is a wrapper, or returns something else than functions.
    """
    if hook.wrapper or hook.hookwrapper:
        raise WebhookError.at(maker, f"{HOOK} cannot be a wrapper: each returns its own functions")
    try:
        returned = hook.function(*((config,) if hook.argnames else ()))
    # A hook that skips or exits must not go unnoticed.
    except (Exception, SystemExit, pytest.skip.Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - shown as a mistake
        text = "".join(traceback.format_exception(error)).rstrip()
        raise WebhookError.at(maker, f"{HOOK} fails:\n{text}") from None
    if not isinstance(returned, Mapping) or not returned:
        kind = (
            "an empty mapping" if isinstance(returned, Mapping) else f"an object of the type {type(returned).__name__}"
        )
        raise WebhookError.at(maker, f"{HOOK} returns {kind}; {_SHAPE}")
    mistakes = [Mistake(maker, 0, f"{HOOK}: {problem}") for problem in _find_problems(returned)]
    if mistakes:
        raise WebhookError(mistakes)
    return [Assignment(which, FunctionEndpoint(function), f"{maker}[{which}]") for which, function in returned.items()]


def _find_problems(functions: Mapping[Any, object]) -> Iterator[str]:
    for which, function in functions.items():
        if problem := endpoints.problem_of_which(which):
            yield problem
        elif not callable(function):
            yield f"{which!r} has an object of the type {type(function).__name__}; {_SHAPE}"


def name_hooks(settings: WebhookSettings) -> list[str]:
    """Return the plugins or files with hooks, for reports."""
    return [f"{manifests.maker_of(hook, settings.folder)} ({HOOK})" for hook in settings.hooks]
