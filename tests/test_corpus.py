"""
CRDs and custom resources that real projects ship: read from the folder that CRD_CORPUS names, skipped where it names none.

The figures are those of a server, all of whose answers were compared word for word: `python -m oracle compare crds` prints them.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest
import realworld
from oracle import cli

from pytest_crd import engine, synthesis
from pytest_crd.cases import loader
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import CaseFileError
from pytest_crd.cases.openshift import suiterunner
from pytest_crd.cases.openshift.crds import Variant
from pytest_crd.cases.openshift.suite import Suite, SuiteCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import summary as coverage_summary
from pytest_crd.coverage.data import Data
from pytest_crd.discovery.crdsources import Sources

CORPUS = os.environ.get("CRD_CORPUS", "")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with real CRDs")]


def _crds(folder: str, *, step: int = 1) -> Iterator[engine.CustomResourceDefinition]:
    """Load every *step*-th file, each alone, as projects carry copies of each other's CRDs."""
    files = sorted(path for path in Path(CORPUS, folder).rglob("*") if path.is_file())
    return (crd for path in files[::step] for crd in engine.load([path]))


@pytest.fixture(scope="module")
def structural_crds() -> list[engine.CustomResourceDefinition]:
    return list(_crds("crds"))


def _is_v1(crd: engine.CustomResourceDefinition) -> bool:
    return str(crd.manifest["apiVersion"]).endswith("/v1")


