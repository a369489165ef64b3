"""Keys of a case: their sections, the forms of their values, and the pairs of keys that contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.cases import keyschemas, valueforms
from pytest_crd.cases.keyschemas import Form, Need
from pytest_crd.cases.model import ADMITTED, APPLIES, PATCHES, REQUESTS, UPDATES
from pytest_crd.cases.sections import Section
from pytest_crd.engine.registry import requestbody
from pytest_crd.records import dataclass


@dataclass(frozen=True, kw_only=True)
class CaseKey:
    """
    A key of a case file, or of a case.

    Attributes:
        form: The form of the value.
        meaning: The purpose of the key.
        sections: The sections whose cases may have it; for keys of cases.
        required: Whether it must be there; for keys of a file.
        required_in: The sections whose cases must have it; for keys of cases.
        remedy: Advice for a wrong value; may be empty.
    """

    form: Form
    meaning: str
    sections: frozenset[Section] = frozenset()
    required: bool = False
    required_in: frozenset[Section] = frozenset()
    remedy: str = ""


_ALL: Final = frozenset(Section)
_CONVERSIONS: Final = frozenset({Section.CONVERT})
_POLICIES: Final = frozenset({Section.POLICY})
# The sections with a single input object.
_OF_INPUT: Final = _ALL - PATCHES - APPLIES


# Keys of a case

_OLD_NEED: Final = Need("old", "oldFile", is_instead=True)
_ERRORS_NEED: Final = Need("errors", "errorsUnder")
_IF_ACCEPTED: Final = "for an object that is accepted write `accepted: true`"

CASE_KEYS: Final[Mapping[str, CaseKey]] = {
    "name": CaseKey(
        form=keyschemas.text(
            "a name (one line of text without '::', '[' and ']')",
            without=r"::|[\[\]\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]",
        ),
        meaning="The stated behaviour, as a sentence; unique in the file. It is the last part of the node id.",
        sections=_ALL,
        required_in=_ALL,
    ),
    **{
        name: CaseKey(form=form, meaning=form["description"], sections=_OF_INPUT)
        for name, form in valueforms.INPUT_KEYS.items()
    },
    "patch": CaseKey(
        form=valueforms.PATCH,
        meaning=(
            "A change of `input` or `inputFile` before it is sent; in sections of patches, the patch to send: a "
            "JSON Patch (a list) or a merge patch (a mapping)."
        ),
        sections=_ALL - APPLIES,
        required_in=PATCHES,
    ),
    "from": CaseKey(
        form=keyschemas.text("the name of a version, as in v1"),
        meaning="The version in which the object is stored; optional if it is the version of the file.",
        sections=_CONVERSIONS,
    ),
    "to": CaseKey(
        form=keyschemas.text("the name of a version, as in v1"),
        meaning="The version to which the object is converted.",
        sections=_CONVERSIONS,
        required_in=_CONVERSIONS,
    ),
    "steps": CaseKey(
        form=valueforms.STEPS,
        meaning="The applies in order. The server must accept all but the last; the expectation is for the last.",
        sections=APPLIES,
        required_in=APPLIES,
    ),
    "old": CaseKey(
        form=keyschemas.any_object("a mapping (the object as it is stored)"),
        meaning=(
            "The stored object, with its status. It is optional before an apply; without managedFields it belongs"
            " to the manager before-first-apply."
        ),
        sections=UPDATES | _POLICIES,
    ),
    "oldFile": CaseKey(
        form=keyschemas.text("the path of a file"),
        meaning="A file with the stored object, relative to this file; instead of `old`.",
        sections=UPDATES | _POLICIES,
    ),
    "oldDocument": CaseKey(
        form=keyschemas.number("the number of a document, from 1"),
        meaning="The number of the document in `oldFile`, from 1, if it has several.",
        sections=UPDATES | _POLICIES,
    ),
    "oldPatch": CaseKey(
        form=valueforms.PATCH,
        meaning="A change of `old` or `oldFile` before it is stored, like `patch`.",
        sections=UPDATES | _POLICIES,
    ),
    "operation": CaseKey(
        form=keyschemas.choice(("CREATE", "UPDATE", "DELETE", "CONNECT")),
        meaning="The operation of the request. By default `CREATE` without `old`, and `UPDATE` with it. `CONNECT` has its options as `input`.",
        sections=_POLICIES,
    ),
    "subresource": CaseKey(
        form=keyschemas.text("the name of a subresource, as in status"),
        meaning="The subresource to which the request is sent; `old` is the object to which it belongs.",
        sections=_POLICIES,
    ),
    "oldCRD": CaseKey(
        form=valueforms.OLD_CRD,
        meaning="The CRD under which `old` was stored, if it differs.",
        sections=UPDATES,
    ),
    "expected": CaseKey(
        form=keyschemas.any_object("a mapping (the whole object)"),
        meaning="The whole resulting object, without fields that only a server sets. JSON types must be equal.",
        sections=_ALL,
    ),
    "contains": CaseKey(
        form=keyschemas.any_object("a mapping (a part of the object)"),
        meaning="A part of the resulting object.",
        sections=_ALL,
    ),
    "absent": CaseKey(
        form=keyschemas.some_list("a list of one or more field paths", valueforms.PATH),
        meaning="Field paths that are not in the resulting object.",
        sections=_ALL,
    ),
    "accepted": CaseKey(
        form=keyschemas.constant("true", value=True),
        meaning="The server accepts the object.",
        sections=ADMITTED,
        remedy="for an object that is refused write `errors:` or `error:`",
    ),
    "errors": CaseKey(
        form=valueforms.ERRORS,
        meaning="All errors of the answer.",
        sections=REQUESTS,
        remedy=f"{_IF_ACCEPTED}, for a part of the whole message `error:`",
    ),
    "errorsUnder": CaseKey(
        form=valueforms.ERRORS_UNDER,
        meaning='All errors under other Kubernetes versions, as in `{"1.38": […]}`; there they replace `errors`.',
        sections=REQUESTS,
    ),
    "containsErrors": CaseKey(
        form=valueforms.ERRORS,
        meaning="Some errors of the answer.",
        sections=REQUESTS,
        remedy=f"{_IF_ACCEPTED}, for a part of the whole message `error:`",
    ),
    "error": CaseKey(
        form=keyschemas.text("text (a part of the whole message)"),
        meaning="A part of the whole message of the refusal.",
        sections=ADMITTED,
        remedy=_IF_ACCEPTED,
    ),
    "denied": CaseKey(
        form=valueforms.DENIALS,
        meaning="All admission webhooks and policies that deny the request.",
        sections=ADMITTED,
        remedy=_IF_ACCEPTED,
    ),
    "refused": CaseKey(
        form=keyschemas.text("text (a part of the whole message)"),
        meaning="A part of the message of the failed conversion.",
        sections=_CONVERSIONS,
    ),
    "conflicts": CaseKey(
        form=valueforms.CONFLICTS,
        meaning="All conflicts of the last apply.",
        sections=APPLIES,
        remedy=_IF_ACCEPTED,
    ),
    "pruned": CaseKey(
        form=valueforms.PATHS,
        meaning="All pruned field paths, in the spelling of `unknown field` warnings.",
        sections=REQUESTS | {Section.PRUNING},
    ),
    "defaulted": CaseKey(
        form=valueforms.PATHS,
        meaning="All field paths with a filled-in default.",
        sections=REQUESTS | {Section.DEFAULTING},
    ),
    "nullsDropped": CaseKey(
        form=valueforms.PATHS,
        meaning="All field paths with a dropped null.",
        sections=REQUESTS | {Section.DEFAULTING},
    ),
    "lost": CaseKey(
        form=valueforms.PATHS,
        meaning="All field paths dropped on storing, because they are not in the storage version.",
        sections=REQUESTS,
    ),
    "mutated": CaseKey(
        form=valueforms.PATHS,
        meaning=(
            "All field paths that mutating admission adds, changes or removes. Empty for a mutating policy that changes nothing on purpose."
        ),
        sections=ADMITTED,
    ),
    "warnings": CaseKey(
        form=keyschemas.any_list("a list of texts", keyschemas.text("a text")),
        meaning="All warnings.",
        sections=ADMITTED,
    ),
    "auditAnnotations": CaseKey(
        form=keyschemas.texts_by_key("a mapping from keys to texts"),
        meaning=(
            "All audit annotations: those of the policy by their keys in it, others by their whole keys. A failed "
            "validation of a binding with the action `Audit` is one, too."
        ),
        sections=_POLICIES,
    ),
    "matched": CaseKey(
        form=valueforms.MATCHED,
        meaning=(
            "The policy does not match the request, because of exactly these causes: the fields of the policy or its bindings that "
            "rule it out. Without this key it must match."
        ),
        sections=_POLICIES,
        remedy="leave it out where the policy matches",
    ),
    "managers": CaseKey(
        form=valueforms.MANAGERS,
        meaning=(
            "The fields that managers own after the last apply: a complete list for each named manager. A path "
            "includes all owned fields below it; an empty list means none."
        ),
        sections=APPLIES,
    ),
    "fieldValidation": CaseKey(
        form=keyschemas.choice(requestbody.FIELD_VALIDATIONS),
        meaning="The handling of unknown and duplicate fields; Warn by default, as in kubectl.",
        sections=REQUESTS,
    ),
    "user": CaseKey(
        form=valueforms.USER,
        meaning=(
            "The user of the request, for admission policies and webhooks; an administrator by default. The groups that "
            "a server adds, such as `system:authenticated`, are added."
        ),
        sections=ADMITTED,
    ),
    "namespaceObject": CaseKey(
        form=valueforms.NAMESPACE,
        meaning=(
            "The Namespace of the object, for admission policies and webhooks: its labels, its annotations. By default "
            "it has the label of its name alone."
        ),
        sections=ADMITTED,
    ),
    "params": CaseKey(
        form=valueforms.PARAMS,
        meaning="Objects that bindings of admission policies may select as params, beside those of the project.",
        sections=ADMITTED,
    ),
    "authorizer": CaseKey(
        form=valueforms.RULES,
        meaning=(
            "The rules of the user, as in a Role, which answer `authorizer` in expressions; by default the roles of "
            "the project do."
        ),
        sections=ADMITTED,
    ),
    "skip": CaseKey(form=keyschemas.text("a reason"), meaning="The reason for skipping the case.", sections=_ALL),
    "xfail": CaseKey(
        form=keyschemas.text("a reason"),
        meaning="The reason for an expected failure; the case must fail.",
        sections=_ALL,
    ),
    "marks": CaseKey(
        form=keyschemas.any_list(
            "a list of names of pytest marks",
            keyschemas.text(
                "the name of a pytest mark other than skip, skipif and xfail",
                without="^[^A-Za-z]|[^A-Za-z0-9_]|^(skip|skipif|xfail)$",
            ),
        ),
        meaning="Names of pytest marks, for `-m`.",
        sections=_ALL,
    ),
}


def case_keys(section: Section) -> tuple[str, ...]:
    """Return the keys that cases of *section* may have."""
    return tuple(name for name, key in CASE_KEYS.items() if section in key.sections)


def required_keys(section: Section) -> list[str]:
    """Return the keys that cases of *section* must have."""
    return [name for name, key in CASE_KEYS.items() if section in key.required_in]


def needs(section: Section) -> tuple[Need, ...]:
    """Return the keys that cases of *section* must have depending on other keys."""
    if section is Section.POLICY:  # a deletion sends no object, and a creation has no old one
        return Need("inputFile", "document"), Need("oldFile", "oldDocument")
    return (
        *valueforms.INPUT_NEEDS,
        *(() if section in APPLIES else (_OLD_NEED,)),
        Need("oldFile", "oldDocument"),
        _ERRORS_NEED,
    )
