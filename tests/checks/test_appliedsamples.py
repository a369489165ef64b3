"""The check `applies`: objects that can be created, but not applied, or not by a second manager."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd import engine
from pytest_crd.cases import acceptance
from pytest_crd.checks import appliedsamples, itemlists, samplefiles
from pytest_crd.checks.appliedsamples import AppliedSamples
from pytest_crd.checks.verdict import CheckVerdict
from pytest_crd.discovery import samplepaths

if TYPE_CHECKING:
    from support.sessions import Project

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: walls.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: walls, singular: wall, kind: Wall, listKind: WallList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              FIELD
          status: {type: object, default: {}, properties: {seen: {type: boolean, default: false}, STATUS}}
"""
RULE = "{type: object, x-kubernetes-map-type: atomic, properties: {port: {type: integer}}}"
SET_OF_OBJECTS = f"rules: {{type: array, x-kubernetes-list-type: set, items: {RULE}}}"
KEYED = "rules: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port], items: ITEM}"
MAP = KEYED.replace("ITEM", "{type: object, required: [port], properties: {port: {type: integer}}}")
WITHOUT_KEYS = KEYED.replace("ITEM", "{type: object, properties: {port: {type: integer}, name: {type: string}}}")
DEFAULTS = "rules: {type: array, items: {type: object, properties: {port: {type: integer, default: 80}}}}"
WITHOUT = "name: {type: string}"


def _crd(folder: Path, field: str = WITHOUT, status: str = "note: {type: string}") -> engine.CustomResourceDefinition:
    path = folder / "walls.yaml"
    path.write_text(CRD.replace("FIELD", field).replace("STATUS", status), encoding="utf-8")
    return engine.load([path])[0]


def _made_up(crd: engine.CustomResourceDefinition, samples: Sequence[samplefiles.Sample] = ()) -> CheckVerdict:
    version = crd.version("v1")
    return appliedsamples.judge_generated(version, [*itemlists.find_unreached(version, samples)], crd.source)


def _samples(folder: Path, *texts: str) -> samplefiles.Samples:
    (folder / "samples").mkdir()
    for number, text in enumerate(texts):
        head = "apiVersion: stories.example.com/v1\nkind: Wall\n"
        _, comment, rest = text.rpartition("# crd: refused\n")
        (folder / "samples" / f"{number}.yaml").write_text(comment + head + rest, encoding="utf-8")
    files = samplepaths.files(("samples",), folder=folder)
    return samplefiles.read(files, {("stories.example.com", "Wall"): []})


def _verdicts(crd: engine.CustomResourceDefinition, folder: Path, *texts: str) -> list[CheckVerdict]:
    samples = _samples(folder, *texts).samples
    applied = AppliedSamples(samples, {(crd.group, crd.kind): [crd]})
    return [applied.verdict(number) for number in range(len(samples))]


def _describe(verdict: CheckVerdict) -> list[str]:
    """Return the findings, with the name of the file alone."""
    return [
        " | ".join(
            (
                f"{Path(item.place).name}: {item.text}",
                *(detail.replace(_folder(item.place), "") for detail in item.details),
            )
        )
        for item in verdict.findings
    ]


def _folder(place: str) -> str:
    return f"{Path(place).parent}/"


def test_a_set_of_objects_cannot_be_applied(tmp_path: Path) -> None:
    verdict = _made_up(_crd(tmp_path, SET_OF_OBJECTS))

    assert verdict.heading == "can be created, but not applied (500)"
    assert _describe(verdict) == [
        (
            "walls.yaml:20: failed to create typed patch object (/example; stories.example.com/v1, Kind=Wall): "
            ".spec.rules: element 0: associative list without keys has an element that's a map type | "
            "spec.rules is `x-kubernetes-list-type: set` | "
            "write `x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys`, or `atomic`: only scalars can be in a set"
        )
    ]


