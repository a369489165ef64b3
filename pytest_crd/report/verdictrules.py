"""
Table of rules: each with its id, its meaning, advice for a violation, and a page of the documentation.

Sections of case files, checks, lints and effects of upgrades each have a rule, and so do mistakes that keep a test from
running.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from pytest_crd.cases.caseformat import SECTION_MEANINGS
from pytest_crd.upgrades.upgradefindings import Kind

Level: TypeAlias = Literal["error", "warning", "note"]

_DOCS: Final = "https://github.com/pytest-crd/pytest-crd/blob/main/docs"
PYTHON: Final = "python/test"
MISTAKE: Final = "collection/mistake"
PYTHON_MISTAKE: Final = "collection/python"
SESSION: Final = "session/error"
LIVE: Final = "live/answer"
ALLOWED: Final = "upgrade/allowed"
UNJUDGED: Final = "upgrade/unjudged"
UPGRADE: Final = "upgrade/upgrade"
ROLLBACK: Final = "upgrade/rollback"
_CHECKS: Final = "reference/checks-and-lints.md#checks"
_LINTS: Final = "reference/checks-and-lints.md#lints"
_CASES: Final = "reference/case-file.md"
_FIXTURES: Final = "reference/fixtures-and-markers.md"
_UPGRADES: Final = "how-to/guard-upgrades.md"


class RuleHelp(NamedTuple):
    """
    Help about a rule.

    Attributes:
        id: `lint/ssatags`.
        short: A description of a violation, in a few words.
        full: A sentence with the reason why it matters.
        help: Advice.
        page: The page of the documentation about it.
        level: The severity of a violation.
    """

    id: str
    short: str
    full: str
    help: str
    page: str
    level: Level = "error"

    @property
    def uri(self) -> str:
        """The address of the documentation."""
        return f"{_DOCS}/{self.page}"


def name_section_rule(section: str) -> str:
    """Return the id of the rule for cases of a section."""
    return f"case/{section}"


def name_check_rule(kind: str) -> str:
    """Return the id of the rule for a check."""
    return f"check/{kind}"


def name_lint_rule(name: str) -> str:
    """Return the id of the rule for a lint."""
    return f"lint/{name}"


def name_upgrade_rule(kind: Kind, *, is_rollback: bool) -> str:
    """Return the id of the rule for an effect of an upgrade or a rollback."""
    return f"{'rollback' if is_rollback else 'upgrade'}/{kind.value.replace(' ', '-')}"


_CASE_HELP: Final = "Read what differs: the CRD, or what the case expects, is to be corrected. `pytest --crd-update` writes what is observed."
_APPLIES: Final = "how-to/test-applies.md"
_CHECK_TABLE: Final = (
    (
        "accepted",
        "The server refuses the CRD",
        "The server must take the CRD as `kubectl create` and `kubectl apply --server-side` send it: strictly.",
        "Correct the line: the words are the server's.",
    ),
    (
        "structural",
        "The schema is not structural",
        "A schema that is not structural is refused in v1; of a stored one nothing is pruned or defaulted.",
        "Give each field a type, and keep types and properties out of `allOf`, `anyOf`, `oneOf` and `not`.",
    ),
    (
        "conditions",
        "The CRD would be stored with flaws",
        "Once stored, the CRD must have the conditions of one without flaws, or it is not served as it should be.",
        "Correct what the condition names: names that another CRD has, the structure, the approval of a protected group.",
    ),
    (
        "rules",
        "A CEL rule does not compile, or costs too much",
        "The server refuses a CRD with a rule that does not compile, or whose estimated cost is above its budget.",
        "Correct the rule, or set `maxLength`, `maxItems` and `maxProperties` on what it looks at.",
    ),
    (
        "published",
        "OpenAPI v2 loses a part of the schema",
        "Clients that read OpenAPI v2 do not know of junctors, defaults, and of what may be null.",
        "Nothing need be done: the check tells what is lost.",
    ),
    (
        "samples",
        "The server does not take a sample as it is",
        "Users copy samples: the server must take each as it is, and drop nothing of it.",
        "Correct the sample, or the CRD; `# crd: refused` says that a sample is meant to be refused.",
    ),
    (
        "applies",
        "An object cannot be applied server-side",
        "What a create takes must also be what an apply takes: by one manager, again by the same one, and by a second one.",
        "Set `x-kubernetes-list-type`, make the keys of a map `required`, or state the default in what is applied.",
    ),
    (
        "deployable",
        "The CRD has a mistake that servers take",
        "A lint that `crd_lints` asks for has found something.",
        "See the rule of the lint.",
    ),
)
_LINT_TABLE: Final = (
    (
        "ssatags",
        "A list without x-kubernetes-list-type",
        "Server-side apply takes such a list for atomic, so that two appliers overwrite each other.",
        "`x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys`, `set`, or `atomic` where that is meant.",
    ),
    (
        "statussubresource",
        "A status without its subresource",
        "Whoever may write the spec can write the status, too.",
        "Add `subresources: {status: {}}` to the version.",
    ),
    (
        "statusoptional",
        "A status, or a field of it, is required",
        "No new object has a status, and a controller must be able to write a part of it.",
        "Remove it from `required`.",
    ),
    (
        "maxlength",
        "A value without a bound under a CEL rule",
        "The cost of a rule is estimated for the largest value that a request can hold.",
        "Set `maxLength`, `maxItems` or `maxProperties`.",
    ),
    (
        "preserveunknownfields",
        "x-kubernetes-preserve-unknown-fields beside properties",
        "A misspelt field is stored, and nobody is told.",
        "Leave it out, or put what is free into a field of its own.",
    ),
    (
        "applysize",
        "The CRD is too large for kubectl apply",
        "`kubectl apply` keeps the last applied object in an annotation, which holds 256 KiB at the most.",
        "`kubectl apply --server-side`, or leave descriptions out.",
    ),
    (
        "booleannames",
        "A property name that YAML reads as a boolean",
        "Without quotes `y`, `n`, `on` and `off` become `true` and `false`.",
        "Give the property another name.",
    ),
)
_ALLOW: Final = "Where that is meant, allow it in `crd_baseline_allow`, as the failure states it."
# By kind: description, reason, severity.
_EFFECTS: Final[Mapping[Kind, tuple[str, str, Level]]] = {
    Kind.REFUSED: ("refuses objects that were taken", "Objects that users have are refused afterwards.", "error"),
    Kind.DATA_LOSS: ("loses data of objects", "A part of objects that users have is gone afterwards.", "error"),
    Kind.CHANGED: ("changes objects", "Objects that users have are stored otherwise afterwards.", "error"),
    Kind.WARNED: ("makes the server warn", "The server warns of objects of which it did not.", "warning"),
    Kind.WIDENED: ("takes objects that were refused", "Objects that were refused are taken afterwards.", "note"),
}
_OTHERS: Final = (
    RuleHelp(
        UPGRADE,
        "An upgrade breaks objects",
        "Objects that were taken before an upgrade must be taken, and stored alike, after it.",
        _ALLOW,
        _UPGRADES,
    ),
    RuleHelp(
        ROLLBACK,
        "A rollback breaks objects",
        "Objects that are taken today must be taken, and stored alike, should the CRDs of the baseline come back.",
        _ALLOW,
        _UPGRADES,
    ),
    RuleHelp(
        ALLOWED,
        "Something is allowed that no longer happens",
        "What is allowed in vain may hide a change to come.",
        "Take it out of `crd_baseline_allow`.",
        f"{_UPGRADES}#allow-a-change",
    ),
    RuleHelp(
        UNJUDGED,
        "No upgrade could be judged",
        "What was to be judged was not, so that nothing is known of it.",
        "Correct what the words name: the baseline, or what narrows the run.",
        _UPGRADES,
    ),
    RuleHelp(
        PYTHON,
        "A test in Python does not hold",
        "A test in Python that asks for CRDs, versions or cases has failed.",
        "Read what it says: the CRD, or the test, is to be corrected.",
        _FIXTURES,
    ),
    RuleHelp(
        MISTAKE,
        "A file cannot be read as what it should be",
        "Case files, CRDs and settings that are wrong keep tests from being run, so that nothing is known of these.",
        "Correct the line.",
        _CASES,
    ),
    RuleHelp(
        PYTHON_MISTAKE,
        "A Python file cannot be collected",
        "Its tests are not run, so that nothing is known of these.",
        "Correct the line.",
        _FIXTURES,
    ),
    RuleHelp(
        SESSION,
        "The run did not come to its end",
        "A process has crashed or was stopped, so that not everything was judged.",
        "Read the log of the run, and run it again.",
        "reference/reports.md",
    ),
    RuleHelp(
        LIVE,
        "A real server answers otherwise",
        "With `--crd-live` a server is asked the same; it must answer the same.",
        "See whether the CRD that is installed is the one of the project; else it is a mistake of pytest-crd, to be told there.",
        "how-to/ask-a-live-server.md",
    ),
)


def _rules() -> Iterator[RuleHelp]:
    for section, meaning in SECTION_MEANINGS.items():
        page = _APPLIES if section.startswith(("patch", "apply")) else _CASES
        full = f"What a case of this section expects must be what the server does. {meaning}"
        yield RuleHelp(name_section_rule(section), f"A case of `{section}` does not hold", full, _CASE_HELP, page)
    for kind, short, full, advice in _CHECK_TABLE:
        yield RuleHelp(name_check_rule(kind), short, full, advice, _CHECKS)
    for name, short, full, advice in _LINT_TABLE:
        yield RuleHelp(name_lint_rule(name), short, full, advice, _LINTS)
    for is_rollback, subject in ((False, "An upgrade"), (True, "A rollback")):
        for effect, (short, full, level) in _EFFECTS.items():
            advice = "Nothing need be done." if level == "note" else _ALLOW
            yield RuleHelp(
                name_upgrade_rule(effect, is_rollback=is_rollback), f"{subject} {short}", full, advice, _UPGRADES, level
            )
    yield from _OTHERS


RULES: Final[Mapping[str, RuleHelp]] = {rule.id: rule for rule in _rules()}
