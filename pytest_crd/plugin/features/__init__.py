"""
The features that a session can switch on, one package each: hooks in `hooks`, test items in `items`.

A package is imported when its settings switch it on. Its class `Hooks`, created with the settings, is registered as `crd-<name>`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from pytest_crd import lazyimport
from pytest_crd.plugin import hookspecs, options, session
from pytest_crd.plugin.settings import checks, project, webhooks
from pytest_crd.plugin.settings.webhooks import describe_idle_configurations

if TYPE_CHECKING:
    from pytest_crd.plugin.settings import coverage, fill, generate, live, outputs, parity, policies
    from pytest_crd.plugin.settings import upgrades as upgradesettings
else:
    coverage = lazyimport.module("pytest_crd.plugin.settings.coverage")
    fill = lazyimport.module("pytest_crd.plugin.settings.fill")
    generate = lazyimport.module("pytest_crd.plugin.settings.generate")
    live = lazyimport.module("pytest_crd.plugin.settings.live")
    outputs = lazyimport.module("pytest_crd.plugin.settings.outputs")
    parity = lazyimport.module("pytest_crd.plugin.settings.parity")
    policies = lazyimport.module("pytest_crd.plugin.settings.policies")
    upgradesettings = lazyimport.module("pytest_crd.plugin.settings.upgrades")

# The import of a feature's package replaces the name of its settings here: functions take the modules as arguments before.

# Returns the settings of a feature, given the options that are set; None if the feature is off.
_Read: TypeAlias = Callable[[pytest.Config, Sequence[str]], Any]


def _read_set(module: Any, *beginnings: str, is_on: Callable[[pytest.Config], object] = lambda _: False) -> _Read:
    """
    Return a reader of settings; it imports their module if one of their options is set.

    Args:
        module: The module of the settings.
        beginnings: The beginnings of its options.
        is_on: Returns whether something else switches the feature on.
    """

    def read(config: pytest.Config, written: Sequence[str]) -> Any:
        is_set = any(option.startswith(beginnings) for option in written)
        return module.read(config) if is_set or is_on(config) else None

    return read


def _read_always(module: Any) -> _Read:
    """Return the function that reads settings in any session."""
    return lambda config, _: module.read(config)


def _read_parity(config: pytest.Config, written: Sequence[str]) -> Any:
    """Return the settings of parity checks; None if the session imports no Python of the project."""
    return None if _is_without_classes(config) else _read_set_parity(config, written)


def _is_without_classes(config: pytest.Config) -> bool:
    return options.is_alone(config) and not project.PYTHON.read_value(config)


# The beginning of the options of upgrades.
_BASELINE: Final = "--crd-baseline"
_PARITY, _PARITY_INI = "--crd-parity", "crd_parity"
_read_set_parity = _read_set(
    parity, _PARITY, is_on=lambda config: hookspecs.class_implementations(config.pluginmanager)
)
# By the name of the feature's package, the function that reads its settings; in the order in which features add tests to a session.
FEATURES: Final[Mapping[str, _Read]] = {
    "webhooks": _read_always(webhooks),
    "policies": _read_set(policies, "--crd-polic"),
    "checks": _read_always(checks),
    "upgrades": _read_set(upgradesettings, _BASELINE),
    "parity": _read_parity,
    "generate": _read_set(generate, "--crd-generate"),
    "live": _read_set(live, "--crd-live"),
    "fill": _read_set(fill, "--crd-fill", "--crd-update"),
    "coverage": _read_set(coverage, "--crd-cov"),
    # The last: it reports the results of the others at the end of a session.
    "outputs": _read_set(
        outputs,
        *("--crd-annotations", "--crd-sarif", "--crd-json"),
        is_on=lambda config: config.getoption(options.STDOUT_DEST, default=None) or options.find_code_host(),
    ),
}


def load(name: str) -> Any:
    """Import a module of the features."""
    return importlib.import_module(f"{__name__}.{name}")


def register(config: pytest.Config) -> None:
    """
    Register the hooks of the features that a session switches on.

    Raises:
        UsageError: A setting has a wrong value, or has no effect.
    """
    written = options.list_set(config)
    for name, read in FEATURES.items():
        settings = read(config, written)
        if settings is not None:
            package = load(f"{name}.hooks")
            config.pluginmanager.register(package.Hooks(config, settings), f"crd-{name}")
    if _PARITY in written and _is_without_classes(config):
        line = f"no Python is imported: the classes of {_PARITY_INI} are not compared; {project.PYTHON.option} imports them"
        session.add_part(config, lambda: session.Part(not_tested=(line,)))
    unused = [describe_idle_configurations(config)]
    if any(option.startswith(_BASELINE) for option in written):
        unused.insert(0, upgradesettings.describe_unused(config))
    if notes := tuple(filter(None, unused)):
        session.add_part(config, lambda: session.Part(notes=notes))
