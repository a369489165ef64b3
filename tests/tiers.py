"""
Markers for slow tests: during development only quick tests are run.

A test that starts pytest is marked by the fixture that it uses. Whatever else starts a process must say so itself, or it fails: a
process takes a second, of which nobody sees where it goes. Where what is slow is left out, hypothesis draws a fifth of its examples.

In a run that counts branches, processes that a test starts are counted only in the modules that its marker names: preparing all modules
takes a process four seconds.
"""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Generator
from typing import Any, ClassVar, Final

import pytest
import untested
from hypothesis import settings

MARKERS: Final = {
    "replay": "replays recordings of real servers",
    "session": "starts pytest inside pytest, or a process",
    "corpus": "reads CRDs of real projects in the folder CRD_CORPUS, or conversations in the folder CRD_ATTACKS",
    "counted": "starts processes that take otherwise untested branches of the modules that are named",
    "older": "replays a recording that a newer Kubernetes version answers the same: only with `--all-versions`",
    "long": "takes seconds: `.ci/run` runs it, the README's test command does not",
    "slow": "skipped by default: `.ci/servers` and a job each night run it; `-m ''` runs everything",
}
_WITHOUT_SLOW: Final = "not slow"
_WHOLE: Final = 100
_SHARE: Final = 20


class _Started(subprocess.Popen[Any]):
    """
    A started process, reported to its test if one runs.

    Attributes:
        heard: What was started in a test that does not say so; None where nobody listens.
    """

    heard: ClassVar[list[str] | None] = None

    def __init__(self, args: Any, *others: Any, **named: Any) -> None:
        if _Started.heard is not None:
            _Started.heard.append(str(args))
        super().__init__(args, *others, **named)


subprocess.Popen = _Started  # type: ignore[misc] # an audit hook would be asked about each import and each file


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and set the number of hypothesis examples; `--hypothesis-profile` overrides it."""
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    if _WITHOUT_SLOW in config.option.markexpr:
        settings.register_profile("quick", settings.default, max_examples=_SHARE)
        settings.load_profile("quick")


def examples(whole: int) -> settings:
    """Return hypothesis settings with *whole* examples in a full run, else with a share of that number."""
    return settings(max_examples=max(1, whole * settings().max_examples // _WHOLE))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """
    Mark tests that start pytest, before markers select tests, and deselect repeated recordings without `--all-versions`.

    Slow tests come first, so that no worker is busy alone at the end.
    """
    if not config.getoption("all_versions", default=True):
        older = [item for item in items if item.get_closest_marker("older")]
        config.hook.pytest_deselected(items=older)
        items[:] = [item for item in items if not item.get_closest_marker("older")]
    for item in items:
        if "pytester" in getattr(item, "fixturenames", ()):
            item.add_marker("session")
    items.sort(key=lambda item: (item.get_closest_marker("corpus") is None, item.get_closest_marker("slow") is None))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Pause the garbage collector while tests are collected: nearly all new objects live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        _freeze()


def _freeze() -> None:
    """Collect garbage, and freeze all other objects, so that the collector does not scan them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """
    Freeze the objects of a module after its last test: modules that it has imported, and caches.

    In a run that counts branches, let processes of a test count those of the modules that its marker names.
    """
    marker = item.get_closest_marker("counted")
    with pytest.MonkeyPatch.context() as patch:
        if marker and untested.VARIABLE in os.environ:
            patch.setenv("PYTEST_PLUGINS", "branchcounts.saving")
            patch.setenv("BRANCH_COUNTS_OF", " ".join(marker.args))
        else:
            patch.delenv(untested.VARIABLE, raising=False)
        try:
            return (yield)
        finally:
            if nextitem is None or nextitem.path != item.path:
                _freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Let a worker that is done take tests of another: slow tests stand together."""
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """
    Run a test.

    Raises:
        pytest.fail.Exception: It starts a process, and nothing says so.
    """
    if item.get_closest_marker("session") or item.get_closest_marker("slow") or item.get_closest_marker("corpus"):
        return (yield)
    heard = _Started.heard = []
    try:
        result = yield
    finally:
        _Started.heard = None
    if heard:
        pytest.fail(f"mark it with `session`: it starts a process, {heard[0]}", pytrace=False)
    return result
