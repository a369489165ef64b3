"""Objects of the Helm charts in folders, as `helm template` prints them: with the default values, and with each `ci/*-values.yaml`."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pytest_crd import folders
from pytest_crd.discovery import commands
from pytest_crd.engine import ManifestError, Mistake
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.engine.yaml.manifest import Manifest

_FILE: Final = "Chart.yaml"
_HELM: Final = "helm"
_LIBRARY: Final = "library"
# Versions that every server has and that helm does not know without one.
_VERSIONS: Final = ("apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService")


@dataclass(slots=True)
class RenderedCharts:
    """
    The charts of folders.

    Attributes:
        objects: Their objects, by the shown name of the chart and its values.
        folders: The folders of the charts, with links resolved.
        mistakes: Reasons why charts cannot be rendered.
    """

    objects: dict[str, list[Manifest]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def holds(self, path: str) -> bool:
        """Return whether a file, with links resolved, is part of a chart."""
        return any(path.startswith(f"{folder}{os.sep}") for folder in self.folders)


def render(names: Sequence[str], kubernetes_version: str) -> RenderedCharts:
    """
    Run `helm template` for each chart in and below the folders among *names*.

    Args:
        names: Files, folders and globs.
        kubernetes_version: The Kubernetes version that templates read.

    Raises:
        ManifestError: There is no chart, or helm is not installed.
    """
    charts = RenderedCharts()
    chart_folders = dict.fromkeys(_find_charts(names))
    if not chart_folders:
        words = f"no folder among {' '.join(names)} has a chart: name a folder with a {_FILE} in or below it"
        raise ManifestError([Mistake("--helm-charts", 0, words)])
    for chart in chart_folders:
        if shutil.which(_HELM) is None:
            words = "helm is not installed; install it, or write helm template … | pytest-crd validate -"
            raise ManifestError([Mistake(f"--helm-charts: {chart}", 0, words)])
        charts.folders.append(os.path.realpath(chart))
        try:
            if not _is_library(chart):
                _render(chart, kubernetes_version, charts)
        except ManifestError as error:
            charts.mistakes += error.mistakes
    return charts


def has_charts(names: Sequence[str]) -> bool:
    """Return whether a folder among *names* has a chart in or below it."""
    return any(True for _ in _find_charts(names))


def _find_charts(names: Sequence[str]) -> Iterator[str]:
    """Yield the folders of the charts in and below the folders among *names*, sorted, without subcharts and hidden folders."""
    for folder, inner, files in itertools.chain.from_iterable(map(os.walk, names)):  # no file has entries
        inner[:] = sorted(entry for entry in inner if not entry.startswith("."))
        if _FILE in files:
            inner.clear()
            yield os.path.normpath(folder).replace(os.sep, "/")


def _is_library(chart: str) -> bool:
    """
    Return whether a chart has only templates for other charts.

    Raises:
        ManifestError: Its file cannot be read.
    """
    path = f"{chart}/{_FILE}"
    try:
        value = yamlreader.read_one(folders.read_file(Path(path)), source=path).value
    except OSError as error:
        raise ManifestError([Mistake(path, 0, f"cannot be read: {error.strerror or error}")]) from None
    return isinstance(value, dict) and value.get("type") == _LIBRARY


def _render(chart: str, kubernetes_version: str, charts: RenderedCharts) -> None:
    """
    Add the objects of a chart, with each of its values.

    Raises:
        ManifestError: The output of helm cannot be read.
    """
    for values in (None, *sorted(Path(chart, "ci").glob("*-values.yaml"))):
        title = chart if values is None else f"{chart} ({values.relative_to(chart).as_posix()})"
        words = [_HELM, "template", Path(chart).resolve().name, "."]
        words += ["--include-crds", "--kube-version", f"{kubernetes_version}.0"]
        words += [word for version in _VERSIONS for word in ("--api-versions", version)]
        words += [] if values is None else ["--values", values.relative_to(chart).as_posix()]
        try:
            output = commands.run(shlex.join(words), folder=Path(chart))
        except CrdError as error:
            message = f"`{shlex.join(words)}` {error.mistakes[0].message}"
            charts.mistakes.append(Mistake(f"{chart}/{_FILE}", 0, message))
        else:
            charts.objects[title] = manifest.read(output, source=title)
