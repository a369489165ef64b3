"""The loaded CRDs of a session, and its header, which workers of pytest-xdist send to their controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd import lazyimport
from pytest_crd.plugin import alone, options
from pytest_crd.plugin.settings import project
from pytest_crd.records import NamedTuple
from pytest_crd.wording import counted, escape

if TYPE_CHECKING:
    from pytest_crd.cases.crdcatalog import Catalog
    from pytest_crd.coverage.summary import Summary
    from pytest_crd.discovery.crdsources import Sources
    from pytest_crd.engine.loading.crdfiles import Remark
    from pytest_crd.report import remarkwords
else:
    remarkwords = lazyimport.module("pytest_crd.report.remarkwords")

# The property of a test with a note about a passed test.
NOTE: Final = "crd_note"
# The property with a note about a place, written once even if several tests share it.
PLACE: Final = "crd_place"
# The property with a warning of the server and its place, written at any verbosity.
WARNING: Final = "crd_warning"


class Header(NamedTuple):
    """
    The header of a session; it travels between processes.

    Attributes:
        is_loaded: Whether CRDs were loaded.
        text: The lines.
        is_in_vain: Whether a feature had nothing to check.
    """

    is_loaded: bool
    text: str
    is_in_vain: bool = False


class Part(NamedTuple):
    """
    A feature's part of the header.

    Attributes:
        words: Its line; empty for none. The words before the first semicolon are its summary.
        notes: Notes about skipped files and objects, or other lines.
        in_vain: Why it has nothing to do; empty if it has something to do.
        hints: Lines about nothing that is left out; a summary counts them.
        not_tested: Lines that are written even with `-q`: about CRDs that it leaves out, and about changed files.
        unjudged: Lines about nothing that it judges; they are written even with `-q` and without a loaded CRD.
    """

    words: str = ""
    notes: Sequence[Remark | str] = ()
    in_vain: str = ""
    hints: Sequence[str] = ()
    not_tested: Sequence[str] = ()
    unjudged: Sequence[str] = ()


_IS_PRINTED: Final[pytest.StashKey[bool]] = pytest.StashKey()
_WORKER_HEADER: Final[pytest.StashKey[Header]] = pytest.StashKey()
_SOURCES: Final[pytest.StashKey[Sources]] = pytest.StashKey()
_CATALOGS: Final[pytest.StashKey[tuple[Catalog, ...]]] = pytest.StashKey()
_COVERAGE: Final[pytest.StashKey[Summary]] = pytest.StashKey()
_PARTS: Final[pytest.StashKey[list[Callable[[], Part | None]]]] = pytest.StashKey()


def sources(config: pytest.Config) -> Sources:
    """Return the sources of a session's CRDs; they are read when the first CRD is needed."""
    if _SOURCES not in config.stash:
        config.stash[_SOURCES] = _sessioncrds().open_sources(config)
    return config.stash[_SOURCES]


def list_names(config: pytest.Config, folder: Path) -> list[str]:
    """Return the names of the project's YAML and JSON files below *folder*, links included; none in a session without CRDs."""
    loaded = config.stash.get(_SOURCES, None)
    return loaded.list_names(folder) if loaded is not None and loaded.is_read else []


def catalogs(config: pytest.Config) -> tuple[Catalog, ...]:
    """Return one catalog of the session's CRDs for each of its Kubernetes versions; CRDs are read when the first one is needed."""
    if _CATALOGS not in config.stash:
        config.stash[_CATALOGS] = _sessioncrds().open_catalogs(config, sources(config))
    return config.stash[_CATALOGS]


def _sessioncrds() -> ModuleType:
    from pytest_crd.plugin import sessioncrds  # noqa: PLC0415 - a session without CRDs loads no engine

    return sessioncrds


def describe_crds(config: pytest.Config) -> str:
    """Return the number of CRDs in a project without settings, and their places, in words; empty if there are none."""
    own, versions = sources(config), project.kubernetes_versions(config)
    if _sessioncrds().can_list(own, versions):
        return f"{_counted(own, versions)} from {own.places}"
    return "" if own.is_in_vain else "CRDs that cannot be read"


def store_coverage(config: pytest.Config, summary: Summary) -> None:
    """Store the coverage of a session for other reports."""
    config.stash[_COVERAGE] = summary


def get_coverage(config: pytest.Config) -> Summary | None:
    """Return the coverage of a session; None if it is not measured, or not yet complete."""
    return config.stash.get(_COVERAGE, None)


def add_part(config: pytest.Config, make_part: Callable[[], Part | None]) -> None:
    """Add a feature's part to the header; *make_part* is called when the header is written, and returns None for no part."""
    config.stash.setdefault(_PARTS, []).append(make_part)


def _parts(config: pytest.Config) -> list[Part]:
    return [part for make_part in config.stash.get(_PARTS, []) if (part := make_part()) is not None]


def display_path(path: Path) -> str:
    """Return the name of a file for messages: relative to the current folder if it is below it, with escapes."""
    here = Path.cwd()
    return escape(str(path.relative_to(here) if path.is_relative_to(here) else path))


