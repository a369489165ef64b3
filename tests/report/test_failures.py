"""Reports of failures: a line for each difference, with its path and its reason, and no traceback."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from _pytest.mark import ParameterSet  # nothing public

if TYPE_CHECKING:
    from support.sessions import Project

HEAD = "crd: gardens.stories.example.com\n"
STORIES = [
    pytest.param(
        "pruning",
        "{input: {spec: {bogus: {a: 1}}}, expected: {spec: {bogus: {a: 1}}}}",
        """\
expected:
  spec.bogus  expected {"a": 1}, but it is absent (pruned: the schema does not specify it, config/crd/bases/gardens.yaml:20)
""",
        'spec.bogus pruned, expected {"a": 1}',
        id="a pruned field says that it was pruned",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {free: {a: '1', c: true}}}, expected: {spec: {free: {a: 1, c: 'true'}}}}",
        """\
expected:
  spec.free.a  expected 1 (integer), got "1" (string)
  spec.free.c  expected "true" (string), got true (boolean)
""",
        'spec.free.a is "1" (string), expected 1 (integer) (+1 more)',
        id="values that look alike have their types",
    ),
    pytest.param(
        "pruning",
        '{input: {spec: {note: "one\\ntwo\\nthree\\n"}}, expected: {spec: {note: "one\\n2\\nthree\\n"}}}',
        """\
expected:
  spec.note  the texts differ
      @@ -1,3 +1,3 @@
       one
      -2
      +two
       three
""",
        "spec.note differs",
        id="texts of several lines are a diff",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {note: 'PREFIXPREFIX is sent'}}, expected: {spec: {note: 'PREFIXPREFIX is expected'}}}".replace(
            "PREFIX", "a long text that begins the same, "
        ),
        """\
expected:
  spec.note  expected …"ins the same,  is expected", got …"ins the same,  is sent"
""",
        'spec.note is …"ins the same,  is sent", expected …"ins the same,  is expected"',
        id="long texts are shown from where they differ",
    ),
    pytest.param(
        "pruning",
        '{input: {spec: {note: "\\e[2Jone\\u202e"}}, expected: {spec: {note: "one"}}}',
        """\
expected:
  spec.note  expected "one", got "\\u001b[2Jone\\u202e"
""",
        'spec.note is "\\u001b[2Jone\\u202e", expected "one"',
        id="what a terminal would obey is escaped",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {beds: [{name: a}, {name: b}, {name: c}]}}, expected: {spec: {beds: [{name: a}, {name: c}]}}}",
        """\
expected:
  spec.beds[1] (name="b")  not expected, but it is {"name": "b"} (kept from the input)
""",
        'spec.beds[1] (name="b") is {"name": "b"}, not expected',
        id="an inserted item of a list map is one line",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {label: x}}, absent: [spec.label, spec.size]}",
        """\
absent:
  spec.label  must be absent, but is "x"
""",
        'spec.label is "x", must be absent',
        id="what must be absent is shown",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {beds: [{name: a, plnt: x}]}}, pruned: ['spec.beds[0].plant', spec.other]}",
        """\
pruned:
  spec.beds[0].plant  listed, but not pruned; the nearest is spec.beds[0].plnt
  spec.other          listed, but not pruned; there can be no field; did you mean spec.note?
  spec.beds[0].plnt   pruned, but not listed
""",
        "spec.beds[0].plant not pruned, but listed (+2 more)",
        id="lists of paths say what is missing and what came unasked",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {size: 1}}, contains: {spec: {size: 2, label: a}}}",
        """\
contains:
  spec.label  expected "a", but it is absent (the input does not have it, and no default puts it in)
  spec.size   expected 2, got 1
""",
        'spec.label absent, expected "a" (+1 more)',
        id="a subset shows what it misses",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {a: 1, b: 1, c: 1}}, expected: {spec: {a: 1, b: 1, c: 1, label: x}}}",
        """\
expected:
  spec.a      expected 1, but it is absent
  spec.b      expected 1, but it is absent
  spec.c      expected 1, but it is absent
  each of these 3: pruned: the schema does not specify it, config/crd/bases/gardens.yaml:20
  spec.label  expected "x", but it is absent (the input does not have it, and no default puts it in)