def test_a_set_of_lists_cannot_be_applied(tmp_path: Path) -> None:
    inner = "{type: array, x-kubernetes-list-type: atomic, items: {type: integer}}"
    verdict = _made_up(_crd(tmp_path, f"rules: {{type: array, x-kubernetes-list-type: set, items: {inner}}}"))

    assert [item.details[-1] for item in verdict.findings] == [
        "write `x-kubernetes-list-type: atomic`: only scalars can be in a set"
    ]


@pytest.mark.parametrize(
    "field",
    [
        MAP,
        f"{MAP[:-1]}, maxItems: 1}}",
        f"{MAP[:-1]}, minItems: 2}}",
        f"outer: {{type: object, x-kubernetes-map-type: atomic, properties: {{{MAP}}}}}",
        f"outer: {{type: array, items: {{type: object, properties: {{{MAP}}}}}}}",
        f"outer: {{type: object, additionalProperties: {{type: object, properties: {{{MAP}}}}}}}",
        "rules: {type: array, x-kubernetes-list-type: set, items: {type: string, enum: [a]}}",
        KEYED.replace("ITEM", "{type: object, properties: {port: {type: integer, default: 80}}}"),
    ],
)
def test_maps_with_keys_and_sets_of_scalars_can_be_applied(tmp_path: Path, field: str) -> None:
    assert _made_up(_crd(tmp_path, field)) == CheckVerdict()


def test_optional_map_keys_are_left_out(tmp_path: Path) -> None:
    """No server takes such a CRD, but one may be stored."""
    verdict = _made_up(_crd(tmp_path, WITHOUT_KEYS))

    assert [item.details for item in verdict.findings] == [
        (
            "spec.rules is `x-kubernetes-list-type: map`",
            "each key in `x-kubernetes-list-map-keys` must be `required` in the items, or have a default",
        )
    ]
    refused = KEYED.replace(
        "ITEM", "{type: object, minProperties: 1, maxProperties: 1, properties: {port: {type: integer}}}"
    )
    assert _made_up(_crd(tmp_path, refused)) == CheckVerdict()


def test_a_status_is_applied_by_its_own_url(tmp_path: Path) -> None:
    verdict = _made_up(_crd(tmp_path, status=f"{SET_OF_OBJECTS}, {MAP.replace('rules', 'others')}"))

    assert [item.details[0] for item in verdict.findings] == ["status.rules is `x-kubernetes-list-type: set`"]


def test_a_list_without_a_generated_object_is_noted(tmp_path: Path) -> None:
    verdict = _made_up(
        _crd(tmp_path, "rules: {type: array, x-kubernetes-list-type: set, maxItems: 0, items: {type: string}}")
    )

    assert verdict == CheckVerdict(notes=("no object is found with spec.rules",))


def test_nothing_is_said_of_a_version_without_objects(tmp_path: Path) -> None:
    verdict = _made_up(
        _crd(tmp_path, f"{MAP}\n            x-kubernetes-validations: [{{rule: 'false'}}]\n            default: {{}}")
    )

    assert verdict.passed_over.startswith("no object is found: ")


def test_a_refused_crd_is_left_to_another_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crd = _crd(tmp_path, WITHOUT_KEYS)
    version = crd.version("v1").unobserved
    monkeypatch.setattr(version, "_context", version._context._replace(guard=acceptance.require_accepted))
    monkeypatch.setattr(type(version), "unobserved", version)

    assert _made_up(crd).passed_over == "the server's answer is unknown; another check says why"
    (verdict,) = _verdicts(crd, tmp_path, "metadata: {name: a}\n")
    assert verdict.passed_over == "no server takes it as it is"