def header(config: pytest.Config) -> Header:
    """
    Return the header of this process.

    Before CRDs are loaded, its text says why there is nothing to check, else names the sources of CRDs, else is empty.
    With `-q` it has only the reason why there is nothing to check, and the CRDs that a feature leaves out.
    """
    loaded, parts = config.stash.get(_SOURCES, None), _parts(config)
    quiet = config.get_verbosity() < 0
    if loaded is None or not loaded.is_read:
        if reasons := [part.in_vain for part in parts if part.in_vain]:
            return Header(is_loaded=False, text=f"crd: nothing to check: {reasons[0]}", is_in_vain=True)
        own = None if quiet or not options.are_declared(config) else project.get_settings(config)
        names = (*own.crd_paths, *own.crd_commands) if own else ()
        lines = [f"no CRD was asked for yet, none is loaded ({' '.join(names)})"] if names else []
        lines += [line for part in parts for line in part.unjudged]
        return Header(is_loaded=False, text="\n".join(f"crd: {line}" for line in lines))
    kubernetes = f"Kubernetes {project.describe_versions(config)}"
    versions = project.kubernetes_versions(config)
    crds_line = f"{_counted(loaded, versions)} from {loaded.places}"
    remarks, sentences, hints = _notes(config, loaded, parts)
    if alone.is_brief(config):
        rare = [remark for remark in remarks if not remark.is_expected]
        summaries = [part.words.partition(";")[0] for part in parts if part.words]
        line = "; ".join((crds_line, *summaries, kubernetes))
        if left_out := len(remarks) - len(rare) + len(hints):
            line += f"; -v shows {counted(left_out, 'note')}"
        lines = [line, *map(str, rare), *sentences]
    else:
        lines = [f"{crds_line}; {kubernetes}", *(part.words for part in parts if part.words)]
        if remarks:
            lines += remarkwords.lines(remarks, verbosity=config.get_verbosity())
        lines += [*hints, *sentences]
    not_tested = [line for part in parts for line in (*part.not_tested, *part.unjudged)]
    not_tested += [f"{mistake} (no test asks for this file)" for mistake in loaded.unread]
    text = "\n".join(f"crd: {line}" for line in (*([] if quiet else lines), *not_tested))
    return Header(is_loaded=True, text=text, is_in_vain=any(part.in_vain for part in parts))


def _notes(config: pytest.Config, loaded: Sources, parts: Iterable[Part]) -> tuple[list[Remark], list[str], list[str]]:
    """Return remarks about files and CRDs that were passed over, other notes, and hints, each once."""
    crds_of_versions = [loaded.list_known(version) for version in project.kubernetes_versions(config)]
    passed_over = dict.fromkeys(note for crds in crds_of_versions for note in crds.passed_over)
    passed_over |= dict.fromkeys(loaded.whole_notes)
    passed_over |= dict.fromkeys(note for part in parts for note in part.notes if not isinstance(note, str))
    sentences = dict.fromkeys(note for part in parts for note in part.notes if isinstance(note, str))
    hints = dict.fromkeys(note for crds in crds_of_versions for note in crds.alternatives)
    hints |= dict.fromkeys(hint for part in parts for hint in part.hints)
    return list(passed_over), list(sentences), list(hints)


def _counted(loaded: Sources, kubernetes_versions: Sequence[str]) -> str:
    """Return the numbers of CRDs and versions, as words; a CRD counts if any of the Kubernetes versions has it."""
    crds = {crd.source: crd for version in kubernetes_versions for crd in loaded.list_known(version)}
    versions = sum(len(crd.versions) for crd in crds.values())
    return f"{len(crds)} CRD{'' if len(crds) == 1 else 's'}, {versions} version{'' if versions == 1 else 's'}"


def take_header_text(config: pytest.Config) -> str:
    """Return the text of the header after collection, and remember whether it reports loaded CRDs."""
    current = header(config)
    config.stash[_IS_PRINTED] = current.is_loaded
    return current.text


def store_worker_header(config: pytest.Config, received: Header) -> None:
    """Store the header of a worker of pytest-xdist; one with loaded CRDs replaces one without."""
    config.stash[_WORKER_HEADER] = max(config.stash.get(_WORKER_HEADER, received), received)


def was_in_vain(config: pytest.Config) -> bool:
    """Return whether a feature had nothing to check, in this process or in a worker of pytest-xdist."""
    received = config.stash.get(_WORKER_HEADER, None)
    return bool(received and received.is_in_vain) or any(part.in_vain for part in _parts(config))


def late_header_text(config: pytest.Config) -> str:
    """Return the header of the workers of pytest-xdist, or of CRDs that were loaded after collection; empty for neither."""
    if _WORKER_HEADER in config.stash:
        return config.stash[_WORKER_HEADER].text
    loaded = header(config) if _SOURCES in config.stash and not config.stash.get(_IS_PRINTED, False) else None
    return loaded.text if loaded and loaded.is_loaded else ""
