"""The summary of all CRDs: lines, exclusions, tallies, the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pots import POTS, read

from pytest_crd.coverage import coveragetable, data
from pytest_crd.coverage.collector import Collector, Reached
from pytest_crd.coverage.data import Data, Record
from pytest_crd.coverage.lines import Exclusion, read_exclusion
from pytest_crd.coverage.summary import Summary, Tally, summarize
from pytest_crd.engine import CustomResourceDefinition


def _summary(
    crd: CustomResourceDefinition, *specs: object, version: str = "v1", exclude: tuple[str, ...] = ()
) -> Summary:
    collector = Collector()
    for spec in specs:
        crd.version(version).observed_by(collector.observer).create({"spec": spec})
    return summarize(
        [crd], data.export_collector(collector, Path.cwd()), tuple(map(read_exclusion, exclude)), counts_seen=True
    )


def _missing(summary: Summary, version: int = 0) -> list[tuple[int, str]]:
    return [(item.line, item.point.text) for item in summary.versions[version].missing]


def test_points_have_the_lines_of_their_keys(tmp_path: Path) -> None:
    summary = _summary(read(tmp_path), {"size": 1, "bogus": 1})

    assert _missing(summary) == [
        (13, "no unknown field is ever dropped"),
        (13, "no field that is null is ever dropped"),
        (16, "spec: never left out"),
        (16, "spec: no field that is null is ever dropped"),
        (18, "spec: the required field size is never missing"),
        (21, "spec.size: no text is refused"),
        (22, "spec.size: no value is refused by minimum 1"),
        (23, "spec.old: never set"),
        (23, "spec.old: no unknown field is ever dropped"),
        (23, "spec.old: no field that is null is ever dropped"),
        (26, "spec.old.label: never set"),
        (26, "spec.old.label: never left out"),
        (26, "spec.old.label: no integer is refused"),
        (26, "spec.old.label: no value at the boundary of maxLength 5"),
        (26, "spec.old.label: no value is refused by maxLength 5"),
        (27, "spec.soil: never set"),
        (28, "spec.soil: no integer is refused"),
        (29, "spec.soil: no value is refused that enum does not list"),
        (30, 'spec.soil: the value "clay" of enum is never used'),
        (31, 'spec.soil: the value "sand" of enum is never used'),
    ]
    assert _missing(summary, 1)[0] == (32, "no object of v1beta1 is ever stored as v1")


def test_versions_that_are_not_served_have_no_line(tmp_path: Path) -> None:
    assert [item.version.name for item in _summary(read(tmp_path)).versions] == ["v1", "v1beta1"]


def test_a_crd_without_a_request_counts_and_is_not_covered(tmp_path: Path) -> None:
    summary = _summary(read(tmp_path))

    assert summary.requests == 0
    assert [item.tally.percent_text for item in summary.versions] == ["0%", "0%"]
    assert summary.tally.points == summary.tally.missed > 0


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("              old:\n", "              old: # crd: no cover\n", {23, 26}),
        ("minimum: 1\n", "minimum: 1  # crd: no cover\n", {22}),
        ("- sand\n", "- sand #crd:no cover \n", {31}),
        ("maxLength: 5}\n", "maxLength: 5} # crd: no cover\n", {26}),
        ("enum:\n", "enum: # crd: no cover\r\n", {29, 30, 31}),
        ("  - name: v1beta1\n", "  - name: v1beta1 # crd: no cover\n", {32, 36, 39}),
    ],
)
def test_a_comment_leaves_out_the_node_and_what_is_below_it(
    tmp_path: Path, old: str, new: str, lines: set[int]
) -> None:
    assert POTS.count(old) == 1

    plain, summary = _summary(read(tmp_path)), _summary(read(tmp_path, POTS.replace(old, new)))

    left_out = [item for version in summary.versions for item in version.counted if item.is_left_out]
    assert {item.line for item in left_out} == lines
    assert summary.problems == ()
    assert summary.tally.left_out == len(left_out)
    assert summary.tally.points == plain.tally.points - len(left_out)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"# crd: no cover\n{POTS}", "pots.yaml:1: `# crd: no cover` leaves out nothing"),
        (POTS.replace("group: example.com", "group: example.com # crd: no cover"), "pots.yaml:5: `# crd: no cover` leaves"),
        (POTS.replace("minimum: 1", "minimum: 1\n                # crd: no cover"), "pots.yaml:23: `# crd: no cover` le"),
        (POTS.replace("minimum: 1", "minimum: 1 # crd: no-cover"), "pots.yaml:22: says nothing: write `# crd: no cover`"),
        (POTS.replace("minimum: 1", "minimum: 1 # crd: pragma: no cover"), "pots.yaml:22: says nothing: write"),
        (POTS.replace("spec: {type: object}", "spec: {type: object} # crd: no cover"), "pots.yaml:47: `# crd: no cover` l"),
    ],
)  # fmt: skip
def test_a_comment_without_effect_is_a_problem(tmp_path: Path, text: str, problem: str) -> None:
    summary = _summary(read(tmp_path, text))

    assert [item for item in summary.problems if problem in item] == list(summary.problems)
    assert len(summary.problems) == 1
    assert summary.tally.left_out == 0


def test_a_text_in_quotes_is_no_comment(tmp_path: Path) -> None:
    text = POTS.replace("minimum: 1", 'minimum: 1\n                description: "x # crd: no cover"')

    assert _summary(read(tmp_path, text)).problems == ()


def test_settings_leave_out_a_path_and_what_is_below_it(tmp_path: Path) -> None:
    summary = _summary(read(tmp_path), exclude=("pots.example.com spec.old", "pots.example.com/v1 spec.soil"))

    left_out = {item.point.path for version in summary.versions for item in version.counted if item.is_left_out}
    assert left_out == {"spec.old", "spec.old.label", "spec.soil"}
    assert summary.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "pots.example.com spec.ol",
        "pot.example.com spec.old",
        "pots.example.com/v2 spec",
        "pots.example.com/v1beta1 spec.old",
    ],
)
def test_a_setting_without_effect_is_a_problem(tmp_path: Path, text: str) -> None:
    summary = _summary(read(tmp_path), exclude=(text,))

    assert summary.problems == (f"crd_cov_exclude: `{text}` leaves out nothing",)
    assert summary.tally.left_out == 0


def test_a_setting_names_a_crd_and_a_path() -> None:
    assert read_exclusion(" a.b/v1  spec.x ") == Exclusion("a.b", "v1", "spec.x")
    for text in ("a.b", "a.b spec x", ""):
        with pytest.raises(ValueError, match="write the name of a CRD and a path"):
            read_exclusion(text)


def test_a_crd_that_is_no_yaml_has_lines_too(tmp_path: Path) -> None:
    text = '{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",\n "metadata": {"name": "pots.example.com"},\n'
    text += ' "spec": {"group": "example.com", "scope": "Cluster", "names": {"plural": "pots", "kind": "Pot"}, "versions": [\n'
    text += '{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",\n'
    text += '"properties": {"spec":\n {"type": "string"}}}}}]}}'

    summary = _summary(read(tmp_path, text, "pots.json"))

    assert {line for line, words in _missing(summary) if words == "spec: never set"} == {5}


def test_crds_in_lists_and_later_documents_have_the_lines_of_their_file(tmp_path: Path) -> None:
    listed = "kind: List\napiVersion: v1\nitems:\n- " + POTS.replace("\n", "\n  ").rstrip() + "\n"
    behind = f"a: 1\n---\n{POTS}"

    in_list = _missing(_summary(read(tmp_path, listed)))
    in_stream = _missing(_summary(read(tmp_path, behind)))

    plain = _missing(_summary(read(tmp_path)))
    assert in_list == [(line + 3, text) for line, text in plain]
    assert in_stream == [(line + 2, text) for line, text in plain]


def test_aliases_and_merges_are_followed(tmp_path: Path) -> None:
    text = POTS.replace("spec: {type: object, x-k", "spec: {<<: &open {type: object}, x-k").replace(
        "spec: {type: object}\n", "spec: *open\n"
    )

    assert _summary(read(tmp_path, text)).versions[1].missing


def test_an_unservable_construct_is_a_problem(tmp_path: Path) -> None:
    text = POTS.replace("spec: {type: object, x-kubernetes-preserve-unknown-fields: true}", 'spec: {$ref: "#/a"}')

    summary = _summary(read(tmp_path, text))

    [problem] = summary.problems
    assert problem.startswith("pots.yaml:1: pots.example.com v1beta1 cannot be covered: ")
    assert [item.version.name for item in summary.versions] == ["v1"]


def test_crds_made_by_tests_do_not_count(tmp_path: Path) -> None:
    read_crd = read(tmp_path)
    own_crd = CustomResourceDefinition.from_manifest(read_crd.manifest)
    collector = Collector()

    own_crd.version("v1").observed_by(collector.observer).create({"spec": {"size": 1}})

    assert data.export_collector(collector, tmp_path) == {}


@pytest.mark.parametrize(
    ("points", "missed", "text"),
    [(0, 0, "0%"), (10, 0, "100%"), (10, 10, "0%"), (3, 1, "67%"), (1000, 1, "99%"), (1000, 999, "1%"), (8, 3, "63%")],
)
def test_percentages_are_0_and_100_only_if_exact(points: int, missed: int, text: str) -> None:
    assert Tally(points, points - missed, 0, 0).percent_text == text


def test_the_table_is_that_of_coverage_py(tmp_path: Path) -> None:
    summary = _summary(read(tmp_path), {"size": 1, "bogus": 1}, exclude=("pots.example.com spec.old",))

    assert list(coveragetable.lines(summary, with_missing=False)) == [
        "Name                       Points   Held   Seen   Miss   Cover",
        "--------------------------------------------------------------",
        "pots.example.com v1            17      0      5     12     29%",
        "pots.example.com v1beta1        6      0      0      6      0%",
        "--------------------------------------------------------------",
        "TOTAL                          23      0      5     18     22%",
        "9 points left out by `# crd: no cover` or crd_cov_exclude",
    ]


def test_the_table_lists_missing_points(tmp_path: Path) -> None:
    table = list(coveragetable.lines(_summary(read(tmp_path), {"size": 1, "bogus": 1}), with_missing=True))

    assert table[0] == "Name                       Points   Held   Seen   Miss   Cover   Missing"
    assert table[2] == "pots.example.com v1            26      0      6     20     23%   13, 16, 18, 21-23, 26-31"
    assert table[6:9] == [
        "",
        "pots.example.com v1: 20 points missing",
        "  pots.yaml:13: no unknown field is ever dropped",
    ]
    assert "pots.example.com v1beta1: 6 points missing, as no test that passed has made a request to it" in table


def test_a_fully_covered_version_has_no_list(tmp_path: Path) -> None:
    summary = _summary(read(tmp_path), exclude=("pots.example.com spec",))
    # Only points of the root and the conversion remain.
    collector = Collector()
    crd = summary.versions[0].version.crd
    for version in crd.versions[:2]:
        observed = version.observed_by(collector.observer)
        observed.create({"spec": None, "bogus": 1})
        observed.create({"spec": {"size": 1}})
    summary_of_rest = summarize(
        [crd], data.export_collector(collector, tmp_path), (read_exclusion("pots.example.com spec"),), counts_seen=True
    )

    assert summary_of_rest.tally.missed == 0
    assert list(coveragetable.lines(summary_of_rest, with_missing=True))[-1].endswith("crd_cov_exclude")


def test_copies_count_together(tmp_path: Path) -> None:
    first, second = read(tmp_path), read(tmp_path, f"# a copy\n{POTS}", "copy.yaml")
    collector = Collector()
    first.version("v1").observed_by(collector.observer).create({"spec": {"size": 1}})
    second.version("v1").observed_by(collector.observer).create({"spec": {"size": 0}})

    reached = data.export_collector(collector, tmp_path)

    assert reached.keys() == {data.compute_digest(first)}
    assert reached.find(data.compute_digest(first), "v1").requests == 2
    assert reached.find("other", "v1").requests == 0
    [summary] = summarize([first], reached).versions[:1]
    assert {"minimum 1"} & {item.point.text.rpartition("by ")[2] for item in summary.counted if item.state == "seen"}


def test_the_digest_depends_on_declarations_only(tmp_path: Path) -> None:
    digests = [
        data.compute_digest(read(tmp_path, text))
        for text in (
            POTS,
            f"# more\n{POTS}",
            POTS.replace("minimum: 1", "minimum: 2"),
            POTS.replace("pots.", "pots.x."),
        )
    ]

    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_data_survives_json(tmp_path: Path) -> None:
    crd = read(tmp_path)
    collector = Collector()
    crd.version("v1").observed_by(collector.observer).create({"spec": {"size": 1}})
    reached = data.export_collector(collector, tmp_path)

    assert data.from_json(reached.to_json()) == reached
    assert next(iter(reached.values())).file == "pots.yaml"
    assert Data() == data.read(tmp_path / "no-such-file")


def test_reached_points_add_up() -> None:
    item = Data(a=Record("pots", "pots.yaml", {"v1": Reached(1, {"x"})}))
    added = Data(
        a=Record("pots", "pots.yaml", {"v1": Reached(2, {"y"}), "v2": Reached(1, {"z"})}), b=Record("jars", "")
    )

    item.add(added)

    assert item.find("a", "v1") == Reached(3, {"x", "y"})
    assert item.find("a", "v2") == Reached(1, {"z"})
    assert item["b"].name == "jars"


SELECTOR = """\
                selector:
                  type: object
                  properties:
                    matchLabels: {type: object, additionalProperties: {type: string}}
                    matchExpressions: {type: array, items: {type: string}}