def test_samples_reach_lists_unless_they_are_to_be_refused(tmp_path: Path) -> None:
    crd = _crd(tmp_path, MAP)
    samples = _samples(
        tmp_path,
        "metadata: {name: a}\nspec: {rules: []}\n",
        "metadata: {name: a}\nspec: {}\n",
        "metadata: {name: a}\nspec: {rules: [{port: 1}]}\n",
    ).samples
    refused = samples[2]._replace(directive=samples[2].directive._replace(is_refused=True))

    assert [node.path for node in itemlists.find_unreached(crd.version("v1"), samples[:2])] == ["spec.rules"]
    assert [node.path for node in itemlists.find_unreached(crd.version("v1"), [refused])] == ["spec.rules"]
    assert not [*itemlists.find_unreached(crd.version("v1"), samples)]
    inner = f"outer: {{type: array, items: {{type: object, additionalProperties: {{type: object, properties: {{{MAP}}}}}}}}}"
    within = _samples_of(samples[2], {"outer": [{"a": {"rules": [{"port": 1}]}}]})
    assert not [*itemlists.find_unreached(_crd(tmp_path, inner).version("v1"), [within])]
    assert [*itemlists.find_unreached(_crd(tmp_path, inner).version("v1"), [_samples_of(samples[2], {"outer": [1]})])]
    assert [*itemlists.find_unreached(_crd(tmp_path, inner).version("v1"), [_samples_of(samples[2], {"outer": 1})])]


def _samples_of(sample: samplefiles.Sample, spec: Any) -> samplefiles.Sample:
    return sample._replace(manifest=replace(sample.manifest, value={**sample.manifest.value, "spec": spec}))


def test_a_cause_is_reported_by_one_sample_only(tmp_path: Path) -> None:
    _, first, second, third = _verdicts(
        _crd(tmp_path, f"{SET_OF_OBJECTS}\n              {DEFAULTS.replace('rules', 'others')}"),
        tmp_path,
        "# crd: refused\nmetadata: {name: a}\nspec: {rules: [{port: 1}]}\n",
        "metadata: {name: a}\nspec: {rules: [{port: 1}, {port: 2}]}\n",
        "metadata: {name: b}\nspec: {rules: [{port: 3}]}\n",
        "metadata: {name: c}\nspec: {others: [{}]}\n",
    )

    assert first.heading == "can be created, but not applied (500)"
    assert len(first.findings) == 1
    assert second == CheckVerdict(
        passed_over="can be created, but not applied (500), as samples/1.yaml:1, whose check says why"
    )
    assert third.findings


def test_a_default_in_an_atomic_list_conflicts_for_a_second_manager(tmp_path: Path) -> None:
    fields = (
        DEFAULTS,
        "one: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: integer, default: 1}}}",
        (
            "typed: {type: array, x-kubernetes-list-type: atomic, items: {type: object, properties: "
            "{a: {type: integer, default: 1}, b: {type: integer, default: 1}, c: {type: integer, default: 1}, d: {type: integer, default: 1}}}}"
        ),
    )
    (verdict,) = _verdicts(
        _crd(tmp_path, "\n              ".join(fields)),
        tmp_path,
        "metadata: {name: a}\nspec: {rules: [{}], one: {}, typed: [{}]}\n",
    )

    assert verdict.heading == "can be applied by one manager, but not by a second one (409)"
    items = "or let items have owners of their own: `x-kubernetes-list-type: map`"
    typed = ", ".join(f"spec.typed[*].{name} (walls.yaml:22)" for name in "abc")
    assert _describe(verdict) == [
        (
            'walls.yaml:21: conflict with "a first manager": .spec.one | spec.one is `x-kubernetes-map-type: atomic` | '
            "something else is stored than applied, by default: spec.one.a (walls.yaml:21) | state it in what is applied"
        ),
        (
            'walls.yaml:20: conflict with "a first manager": .spec.rules | '
            "spec.rules has no `x-kubernetes-list-type`, so that it has one owner as a whole | "
            f"something else is stored than applied, by default: spec.rules[*].port (walls.yaml:20) | state it in what is applied, {items}"
        ),
        (
            'walls.yaml:22: conflict with "a first manager": .spec.typed | spec.typed is `x-kubernetes-list-type: atomic` | '
            f"something else is stored than applied, by default: {typed}, … | state it in what is applied, {items}"
        ),
    ]


