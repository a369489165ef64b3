"""Samples: custom resources that a server must store unchanged, apart from other kinds, ignored objects and templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import projectchecks
from support.sessions import GARDEN

from pytest_crd.checks.checkplan import CheckPlan
from pytest_crd.checks.verdict import CheckVerdict

if TYPE_CHECKING:
    from support.sessions import Project

CRD = "config/crd/bases/gardens.yaml"
HEAD = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: eden}\n"
WHOM = f"gardens.stories.example.com v1 ({CRD}:1)"


def _sample(project: Project, text: str, name: str = "config/samples/eden.yaml") -> None:
    project.write(name, text)


def _run(project: Project, *arguments: str) -> pytest.RunResult:
    return project.run("--crd-checks", "-k", "samples and not applies", "-rs", *arguments)


def _plan(project: Project, *samples: str) -> tuple[CheckPlan, dict[str, CheckVerdict]]:
    """Return the plan of the checks, and the verdicts on samples by their places, with the setting `crd_samples`."""
    planned = projectchecks.plan(project.path, samples=samples)
    return planned, {check.source: check.run() for check in projectchecks.find(planned, "samples")}


def _judge(project: Project, text: str) -> CheckVerdict:
    """Return the verdict on a sample."""
    _sample(project, text)
    (verdict,) = _plan(project)[1].values()
    return verdict


def _findings(verdict: CheckVerdict) -> list[tuple[str, str]]:
    return [(finding.place, finding.text) for finding in verdict.findings]


def test_samples_are_found_in_the_usual_folders(project: Project) -> None:
    folders = ("config/samples", "examples/deep", "samples")
    for folder in folders:
        _sample(project, f"---\n{HEAD}---\n{HEAD.replace('eden', 'kew')}", f"{folder}/gardens.yaml")

    samples = projectchecks.find(projectchecks.plan(project.path), "samples")

    assert [(str(check.path), check.name) for check in samples] == [
        (str(project.path / folder / "gardens.yaml"), f"samples[Garden/{name}]")
        for folder in folders
        for name in ("eden", "kew")
    ]


def test_a_sample_that_is_stored_as_it_is_holds(project: Project) -> None:
    _sample(project, f"{HEAD}spec: {{size: 4, beds: null}}\n")

    result = _run(project, "-v")

    result.assert_outcomes(passed=1, deselected=6)
    result.stdout.fnmatch_lines(
        [
            "crd: 7 checks in 2 files; 1 sample",
            'crd: config/samples/eden.yaml::samples*: becomes, by defaults, spec.watering: {"hour": 6}',
            "crd: config/samples/eden.yaml::samples*: loses the nulls spec.beds",
        ]
    )


def test_a_default_that_is_long_is_cut(project: Project) -> None:
    long = f"size: {{type: string, default: {'a' * 90}}}"
    project.write(CRD, GARDEN.replace("size: {type: integer, default: 3}", long))

    (note, *_) = _judge(project, f"{HEAD}spec: {{}}\n").notes

    assert f'spec.size: "{"a" * 59}…' in note


def test_a_refusal_has_each_cause_at_its_line_with_its_rule(project: Project) -> None:
    rule = "x-kubernetes-validations: [{rule: self.size < 9, message: too large}]"
    project.write(
        CRD,
        GARDEN.replace(
            "          spec:\n            type: object\n",
            f"          spec:\n            type: object\n            {rule}\n",
        ),
    )
    _sample(project, f"{HEAD}spec:\n  size: 10\n")

    result = _run(project)

    result.assert_outcomes(failed=1, deselected=7)
    result.stdout.fnmatch_lines(
        [
            "config/samples/eden.yaml:1: samples[[]Garden/eden], Kubernetes 1.37",
            f"refused (422) by {WHOM.replace('[', '[[]')}:",
            "  config/samples/eden.yaml:4: spec: Invalid value: *too large",
            f"      rule ({CRD}:*): self.size < 9",
            "      self.size = 10",
        ]
    )


def test_dropped_fields_are_named_with_suggestions(project: Project) -> None:
    verdict = _judge(project, f"{HEAD}spec:\n  sise: 4\n  bogus: 1\n  size: 3\n  size: 4\n")

    assert verdict.heading == f"accepted by {WHOM}, but not as it is; kubectl refuses it"
    assert _findings(verdict) == [
        ("config/samples/eden.yaml:8", 'key "size" is set twice; only the last value counts'),
        ("config/samples/eden.yaml:6", "spec.bogus: the schema does not specify it, so that it is dropped"),
        (
            "config/samples/eden.yaml:5",
            "spec.sise: the schema does not specify it, so that it is dropped; did you mean spec.size?",
        ),
    ]


def test_fields_lost_by_the_storage_version_are_named(project: Project) -> None:
    served = (
        GARDEN[GARDEN.index("  - name: v1") :]
        .replace("name: v1", "name: v2")
        .replace("storage: true", "storage: false")
    )
    project.write(
        CRD,
        GARDEN + served.replace("label: {type: string}", "label: {type: string}\n              newer: {type: string}"),
    )
    verdict = _judge(project, f"{HEAD.replace('/v1', '/v2')}spec:\n  newer: a\n")

    words = "spec.newer: the storage version does not specify it, so that it is lost without a warning"
    assert _findings(verdict) == [("config/samples/eden.yaml:5", words)]


def test_a_version_that_is_not_served_is_a_failure(project: Project) -> None:
    verdict = _judge(project, HEAD.replace("/v1", "/v1beta1"))

    assert verdict.heading == "a version that is not served"
    words = "gardens.stories.example.com serves v1, not v1beta1"
    assert _findings(verdict) == [("config/samples/eden.yaml:1", words)]


def test_a_crd_that_serves_nothing_says_so(project: Project) -> None:
    project.write(CRD, GARDEN.replace("served: true", "served: false"))

    words = "gardens.stories.example.com serves no version, not v1"
    assert _findings(_judge(project, HEAD)) == [("config/samples/eden.yaml:1", words)]


def test_a_crd_that_is_refused_takes_no_sample(project: Project) -> None:
    project.write(CRD, GARDEN.replace("scope: Namespaced", "scope: X"))
    _sample(project, f"# crd: refused\n{HEAD}")
    _sample(project, HEAD, "samples/kew.yaml")

    verdicts = _plan(project)[1].values()

    assert [verdict.heading for verdict in verdicts] == ["the server refuses the CRD"] * 2
    for verdict in verdicts:
        ((place, words),) = _findings(verdict)
        assert place == f"{CRD}:1"
        assert words.startswith("the server refuses this CRD: spec.scope: ")


def test_warnings_about_a_sample_are_shown(project: Project) -> None:
    project.write(CRD, GARDEN.replace("served: true", "served: true\n    deprecated: true"))
    _sample(project, HEAD)

    result = _run(project)

    result.assert_outcomes(passed=1, deselected=6)
    result.stdout.fnmatch_lines(
        ["crd: config/samples/eden.yaml:1: warning: stories.example.com/v1 Garden is deprecated"]
    )


def test_one_alternative_is_enough(project: Project) -> None:
    project.write(
        "config/crd/bases/other.yaml",
        GARDEN.replace("size: {type: integer", "size: {type: number").replace(
            "label: {type: string}", "tag: {type: string}"
        ),
    )
    _sample(project, f"{HEAD}spec: {{size: 1.5, tag: a}}\n")
    _sample(project, f"{HEAD}spec: {{size: a}}\n", "samples/kew.yaml")

    of_one, of_none = _plan(project)[1].values()

    assert of_one.findings == ()
    assert of_none.findings
    assert of_none.heading.startswith("refused (422) by ")
    assert of_none.heading.endswith("; nor does another alternative take it")


CHART = "charts/garden/crds/gardens.yaml"


def test_a_copy_in_a_chart_does_not_decide(project: Project) -> None:
    project.write(CHART, GARDEN.replace("label: {type: string}", "tag: {type: string}"))
    _sample(project, f"{HEAD}spec: {{tag: a}}\n")
    _sample(project, f"{HEAD}spec: {{label: a}}\n", "samples/kew.yaml")

    planned, verdicts = _plan(project)

    refused, accepted = verdicts.values()
    assert accepted.findings == ()
    assert refused.heading == f"accepted by {WHOM}, but not as it is; kubectl refuses it"
    (place, dropped), (_, words) = _findings(refused)
    assert place == "config/samples/eden.yaml:4"
    assert dropped.startswith("spec.tag: the schema does not specify it, so that it is dropped")
    assert words == f"{CHART}:1 takes it, but is a copy: gardens.stories.example.com is what the other file declares"
    skipped, applied = (
        check.run() for check in projectchecks.find(planned, "applies") if check.subject == "Garden/eden"
    )
    assert skipped.passed_over
    assert (applied.findings, applied.passed_over) == ((), "")


def test_a_sample_that_no_copy_takes_either_names_none(project: Project) -> None:
    project.write(CHART, GARDEN.replace("label: {type: string}", "tag: {type: string}"))

    verdict = _judge(project, f"{HEAD}spec: {{bogus: a}}\n")

    assert verdict.findings
    assert not any("takes it" in finding.text for finding in verdict.findings)


def test_a_sample_that_only_a_copy_takes_is_refused_as_a_comment_says(project: Project) -> None:
    project.write(CHART, GARDEN.replace("size: {type: integer, default: 3}", "size: {type: string}"))

    assert _judge(project, f"# crd: refused spec.size\n{HEAD}spec: {{size: a}}\n").findings == ()


DIRECTIVES = [
    ("# crd: refused", "{size: a}", ""),
    ("# a garden\n#crd: refused spec.size", "{size: a}", ""),
    ("# crd: refused spec.size spec.bogus", "{size: a, bogus: 1}", ""),
    ("# crd: refused spec.size", "{size: a, bogus: 1}", "spec.bogus: *"),
    ("# crd: refused spec.rows", "{size: a, rows: 11}", "spec.size: *"),
    ("# crd: refused spec.size spec.rows", "{rows: 11, size: a}", ""),
    ("# crd: refused", "{size: 4}", f"accepted by {WHOM}"),
    ("# crd: refused spec.soil", "{size: a}", "spec.soil: nothing is wrong there"),
    ("# crd: refuse", "{size: 4}", "`# crd: refuse` says nothing: write `# crd: refused`*"),
    ("# crd: ignore", "{size: 4}", "`# crd: ignore` says nothing: *"),
    ("# crd: refused\n# crd: ignore a", "{size: a}", "several comments*"),
    ("--- # crd: refused", "{size: a}", ""),
    ("--- # crd: refused", "{size: 4}", "accepted by*"),
    ("", "{size: 4}  # crd: refused", "a comment `# crd:` counts only before*"),
    ("", "\n  # crd: refused\n  size: 4", "a comment `# crd:` counts only before*"),
    ("", "{size: 4}\n# crd: refused", "a comment `# crd:` counts only before the content*"),
]


def test_a_comment_says_that_a_sample_is_refused(project: Project) -> None:
    for number, (directive, spec, _) in enumerate(DIRECTIVES):
        _sample(project, f"{directive}\n{HEAD}spec: {spec}\n".lstrip(), f"config/samples/{number}.yaml")

    result = _run(project, "-v")

    for number, (_, _, words) in enumerate(DIRECTIVES):
        outcome = "FAILED" if words else "PASSED"
        result.stdout.fnmatch_lines([f"config/samples/{number}.yaml::samples[[]*] {outcome} *"])
        if words:
            result.stdout.fnmatch_lines([f"  config/samples/{number}.yaml:*: *{words}*"])


def test_a_comment_may_stand_behind_the_separator_or_the_first_line(project: Project) -> None:
    _sample(
        project,
        f"{HEAD}--- # crd: refused\n{HEAD}spec: {{size: a}}\n---\n{HEAD.replace(chr(10), ' # crd: refused' + chr(10), 1)}spec: {{size: a}}\n",
    )

    assert [verdict.findings for verdict in _plan(project)[1].values()] == [(), (), ()]


def test_a_sample_that_is_refused_as_it_must_be_has_the_reason(project: Project) -> None:
    (note,) = _judge(project, f"# crd: refused\n{HEAD}spec: {{size: a}}\n").notes

    assert note.startswith("refused, as it must be: spec.size: Invalid value: ")


def test_a_sample_may_be_ignored_for_a_reason(project: Project) -> None:
    _sample(project, f"# crd: ignore needs a patch\n{HEAD}spec: {{size: a}}\n---\n{HEAD}")

    planned, verdicts = _plan(project)

    assert [verdict.findings for verdict in verdicts.values()] == [()]
    assert planned.words == "7 checks in 2 files; 2 samples, 1 of them ignored"
    assert [*map(str, planned.notes)] == ["config/samples/eden.yaml:2: ignored: needs a patch"]


def test_objects_of_other_kinds_are_left_alone_and_counted(project: Project) -> None:
    pods = "\n---\n".join(f"kind: {kind}\napiVersion: v1" for kind in ("Pod", "Pod", "Secret", "A", "B", "C", "D"))
    _sample(project, f"{HEAD}---\n{pods}\n---\n[1]\n")

    planned, verdicts = _plan(project)

    assert [verdict.findings for verdict in verdicts.values()] == [()]
    assert planned.words.startswith("7 checks in 2 files; 1 sample, 8 objects of other kinds left alone (Pod, ")
    assert planned.words.endswith(" …)")


MEANT = [
    (
        "kind: Garden",
        "kind: Gardn",
        "no CRD of the project is for kind 'Gardn' of stories.example.com; did you mean kind 'Garden'?",
    ),
    (
        "stories.ex",
        "storys.ex",
        "no CRD of the project is for kind 'Garden' of storys.example.com; did you mean the group 'stories.example.com'?",
    ),
    (
        "kind: Garden",
        "# kind: Garden",
        "an object of stories.example.com without a kind, so that it is not checked; write its kind",
    ),
]


def test_objects_meant_as_samples_are_not_left_alone(project: Project) -> None:
    for number, (old, new, _) in enumerate(MEANT):
        _sample(project, HEAD.replace(old, new), f"config/samples/{number}.yaml")

    result = _run(project)

    result.assert_outcomes(failed=3, deselected=5)
    for number, (_, _, hint) in enumerate(MEANT):
        result.stdout.fnmatch_lines(["not a sample, but meant to be one:", f"  config/samples/{number}.yaml:1: {hint}"])


def test_a_sample_that_cannot_be_read_fails_and_other_files_are_noted(project: Project) -> None:
    _sample(project, f"{HEAD}spec: [\n")
    _sample(project, f"{HEAD}spec: [${{X}}\n", "samples/open.yaml")
    _sample(project, "a: [\n", "samples/values.yaml")
    unreadable = project.path / "samples/link.yaml"
    unreadable.symlink_to("itself")
    (project.path / "samples/gone.yaml").symlink_to("nowhere")

    result = _run(project)

    result.assert_outcomes(failed=4, deselected=5)
    result.stdout.fnmatch_lines(["crd: samples/values.yaml:*: passed over, *"])
    result.stdout.fnmatch_lines(["  config/samples/eden.yaml*"])
    result.stdout.fnmatch_lines(["  samples/gone.yaml: cannot be read: *"])


def test_a_template_that_is_no_yaml_is_noted(project: Project) -> None:
    _sample(project, f"{HEAD}spec: {{{{ .Values.spec }}}}\n", "config/samples/helm.yaml")
    _sample(project, f"{HEAD}spec: {{size: ${{SIZE}}}}\n", "config/samples/shell.yaml")
    _sample(project, HEAD, "samples/kew.yaml")

    planned, verdicts = _plan(project)

    assert [verdict.findings for verdict in verdicts.values()] == [()]
    assert [*map(str, planned.notes)] == [
        f"config/samples/{name}.yaml: passed over, a template" for name in ("helm", "shell")
    ]


def test_a_value_that_a_template_leaves_open_is_passed_over_with_its_reason(project: Project) -> None:
    sizes = {"helm": "'{{ .Size }}'", "shell": "${SIZE}"}
    for name, size in sizes.items():
        _sample(project, f"{HEAD}spec:\n  size: {size}\n", f"config/samples/{name}.yaml")
        _sample(project, f"{HEAD}spec:\n  size: {size}\n  soil: mud\n", f"samples/wrong-{name}.yaml")
        _sample(project, f"{HEAD}spec:\n  size: {size}\n  bogus: mud\n", f"samples/dropped-{name}.yaml")

    result = _run(project)

    result.assert_outcomes(skipped=2, failed=4, deselected=11)
    for size in sizes.values():
        assert f"a template: spec.size is {size.strip(chr(39))}" in result.stdout.str()


def test_a_setting_says_where_samples_are(project: Project) -> None:
    _sample(project, HEAD)
    _sample(project, HEAD, "docs/a.yaml")
    _sample(project, f"{HEAD}spec: {{size: a}}\n", "docs/old/b.yaml")
    project.ini("crd_checks = true", "crd_samples = docs !docs/old")

    _run(project).assert_outcomes(passed=1, deselected=6)

    _sample(project, HEAD, "samples/b.yaml")
    assert [*_plan(project, "!config/samples/eden.yaml")[1]] == ["samples/b.yaml:1"]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("docs", "crd_samples: docs: no custom resource of a CRD of the project in 1 file"),
        ("nowhere", "nowhere: no such file or folder (relative to *"),
        ("docs !other", "!other: no such file or folder *"),
    ],
)
def test_a_setting_that_brings_no_sample_is_an_error(project: Project, setting: str, words: str) -> None:
    project.write("docs/a.yaml", "kind: Pod\n")
    project.ini("crd_checks = true", f"crd_samples = {setting}")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([words])


def test_many_findings_are_shown_with_v(project: Project) -> None:
    _sample(project, f"{HEAD}spec: {{{', '.join(f'a{number}: 1' for number in range(21))}}}\n")

    _run(project).stdout.fnmatch_lines(["  … and 1 more; -v shows all"])
    _run(project, "-v").stdout.no_fnmatch_line("*more; -v shows all")


def _of_two_versions(project: Project, conversion: str = "") -> None:
    schema = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s: {type: string}}}}}}"
    project.write(
        CRD,
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: gardens.stories.example.com}\nspec:\n  group: stories.example.com\n  scope: Namespaced\n"
        f"  names: {{plural: gardens, singular: garden, kind: Garden, listKind: GardenList}}\n{conversion}  versions:\n"
        f"  - {{name: v1, served: true, storage: false, {schema % 'a'}}}\n"
        f"  - {{name: v2, served: true, storage: true, {schema % 'b'}}}\n",
    )
    _sample(project, f"{HEAD}spec: {{a: x}}\n")


def test_fields_lost_by_the_storage_version_are_accepted_by_kubectl(project: Project) -> None:
    _of_two_versions(project)

    (verdict,) = _plan(project)[1].values()

    assert verdict.heading.startswith("accepted by gardens.stories.example.com v1 (")
    assert verdict.heading.endswith("), but a part of it is not stored")
    ((_, words),) = _findings(verdict)
    assert words == "spec.a: the storage version does not specify it, so that it is lost without a warning"


def test_fields_converted_by_a_webhook_are_not_called_lost(project: Project) -> None:
    webhook = "{conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/convert'}}"
    _of_two_versions(project, f"  conversion: {{strategy: Webhook, webhook: {webhook}}}\n")

    (verdict,) = _plan(project)[1].values()

    assert verdict.findings == ()
    assert any(note.startswith("a webhook converts v1 to v2 and does not run here: ") for note in verdict.notes)
