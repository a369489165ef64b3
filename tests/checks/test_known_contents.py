"""
What is known of contents changes nothing: files are edited at random, and each state is read with and without it.

Read with it means: as the next run does, from the text that the run before has written.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.cases.catalog import Catalog
from pytest_crd.checks import plan
from pytest_crd.checks.plan import CheckPlan, CheckScope
from pytest_crd.contentcache import ContentCache
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import CrdLookupError, CustomResourceDefinition, InputError
from pytest_crd.engine.text import manifest
from pytest_crd.engine.text.manifest import Manifest

VERSIONS: Final = ("1.37", "1.21")
CRD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: NAMEs.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: NAMEs, singular: NAME, kind: KIND, listKind: KINDList, shortNames: [SHORT]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            EXTRA
            properties:
              size: {type: integer, maximum: 5}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
"""
SAMPLE: Final = """\
apiVersion: stories.example.com/v1
kind: KIND
metadata: {name: a}
spec: {size: 3}
"""
KINDS: Final = ("Wall", "Door", "Roof")
# What an edit replaces, and by what: right, wrong, misspelt, broken.
EDITS: Final = (
    ("EXTRA", "x-kubernetes-validations: [{rule: self.size > 1}]"),
    ("EXTRA", "x-kubernetes-validations: [{rule: self.none > 1}]"),
    ("EXTRA", "nullable: true"),
    ("EXTRA", ""),
    ("maximum: 5", "maximum: 2"),
    ("maximum: 5", "maximum: five"),
    ("x-kubernetes-list-type: set", "x-kubernetes-list-type: atomic"),
    ("type: object\n", "type: objekt\n"),
    ("type: string", "type: string, enum: [on, off]"),
    ("served: true", "served: false"),
    ("name: v1", "name: v2"),
    ("size:", "on:"),
    ("size: 3", "size: 9"),
    ("size: 3", "tags: [b]"),
    ("size: 3", "size: 3, size: 4"),
    ("CustomResourceDefinition", "CustomResourceDefinitions"),
    ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
    ("kind: Wall", "kind: Wal"),
    ("kind: Wall", "kind: Door"),
    ("stories.example.com/v1", "stories.example.org/v1"),
    ("  group: stories.example.com\n", ""),
    ("shortNames: [", "shortNames: [wa, "),
    ("metadata: {", "metadata: {labels: {a: b}, "),
    ("apiVersion", "# crd: refused\napiVersion"),
    ("apiVersion", "# crd: refused spec.size\napiVersion"),
    ("apiVersion", "# crd: ignore it is old\napiVersion"),
    ("apiVersion", "# a comment\n\napiVersion"),
    ("  scope: Namespaced\n", "  scope: Cluster\n  scope: Namespaced\n"),
    ("  scope: Namespaced\n", "  scoop: Namespaced\n  scope: Namespaced\n"),
)
# What no YAML is afterwards.
BREAKING: Final = (("spec:", "spec: {{ .Values.spec }}"), ("spec:", "spec: ["), ("\n", "\n\t"), ("a}", "${NAME}}"))
PATCH: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: doors.stories.example.com}
spec: {conversion: {strategy: Webhook}}
"""
FOLDERS: Final = ("config/crd/bases", "config/samples", "examples", "deploy", "tests/data")


class Shelf:
    """Keeps what is large, as files do for the next run."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self.answered = 0

    def read(self, name: str) -> str | None:
        """Return what was written."""
        self.answered += name in self._texts
        return self._texts.get(name)

    def write(self, name: str, text: str) -> None:
        """Keep a text."""
        self._texts[name] = text


class KnowingNothing(ContentCache):
    """What a run without a cache has: not even what it has found out itself."""

    def known(self, about: str, *key: str) -> None:
        """Return that nothing is known."""