def test_a_null_that_a_create_drops_cannot_be_applied(tmp_path: Path) -> None:
    """Lists in metadata, and lists with a default, conflict for a second manager."""
    of_metadata, of_field, of_default = _verdicts(
        _crd(tmp_path, "a: {type: string}\n              b: {type: string, default: x}"),
        tmp_path,
        "metadata: {name: a, labels: null}\n",
        "metadata: {name: b}\nspec: {a: null}\n",
        "metadata: {name: c}\nspec: {b: null}\n",
    )

    assert _describe(of_metadata) == ['0.yaml:1: conflict with "a first manager": .metadata.labels']
    assert of_field.heading == "can be created, but not applied (422)"
    assert _describe(of_field) == [
        (
            '1.yaml:1: spec.a: Invalid value: "null": spec.a in body must be of type string: "null" '
            f"({tmp_path}/walls.yaml:20 type)"
        )
    ]
    assert _describe(of_default) == [
        (
            'walls.yaml:21: conflict with "a first manager": .spec.b | something else is stored than applied, by default: '
            "spec.b (walls.yaml:21) | state it in what is applied"
        )
    ]


def test_a_second_manager_brings_another_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[Any] = []
    apply = engine.CrdVersion.apply

    def heard(version: Any, value: Any, **stated: Any) -> engine.Response:
        applied.append((stated["manager"], value.get("spec")))
        return apply(version, value, **stated)

    monkeypatch.setattr(engine.CrdVersion, "apply", heard)
    inner = MAP.replace("{type: object, required", "{type: object, x-kubernetes-map-type: granular, required")
    fields = (
        inner.replace(
            "{port: {type: integer}}",
            "{port: {type: integer}, name: {type: string}, tags: "
            "{type: array, x-kubernetes-list-type: set, items: {type: string}}}",
        ),
        "plain: {type: array, items: {type: string}}",
        "closed: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}",
        "only: {type: array, x-kubernetes-list-type: set, items: {type: string, enum: [a]}}",
        (
            "none: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: "
            "{type: object, required: [a], properties: {a: {type: string, enum: [x]}}}}"
        ),
        "free: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    )
    (verdict,) = _verdicts(
        _crd(tmp_path, "\n              ".join(fields)),
        tmp_path,
        "metadata: {name: a}\nspec: {rules: [{port: 0, name: x, tags: [t]}], plain: [p], closed: {a: [q]}, only: [a], none: [{a: x}], free: {a: 1}}\n",
    )

    assert verdict == CheckVerdict()
    first, again, second = applied
    assert first == again
    assert second == (
        "a second manager",
        {
            **first[1],
            "rules": [
                {"port": 0, "name": "x", "tags": ["t", "a"]},
                {"port": 1, "name": "x", "tags": ["t", "a"]},
            ],
        },
    )


def test_another_item_that_no_server_takes_is_left_out(tmp_path: Path) -> None:
    (verdict,) = _verdicts(
        _crd(tmp_path, f"{MAP[:-1]}, maxItems: 1}}"), tmp_path, "metadata: {name: a}\nspec: {rules: [{port: 7}]}\n"
    )

    assert verdict == CheckVerdict()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("metadata: {name: a}\nspec: {name: 1}\n", "no server takes it as it is"),
        ("metadata: {name: a}\nspec: {nam: b}\n", "no server takes it as it is"),
        (
            "metadata: {generateName: a}\n",
            "it has no name of its own: kubectl can create it, and not apply it",
        ),
    ],
)
def test_samples_of_other_checks_or_without_a_name_are_skipped(tmp_path: Path, text: str, words: str) -> None:
    assert _verdicts(_crd(tmp_path), tmp_path, text) == [CheckVerdict(passed_over=words)]


def test_defaults_of_a_status_are_no_change(tmp_path: Path) -> None:
    """They come with the second write: the first one drops the status."""
    crd = _crd(tmp_path)
    version, value = crd.version("v1"), {"metadata": {"name": "a"}}

    assert version.apply(value, manager="a", old=version.apply(value, manager="a")).changed
    assert _verdicts(crd, tmp_path, "metadata: {name: a}\n") == [CheckVerdict()]


