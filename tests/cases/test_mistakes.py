"""Wrong case files: text in, message and line out."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from pytest_crd.cases import diagnosis, loader
from pytest_crd.cases.model import CaseFileError
from pytest_crd.engine import profile

SECTIONS = (
    "`pruning:`, `defaulting:`, `create:`, `update:`, `updateStatus:`, `patch:`, `patchStatus:`, `patchScale:`, `apply:`, "
    "`applyStatus:`, `applyScale:` or `convert:`"
)
FILL = "--crd-fill, which writes what is observed"
PRUNING_KEYS = "`expected:`, `contains:`, `absent:` or `pruned:`"
NAMES = "a name (one line of text without '::', '[' and ']')"
OPENSHIFT = "a suite of openshift/api is the only document of its file"
BOTH_STORED_AND_REFUSED = "an object that is refused is not stored; remove one of them"
IF_ACCEPTED = "for an object that is accepted write `accepted: true`"
SHORT_FORM = f"{IF_ACCEPTED}, for a part of the whole message `error:`"
ERROR_TYPES = "NotFound, Required, Duplicate, Invalid, NotSupported, Forbidden, TooLong, TooMany, TooFew, Internal, TypeInvalid, TooShort, Request, FieldManagerConflict"
PATCH = "a list of JSON Patch operations, or a mapping (a merge patch), that changes something"
ERROR_KEYS = "`field:`, `type:`, `message:`, `detail:`, `matches:` or `rule:`"


def mistakes_of(text: str) -> list[str]:
    with pytest.raises(CaseFileError) as caught:
        loader.load(text, source="f")
    return str(caught.value).splitlines()


def row(id_: str, text: str, *mistakes: str) -> Any:
    return pytest.param(textwrap.dedent(text), list(mistakes), id=id_)


FILES = [
    row("an empty file", "", "f:1: the file is empty; write `crd:` and a section with cases, as in `pruning:`"),
    row(
        "nothing but comments and separators",
        "# a\n---\n# b\n---\n",
        "f:1: the file is empty; write `crd:` and a section with cases, as in `pruning:`",
    ),
    row(
        "a list",
        "# cases\n- a\n",
        "f:2: the file must be a mapping with `crd:` and sections of cases, or with `policy:` and `cases:`, not a list",
    ),
    row(
        "a text",
        "crd\n",
        'f:1: the file must be a mapping with `crd:` and sections of cases, or with `policy:` and `cases:`, not the text "crd"',
    ),
    row("no section", "crd: x\n", f"f:1: the file has no cases; add a section: {SECTIONS}"),
    row(
        "a second document without cases",
        "crd: x\npruning: [{name: a, input: {}, pruned: []}]\n---\ncrd: z\n",
        f"f:4: the file has no cases; add a section: {SECTIONS}",
    ),
    row(
        "an empty section",
        "crd: x\npruning: []\n",
        "f:2: 'pruning' must be a list of cases, not an empty list; begin each case with `- name:`",
    ),
    row(
        "a section with nothing in it",
        "crd: x\npruning:\n",
        "f:2: 'pruning' must be a list of cases, not nothing (null); begin each case with `- name:`",
    ),
    row(
        "a section that is one case",
        "crd: x\npruning:\n  name: a\n",
        "f:2: 'pruning' must be a list of cases, not a mapping; begin each case with `- name:`",
    ),
    row(
        "a misspelt section",
        "crd: x\nprunning: [{name: a}]\n",
        "f:2: unknown key 'prunning' at the top level of the file; did you mean 'pruning'?",
    ),
    row(
        "a key that is near to nothing",
        "crd: x\npruning: [{name: a, input: {}, pruned: []}]\ntests: []\n",
        "f:3: unknown key 'tests' at the top level of the file; known are crd, policy, version, kubernetesVersion, storedCRD, unknownFields, pruning, defaulting, "
        "create, update, updateStatus, patch, patchStatus, patchScale, apply, applyStatus, applyScale, convert, cases",
    ),
    row(
        "no crd",
        "pruning: [{name: a, input: {}, pruned: []}]\n",
        "f:1: the file has no 'crd'; add `crd:` with the name of a CRD, or the path of its file",
    ),
    row(
        "a misspelt crd is not missing too",
        "CRD: x\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:1: unknown key 'CRD' at the top level of the file; did you mean 'crd'?",
    ),
    row(
        "a crd that is a number",
        "crd: 5\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:1: 'crd' must be the name of a CRD, or the path of its file, not the number 5; quote it",
    ),
    row(
        "a crd that is nothing",
        "crd:\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:1: 'crd' must be the name of a CRD, or the path of its file, not nothing (null)",
    ),
    row(
        "a version that is a number",
        "crd: x\nversion: 1\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:2: 'version' must be the name of a version, as in v1, not the number 1; quote it",
    ),
    row(
        "an unquoted Kubernetes version",
        "crd: x\nkubernetesVersion: 1.30\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:2: 'kubernetesVersion' must be a Kubernetes version in quotes, as in \"1.37\", not the number 1.3; quote it",
    ),
    row(
        "an unknown Kubernetes version",
        'crd: x\nkubernetesVersion: "9.9"\npruning: [{name: a, input: {}, pruned: []}]\n',
        f"f:2: unknown Kubernetes version '9.9'; known versions: {profile.list_versions()}",
    ),
    row(
        "errors under an unknown Kubernetes version",
        'crd: x\ncreate:\n- name: a\n  input: {}\n  errors: [{field: a}]\n  errorsUnder:\n    "9.9": [{field: a}]\n',
        f"f:7: unknown Kubernetes version '9.9'; known versions: {profile.list_versions()}",
    ),
    row(
        "errors under a patch release",
        'crd: x\ncreate:\n- name: a\n  input: {}\n  errors: [{field: a}]\n  errorsUnder:\n    "1.37.2": [{field: a}]\n',
        'f:7: write the version without `v` and patch release, as in "1.37"',
    ),
    row(
        "errors of other versions alone",
        'crd: x\ncreate:\n- name: a\n  input: {}\n  errorsUnder: {"1.36": [{field: a}]}\n',
        "f:3: create case \"a\" has no 'errors'; add `errors:` with a list of one or more expected errors",
    ),
    row(
        "a key of a case at the top level",
        "crd: x\npruning: [{name: a, input: {}, pruned: []}]\ninput: {}\n",
        "f:3: key 'input' belongs in a case, not at the top level of the file; indent it below `- name:` of a section",
    ),
    row(
        "a key twice",
        "crd: x\ncrd: z\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:2: key 'crd' is set twice in the file, and only this value would count; remove one",
    ),
    row(
        "a section twice",
        "crd: x\npruning:\n- {name: a, input: {}, pruned: []}\npruning:\n- {name: b, input: {}, pruned: []}\n",
        "f:5: key 'pruning' is set twice in the file, and only this value would count; remove one",
    ),
    row(
        "cases behind the end of the document",
        "crd: x\npruning: [{name: a, input: {}, pruned: []}]\n...\ncrd: y\npruning: []\n---\n",
        "f:4: Kubernetes reads nothing between `...` and the next `---`; remove `...`, or add `---` here",
    ),
    row("a suite of openshift/api", "# x\nname: a\ncrdName: x\ntests:\n  onCreate: []\n", f"f:2: {OPENSHIFT}"),
    row("an old suite of openshift/api", "name: a\ncrd: x.yaml\ntests:\n  onCreate: []\n", f"f:1: {OPENSHIFT}"),
    row(
        "a suite's key in a case file",
        "crdName: x\npruning: [{name: a, input: {}, pruned: []}]\n",
        "f:1: unknown key 'crdName' at the top level of the file; did you mean 'crd'?",
    ),
    row(
        "very many unknown keys",
        "crd: x\npruning: [{name: a, input: {}, pruned: []}]\n" + "".join(f"zzz{n}: 1\n" for n in range(12)),
        "f:1: 2 more unknown keys at the top level of the file",
        *(
            f"f:{3 + n}: unknown key 'zzz{n}' at the top level of the file; known are crd, policy, version, kubernetesVersion, storedCRD, unknownFields, pruning, "
            "defaulting, create, update, updateStatus, patch, patchStatus, patchScale, apply, applyStatus, applyScale, convert, cases"
            for n in range(10)
        ),
    ),
    row(
        "mistakes in several documents",
        "crd: x\npruning: []\n---\ncrd: z\ndefaulting: []\n",
        "f:2: 'pruning' must be a list of cases, not an empty list; begin each case with `- name:`",
        "f:5: 'defaulting' must be a list of cases, not an empty list; begin each case with `- name:`",
    ),
]


@pytest.mark.parametrize(("text", "mistakes"), FILES)
def test_mistake_in_a_file_is_explained(text: str, mistakes: list[str]) -> None:
    assert mistakes_of(text) == mistakes


def case(id_: str, section: str, keys: str, *mistakes: str) -> Any:
    """One case `a` on line 3, its other keys below it."""
    text = f"crd: x\n{section}:\n- name: a\n" + textwrap.indent(textwrap.dedent(keys), "  ")
    return pytest.param(text, list(mistakes), id=id_)


CASES = [
    case(
        "a misspelt expectation",
        "pruning",
        "input: {}\nexpcted: {}",
        "f:5: unknown key 'expcted' in pruning case \"a\"; did you mean 'expected'?",
    ),
    case(
        "a misspelt input is not missing too",
        "pruning",
        "inptu: {}\nexpected: {}",
        "f:4: unknown key 'inptu' in pruning case \"a\"; did you mean 'input'?",
    ),
    case(
        "a key that is near to nothing",
        "pruning",
        "input: {}\nexpected: {}\nzzz: 1",
        "f:6: unknown key 'zzz' in pruning case \"a\"; known are name, input, inputFile, document, patch, expected, contains, absent, pruned, skip, xfail, marks",
    ),
    case(
        "no input",
        "pruning",
        "pruned: []",
        "f:3: pruning case \"a\" has no 'input'; add `input:` with a mapping (the object) or the text of one",
    ),
    case(
        "no expectation",
        "pruning",
        "input: {}",
        f'f:3: pruning case "a" expects nothing; add {PRUNING_KEYS}; or call pytest with {FILL}',
    ),
    case(
        "an expectation that is left to be filled in",
        "pruning",
        "input: {}\nexpected: {}\npruned: TODO",
        f'f:6: \'pruned\' of pruning case "a" must be a list of field paths, not the text "TODO"; call pytest with {FILL}',
    ),
    case(
        "TODO where nothing is filled in",
        "pruning",
        "input: {}\ncontains: TODO",
        'f:5: \'contains\' of pruning case "a" must be a mapping (a part of the object), not the text "TODO"',
    ),
    case(
        "no expectation although skipped",
        "defaulting",
        "input: {}\nskip: later",
        'f:3: defaulting case "a" expects nothing; add `expected:`, `contains:`, `absent:`, `defaulted:` or `nullsDropped:`',
    ),
    case(
        "a key of another section",
        "pruning",
        "input: {}\nexpected: {}\ndefaulted: []",
        "f:6: key 'defaulted' belongs in all but pruning and convert cases, not in pruning case \"a\"",
    ),
    case(
        "a key of updates in a create",
        "create",
        "input: {}\nexpected: {}\nold: {}",
        "f:6: key 'old' belongs in all but pruning, defaulting, create and convert cases, not in create case \"a\"",
    ),
    case(
        "a section in a case",
        "pruning",
        "input: {}\nexpected: {}\ncreate: []",
        "f:6: key 'create' belongs at the top level of the file, not in pruning case \"a\"",
    ),
    case(
        "a key of the file in a case",
        "pruning",
        "input: {}\nexpected: {}\nversion: v1",
        "f:6: key 'version' belongs at the top level of the file, not in pruning case \"a\"",
    ),
    case(
        "a free key in a case",
        "pruning",
        "input: {}\nexpected: {}\nx-a: 1",
        "f:6: key 'x-a' belongs at the top level of the file, not in pruning case \"a\"",
    ),
    case(
        "expected is null",
        "pruning",
        "input: {}\nexpected:",
        "f:5: 'expected' of pruning case \"a\" must be a mapping (the whole object), not nothing (null); write {} for an empty mapping",
    ),
    case(
        "input is a list",
        "pruning",
        "input: []\nexpected: {}",
        "f:4: 'input' of pruning case \"a\" must be a mapping (the object) or the text of one, not an empty list",
    ),
    case(
        "input is an empty text",
        "pruning",
        "input: ''\nexpected: {}",
        "f:4: 'input' of pruning case \"a\" must be a mapping (the object) or the text of one, not an empty text",
    ),
    case(
        "a path instead of a list of paths",
        "pruning",
        "input: {}\npruned: spec.a",
        'f:5: \'pruned\' of pruning case "a" must be a list of field paths, not the text "spec.a"',
    ),
    case(
        "a path that is a number",
        "pruning",
        "input: {}\npruned: [a, 5]",
        "f:5: 'pruned[1]' of pruning case \"a\" must be a field path, as in spec.items[0].name, not the number 5; quote it",
    ),
    case(
        "a path that is no text at all",
        "pruning",
        "input: {}\npruned:\n- {a: 1}\n- true\n- ",
        "f:6: 'pruned[0]' of pruning case \"a\" must be a field path, as in spec.items[0].name, not a mapping",
        "f:7: 'pruned[1]' of pruning case \"a\" must be a field path, as in spec.items[0].name, not true; quote it",
        "f:8: 'pruned[2]' of pruning case \"a\" must be a field path, as in spec.items[0].name, not nothing (null)",
    ),
    case(
        "absent without paths",
        "pruning",
        "input: {}\nabsent: []",
        "f:5: 'absent' of pruning case \"a\" must be a list of one or more field paths, not an empty list",
    ),
    case(
        "skip without a reason",
        "pruning",
        "input: {}\nexpected: {}\nskip: true",
        "f:6: 'skip' of pruning case \"a\" must be a reason, not true; quote it",
    ),
    case(
        "skip and xfail",
        "pruning",
        "input: {}\nexpected: {}\nskip: a\nxfail: b",
        "f:7: 'skip' and 'xfail' contradict each other in pruning case \"a\": a case that is skipped cannot fail; remove one of them",
    ),
    case(
        "a mark that needs a reason",
        "pruning",
        "input: {}\nexpected: {}\nmarks: [slow, skip]",
        'f:6: \'marks[1]\' of pruning case "a" must be the name of a pytest mark other than skip, skipif and xfail, not the text "skip"',
    ),
    case(
        "a mark with arguments",
        "pruning",
        'input: {}\nexpected: {}\nmarks: ["slow(1)"]',
        "f:6: 'marks[0]' of pruning case \"a\" must be the name of a pytest mark other than skip, skipif and xfail, "
        'not the text "slow(1)"',
    ),
    case(
        "expected and contains",
        "create",
        "input: {}\nexpected: {}\ncontains: {a: 1}",
        "f:6: 'expected' and 'contains' contradict each other in create case \"a\": `contains` is a part of `expected`; remove one of them",
    ),
    *(
        case(
            f"{stored} and {refusal}",
            "create",
            f"input: {{}}\n{stored}: {value}\n{refusal}: {reason}",
            f"f:6: '{stored}' and '{refusal}' contradict each other in create case \"a\": {BOTH_STORED_AND_REFUSED}",
        )
        for stored, value in (("expected", "{}"), ("contains", "{a: 1}"), ("absent", "[a]"))
        for refusal, reason in (("errors", "[{detail: b}]"), ("containsErrors", "[{detail: b}]"), ("error", "b"))
    ),
    *(
        case(
            f"accepted and {refusal}",
            "create",
            f"input: {{}}\naccepted: true\n{refusal}: {reason}",
            f"f:6: 'accepted' and '{refusal}' contradict each other in create case \"a\": an object is either accepted or refused; "
            "remove one of them",
        )
        for refusal, reason in (("errors", "[{detail: b}]"), ("containsErrors", "[{detail: b}]"), ("error", "b"))
    ),
    case(
        "errors and containsErrors",
        "create",
        "input: {}\nerrors: [{field: a}]\ncontainsErrors: [{field: a}]",
        "f:6: 'errors' and 'containsErrors' contradict each other in create case \"a\": `errors` lists all errors, `containsErrors` "
        "some of them; remove one of them",
    ),
    case(
        "errors and error",
        "create",
        "input: {}\nerrors: [{field: a}]\nerror: never",
        "f:6: 'errors' and 'error' contradict each other in create case \"a\": `errors` lists all errors, `error` is the short form; "
        "remove one of them",
    ),
    case(
        "accepted is false",
        "create",
        "input: {}\naccepted: false",
        "f:5: 'accepted' of create case \"a\" must be true, not false; for an object that is refused write `errors:` or `error:`",
    ),
    case(
        "no errors in errors",
        "create",
        "input: {}\nerrors: []",
        f"f:5: 'errors' of create case \"a\" must be a list of one or more expected errors, not an empty list; {SHORT_FORM}",
    ),
    case(
        "an error that is a text",
        "create",
        "input: {}\nerrors: [immutable]",
        "f:5: 'errors[0]' of create case \"a\" must be a mapping with some of `field:`, `type:`, and `message:`, `detail:`, "
        f'`matches:` or `rule:`, not the text "immutable"; {SHORT_FORM}',
    ),
    case(
        "an error that says nothing",
        "create",
        "input: {}\nerrors:\n- field: a\n- {}",
        f"f:7: 'errors[1]' of create case \"a\" says nothing; add {ERROR_KEYS}",
    ),
    case(
        "an error with a misspelt key only",
        "create",
        "input: {}\nerrors:\n- {mesage: a}",
        "f:6: unknown key 'mesage' in 'errors[0]' of create case \"a\"; did you mean 'message'?",
    ),
    case(
        "two messages in an error",
        "create",
        "input: {}\nerrors:\n- message: a\n  detail: b",
        "f:7: 'message' and 'detail' contradict each other in 'errors[0]' of create case \"a\": `detail` is the last part of `message`; "
        "remove one of them",
    ),
    case(
        "detail and matches in an error",
        "create",
        "input: {}\ncontainsErrors:\n- matches: never\n  detail: b",
        "f:6: 'detail' and 'matches' contradict each other in 'containsErrors[0]' of create case \"a\": both state a part of the "
        "message; remove one of them",
    ),
    case(
        "the reason of a cause as a type",
        "create",
        "input: {}\nerrors:\n- type: FieldValueInvalid",
        f'f:6: \'errors[0].type\' of create case "a" must be one of {ERROR_TYPES}, not the text "FieldValueInvalid"; '
        "did you mean 'Invalid'?",
    ),
    case(
        "a type in lower case",
        "create",
        "input: {}\nerrors:\n- type: required",
        f"f:6: 'errors[0].type' of create case \"a\" must be one of {ERROR_TYPES}, not the text \"required\"; did you mean 'Required'?",
    ),
    case(
        "a type that is near to nothing",
        "create",
        "input: {}\nerrors:\n- type: zzz",
        f'f:6: \'errors[0].type\' of create case "a" must be one of {ERROR_TYPES}, not the text "zzz"',
    ),
    case(
        "a type that is no text",
        "create",
        "input: {}\nerrors:\n- type: [Invalid]",
        f"f:6: 'errors[0].type' of create case \"a\" must be one of {ERROR_TYPES}, not a list",
    ),
    case(
        "a pattern that is not RE2",
        "create",
        "input: {}\nerrors:\n- field: a\n  matches: '['",
        "f:7: 'errors[0].matches' of create case \"a\" is not an RE2 pattern: error parsing regexp: missing closing ]: `[`",
    ),
    case(
        "a field validation that there is not",
        "create",
        "input: {}\naccepted: true\nfieldValidation: strict",
        "f:6: 'fieldValidation' of create case \"a\" must be one of Strict, Warn, Ignore, not the text \"strict\"; did you mean 'Strict'?",
    ),
    case(
        "a field validation where no request is made",
        "pruning",
        "input: {}\nexpected: {}\nfieldValidation: Strict",
        "f:6: key 'fieldValidation' belongs in all but pruning, defaulting and convert cases, not in pruning case \"a\"",
    ),
    case(
        "an empty error",
        "create",
        "input: {}\nerror: ''",
        f"f:5: 'error' of create case \"a\" must be text (a part of the whole message), not an empty text; {IF_ACCEPTED}",
    ),
    case(
        "an update without the old object",
        "update",
        "input: {}\nexpected: {}",
        "f:3: update case \"a\" has no 'old'; add `old:` with a mapping (the object as it is stored)",
    ),
    case(
        "an old CRD that is a path",
        "update",
        "input: {}\nexpected: {}\nold: {}\noldCRD: a.yaml",
        'f:7: \'oldCRD\' of update case "a" must be a mapping with `path:` or `patch:`, not the text "a.yaml"',
    ),
    case(
        "an old CRD that is nothing",
        "update",
        "input: {}\nexpected: {}\nold: {}\noldCRD:",
        "f:7: 'oldCRD' of update case \"a\" must be a mapping with `path:` or `patch:`, not nothing (null)",
    ),
    case(
        "an old CRD with no keys",
        "updateStatus",
        "input: {}\nexpected: {}\nold: {}\noldCRD: {}",
        "f:7: 'oldCRD' of updateStatus case \"a\" says nothing; add `path:` or `patch:`",
    ),
    case(
        "an old CRD from two places",
        "update",
        "input: {}\nexpected: {}\nold: {}\noldCRD:\n  path: a\n  patch: [{op: remove, path: /a}]",
        "f:9: 'path' and 'patch' contradict each other in 'oldCRD' of update case \"a\": `path` is another CRD, `patch` changes that "
        "of this file; remove one of them",
    ),
    case(
        "wrong JSON Patch operations",
        "update",
        """\
        input: {}
        expected: {}
        old: {}
        oldCRD:
          patch:
          - {op: add, path: /a}
          - {op: move, path: /a}
          - {op: mov, path: /a}
          - {op: remove, path: a}
          - {op: remove}
          - {op: remove, path: /a, vale: 1}
          - {op: add, path: /a, value: a, times: 0}
          - {op: remove, path: /a, times: 2}
        """,
        "f:9: 'oldCRD.patch[0]' of update case \"a\" has no 'value'; add `value:` with what the operation needs",
        "f:10: 'oldCRD.patch[1]' of update case \"a\" has no 'from'; add `from:` with what the operation needs",
        'f:11: \'oldCRD.patch[2].op\' of update case "a" must be one of add, remove, replace, move, copy, test, not the text "mov"; '
        "did you mean 'move'?",
        'f:12: \'oldCRD.patch[3].path\' of update case "a" must be a JSON Pointer, as in /spec/versions/0, not the text "a"',
        "f:13: 'oldCRD.patch[4]' of update case \"a\" has no 'path'; add `path:` with a JSON Pointer, as in /spec/versions/0",
        "f:14: unknown key 'vale' in 'oldCRD.patch[5]' of update case \"a\"; did you mean 'value'?",
        "f:15: 'oldCRD.patch[6].times' of update case \"a\" must be a number of times, from 1, not the number 0",
        'f:16: \'oldCRD.patch[7].op\' of update case "a" must be one of add, replace, not the text "remove"',
    ),
    case(
        "a patch that is no request",
        "patch",
        "old: {}\ninput: {}\naccepted: true",
        f"f:3: patch case \"a\" has no 'patch'; add `patch:` with {PATCH}",
        "f:5: key 'input' belongs in pruning, defaulting, create, update, updateStatus and convert cases, not in patch case \"a\"",
    ),
    case(
        "a patch of nothing",
        "patchStatus",
        "patch: 3\naccepted: true",
        "f:3: patchStatus case \"a\" has no 'old'; add `old:` with a mapping (the object as it is stored)",
        f"f:4: 'patch' of patchStatus case \"a\" must be {PATCH}, not the number 3",
    ),
    case(
        "what cannot be repeated in a patch that is sent",
        "patch",
        """\
        old: {}
        patch:
        - {op: add, path: /a, value: ab, times: 2}
        - {op: add, path: /a, value: 3, times: 2}
        - {op: add, path: /a, value: abc, times: 2000000}
        accepted: true
        """,
        "f:7: 'patch[1]' of patch case \"a\" cannot be sent: 'times' is for a text or a list, not for integer",
        "f:8: 'patch[2]' of patch case \"a\" cannot be sent: 6,000,000 characters are too many",
    ),
    case(
        "wrong applies",
        "apply",
        """\
        accepted: true
        patch: {a: 1}
        oldCRD: {path: a}
        oldPatch: {a: 1}
        steps:
        - {input: {}}
        - {manager: a}
        - {manager: a, input: {}, inputFile: a.yaml}
        - {manager: a, input: {}, focre: true}
        - {manager: a, input: {}, force: "yes"}
        - {manager: a, input: {b: 1, b: 2}}
        - {manager: a, input: {}, document: 2}
        """,
        "f:5: key 'patch' belongs in all but apply, applyStatus and applyScale cases, not in apply case \"a\"",
        "f:6: apply case \"a\" has 'oldCRD', but nothing is stored; add `old:` with a mapping",
        "f:7: apply case \"a\" has 'oldPatch', but nothing is stored; add `old:` with a mapping",
        "f:9: 'steps[0]' of apply case \"a\" has no 'manager'; add `manager:` with the name of a field manager",
        "f:10: 'steps[1]' of apply case \"a\" has no 'input'; add `input:` with a mapping (the object) or the text of one",
        "f:11: 'input' and 'inputFile' contradict each other in 'steps[2]' of apply case \"a\": both are what is sent; "
        "remove one of them",
        "f:12: unknown key 'focre' in 'steps[3]' of apply case \"a\"; did you mean 'force'?",
        'f:13: \'steps[4].force\' of apply case "a" must be true or false, not the text "yes"',
        "f:14: key 'steps[5].input.b' is set twice in apply case \"a\", and only this value would count; remove one; to send a "
        "key twice, write the object as text below `input: |`",
        "f:15: 'steps[6]' of apply case \"a\" has no 'inputFile'; add `inputFile:` with the path of a file",
    ),
    case(
        "applies that say nothing of owners",
        "applyStatus",
        "steps: [{manager: a, input: {}}]\nmanagers: [a]\nconflicts: [{manager: a}]\ncontains: {spec: {}}",
        "f:5: 'managers' of applyStatus case \"a\" must be a mapping from managers to lists of field paths, not a list",
        "f:6: 'conflicts[0]' of applyStatus case \"a\" has no 'field'; add `field:` with a field path, as in "
        'spec.items[name="a"].port',
        *(
            f"f:6: '{key}' and 'conflicts' contradict each other in applyStatus case \"a\": {BOTH_STORED_AND_REFUSED}"
            for key in ("contains", "managers")
        ),
    ),
    case(
        "conflicts and errors",
        "apply",
        "steps: []\n\nerrors: [{field: a}]\nconflicts: []",
        "f:4: 'steps' of apply case \"a\" must be a list of one or more applies, not an empty list",
        "f:6: 'conflicts' and 'errors' contradict each other in apply case \"a\": `conflicts` lists all conflicts, and there are "
        "no other errors then; remove one of them",
        "f:7: 'conflicts' of apply case \"a\" must be a list of one or more conflicts, not an empty list; "
        f"{IF_ACCEPTED}",
    ),
    case(
        "the fields of a manager in a text",
        "apply",
        "steps: [{manager: a, input: {}}]\nmanagers: {a: spec}",
        'f:5: \'managers.a\' of apply case "a" must be a list of field paths, not the text "spec"',
    ),
    case(
        "a key twice",
        "pruning",
        "input: {}\nexpected: {}\nexpected: {a: 1}",
        "f:6: key 'expected' is set twice in pruning case \"a\", and only this value would count; remove one",
    ),
    case(
        "a key twice in the input",
        "pruning",
        "input:\n  spec:\n    a: 1\n    a: 2\nexpected: {}",
        "f:7: key 'input.spec.a' is set twice in pruning case \"a\", and only this value would count; remove one; to send a key twice, "
        "write the object as text below `input: |`",
    ),
    case(
        "a merge that replaces what stands before it",
        "pruning",
        "input: &i {a: 1}\nexpected:\n  a: 2\n  <<: *i",
        "f:4: key 'expected.a' is set twice in pruning case \"a\", and only this value would count; remove one (`<<` sets keys where "
        "it stands: put it before those that override it)",
    ),
    case(
        "a key twice after a merge",
        "pruning",
        "input: &i {a: 1}\nexpected:\n  <<: *i\n  a: 2\n  a: 3",
        "f:8: key 'expected.a' is set twice in pruning case \"a\", and only this value would count; remove one (`<<` sets keys where "
        "it stands: put it before those that override it)",
    ),
    case(
        "two merge keys that set the same",
        "pruning",
        "input: &i {a: 1}\nexpected:\n  <<: *i\n  <<: {a: 2}",
        "f:7: key 'expected.a' is set twice in pruning case \"a\", and only this value would count; remove one (`<<` sets keys where "
        "it stands: put it before those that override it)",
    ),
    case(
        "all mistakes at once, by line",
        "pruning",
        "input: 5\nprund: []\nmarks: x\nskip:",
        "f:4: 'input' of pruning case \"a\" must be a mapping (the object) or the text of one, not the number 5; quote it",
        "f:5: unknown key 'prund' in pruning case \"a\"; did you mean 'pruned'?",
        'f:6: \'marks\' of pruning case "a" must be a list of names of pytest marks, not the text "x"',
        "f:7: 'skip' of pruning case \"a\" must be a reason, not nothing (null)",
    ),
]


@pytest.mark.parametrize(("text", "mistakes"), CASES)
def test_mistake_in_a_case_is_explained(text: str, mistakes: list[str]) -> None:
    assert mistakes_of(text) == mistakes


@pytest.mark.parametrize(
    ("written", "mistake"),
    [
        ("a::b", "the name of pruning case \"a::b\" contains '::': it separates the parts of a node id"),
        (
            '"a[b"',
            "the name of pruning case \"a[b\" contains '[': it begins the parameters in a node id; use parentheses",
        ),
        (
            '"a]b"',
            "the name of pruning case \"a]b\" contains ']': it ends the parameters in a node id; use parentheses",
        ),
        ('"a\\tb"', 'the name of pruning case "a\\tb" contains the control character U+0009; write one line of text'),
        ('"a\\n"', 'the name of pruning case "a\\n" contains the control character U+000A; write one line of text'),
        ('"a\\x7f"', 'the name of pruning case "a\\x7f" contains the control character U+007F; write one line of text'),
        ('"\\u2028"', f"'name' of pruning case #1 must be {NAMES}, not the text \"\\u2028\""),
        ('""', f"'name' of pruning case #1 must be {NAMES}, not an empty text"),
        ('"  "', f"'name' of pruning case #1 must be {NAMES}, not the text \"  \""),
        ("5", f"'name' of pruning case #1 must be {NAMES}, not the number 5; quote it"),
        ("no", f"'name' of pruning case #1 must be {NAMES}, not false; quote it"),
        ("", f"'name' of pruning case #1 must be {NAMES}, not nothing (null)"),
        ("[a]", f"'name' of pruning case #1 must be {NAMES}, not a list"),
    ],
)
def test_name_that_no_node_id_can_hold_is_explained(written: str, mistake: str) -> None:
    assert f"f:4: {mistake}" in mistakes_of(f"crd: x\npruning:\n- input: {{}}\n  name: {written}\n  pruned: []\n")


def test_case_without_a_name_is_called_by_its_number() -> None:
    assert mistakes_of("crd: x\npruning:\n- {name: a, input: {}, pruned: []}\n- {input: {}, pruned: []}\n") == [
        f"f:4: pruning case #2 has no 'name'; add `name:` with {NAMES}"
    ]


@pytest.mark.parametrize(
    ("item", "shown"),
    [("x", 'the text "x"'), ("[]", "an empty list"), ("", "nothing (null)"), ("1.5", "the number 1.5")],
)
def test_an_item_that_is_not_a_case_is_explained(item: str, shown: str) -> None:
    assert mistakes_of(f"crd: x\npruning:\n- {item}\n") == [
        f"f:3: pruning case #1 must be a mapping with `name:`, `input:` and what is expected, not {shown}"
    ]


def test_names_are_unique_in_the_whole_file() -> None:
    text = """\