"""


def test_points_inside_of_kubernetes_types_do_not_count(tmp_path: Path) -> None:
    text = POTS.replace(
        "              old:\n", f"{SELECTOR}              old:\n".replace(" " * 16 + "sel", " " * 14 + "sel", 1)
    )
    plain, summary = (
        _summary(read(tmp_path)),
        _summary(read(tmp_path, text), {"size": 1, "selector": {"matchLabels": {"a": "b"}}}),
    )

    # The field itself counts: set, left out, its unknown fields and its nulls.
    assert summary.tally.points == plain.tally.points + 4
    assert summary.tally.kubernetes == 10
    assert (summary.tally.kubernetes_held, summary.tally.kubernetes_text) == (0, "0 of 10")
    assert "10 points inside of embedded Kubernetes types not counted; 0 held" in list(
        coveragetable.lines(summary, with_missing=True)
    )
    assert not any("matchLabels" in text for _, text in _missing(summary))


def test_held_points_inside_of_kubernetes_types_are_a_second_sum() -> None:
    first, second = Tally(2, 1, 0, 0, False, 5, 3), Tally(2, 2, 0, 0)  # noqa: FBT003

    assert (first.kubernetes_text, second.kubernetes_text) == ("3 of 5", "0")
    assert first.percent_text == "50%"