def test_every_crd_is_found(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    assert Counter(map(_is_v1, structural_crds)) == {True: 419, False: 34}


def _served(crds: Iterable[engine.CustomResourceDefinition]) -> Iterator[engine.CrdVersion]:
    return (version for crd in crds if crd.response.accepted for version in crd.versions if version.served)


def test_every_version_has_an_example(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    versions = list(_served(structural_crds))

    assert len(versions) > 450
    assert [
        version
        for version in versions
        if not version.create(synthesis.example(version), field_validation="Strict").accepted
    ] == []


def test_every_version_has_a_full_example(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    small = [version for version in _served(structural_crds) if len(str(version.schema)) < 40_000]

    assert len(small) > 50
    for version in small:
        assert len(str(synthesis.example(version, full=True))) >= len(str(synthesis.example(version)))


def test_every_v1_crd_is_structural(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    flawed = [
        crd.name for crd in structural_crds if _is_v1(crd) for version in crd.versions if version.structural_errors
    ]

    assert flawed == []


def test_the_crds_that_servers_refuse_have_structural_errors() -> None:
    crds = list(_crds("crds-nonstructural"))

    refused = [crd.name for crd in crds if any(not version.is_structural for version in crd.versions)]

    assert (len(crds), len(refused)) == (14, 13)


def test_every_crd_of_the_openshift_suites_loads() -> None:
    folder = Path(CORPUS, "testsuites", "openshift+api")

    files = sorted(path for path in folder.rglob("zz_generated.crd-manifests/*.yaml"))

    assert files
    assert all(len(engine.load([path])) == 1 for path in files)


def test_every_openshift_suite_has_its_expected_crds_and_holds(
    compared: Callable[[str, int], None],
) -> None:
    """Upstream ran these suites against Kubernetes 1.32; a suite that it skips silently is refused here."""
    root = Path(CORPUS, "testsuites")
    catalog = Catalog(Sources(root), "1.32")
    counts: Counter[str] = Counter()
    with (root / "resolution.tsv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["crdFiles"]]
    for row in rows:
        path = root / row["suite"]
        try:
            suite = loader.load_any(path.read_bytes(), source=row["suite"])
        except CaseFileError as error:
            counts.update(mistake.message.partition(";")[0] for mistake in error.mistakes)
            continue
        assert isinstance(suite, Suite)
        variants = catalog.variants_of(suite, folder=path.parent)
        assert {Path(variant.crd.source.rpartition(":")[0]).name for variant in variants} == {
            Path(name).name for name in row["crdFiles"].split(";")
        }
        counts.update(_outcome(suite, case, variant, catalog) for variant in variants for case in suite.cases)

    assert counts == {
        "held": 2832,
        "unknown key 'featureGate'": 3,
        "key 'onCreate' is set twice, and only the last value would count": 2,
    }
    compared("executions of suites", counts["held"])


def _outcome(suite: Suite, case: SuiteCase, variant: Variant, catalog: Catalog) -> str:
    old = CaseSubject(catalog.suite_old_version_of(suite, case.case, variant))
    try:
        result = suiterunner.run(case, CaseSubject(variant.version), old_subject=old)
    except CaseFileError as error:
        return str(error)
    return "held" if result.holds else case.case.title


def test_an_empty_object_passes_every_version(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    """Compiling and running the passes of every real schema raises nothing and invents no field."""
    for crd in structural_crds:
        for version in crd.versions:
            assert version.prune({"bogus-field": 1}).value.get("bogus-field", 1) == 1
            assert version.default({}).nulls == ()


def test_every_repository_works_without_settings(capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["compare", "repositories", CORPUS, "--flat"])

    output, complaints = capsys.readouterr()
    assert (code, complaints) == (0, "")
    assert output.splitlines()[-1] == "32 of 32 repositories work without settings"


def _figures(responses: Iterable[engine.Response]) -> dict[int | str, int]:
    """Counts of each answered code, and of all causes and warnings."""
    figures: Counter[int | str] = Counter({"causes": 0, "warnings": 0})
    for response in responses:
        figures[response.code] += 1
        figures["causes"] += sum(error.type != "Request" for error in response.errors)
        figures["warnings"] += len(response.warnings)
    return dict(figures)


def _responses_to_crds(folder: str) -> Iterator[engine.Response]:
    for manifest in realworld.crds(Path(CORPUS, folder)):
        yield engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version="1.37").response


def _responses_to_samples() -> Iterator[engine.Response]:
    for served in realworld.served(Path(CORPUS)):
        crd = engine.CustomResourceDefinition.from_manifest(served.crd, kubernetes_version="1.37")
        for sample in served.samples:
            version = crd.version(sample["apiVersion"].partition("/")[2])
            yield version.create(sample, namespace=realworld.namespace(sample))


def _answers(figures: Mapping[int | str, int]) -> int:
    return sum(number for code, number in figures.items() if isinstance(code, int))


def test_every_crd_gets_the_answer_of_a_server(compared: Callable[[str, int], None]) -> None:
    figures = _figures(_responses_to_crds("crds"))

    assert figures == {201: 415, 404: 34, 422: 4, "causes": 12, "warnings": 10}
    compared("answers about CRDs and samples of projects", _answers(figures))


def test_crds_that_servers_refuse_are_refused_with_the_same_message(compared: Callable[[str, int], None]) -> None:
    figures = _figures(_responses_to_crds("crds-nonstructural"))

    assert figures == {201: 1, 422: 13, "causes": 168, "warnings": 0}
    compared("answers about CRDs and samples of projects", _answers(figures))


def test_every_sample_gets_the_answer_of_a_server(compared: Callable[[str, int], None]) -> None:
    figures = _figures(_responses_to_samples())

    assert figures == {201: 1546, 400: 2, 422: 84, "causes": 115, "warnings": 77}
    compared("answers about CRDs and samples of projects", _answers(figures))


@pytest.mark.parametrize(
    ("step", "versions", "points"), [(3, 160, 60_000), pytest.param(1, 500, 200_000, marks=pytest.mark.slow)]
)
def test_every_point_of_every_served_version_has_a_line_and_an_id_of_its_own(
    step: int, versions: int, points: int
) -> None:
    counted = Counter[str]()
    for crd in _crds("crds", step=step):
        summary = coverage_summary.summarize([crd], Data())
        served = [version for version in crd.versions if version.served and version.schema is not None]
        counted["versions"] += len(served)
        for version in summary.versions:
            ids = {covered.point.id for covered in version.counted}
            counted["points"] += len(ids)
            assert len(ids) == len(version.counted)
            assert all(
                0 < covered.line - version.lines.before <= len(version.lines.text) for covered in version.counted
            )
            assert ids or version.version.schema is None or version.version.preserves_unknown_fields, version.name

    assert counted["versions"] >= versions
    assert counted["points"] >= points