crd: x
pruning:
- {name: a, input: {}, pruned: []}
- {name: b, input: {}, pruned: []}
- {name: a, input: {}, pruned: []}
defaulting:
- {name: b, input: {}, defaulted: []}
---
crd: z
pruning:
- input: {}
  name: a
  pruned: []
"""
    assert mistakes_of(text) == [
        'f:5: the name "a" is that of the pruning case on line 3 too; rename one',
        'f:7: the name "b" is that of the pruning case on line 4 too; rename one',
        'f:11: the name "a" is that of the pruning case on line 3 too; rename one',
    ]


def test_case_that_an_alias_repeats_has_the_same_name() -> None:
    text = "crd: x\nx-a: &a {name: a, input: {}, expected: {}}\npruning: [*a]\ndefaulting: [*a]\n"
    assert mistakes_of(text) == ['f:4: the name "a" is that of the pruning case on line 3 too; rename one']


def test_mistake_at_an_anchor_is_reported_once() -> None:
    text = "crd: x\npruning:\n- {name: a, input: &i {b: 1, b: 2}, expected: *i}\n- {name: b, input: *i, pruned: []}\n"
    assert len(mistakes_of(text)) == 1


def test_long_texts_are_cut() -> None:
    (mistake,) = mistakes_of("crd: x\npruning:\n- " + "y" * 1000 + "\n")
    assert f'not the text "{"y" * 60}…"' in mistake


def test_case_that_a_later_section_replaced_is_still_named() -> None:
    """The path of a duplicate may lead to a value that was overridden."""
    assert diagnosis.owner({"pruning": []}, ("pruning", 3, "input")) == "pruning case #4"
    assert diagnosis.owner({"pruning": None}, ("pruning", 0, "input")) == "pruning case #1"
    text = "crd: x\npruning:\n- {name: a, input: {b: 1, b: 2}, pruned: []}\npruning: x\n"
    assert mistakes_of(text) == [
        (
            "f:3: key 'input.b' is set twice in pruning case #1, and only this value would count; remove one; to send a key twice, write "
            "the object as text below `input: |`"
        ),
        "f:4: 'pruning' must be a list of cases, not the text \"x\"; begin each case with `- name:`",
        "f:4: key 'pruning' is set twice in the file, and only this value would count; remove one",
    ]


OF_POLICIES = {
    "no cases": ("policy: a\n", ["f:1: the file has no cases; add a section: `cases:`"]),
    "a section of a CRD": (
        "policy: a\ncreate: []\n",
        [
            (
                "f:2: 'policy' and 'create' contradict each other in the file: a file is about a policy, with cases about any kind, or about a "
                "CRD; remove one of them"
            ),
        ],
    ),
    "a CRD": (
        "policy: a\ncrd: b\ncases: [{name: c, input: {}, accepted: true}]\n",
        [
            (
                "f:2: 'policy' and 'crd' contradict each other in the file: a file is about a policy, with cases about any kind, or about a CRD; "
                "remove one of them"
            ),
            "f:3: 'crd' and 'cases' contradict each other in the file: the cases of a CRD are in a section, as in `create`; remove one of them",
        ],
    ),
    "cases without a policy": (
        "cases: [{name: c, input: {}, accepted: true}]\n",
        ["f:1: the file has no 'policy'; add `policy:` with the name of an admission policy"],
    ),
    "no expectation": ("policy: a\ncases: [{name: c, input: {}}]\n", 1),
    "nothing to send": (
        "policy: a\ncases: [{name: c, accepted: true}]\n",
        ['f:2: policy case "c" sends nothing; add `input:` with a mapping, or `operation: DELETE`'],
    ),
    "an object of a deletion": (
        "policy: a\ncases: [{name: c, operation: DELETE, old: {}, input: {}, contains: {spec: 1}}]\n",
        [
            "f:2: policy case \"c\" has 'contains', but a deletion sends no object and returns none; remove it",
            "f:2: policy case \"c\" has 'input', but a deletion sends no object and returns none; remove it",
        ],
    ),
    "a connection with an object": (
        "policy: a\ncases: [{name: c, operation: CONNECT, subresource: exec, old: {}, input: {}, expected: {}}]\n",
        ["f:2: policy case \"c\" has 'expected', but a connection returns no object; remove it"],
    ),
    "a deletion of nothing": (
        "policy: a\ncases: [{name: c, operation: DELETE, accepted: true}]\n",
        ['f:2: policy case "c" needs a stored object; add `old:` with a mapping'],
    ),
    "a subresource of nothing": (
        "policy: a\ncases: [{name: c, subresource: status, input: {}, accepted: true}]\n",
        ['f:2: policy case "c" needs a stored object; add `old:` with a mapping'],
    ),
    "a creation of a stored object": (
        "policy: a\ncases: [{name: c, operation: CREATE, old: {}, input: {}, accepted: true}]\n",
        ['f:2: policy case "c" creates an object that is stored already; remove `old:`'],
    ),
    "a patch of no old object": (
        "policy: a\ncases: [{name: c, oldPatch: {a: b}, input: {}, accepted: true}]\n",
        ["f:2: policy case \"c\" has 'oldPatch', but nothing is stored; add `old:` with a mapping"],
    ),
    "a match": ("policy: a\ncases: [{name: c, input: {}, matched: true}]\n", 1),
    "a decision of a policy that does not match": (
        "policy: a\ncases: [{name: c, input: {}, matched: false, denied: [{by: a}]}]\n",
        [
            (
                "f:2: 'matched' and 'denied' contradict each other in policy case \"c\": a policy that does not match a request decides nothing; "
                "remove one of them"
            )
        ],
    ),
    "a key of cases of CRDs": (
        "policy: a\ncases: [{name: c, input: {}, pruned: []}]\n",
        2,
    ),
    "an empty part": ("policy: a\ncases: [{name: c, input: {}, contains: {kind: a}}]\n", 1),
    "an absent path that a server sets": ("policy: a\ncases: [{name: c, input: {}, absent: [metadata.uid]}]\n", 1),
    "a name of two cases": (
        "policy: a\ncases: [{name: c, input: {}, accepted: true}, {name: c, input: {}, accepted: true}]\n",
        ['f:2: the name "c" is that of the policy case on line 2 too; rename one'],
    ),
}


@pytest.mark.parametrize(("text", "mistakes"), OF_POLICIES.values(), ids=OF_POLICIES)
def test_mistake_in_cases_of_a_policy_is_explained(text: str, mistakes: list[str] | int) -> None:
    explained = mistakes_of(text)
    assert (len(explained) if isinstance(mistakes, int) else explained) == mistakes


def test_a_key_of_policies_is_explained_in_a_case_of_a_crd() -> None:
    text = "crd: a\ncreate: [{name: c, input: {}, operation: CREATE, accepted: true}]\n"
    assert mistakes_of(text) == ["f:2: key 'operation' belongs in policy cases, not in create case \"c\""]


def test_a_list_of_cases_in_a_file_about_a_crd_is_the_only_mistake() -> None:
    with pytest.raises(CaseFileError) as raised:
        loader.load("crd: things.example.com\ncases: {create: []}\n", source="x")

    (mistake,) = raised.value.mistakes
    assert mistake.message.startswith("'crd' and 'cases' contradict each other in the file")


@pytest.mark.parametrize("pattern", [".", ".+", ".*", "[a-z]", "(?i)E", "^", "$", "a|e|i|o"])
def test_a_pattern_that_matches_every_message_is_a_mistake(pattern: str) -> None:
    text = f"crd: x\ncreate:\n- name: a\n  input: {{}}\n  errors: [{{field: spec.a, matches: '{pattern}'}}]\n"

    assert mistakes_of(text) == [
        "f:5: 'errors[0].matches' of create case \"a\" matches every message; state words of this one, or leave it out"
    ]


@pytest.mark.parametrize("part", [".", " ", "e"])
def test_a_part_of_every_message_is_a_mistake(part: str) -> None:
    (mistake,) = mistakes_of(f"crd: x\ncreate:\n- name: a\n  input: {{}}\n  error: '{part}'\n")

    assert mistake.startswith("f:5: 'error' of create case")


@pytest.mark.parametrize("words", ["Invalid", "is invalid", "at most", "or equal to 1"])
def test_words_of_a_message_are_none(words: str) -> None:
    head = "crd: x\ncreate:\n- name: a\n  input: {}\n"

    assert loader.load(f"{head}  error: {words}\n", source="f")
    assert loader.load(f"{head}  errors: [{{matches: {words}}}]\n", source="f")