""",
        "spec.a pruned, expected 1 (+3 more)",
        id="a reason that many have in common is said once",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {label: a, lable: b, bogus: 1, soils: {a: 1}}}, expected: {spec: {label: b, soils: {a: 1}}}}",
        """\
expected:
  spec.label  expected "b", got "a"
  spec.soils  expected {"a": 1}, but it is absent (pruned: the schema does not specify it, config/crd/bases/gardens.yaml:20)
  pruned besides: spec.bogus, spec.lable (did you mean spec.label?)
""",
        'spec.label is "a", expected "b" (+1 more)',
        id="what else was pruned is said, which may be misspelt",
    ),
    pytest.param(
        "create",
        "{input: {spec: {siez: 7}}, expected: {spec: {size: 7, watering: {hour: 6}}}}",
        """\
expected:
  spec.size  expected 7, got 3 (the schema's default, config/crd/bases/gardens.yaml:20)
  pruned: spec.siez (did you mean spec.size?)
""",
        "spec.size is 3 (default), expected 7",
        id="what was pruned of a request is said, too",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {}}, expected: {spec: {label: x, size: 3, watering: {hour: 6}}}}",
        """\
expected:
  spec.label     expected "x", but it is absent (the input does not have it, and no default puts it in)
  spec.size      expected 3, but it is absent (the input does not have it, and pruning does not put in its default, config/crd/bases/gardens.yaml:20)
  spec.watering  expected {"hour": 6}, but it is absent (the input does not have it, and pruning does not put in its default, config/crd/bases/gardens.yaml:26)
""",
        'spec.label absent, expected "x" (+2 more)',
        id="pruning puts in no default, of a field that has one either",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {watering: {}}}, contains: {spec: {watering: {hour: 6}, beds: [{name: a, rows: 1}]}}}",
        """\
contains:
  spec.beds           expected [{"name": "a", "rows": 1}], but it is absent (the input does not have it, and pruning does not put in the default of spec.beds[0].rows)
  spec.watering.hour  expected 6, but it is absent (the input does not have it, and pruning does not put in its default, config/crd/bases/gardens.yaml:26)
""",
        'spec.beds absent, expected [{"name": "a", "rows": 1}] (+1 more)',
        id="nor one below what is not there",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {}}, contains: {spec: {beds: [{name: a, rows: 1}], free: {size: 1}}}}",
        """\
contains:
  spec.beds  expected [{"name": "a", "rows": 1}], but it is absent (the input does not have it, and the default of spec.beds[0].rows is put in only where spec.beds is there)
  spec.free  expected {"size": 1}, but it is absent (the input does not have it, and no default puts it in)
""",
        'spec.beds absent, expected [{"name": "a", "rows": 1}] (+1 more)',
        id="a default is put in only where there is something around it",
    ),
    pytest.param(
        "pruning",
        "{input: {metadata: {labels: {a: 1}}}, contains: {spec: {}}}",
        """\
  the server answers 400: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string
""",
        "the server answers 400: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
        id="an object that cannot be decoded shows the words of the server",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {beds: [{name: a}, {name: b, plant: x}]}}, expected: {spec: {beds: [{name: b, plant: z}, {name: a}]}}}",
        """\
expected:
  spec.beds           the same keys in another order: expected name="b", name="a"; got name="a", name="b"
  spec.beds[1].plant  expected "z", got "x"
""",
        "spec.beds the same keys in another order (+1 more)",
        id="a reordered list map says so first",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {free: {l: [{name: a, x: 1}, {name: b}]}}}, expected: {spec: {free: {l: [{name: b}, {name: a, x: 1}]}}}}",
        """\
expected:
  spec.free.l[0].name  expected "b", got "a"
  spec.free.l[0].x     not expected, but it is 1 (kept from the input)
  spec.free.l[1].name  expected "a", got "b"
  spec.free.l[1].x     expected 1, but it is absent (the input does not have it, and no default puts it in)
""",
        'spec.free.l[0].name is "a", expected "b" (+3 more)',
        id="a list without list-map keys is compared by position, also if its items have names",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {label: u\u0308, free: {\u0430: 1}}}, expected: {spec: {label: \u00fc, free: {a: 1}}}}",
        """\
expected:
  spec.free.a       expected 1, but it is absent (the input does not have it, and no default puts it in)
  spec.free.\\u0430  not expected, but it is 1 (kept from the input)
  spec.label        expected "\\u00fc", got "u\\u0308"
""",
        "spec.free.a absent, expected 1 (+2 more)",
        id="texts and fields that look alike have escapes",
    ),
    pytest.param(
        "create",
        "{input: {spec: {labl: x, beds: [{name: a, plnt: x}]}}, accepted: true}",
        """\
fields of the input that are dropped:
  spec.beds[0].plnt  the schema does not specify it; did you mean spec.beds[0].plant?
  spec.labl          the schema does not specify it; did you mean spec.label?
  if this is intended, list it in `pruned`, or in `lost` if the storage version drops it, or write `unknownFields: allow` at the top of the file
""",
        "spec.beds[0].plnt: the schema does not specify it; did you mean spec.beds[0].plant? (+1 more)",
        id="a misspelt field has the one that is meant beside it",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {}}, expected: {spec: {}}}",
        """\
expected:
  spec.size      not expected, but it is 3 (the schema's default, config/crd/bases/gardens.yaml:20)
  spec.watering  not expected, but it is {"hour": 6} (the schema's default, config/crd/bases/gardens.yaml:26)
""",
        "spec.size is 3 (default), not expected (+1 more)",
        id="a default says that it is one",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {}}, contains: {spec: {watering: {hour: 7}}}}",
        """\
contains:
  spec.watering.hour  expected 7, got 6 (the schema's default, config/crd/bases/gardens.yaml:26)
""",
        "spec.watering.hour is 6 (default), expected 7",
        id="a value below a default says that it is one",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {label: null, size: null}}, expected: {spec: {label: null, size: 4, watering: {hour: 6}}}}",
        """\
expected:
  spec.label  expected null, but it is absent (null dropped: the schema does not allow null there, and has no default for it, config/crd/bases/gardens.yaml:21)
  spec.size   expected 4, got 3 (the schema's default, config/crd/bases/gardens.yaml:20)
""",
        "spec.label null dropped, expected null (+1 more)",
        id="a dropped null says that it was dropped",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {label: null, size: 1}}, nullsDropped: [], defaulted: [spec.size]}",
        """\
defaulted:
  spec.size           listed, but not defaulted
  spec.watering       defaulted, but not listed
  spec.watering.hour  defaulted, but not listed

nullsDropped:
  spec.label  dropped, but not listed
""",
        "spec.size not defaulted, but listed (+3 more)",
        id="every expectation that does not hold is shown",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 11, soil: lava}}, expected: {spec: {rows: 11}}}",
        """\
refused (422), but expected to be accepted:
  spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10 (config/crd/bases/gardens.yaml:24 maximum)
  spec.soil: Unsupported value: "lava": supported values: "clay", "sand" (config/crd/bases/gardens.yaml:23 enum)
""",
        "refused: spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10 (+1 more)",
        id="a refusal that is not expected shows every error as the server prints it",
    ),
    pytest.param(
        "create",
        "{input: {spec: {roows: 1}}, fieldValidation: Strict, accepted: true}",
        """\
refused (400), but expected to be accepted:
  Garden in version "v1" cannot be handled as a Garden: strict decoding error: unknown field "spec.roows"
""",
        'refused: Garden in version "v1" cannot be handled as a Garden: strict decoding error: unknown field "spec.roows"',
        id="a refusal without causes shows its message",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 10}}, errors: [{field: spec.rows, type: Invalid}]}",
        """\
accepted (201), but expected to be refused:
  missing  {field: spec.rows, type: Invalid}
""",
        "accepted, expected {field: spec.rows, type: Invalid}",
        id="an acceptance that is not expected shows what is missing",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 10}}, error: less than 10}",
        """\
accepted (201), but expected to be refused:
  missing  "less than 10"
""",
        'accepted, expected "less than 10"',
        id="the short form of an error is missing too",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 11, soil: lava, label: 1, beds: [{}]}}, errors: [{field: spec.rows, type: Invalid, "
        "detail: spec.rows in body should be less than or equal to 9}, {field: spec.label, type: Invalid}, "
        "{field: spec.size, type: Required}, {field: spec.soil}]}",
        """\
errors:
  missing  {field: spec.rows, type: Invalid, detail: "spec.rows in body should be less than or equal to 9"}
  nearest  spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10 (config/crd/bases/gardens.yaml:24 maximum) (another detail)
  missing  {field: spec.label, type: Invalid}
  nearest  spec.label: Invalid value: "integer": spec.label in body must be of type string: "integer" (config/crd/bases/gardens.yaml:21 type) (another type: TypeInvalid)
  missing  {field: spec.size, type: Required}
  unasked  spec.beds[0].name: Required value (config/crd/bases/gardens.yaml:33 required)
  met      spec.soil: Unsupported value: "lava": supported values: "clay", "sand"
""",
        'missing {field: spec.rows, type: Invalid, detail: "spec.rows in body should be less than or equal to 9"} (+3 more)',
        id="errors are missing, near, unasked or met",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 11, soil: lava}}, errors: [{field: spec.rows}]}",
        """\
errors:
  unasked  spec.soil: Unsupported value: "lava": supported values: "clay", "sand" (config/crd/bases/gardens.yaml:23 enum)
  met      spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10
""",
        'unasked spec.soil: Unsupported value: "lava": supported values: "clay", "sand"',
        id="an error that came unasked is shown",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 11, soil: lava}}, containsErrors: [{field: spec.size, matches: ^Required}, {field: spec.rows}]}",
        """\
containsErrors:
  missing  {field: spec.size, matches: "^Required"}
  besides  spec.soil: Unsupported value: "lava": supported values: "clay", "sand" (config/crd/bases/gardens.yaml:23 enum)
  met      spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10
""",
        'missing {field: spec.size, matches: "^Required"}',
        id="where only some errors are expected the others stand beside",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 11, soil: lava, label: 1, beds: [{}]}}, errors: [{field: spec.rows}, {field: spec.label}, "
        "{field: spec.soil}, {field: spec.free}, {field: 'spec.beds[0].name'}]}",
        """\
errors:
  missing  {field: spec.free}
  met      4 of the 5 that are expected (-v lists them)
""",
        "missing {field: spec.free}",
        id="of many errors the missing one stands first, and those that are met are counted",
    ),
    pytest.param(
        "create",
        "{input: {spec: {roows: 1}}, fieldValidation: Strict, errors: [{field: spec.roows}]}",
        """\
errors:
  refused  400: Garden in version "v1" cannot be handled as a Garden: strict decoding error: unknown field "spec.roows"
  missing  {field: spec.roows}
""",
        'refused 400: Garden in version "v1" cannot be handled as a Garden: strict decoding error: unknown field "spec.roows" (+1 more)',
        id="a refusal without causes has none of the errors",
    ),
    pytest.param(
        "create",
        "{input: {spec: {rows: 11}}, error: immutable}",
        """\
error:
  missing  "immutable"
  message  Garden.stories.example.com "example" is invalid: spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10
""",
        '"immutable" is not in: Garden.stories.example.com "example" is invalid: spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10',
        id="a message is shown whole where the part is not in it",
    ),
    pytest.param(
        "create",
        "{input: {spec: {roows: 1}}, warnings: ['unknown field \"spec.rows\"']}",
        """\
warnings:
  unknown field "spec.rows"   listed, but not given; the nearest is unknown field "spec.roows"
  unknown field "spec.roows"  given, but not listed
""",
        'unknown field "spec.rows" not given, but listed (+1 more)',
        id="warnings are shown like paths",
    ),
    pytest.param(
        "create",
        "{input: {spec: {size: 1}, status: {phase: Dry}}, contains: {spec: {size: 2}, status: {phase: Dry}}}",
        """\
contains:
  spec.size  expected 2, got 1
  status     expected {"phase": "Dry"}, but it is absent (dropped: a create drops the status, which is a subresource)
""",
        "spec.size is 1, expected 2 (+1 more)",
        id="a status that a create drops says so",
    ),
    pytest.param(
        "update",
        "{old: {spec: {}, status: {phase: Dry}}, input: {spec: {}, status: {phase: Wet}}, contains: {status: {phase: Wet}}}",
        """\
contains:
  status.phase  expected "Wet", got "Dry" (kept from `old`: an update leaves the status alone, which is a subresource)
""",
        'status.phase is "Dry" (kept from old), expected "Wet"',
        id="a status that an update keeps says so",
    ),
    pytest.param(
        "updateStatus",
        "{old: {spec: {size: 1}}, input: {spec: {size: 2}, status: {phase: Wet}}, contains: {spec: {size: 2}}}",
        """\
contains:
  spec.size  expected 2, got 1 (kept from `old`: an update of the status leaves all else alone)
""",
        "spec.size is 1 (kept from old), expected 2",
        id="what an update of the status keeps says so",
    ),
    pytest.param(
        "update",
        "{oldCRD: {patch: [{op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/rows/maximum}]}, "
        "old: {spec: {rows: 11}}, input: {spec: {rows: 11}}, errors: [{field: spec.rows}]}",
        """\
accepted (200), but expected to be refused:
  missing    {field: spec.rows}
  ratcheted  spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10 (config/crd/bases/gardens.yaml:24 maximum) (wrong in `old` too, so an update keeps it)
""",
        "accepted, expected {field: spec.rows}",
        id="what is kept though it is not valid says so",
    ),
]


def test_a_status_update_without_the_subresource_says_what_is_missing(project: Project) -> None:
    path = project.crd()
    path.write_text(path.read_text(encoding="utf-8").replace("{status: {}}", "{}"), encoding="utf-8")
    _write_case(project, "updateStatus", "{old: {spec: {}}, input: {status: {phase: Wet}}, accepted: true}")

    project.run().stdout.fnmatch_lines(
        [
            "refused (404), but expected to be accepted:",
            '  gardens.stories.example.com "example" not found (v1 has no status subresource)',
        ]
    )


def _write_case(project: Project, section: str, case: str) -> None:
    project.cases(f"{HEAD}{section}:\n- {{name: a, {case[1:]}\n")


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the terminal so wide that no summary is cut."""
    monkeypatch.setenv("COLUMNS", "200")


def _expected_report(section: str, words: str) -> str:
    """Return the expected lines between the name of the case and the summary."""
    return (
        f'test_garden.crd.yaml:3: {section} case "a"\n'
        "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.37\n"
        f"\n{words}"
    )


# A session shows failures of one cause once, and some stories share a cause.
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize(
    "stories", [STORIES[:9], STORIES[9:18], STORIES[18:27], STORIES[27:]], ids=["first", "second", "third", "fourth"]
)
def test_a_failure_shows_differences_with_reasons(project: Project, stories: Sequence[ParameterSet]) -> None:
    for number, story in enumerate(stories):
        section, case, _, _ = map(str, story.values)
        project.cases(f"{HEAD}{section}:\n- {{name: story {number}, {case[1:]}\n", name=f"test_{number:02}.crd.yaml")

    result = project.run()

    result.assert_outcomes(failed=len(stories))
    reports = re.split(r"\n_+ story \d+ _+\n", "\n".join(result.outlines))[1:]
    for number, (story, report) in enumerate(zip(stories, reports, strict=True)):
        section, _, words, summary = map(str, story.values)
        expected = _expected_report(section, words).replace("test_garden", f"test_{number:02}")
        output = report.split("\n=")[0]
        assert f"{output}\n" == expected.replace('case "a"', f'case "story {number}"'), story.id
        assert f"FAILED test_{number:02}.crd.yaml::story {number} - {summary}" in result.outlines, story.id


def test_a_cut_summary_begins_with_the_essence(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    project.cases(
        f"{HEAD}pruning:\n- name: a name of some length\n  input: {{spec: {{bogus: x}}}}\n  expected: {{spec: {{bogus: x}}}}\n"
    )

    result = project.run()

    assert "FAILED test_garden.crd.yaml::a name of some length - spec.bogus pruned, expec..." in result.outlines


def test_verbose_shows_only_the_compared_part(project: Project) -> None:
    sent = "{spec: {size: 1, note: x, beds: [{name: a}, {name: b}], free: {list: [{a: 1, b: 2}, 3]}}}"
    requests_made = "{spec: {size: 2, beds: [{name: b, plant: z}], free: {list: [{a: 2}]}}}"
    _write_case(project, "pruning", f"{{input: {sent}, contains: {requests_made}}}")

    result = project.run("-vv")

    diff = str(result.stdout).split("--- expected")[1].partition("expected in full")[0]
    assert "note" not in diff
    assert "name: a" not in diff
    assert "b: 2" not in diff
    assert "-  size: 2" in diff
    assert "note: x" in str(result.stdout).partition("actual in full")[2]


def test_a_failure_on_one_line_has_its_place_and_its_reason(project: Project) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    project.run("--tb=line").stdout.fnmatch_lines(["test_garden.crd.yaml:3: spec.size is 1, expected 2"])


def test_annotation_tools_find_the_reason(project: Project) -> None:
    """pytest-github-actions-annotate-failures reads the crash and needs a report without traceback entries."""
    project.write(
        "conftest.py",
        "from _pytest._code.code import ExceptionRepr\n"
        "def pytest_runtest_logreport(report):\n"
        "    if report.failed and isinstance(report.longrepr, ExceptionRepr):\n"
        "        crash = report.longrepr.reprcrash\n"
        "        assert not report.longrepr.reprtraceback.reprentries\n"
        "        with open('annotations.txt', 'a') as file:\n"
        "            file.write(f'{crash.path}:{crash.lineno}: {crash.message}\\n')\n",
    )
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    project.run().assert_outcomes(failed=1)

    annotations = set((project.path / "annotations.txt").read_text(encoding="utf-8").splitlines())
    assert annotations == {"test_garden.crd.yaml:3: spec.size is 1, expected 2"}


def test_the_source_of_hidden_frames_is_not_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the source of pytest's own modules took several times as long as the case."""
    project.cases(f"{HEAD}pruning:\n- {{name: a, input: {{spec: {{size: 1}}}}, expected: {{spec: {{size: 2}}}}}}\n")
    read: list[object] = []
    monkeypatch.setattr(pytest.ExceptionInfo, "getrepr", lambda info, **_: read.append(info))

    result = project.run("--crd-checks")

    result.assert_outcomes(failed=1, passed=5)
    result.stdout.fnmatch_lines(["  spec.size  expected 2, got 1"])
    assert not read


def test_an_undeclared_mark_gets_a_warning_at_its_case(project: Project) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 1}}, marks: [slw]}")

    warned, refused = project.run("-W", "default"), project.run("-W", "error")

    warned.stdout.fnmatch_lines(["*test_garden.crd.yaml:3: PytestUnknownMarkWarning: Unknown pytest.mark.slw*"])
    warned.stdout.no_fnmatch_line("*nodes.py*")
    refused.assert_outcomes(errors=1)
    refused.stdout.fnmatch_lines(["*test_garden.crd.yaml:3: Unknown pytest.mark.slw*"])


def test_verbose_shows_a_diff_of_the_objects(project: Project) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run("-v")

    result.stdout.fnmatch_lines(["  --- expected", "  +++ actual", "   spec:", "  -  size: 2", "  +  size: 1"])
    result.stdout.no_fnmatch_line("*in full:")


def test_diffs_have_escapes_in_lines_that_look_alike(project: Project) -> None:
    sent, expected = '{label: "a\\nu\\u0308\\n"}', '{label: "a\\n\\u00fc\\n"}'
    _write_case(project, "pruning", f"{{input: {{spec: {sent}}}, expected: {{spec: {expected}}}}}")

    lines = project.run("-v").outlines

    assert [line.strip() for line in lines if "\\u" in line and "label" not in line][:2] == ["-\\u00fc", "+u\\u0308"]
    assert [line.strip() for line in lines if "\\u" in line][-2:] == ["-    \\u00fc", "+    u\\u0308"]


@pytest.mark.parametrize("flag", ["-q", "-qq"])
def test_quiet_shows_no_more_than_the_differences(project: Project, flag: str) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run(flag)

    result.stdout.fnmatch_lines(["  spec.size  expected 2, got 1"])
    result.stdout.no_fnmatch_line("*--- expected")


def test_more_verbose_shows_both_objects(project: Project) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run("-vv")

    result.stdout.fnmatch_lines(
        ["  expected in full:", "    spec:", "      size: 2", "  actual in full:", "    spec:", "      size: 1"]
    )


def test_colour_follows_pytests_option(project: Project) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run("--color=yes", "-v")

    assert "expected \x1b[32m2\x1b[0m, got \x1b[31m1\x1b[0m" in str(result.stdout)
    assert "\x1b[32m-  size: 2\x1b[0m" in str(result.stdout)


def test_a_long_list_of_differences_is_cut_unless_verbose(project: Project) -> None:
    fields = ", ".join(f"f{number:02}: 1" for number in range(30))
    _write_case(project, "pruning", f"{{input: {{spec: {{}}}}, expected: {{spec: {{{fields}}}}}}}")

    short, verbose = project.run(), project.run("-v")

    short.stdout.fnmatch_lines(
        [
            "  each of these 20: the input does not have it, and no default puts it in",
            "  … and 10 more; -v shows all",
            "FAILED test_garden.crd.yaml::a - spec.f00 absent, expected 1 (+29 more)",
        ]
    )
    short.stdout.no_fnmatch_line("  spec.f29*")
    verbose.stdout.fnmatch_lines(["  spec.f29  expected 1, but it is absent"])


def test_long_values_are_cut(project: Project) -> None:
    fields = ", ".join(f"field{number}: {number}" for number in range(20))
    numbers = ", ".join(map(str, range(60)))
    _write_case(
        project,
        "pruning",
        f"{{input: {{spec: {{}}}}, expected: {{spec: {{a: {{{fields}}}, b: [{numbers}], c: {'x' * 90}, d: {{k: {'y' * 90}}}}}}}}}",
    )

    result = project.run()

    result.stdout.fnmatch_lines(
        [
            "  spec.a  expected an object with 20 fields: field0, field1, field2, field3, field4, field5…, but it is absent",
            "  spec.b  expected a list of 60 items, but it is absent",
            '  spec.c  expected "' + "x" * 71 + "…, but it is absent",
            "  spec.d  expected an object with 1 field: k, but it is absent",
            "  each of these 4: the input does not have it, and no default puts it in",
        ]
    )


def test_a_python_test_shows_the_same_text(project: Project) -> None:
    cases = f"{HEAD}pruning:\n- {{name: a, input: {{spec: {{bogus: 1}}}}, expected: {{spec: {{bogus: 1}}}}}}\n"
    project.cases(cases, name="cases/garden.yaml")
    project.write(
        "test_it.py", "import pytest\n@pytest.mark.crd_cases('cases/*')\ndef test_it(crd_case):\n    crd_case.check()\n"
    )

    result = project.run()

    result.assert_outcomes(failed=1)
    assert "_ test_it[a] _" in str(result.stdout)
    result.stdout.fnmatch_lines(
        [
            'cases/garden.yaml:3: pruning case "a"',
            "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.37",
            "",
            "expected:",
            "  spec.bogus  expected 1, but it is absent (pruned: the schema does not specify it, config/crd/bases/gardens.yaml:20)",
            "*short test summary info*",
            "FAILED test_it.py::test_it[[]a[]] - spec.bogus pruned, expected 1",
        ]
    )
    result.stdout.no_fnmatch_line("*nodes.py*")


class _Sender:
    """Plugin that sends each report of a session to another process and back."""

    def __init__(self) -> None:
        self.reports: list[tuple[pytest.TestReport, pytest.TestReport]] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        arrived = self._config.hook.pytest_report_from_serializable(config=self._config, data=data)
        self.reports.append((report, arrived))


def test_a_failure_survives_the_way_to_another_process(project: Project, pytester: pytest.Pytester) -> None:
    _write_case(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")
    sender = _Sender()

    pytester.inline_run("-p", "no:cacheprovider", plugins=[sender])

    for sent, arrived in sender.reports:
        assert (arrived.when, str(arrived.longrepr)) == (sent.when, str(sent.longrepr))
    (_, arrived) = next(pair for pair in sender.reports if pair[0].when == "call")
    assert arrived.longrepr.reprcrash.message == "spec.size is 1, expected 2"  # type: ignore[union-attr]


def test_verbose_lists_the_errors_that_are_met(project: Project) -> None:
    _write_case(
        project,
        "create",
        "{input: {spec: {rows: 11, soil: lava, label: 1}}, errors: [{field: spec.rows}, {field: spec.label}, {field: spec.soil}, {field: spec.free}]}",
    )

    result = project.run("-v")

    result.stdout.fnmatch_lines(["  missing  {field: spec.free}", *["  met      spec.*"] * 3])


def test_many_fields_that_were_pruned_are_cut_unless_verbose(project: Project) -> None:
    fields = ", ".join(f"other{number:02}: 1" for number in range(22))
    _write_case(project, "pruning", f"{{input: {{spec: {{{fields}}}}}, expected: {{spec: {{label: x}}}}}}")

    short, verbose = project.run(), project.run("-v")

    short.stdout.fnmatch_lines(["  pruned: spec.other00, spec.other01,*, spec.other19 and 2 more"])
    verbose.stdout.fnmatch_lines(["  pruned: spec.other00,*, spec.other20, spec.other21"])