class Project:
    """A project whose files are edited at random, each edit the one that its number draws."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)  # noqa: S311 - the same edits each time
        for kind in KINDS:
            self._write(self._new("config/crd/bases", kind, is_crd=True), self._crd(kind))
            self._write(self._new("config/samples", kind, is_crd=False), SAMPLE.replace("KIND", kind))

    def edit(self, *, is_sound: bool) -> str:
        """Edit a file, or add or remove one; of a project that is not sound, now and then mend all; return what was done."""
        drawn = self._random
        if not is_sound and drawn.random() < 0.4:
            for path in self._folder.rglob("*.yaml"):
                kind = next(one for one in KINDS if one.lower() in path.name)
                self._write(path, self._crd(kind) if "crd" in path.parts else SAMPLE.replace("KIND", kind))
            return "mend"
        files = sorted(path for path in self._folder.rglob("*.yaml") if path.is_file())
        chosen = drawn.choice(files) if files else None
        how = drawn.choices(("edit", "add", "remove", "copy", "append", "list", "again"), (60, 12, 4, 8, 6, 4, 10))[0]
        kind, is_crd = drawn.choice(KINDS), drawn.random() < 0.4
        crd = PATCH if drawn.random() < 0.2 else self._crd(kind)
        text = crd if is_crd else SAMPLE.replace("KIND", kind)
        if chosen is None or how == "add":
            self._write(self._new(drawn.choice(FOLDERS), kind, is_crd=is_crd), text)
        elif how == "edit":
            among = BREAKING if drawn.random() < 0.1 else EDITS
            old, new = drawn.choice([(old, new) for old, new in among if old in self._read(chosen)] or [("", "")])
            self._write(chosen, self._read(chosen).replace(old, new, 1))
        elif how == "remove":
            chosen.unlink()
        elif how == "copy":
            self._write(chosen.with_name(f"copy-{chosen.name[-40:]}"), self._read(chosen))
        elif how == "append":
            self._write(chosen, f"{self._read(chosen)}\n---\n{text}")
        elif how == "list":
            indented = [one.replace("\n", "\n  ").rstrip() for one in (text, self._read(chosen))]
            self._write(chosen, "apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n".format(*indented))
        else:
            self._write(chosen, self._crd(kind) if "crd" in chosen.parts else SAMPLE.replace("KIND", kind))
        return f"{how} {chosen} {kind}"

    def _crd(self, kind: str) -> str:
        name = kind.lower()
        text = CRD.replace("NAME", name).replace("KIND", kind).replace("SHORT", name[:2])
        return (
            text.replace("            EXTRA\n", "")
            if self._random.random() < 0.5
            else text.replace("EXTRA", "nullable: false")
        )

    def _new(self, folder: str, kind: str, *, is_crd: bool) -> Path:
        name = f"{kind.lower()}{'s' if is_crd else ''}-{self._random.randrange(6)}.yaml"
        return self._folder / folder / name

    def _read(self, path: Path) -> str:
        return path.read_text(encoding="utf-8")

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _of_plan(planned: CheckPlan) -> Iterator[Any]:
    """Yield all that a run says of a project, and the verdict of each check."""
    yield planned.words, planned.notes, planned.hints, planned.is_in_vain, str(planned.problem)
    for path, checks in planned.checks.items():
        for one in checks:
            place = (one.kind, one.subject, one.source, one.path, one.line, one.crd, one.version, one.lint)
            yield path, place, one.run()


def _of_catalog(catalog: Catalog) -> Iterator[Any]:
    """Yield what is asked of CRDs by cases, in the order in which that may happen: what is known first, and then the rest."""
    try:
        crds = catalog.crds
    except InputError as error:
        yield str(error)
        return
    yield crds.notes, repr(crds), len(crds)
    for name in ("walls.stories.example.com", "Door", "ro", "roofs.stories.example.com", "wa", "nothing"):
        try:
            crd = crds[name]
        except CrdLookupError as error:
            yield str(error)
        else:
            yield from _of_crd(crd)


def _of_crd(crd: CustomResourceDefinition) -> Iterator[Any]:
    yield crd.heading, crd.source, crd.versions[0].name if crd.versions else "", repr(crd)
    yield _said(lambda: crd.guard and crd.guard(crd))
    for version in crd.versions:
        yield version.name, version.served, version.storage, version.is_structural
        yield _said(lambda version=version: version.create({"metadata": {"name": "a"}, "spec": {"size": 4}}).errors)  # type: ignore[misc]
    yield crd.conditions, crd.manifest, crd.response.errors, crd.unknown_fields, crd.repeated_fields


def _said(ask: Callable[[], object]) -> str:
    try:
        return repr(ask())
    except InputError as error:
        return str(error)


def _seen(folder: Path, cache: ContentCache, versions: tuple[str, ...]) -> list[str]:
    """Return all that a run sees of a project."""
    sources = Sources(folder, folder=folder, cache=cache)
    catalogs = [Catalog(sources, version) for version in versions]
    scope = CheckScope(frozenset(), folder, 1.0, (), ("ssatags",))
    seen = [*_of_plan(plan.of(catalogs, scope, home=folder / "pytest.ini"))]
    seen += [one for catalog in catalogs for one in _of_catalog(catalog)]
    return list(map(repr, seen))


@pytest.mark.session
def test_what_is_known_of_contents_changes_no_verdict(tmp_path: Path) -> None:
    edits = int(os.environ.get("CRD_EDITS", "25"))
    project, kept, sound = Project(tmp_path, seed=edits), "", [True]
    shelf = Shelf()
    for number in range(edits):
        done = project.edit(is_sound=sound[-1]) if number else "begin"
        versions = {7: VERSIONS, 8: VERSIONS[1:]}.get(number % 10, VERSIONS[:1])
        cache = ContentCache.from_text(kept, shelf)
        known, without = _seen(tmp_path, cache, versions), _seen(tmp_path, KnowingNothing(), versions)

        assert known == without, f"edit {number}: {done}"
        kept = cache.to_text()
        sound.append("checks in" in known[0])
    assert sum(sound) > edits / 3  # of the others, an error is all that there is to see
    assert shelf.answered > edits  # what was read before was not read again


WALLS: Final = (
    CRD.replace("NAME", "wall").replace("KIND", "Wall").replace("SHORT", "wa").replace("EXTRA", "nullable: true")
)
DOORS: Final = (
    CRD.replace("NAME", "door").replace("KIND", "Door").replace("SHORT", "do").replace("EXTRA", "nullable: true")
)
WALL: Final = SAMPLE.replace("KIND", "Wall")


@pytest.mark.session
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            {}, {"config/samples/a.yaml": WALL.replace("size: 3", "tags: [a]")}, "", id="a list gets a sample"
        ),
        pytest.param(
            {"deploy/door.yaml": SAMPLE.replace("KIND", "Door").replace("stories", "doors")},
            {"crds/doors.yaml": DOORS.replace("stories", "doors")},
            "1 object of the project's kinds is no sample",
            id="a file gets a CRD",
        ),
        pytest.param({"crds/walls.yaml": WALLS.replace("size:", "on:")}, {}, "quote it", id="what is said of a CRD"),
        pytest.param(
            {"crds/walls.yaml": WALLS.replace("  scope: Namespaced\n", "  scope: Cluster\n  scope: Namespaced\n")},
            {},
            "is set twice",
            id="a key that is set twice",
        ),
        pytest.param(
            {"config/samples/b.yaml": f"{WALL}---\n# crd: ignore it is old\n{WALL}"},
            {},
            "it is old",
            id="two in a file",
        ),
        pytest.param({"crds/patch.yaml": PATCH.replace("doors", "walls")}, {}, "a patch", id="what is passed over"),
        pytest.param(
            {"crds/walls.yaml": WALLS + "\n---\n" + WALLS.replace("group", "groop")}, {}, "groop", id="what is wrong"
        ),
    ],
)
def test_what_is_known_is_no_more_than_its_content_tells(
    tmp_path: Path, before: dict[str, str], after: dict[str, str], expected: str
) -> None:
    kept = ""
    for files in ({"crds/walls.yaml": WALLS, "config/samples/a.yaml": WALL, **before}, after, {}):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        cache = ContentCache.from_text(kept)
        known = _seen(tmp_path, cache, VERSIONS[:1])
        assert known == _seen(tmp_path, KnowingNothing(), VERSIONS[:1])
        kept = cache.to_text()
    assert expected in "".join(known)


@pytest.mark.session
def test_what_one_kubernetes_version_takes_another_may_refuse(tmp_path: Path) -> None:
    path = tmp_path / "crds/walls.yaml"
    path.parent.mkdir()
    path.write_text(
        WALLS.replace("nullable: true", "x-kubernetes-validations: [{rule: self.none > 1}]"), encoding="utf-8"
    )
    cache = ContentCache()

    for version in (*reversed(VERSIONS), *VERSIONS):
        crd = Catalog(Sources(tmp_path, cache=cache), version).crds["Wall"]
        assert ("undefined field 'none'" in _said(lambda crd=crd: crd.guard(crd))) == (version == VERSIONS[0])  # type: ignore[misc]


def test_nothing_is_read_whole_of_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("crds/walls.yaml", WALLS), ("crds/doors.yaml", DOORS), ("config/samples/a.yaml", WALL)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    def planned(cache: ContentCache) -> tuple[CheckPlan, list[Catalog]]:
        sources = Sources(tmp_path, ("crds",), folder=tmp_path, cache=cache)
        catalogs = [Catalog(sources, version) for version in VERSIONS]
        for catalog in catalogs:
            crd = catalog.crds["Wall"]
            assert crd.guard is not None
            crd.guard(crd)
        scope = CheckScope(frozenset(), tmp_path, 1.0, ("config/samples",), ("ssatags",))
        return plan.of(catalogs, scope, home=tmp_path), catalogs

    first = ContentCache()
    words = planned(first)[0].words
    read: list[str] = []
    of_yaml = manifest.read

    def noted(content: bytes, *, source: str, cache: ContentCache | None = None) -> list[Manifest]:
        read.append(source)
        return of_yaml(content, source=source, cache=cache)

    monkeypatch.setattr(manifest, "read", noted)

    again, catalogs = planned(ContentCache.from_text(first.to_text()))
    assert (again.words, read) == (words, [])
    assert all(catalog.crds["Door"].versions[0].is_structural for catalog in catalogs)
    assert read == ["crds/doors.yaml"]


def test_several_threads_read_one_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/walls.yaml").write_text(WALLS, encoding="utf-8")
    cache = ContentCache()
    Sources(tmp_path, ("crds",), cache=cache).crds(VERSIONS[0])
    crd = Sources(tmp_path, ("crds",), cache=cache).crds(VERSIONS[0])[0]
    start, of_yaml = threading.Barrier(4), manifest.read

    def slow(content: bytes, *, source: str, cache: ContentCache | None = None) -> list[Manifest]:
        time.sleep(0.05)
        return of_yaml(content, source=source, cache=cache)

    monkeypatch.setattr(manifest, "read", slow)

    def asked(_: int) -> object:
        start.wait()
        return crd.version("v1").as_served

    with ThreadPoolExecutor(4) as threads:
        served = list(threads.map(asked, range(4)))
    assert all(one is served[0] for one in served)
