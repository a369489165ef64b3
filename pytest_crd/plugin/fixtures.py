"""Values of the fixtures for CRDs and cases, and the markers that choose them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest

from pytest_crd import folders, plugin
from pytest_crd.plugin import MARKERS, session
from pytest_crd.plugin.items.failures import MistakenCollectError, MistakenFailure
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.cases.crdcatalog import Catalog
    from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions
    from pytest_crd.plugin.items.cases import BoundCase

_CHOSEN_BY: Final = {
    "crd": ("crd", "crd_version"),
    "crd_cases": ("crd_case",),
    "crd_parity": ("crd_parity",),
    "crd_server": ("crd_server", "crd_server_module", "crd_server_session"),
}


# In the order of their parts in a test id.
_FIXTURES: Final = ("crds", "crd", "crd_version", "crd_case")


def find_crds(request: pytest.FixtureRequest) -> CustomResourceDefinitions:
    """Return all CRDs of the project."""
    from pytest_crd.engine import InputError  # noqa: PLC0415 - only a session with CRDs loads the engine

    catalog, *others = session.catalogs(request.config)
    if others:
        catalog = get_param(request)
    try:
        return catalog.crds
    except InputError as error:
        raise MistakenFailure(error) from None


def get_param(request: pytest.FixtureRequest) -> Any:
    """Return the value of a fixture in one run of a test."""
    if not hasattr(request, "param"):
        pytest.fail(f"{request.fixturename} must be an argument of the test, not asked for by name", pytrace=False)
    return request.param


def get_case(request: pytest.FixtureRequest) -> BoundCase:
    """Return the case of one run of a test, which the test must check."""
    case: BoundCase = get_param(request)
    case.is_idle = True
    case.is_excused = request.node.get_closest_marker("xfail") is not None
    return case


def parametrize(metafunc: pytest.Metafunc) -> None:
    """
    Run a test that requests `crd`, `crd_version` or `crd_case` once for each.

    With several Kubernetes versions, repeat that for each version; a test that requests only `crds` is repeated, too.

    Raises:
        CollectError: There is no CRD, version or case for the test, or one of its markers is wrong.
    """
    requested: list[str] = [name for name in _FIXTURES if name in metafunc.fixturenames and _is_ours(metafunc, name)]
    if not requested:
        return
    catalogs = session.catalogs(metafunc.config)
    names = requested if len(catalogs) > 1 else [name for name in requested if name != "crds"]
    cases = list(_cases(metafunc)) if "crd_case" in names else []
    params = []
    for catalog in catalogs:
        label = catalog.kubernetes_version if len(catalogs) > 1 else ""
        # A case whose file sets a Kubernetes version is run once.
        own_cases = [
            bound for bound in cases if bound.kubernetes_version in {label, "" if catalog is catalogs[0] else label}
        ]
        for choice in itertools.product(*_choices(metafunc, catalog, names, own_cases)):
            values = {"crds": catalog} | {name: value for part in choice for name, value in part.values.items()}
            ids = [part.id for part in choice] + ([label] if label and not own_cases else [])
            marks = [mark for part in choice for mark in part.marks]
            params.append(pytest.param(*(values[name] for name in names), id="-".join(ids), marks=marks))
    if names:
        # A session-scoped fixture of the project may depend on `crds`.
        scope: Literal["session"] | None = "session" if "crds" in names else None
        metafunc.parametrize(names, params, indirect=True, scope=scope)


class _Choice(NamedTuple):
    """Values of some fixtures in one run of a test."""

    values: dict[str, Any]
    id: str
    marks: Sequence[pytest.MarkDecorator] = ()


def _choices(
    metafunc: pytest.Metafunc, catalog: Catalog, names: list[str], cases: list[BoundCase]
) -> Iterator[list[_Choice]]:
    """Yield the choices for the fixtures *names* under one Kubernetes version, one list for each independent fixture."""
    if "crd_version" in names:
        yield list(_versions(metafunc, catalog))
    elif "crd" in names:
        yield [_Choice({"crd": crd}, catalog.crds.id_of(crd)) for crd, _ in _find_crds(metafunc, catalog)]
    if "crd_case" in names:
        yield [_Choice({"crd_case": bound}, bound.name, bound.marks) for bound in cases]


def _is_ours(metafunc: pytest.Metafunc, name: str) -> bool:
    """Return whether *name* is the plugin's fixture, and not a project's fixture of the same name."""
    # pytest has no public way to get the definition of a fixture.
    definitions = metafunc._arg2fixturedefs.get(name)  # noqa: SLF001
    return bool(definitions and definitions[-1].func.__module__ == plugin.__name__)


def _versions(metafunc: pytest.Metafunc, catalog: Catalog) -> Iterator[_Choice]:
    pairs = [
        (crd, version)
        for crd, wanted in _find_crds(metafunc, catalog)
        for version in crd.versions
        if (version.served if wanted is None else version.name == wanted)
    ]
    if not pairs:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: no CRD serves a version")
    for crd, version in pairs:
        yield _Choice({"crd": crd, "crd_version": version}, f"{catalog.crds.id_of(crd)}-{version.name}")


def _find_crds(metafunc: pytest.Metafunc, catalog: Catalog) -> list[tuple[CustomResourceDefinition, str | None]]:
    """Return the CRDs that a test runs for, each with the version of its marker; None for all versions."""
    from pytest_crd.engine import CrdLookupError, InputError  # noqa: PLC0415 - only a session with CRDs loads the engine

    nodeid = metafunc.definition.nodeid
    try:
        loaded = catalog.crds
        marks = list(metafunc.definition.iter_markers("crd"))
        if not marks:
            return [(crd, None) for crd in loaded]
        return [_marked(mark, loaded, nodeid) for mark in reversed(marks)]
    except InputError as error:
        raise MistakenCollectError(error) from None
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
    from pytest_crd.plugin.items import cases  # noqa: PLC0415 - only a session with cases loads the runner

    nodeid = metafunc.definition.nodeid
    marks = list(metafunc.definition.iter_markers("crd_cases"))
    patterns = [pattern for mark in marks for pattern in mark.args]
    if not patterns:
        raise pytest.Collector.CollectError(f'{nodeid}: say which cases with @pytest.mark.crd_cases("cases/*.yaml")')
    folder = metafunc.definition.path.parent
    for pattern in patterns:
        names = folders.glob_paths(pattern, folder)
        if not names:
            raise pytest.Collector.CollectError(f"{nodeid}: crd_cases: {pattern!r} matches no file in {folder}")
        for name in names:
            yield from cases.bind(Path(folder, name), metafunc.config)


def describe_unused(item: pytest.Function, *, is_passed: bool) -> str:
    """
    Return the error about a marker or case of the plugin that has no effect in a test; else empty.

    Args:
        item: The test, after it was run.
        is_passed: Whether it passed.
    """
    for name, fixtures in _CHOSEN_BY.items():
        requested = [fixture for fixture in fixtures if fixture in item.fixturenames]
        # A marker on a class or module may concern other tests there, unless this one has an argument of its name.
        candidates = item.iter_markers(name) if requested else item.own_markers
        marks = [mark for mark in candidates if mark.name == name and (mark.args or mark.kwargs)]
        if not marks or any(_is_plugins(item, fixture) for fixture in requested) or _is_of_project(item.config, name):
            continue
        keywords = (f"{key}={value!r}" for key, value in marks[0].kwargs.items())
        arguments = ", ".join((*map(repr, marks[0].args), *keywords))
        reason = f"the test has no argument {_listed(fixtures)}"
        if requested:
            reason = f"the fixture {_listed(requested)} of the project takes the place of the plugin's"
        return f"@pytest.mark.{name}({arguments}) does nothing: {reason}"
    for fixture in ("crd_case", "crd_parity"):
        value: Any = item.funcargs.get(fixture)
        if is_passed and getattr(value, "is_idle", False):
            return f"the test passed, but did nothing with its {fixture}: call {fixture}.check() ({value!r})"
    return ""


def _is_plugins(item: pytest.Function, fixture: str) -> bool:
    """Return whether a fixture of a test is that of the plugin, and not a project's fixture of the same name."""
    # pytest has no public way to get the definition of a fixture.
    definitions = item._fixtureinfo.name2fixturedefs.get(fixture)  # noqa: SLF001
    return bool(definitions and definitions[-1].func.__module__ == plugin.__name__)


def _is_of_project(config: pytest.Config, name: str) -> bool:
    """Return whether the project itself declares a marker *name*."""
    declared = [line for line in config.getini("markers") if re.match(rf"{name}\b", line)]
    return any(line not in MARKERS for line in declared)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