@pytest.mark.parametrize(
    ("name", "manager", "expected"),
    [
        (
            "b" * 300,
            "a first manager",
            (
                "changes when it is applied again",
                [f"0.yaml:1: spec: {{'name': 'a'}} was stored, and then {{'name': '{'b' * 190}…"],
            ),
        ),
        (
            "a",
            "another",
            (
                "changes when it is applied again",
                [
                    (
                        "0.yaml:1: owned was {'a first manager': ('spec.name',)}, "
                        "and then {'a first manager': ('spec.name',), 'another': ('spec.name',)}"
                    )
                ],
            ),
        ),
        (
            1,
            "a first manager",
            (
                "can be applied once, but not again (500)",
                [
                    (
                        "walls.yaml:20: failed to create typed patch object (/a; stories.example.com/v1, Kind=Wall): "
                        ".spec.name: expected string, got &value.valueUnstructured{Value:1}"
                    )
                ],
            ),
        ),
    ],
)
def test_changed_storage_or_owners_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | int, manager: str, expected: tuple[str, list[str]]
) -> None:
    """Servers never do so."""
    apply, sent = engine.CrdVersion.apply, iter([("a", "a first manager"), (name, manager)])

    def changed(version: Any, value: Any, **stated: Any) -> engine.Response:
        name, manager = next(sent)
        return apply(version, {**value, "spec": {"name": name}}, **{**stated, "manager": manager})

    monkeypatch.setattr(engine.CrdVersion, "apply", changed)
    (verdict,) = _verdicts(_crd(tmp_path), tmp_path, "metadata: {name: a}\nspec: {}\n")

    assert (verdict.heading, _describe(verdict)) == expected


def test_each_list_is_reported_once_whatever_its_path(tmp_path: Path) -> None:
    """Keys of maps have dots, colons and brackets; some names of fields begin with other names."""
    fields = (
        f"outer: {{type: object, additionalProperties: {{type: object, properties: {{{SET_OF_OBJECTS}}}}}}}",
        "rule: {type: string}",
        SET_OF_OBJECTS,
        MAP.replace("rules", "deep").replace(
            "{port: {type: integer}}", f"{{port: {{type: integer}}, {SET_OF_OBJECTS}}}"
        ),
    )
    (verdict,) = _verdicts(
        _crd(tmp_path, "\n              ".join(fields)),
        tmp_path,
        "metadata: {name: a}\nspec: {rules: [{port: 1}], outer: {'a.b: c': {rules: [{port: 1}]}, '[d]': {rules: [{port: 1}]}}, "
        "deep: [{port: 1, rules: [{port: 1}]}, {port: 2, rules: [{port: 1}]}]}\n",
    )

    assert [(Path(item.place).name, item.text.partition(": ")[0], item.details[0]) for item in verdict.findings] == [
        ("walls.yaml:23", ".spec.deep[port=1].rules", "spec.deep[*].rules is `x-kubernetes-list-type: set`"),
        ("walls.yaml:20", ".spec.outer.[d].rules", "spec.outer[*].rules is `x-kubernetes-list-type: set`"),
        ("walls.yaml:22", ".spec.rules", "spec.rules is `x-kubernetes-list-type: set`"),
    ]


def test_checks_of_samples_and_of_lists_without_one_are_items(project: Project) -> None:
    """A session with both; one fails with the line of the list."""
    path = "config/crd/bases/walls.yaml"
    project.write(path, CRD.replace("FIELD", SET_OF_OBJECTS).replace("STATUS", MAP))
    project.write(
        "samples/a.yaml",
        "{apiVersion: stories.example.com/v1, kind: Wall, metadata: {name: a}, spec: {rules: [{port: 1}]}}\n",
    )

    result = project.run("--crd-checks", "-v", "-k", "applies")

    result.assert_outcomes(passed=2, failed=1, deselected=9)
    result.stdout.fnmatch_lines(
        [
            f"{path}::applies[[]walls.stories.example.com-v1] PASSED*",
            "samples/a.yaml::applies[[]Wall/a] FAILED*",
            "samples/a.yaml:1: applies[[]Wall/a], Kubernetes 1.37",
            "can be created, but not applied (500):",
            f"  {path}:20: failed to create typed patch object *",
            "      spec.rules is `x-kubernetes-list-type: set`",
        ]
    )
