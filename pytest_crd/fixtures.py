"""The fixtures `crds`, `crd`, `crd_version` and `crd_case`, and the markers that choose what they stand for."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd import options

if TYPE_CHECKING:
    from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions, Version
    from pytest_crd.nodes import BoundCase

MARKERS: Final = (
    "crd(name, version=None): the CRD (by name or kind) that the fixtures crd and crd_version stand for.",
    "crd_cases(*globs): the case files, relative to the test file, whose cases the fixture crd_case stands for.",
)


@pytest.fixture(scope="session")
def crds(pytestconfig: pytest.Config) -> CustomResourceDefinitions:
    """All CRDs of the project: `crds["crontabs.stable.example.com"]`, by name, kind or file."""
    from pytest_crd.engine import InputError  # noqa: PLC0415 - only who uses CRDs loads the engine

    if not options.are_declared(pytestconfig):
        pytest.fail(_SWITCHED_OFF, pytrace=False)
    try:
        loaded = options.catalog(pytestconfig).crds
    except InputError as error:
        pytest.fail(str(error), pytrace=False)
    if not loaded:
        pytest.fail(_NO_CRDS, pytrace=False)
    return loaded


@pytest.fixture
def crd(request: pytest.FixtureRequest) -> CustomResourceDefinition:
    """One CRD of the project; the test runs once for each, or for those of `@pytest.mark.crd(name)`."""
    crd: CustomResourceDefinition = _param(request)
    return crd


@pytest.fixture
def crd_version(request: pytest.FixtureRequest) -> Version:
    """One served version of a CRD; the test runs once for each, or for those of `@pytest.mark.crd(name, version=…)`."""
    version: Version = _param(request)
    return version


@pytest.fixture
def crd_case(request: pytest.FixtureRequest) -> BoundCase:
    """One declared case; the test runs once for each in the files of `@pytest.mark.crd_cases(…)`."""
    case: BoundCase = _param(request)
    return case


_NO_CRDS: Final = (
    "no CRD was found: set crd_paths in the ini file, or --crd-path, to the files or folders with your CRDs"
)
_SWITCHED_OFF: Final = "pytest-crd is switched off by `-p no:crd`"


def _param(request: pytest.FixtureRequest) -> Any:
    if not options.are_declared(request.config):
        pytest.fail(_SWITCHED_OFF, pytrace=False)
    if not hasattr(request, "param"):
        pytest.fail(f"{request.fixturename} must be an argument of the test, not asked for by name", pytrace=False)
    return request.param


def parametrize(metafunc: pytest.Metafunc) -> None:
    """
    Make a test that asks for `crd`, `crd_version` or `crd_case` run once for each.

    Raises:
        CollectError: There is nothing to run it for, or what it names is wrong.
    """
    asked = [
        name
        for name in ("crd", "crd_version", "crd_case")
        if name in metafunc.fixturenames and _is_ours(metafunc, name)
    ]
    if "crd_version" in asked:
        _parametrize_versions(metafunc, with_crd="crd" in asked)
    elif "crd" in asked:
        chosen = [crd for crd, _ in _chosen(metafunc)]
        metafunc.parametrize("crd", chosen, ids=[crd.name for crd in chosen], indirect=True)
    if "crd_case" in asked:
        cases = list(_cases(metafunc))
        params = [pytest.param(bound, id=bound.name, marks=bound.marks) for bound in cases]
        metafunc.parametrize("crd_case", params, indirect=True)


def _is_ours(metafunc: pytest.Metafunc, name: str) -> bool:
    """Return whether the fixture *name* is the plugin's: a project's own of that name is left alone."""
    # pytest has no public way to ask which fixture a name stands for.
    definitions = metafunc._arg2fixturedefs.get(name)  # noqa: SLF001
    return bool(definitions and definitions[-1].func.__module__ == __name__)


def _parametrize_versions(metafunc: pytest.Metafunc, *, with_crd: bool) -> None:
    pairs = [
        (crd, version)
        for crd, wanted in _chosen(metafunc)
        for version in crd.versions
        if (version.served if wanted is None else version.name == wanted)
    ]
    ids = [f"{crd.name}-{version.name}" for crd, version in pairs]
    if not pairs:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: no CRD serves a version")
    if with_crd:
        metafunc.parametrize(("crd", "crd_version"), pairs, ids=ids, indirect=True)
    else:
        metafunc.parametrize("crd_version", [version for _, version in pairs], ids=ids, indirect=True)


def _chosen(metafunc: pytest.Metafunc) -> list[tuple[CustomResourceDefinition, str | None]]:
    """Return the CRDs that a test runs for, each with the version that its marker names."""
    from pytest_crd.engine import CrdLookupError, InputError  # noqa: PLC0415 - only who uses CRDs loads the engine

    nodeid = metafunc.definition.nodeid
    try:
        loaded = options.catalog(metafunc.config).crds
        if not loaded:
            raise pytest.Collector.CollectError(f"{nodeid}: {_NO_CRDS}")
        marks = list(metafunc.definition.iter_markers("crd"))
        if not marks:
            return [(crd, None) for crd in loaded]
        return [_marked(mark, loaded, nodeid) for mark in reversed(marks)]
    except InputError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    except CrdLookupError as error:
        raise pytest.Collector.CollectError(f"{nodeid}: {error.args[0]}") from None


def _marked(
    mark: pytest.Mark, loaded: CustomResourceDefinitions, nodeid: str
) -> tuple[CustomResourceDefinition, str | None]:
    if len(mark.args) != 1 or not isinstance(mark.args[0], str) or mark.kwargs.keys() - {"version"}:
        raise pytest.Collector.CollectError(
            f'{nodeid}: write @pytest.mark.crd("name") or @pytest.mark.crd("name", version="v1")'
        )
    crd, version = loaded[mark.args[0]], mark.kwargs.get("version")
    if version is not None:
        try:
            crd.version(version)
        except LookupError as error:
            raise pytest.Collector.CollectError(f"{nodeid}: {error}") from None
    return crd, version


def _cases(metafunc: pytest.Metafunc) -> Iterator[BoundCase]:
    from pytest_crd import nodes  # noqa: PLC0415 - only who has cases loads what runs them

    nodeid = metafunc.definition.nodeid
    marks = list(metafunc.definition.iter_markers("crd_cases"))
    patterns = [pattern for mark in marks for pattern in mark.args]
    if not patterns:
        raise pytest.Collector.CollectError(f'{nodeid}: say which cases with @pytest.mark.crd_cases("cases/*.yaml")')
    folder = metafunc.definition.path.parent
    for pattern in patterns:
        # Not Path.glob, which takes no absolute pattern.
        found = sorted(glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207
        if not found:
            raise pytest.Collector.CollectError(f"{nodeid}: crd_cases: {pattern!r} matches no file in {folder}")
        for name in found:
            yield from nodes.bind(Path(folder, name), metafunc.config)
