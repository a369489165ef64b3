"""
Table of rules: each with its id, its meaning, advice for a violation, and a page of the documentation.

Sections of case files, checks, lints and effects of upgrades each have a rule, and so do mistakes that keep a test from
running.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from pytest_crd.cases.caseformat import SECTION_MEANINGS
from pytest_crd.checks.lintrecords import LINTS
from pytest_crd.upgrades.upgradefindings import Kind

Level: TypeAlias = Literal["error", "warning", "note"]

_DOCS: Final = "https://github.com/pytest-crd/pytest-crd/blob/main/docs"
PYTHON: Final = "python/test"
MISTAKE: Final = "collection/mistake"
PYTHON_MISTAKE: Final = "collection/python"
SESSION: Final = "session/error"
LIVE: Final = "live/answer"
ALLOWED: Final = "upgrade/allowed"
AMBIGUOUS: Final = "upgrade/ambiguous"
UNJUDGED: Final = "upgrade/unjudged"
UPGRADE: Final = "upgrade/upgrade"
ROLLBACK: Final = "upgrade/rollback"
PARITY: Final = "parity/parity"
PARITY_ALLOWED: Final = "parity/allowed"
_CHECKS: Final = "reference/checks-and-lints.md#checks"
_LINTS: Final = "reference/checks-and-lints.md#lints"
_CASES: Final = "reference/case-file.md"
_FIXTURES: Final = "reference/fixtures-and-markers.md"
_UPGRADES: Final = "how-to/guard-upgrades.md"
_PARITY: Final = "how-to/crds-made-in-python.md#compare-a-class-with-a-crd"


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


def name_parity_rule(kind: str) -> str:
    """Return the id of the rule for a kind of divergence, the name of a `DivergenceKind`."""
    return f"parity/{kind.lower().replace('_', '-')}"


_CASE_HELP: Final = (
    "Read the differences and correct the CRD or the case. `pytest --crd-update` writes the observed answer."
)
_APPLIES: Final = "how-to/test-applies.md"
_CHECK_TABLE: Final = (
    (
        "accepted",
        "The server refuses the CRD",
        "The server must accept the CRD from `kubectl create` and `kubectl apply --server-side`, with strict field validation.",
        "Correct the line; the message is the server's.",
    ),
    (
        "structural",
        "The schema is not structural",
        "The server refuses a non-structural schema in v1. It neither prunes nor defaults objects under a stored one.",
        "Give each field a type, and keep types and properties out of `allOf`, `anyOf`, `oneOf` and `not`.",
    ),
    (
        "conditions",
        "The stored CRD would have bad conditions",
        "The stored CRD must have good conditions; otherwise the server does not serve it, or not completely.",
        "Correct the cause in the condition: names of another CRD, a non-structural schema, or a missing approval of a protected group.",
    ),
    (
        "rules",
        "A CEL rule does not compile, or costs too much",
        "The server refuses a CRD with a rule that does not compile, or whose estimated cost is above its budget.",
        "Correct the rule, or set `maxLength`, `maxItems` and `maxProperties` on the values in the rule.",
    ),
    (
        "published",
        "OpenAPI v2 loses a part of the schema",
        "OpenAPI v2 omits junctors, defaults and nullable fields. Its clients do not see them.",
        "No correction is needed: the check lists the omitted parts.",
    ),
    (
        "samples",
        "The server refuses or changes a sample",
        "Users copy samples: the server must accept each one and drop no field.",
        "Correct the sample or the CRD. `# crd: refused` marks a sample that the server should refuse.",
    ),
    (
        "applies",
        "An object cannot be applied server-side",
        "If the server accepts a create, it must also accept applies: by one manager, again by the same manager, and by a second one.",
        "Set `x-kubernetes-list-type`, make the keys of a map `required`, or state the default in the applied object.",
    ),
    (
        "policy",
        "The server refuses an admission policy, or it has no effect",
        "The server must accept the policy and its binding, and compile each expression. Each policy needs a binding.",
        "Correct the line; the message is the server's. A policy without a binding is never evaluated.",
    ),
    (
        "matches",
        "A rule of an admission policy matches no resource",
        "A rule of the match constraints must match a resource of the project's CRDs or of Kubernetes.",
        "Correct the group, the version or the plural. A misspelt rule lets all requests pass.",
    ),
    (
        "types",
        "An expression of an admission policy does not fit the schema of a CRD",
        "The server checks the types of expressions with the schemas of CRDs, and writes warnings to `status.typeChecking`.",
        "Correct the expression: a misspelt field fails for each request. `has(...)` tests optional fields.",
    ),
    (
        "roundtrip",
        "A round trip between versions changes an object",
        "A client that reads an object in another version and writes it back must not lose or change fields.",
        "Correct the conversion webhook; an annotation can carry fields that the other version does not have.",
    ),
    (
        "copies",
        "Copies of the CRD differ",
        "A copy in another place, such as a chart, must have the same versions and schemas. Descriptions and the conversion may differ.",
        "Copy the CRD again, or allow the difference in `crd_checks_allow`.",
    ),
    (
        "deployable",
        "The CRD has a mistake that servers accept",
        "A lint in `crd_lints` has found a mistake.",
        "See the rule of the lint.",
    ),
)
_ALLOW: Final = "If the change is intended, allow it in `crd_baseline_allow`; the failure prints the line."
# By kind: description, reason, severity.
_EFFECTS: Final[Mapping[Kind, tuple[str, str, Level]]] = {
    Kind.REFUSED: ("refuses accepted objects", "The server refuses objects that it accepted before.", "error"),
    Kind.DATA_LOSS: ("loses data of objects", "The server drops fields of users' objects.", "error"),
    Kind.CHANGED: ("changes objects", "The server stores users' objects differently.", "error"),
    Kind.WARNED: ("makes the server warn", "The server returns new warnings for objects.", "warning"),
    Kind.WIDENED: ("accepts refused objects", "The server accepts objects that it refused before.", "note"),
}
_PARITY_ALLOW: Final = "Correct the class or the CRD. If the difference is intended, allow it in `crd_parity_allow`."
# By the name of the kind: description, reason.
_DIVERGENCES: Final = (
    ("CLASS_REFUSES", "Only the class refuses an object", "The operator fails on an object that the server accepts."),
    ("CRD_REFUSES", "Only the CRD refuses an object", "The class takes an object that no user can create."),
    ("CRD_DROPS", "The CRD drops a field of the class", "The server stores objects without the field."),
    (
        "CLASS_LOSES",
        "The class loses a field of the CRD",
        "The operator does not see the field, and removes it in an update.",
    ),
    (
        "DEFAULT",
        "The class and the CRD have different defaults",
        "The operator and the server read an absent field differently.",
    ),
    ("CHANGED", "The class changes a value", "The operator works with another value than the stored one."),
)
_OTHERS: Final = (
    RuleHelp(
        PARITY,
        "A class and a CRD differ",
        "A class of the operator and its CRD must take the same objects, with the same fields and defaults.",
        _PARITY_ALLOW,
        _PARITY,
    ),
    RuleHelp(
        PARITY_ALLOWED,
        "An allowed difference is not found",
        "An unused entry may hide a later difference.",
        "Remove it from `crd_parity_allow`.",
        _PARITY,
    ),
    RuleHelp(
        UPGRADE,
        "An upgrade breaks objects",
        "After an upgrade, the server must accept the same objects and store them in the same way.",
        _ALLOW,
        _UPGRADES,
    ),
    RuleHelp(
        ROLLBACK,
        "A rollback breaks objects",
        "After a rollback to the CRDs of the baseline, the server must accept today's objects and store them in the same way.",
        _ALLOW,
        _UPGRADES,
    ),
    RuleHelp(
        ALLOWED,
        "An allowed change does not happen",
        "An unused entry may hide a later change.",
        "Remove it from `crd_baseline_allow`.",
        f"{_UPGRADES}#allow-a-change",
    ),
    RuleHelp(
        AMBIGUOUS,
        "An allowance matches several findings",
        "An entry without a cause allows one finding. It may hide another one of the same path and kind.",
        "Write the causes of the intended findings, as the failure prints them; `KIND: *` allows all.",
        f"{_UPGRADES}#allow-a-change",
    ),
    RuleHelp(
        UNJUDGED,
        "No upgrade was tested",
        "The baseline was not tested, so the effects of the upgrade are unknown.",
        "Correct the baseline, or the options that narrow the run.",
        _UPGRADES,
    ),
    RuleHelp(
        PYTHON,
        "A test in Python fails",
        "A Python test with CRDs, versions or cases has failed.",
        "Read the failure and correct the CRD or the test.",
        _FIXTURES,
    ),
    RuleHelp(
        MISTAKE,
        "A file is invalid",
        "Tests do not run because of an invalid case file, CRD or setting.",
        "Correct the line.",
        _CASES,
    ),
    RuleHelp(
        PYTHON_MISTAKE,
        "A Python file cannot be collected",
        "The tests of the file do not run.",
        "Correct the line.",
        _FIXTURES,
    ),
    RuleHelp(
        SESSION,
        "The run is incomplete",
        "A process crashed or was stopped, so some verdicts are missing.",
        "Read the log of the run, and run it again.",
        "reference/reports.md",
    ),
    RuleHelp(
        LIVE,
        "A real server gives another answer",
        "`--crd-live` sends the same requests to a server. Its answers must be the same.",
        "Compare the installed CRD with the project's. If they are equal, please report a bug of pytest-crd.",
        "how-to/ask-a-live-server.md",
    ),
)


def _rules() -> Iterator[RuleHelp]:
    for section, meaning in SECTION_MEANINGS.items():
        page = _APPLIES if section.startswith(("patch", "apply")) else _CASES
        full = f"The answer of the server must match the expectation of the case. Section: {meaning}"
        yield RuleHelp(name_section_rule(section), f"A case of `{section}` fails", full, _CASE_HELP, page)
    for kind, short, full, advice in _CHECK_TABLE:
        yield RuleHelp(name_check_rule(kind), short, full, advice, _CHECKS)
    for name, short, full, advice, _ in LINTS:
        yield RuleHelp(name_lint_rule(name), short.replace("`", ""), full, advice, _LINTS)
    for is_rollback, subject in ((False, "An upgrade"), (True, "A rollback")):
        for effect, (short, full, level) in _EFFECTS.items():
            advice = "Nothing need be done." if level == "note" else _ALLOW
            yield RuleHelp(
                name_upgrade_rule(effect, is_rollback=is_rollback), f"{subject} {short}", full, advice, _UPGRADES, level
            )
    for kind, short, full in _DIVERGENCES:
        yield RuleHelp(name_parity_rule(kind), short, full, _PARITY_ALLOW, _PARITY)
    yield from _OTHERS


RULES: Final[Mapping[str, RuleHelp]] = {rule.id: rule for rule in _rules()}
