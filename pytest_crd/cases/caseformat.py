"""
Format of case files: their keys, the form of each value, and the meaning of each section.

The JSON Schema that ships with the package and the messages about mistakes are both made from these tables, and from
those in `casekeys`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_crd import lazyimport
from pytest_crd.cases import builder, casekeys, keyschemas
from pytest_crd.cases.casekeys import CASE_KEYS, CaseKey, case_keys
from pytest_crd.cases.keyschemas import Need
from pytest_crd.cases.model import APPLIES, PATCHES
from pytest_crd.cases.sections import Section
from pytest_crd.engine import profile

if TYPE_CHECKING:
    from pytest_crd.cases import conflicts
else:
    conflicts = lazyimport.module("pytest_crd.cases.conflicts")


SCHEMA_ID: Final = "https://json.schemastore.org/pytest-crd-cases.json"
# A top-level key that begins so is free: a place for YAML anchors.
FREE_PREFIX: Final = "x-"


SECTION_MEANINGS: Final = {
    Section.PRUNING: "Only pruning of unknown fields, and coercion of metadata.",
    Section.DEFAULTING: "Only dropping of nulls, and defaulting.",
    Section.CREATE: "A POST.",
    Section.UPDATE: "A PUT over a stored object.",
    Section.UPDATE_STATUS: "A PUT to /status over a stored object.",
    Section.PATCH: "A PATCH of a stored object: a merge patch or a JSON Patch.",
    Section.PATCH_STATUS: "A PATCH of the /status of a stored object.",
    Section.PATCH_SCALE: (
        "A PATCH of the /scale of a stored object; the expectation is for the object, not for the Scale."
    ),
    Section.APPLY: "Server-side applies, one after the other.",
    Section.APPLY_STATUS: "Server-side applies to the /status of an object.",
    Section.APPLY_SCALE: "Server-side applies to the /scale of an object.",
    Section.CONVERT: "The conversion of a stored object from one version of the CRD to another.",
    Section.POLICY: "Requests for objects of any kind, of which an admission policy decides.",
}


def _what_is_sent(section: Section) -> str:
    return "steps" if section in APPLIES else "patch" if section in PATCHES else "input"


def _section(section: Section) -> CaseKey:
    case = keyschemas.mapping(
        f"a mapping with `name:`, `{_what_is_sent(section)}:` and what is expected",
        {name: {"$ref": f"#/$defs/{name}"} for name in case_keys(section)},
        required=casekeys.required_keys(section),
        one_of=[name for name in case_keys(section) if name in builder.EXPECTATIONS],
        conflicts=conflicts.CASE_CONFLICTS,
        needs=casekeys.needs(section),
    )
    return CaseKey(
        form=keyschemas.some_list("a list of cases", case),
        meaning=SECTION_MEANINGS[section],
        remedy="begin each case with `- name:`",
    )


FILE_KEYS: Final[Mapping[str, CaseKey]] = {
    "crd": CaseKey(
        form=keyschemas.text("the name of a CRD, or the path of its file"),
        meaning="The name of a CRD, or the path of its file, relative to this file.",
    ),
    "policy": CaseKey(
        form=keyschemas.text("the name of an admission policy"),
        meaning=(
            "The name of an admission policy of `crd_policies`, instead of `crd`; `KIND/NAME` if policies of both kinds "
            "have the name."
        ),
    ),
    "version": CaseKey(
        form=keyschemas.text("the name of a version, as in v1"),
        meaning="The version of the CRD; optional if only one version is served.",
    ),
    "kubernetesVersion": CaseKey(
        form=keyschemas.text(f'a Kubernetes version in quotes, as in "{profile.DEFAULT}"'),
        meaning=f"The Kubernetes version of the answers: {profile.list_versions()}; overrides the setting.",
    ),
    "storedCRD": CaseKey(
        form=keyschemas.constant("true", value=True),
        meaning="The CRD counts as stored, so its cases run even if today's server refuses it.",
        remedy="leave it out where the server has yet to accept the CRD",
    ),
    "unknownFields": CaseKey(
        form=keyschemas.choice(("allow",)),
        meaning="Allows unknown fields in inputs that a case does not mention.",
    ),
    **{section.value: _section(section) for section in Section},
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of one document of a case file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **keyschemas.mapping(
            "a mapping with `crd:` and sections of cases, or with `policy:` and `cases:`",
            {name: keyschemas.with_meaning(key.form, key.meaning) for name, key in FILE_KEYS.items()},
            one_of=[section.value for section in Section],
            conflicts=conflicts.FILE_CONFLICTS,
            needs=(Need("crd", "policy", is_instead=True), Need("policy", "cases")),
        ),
        "patternProperties": {f"^{FREE_PREFIX}": {"description": "Free for YAML anchors."}},
        "description": "Cases for a CustomResourceDefinition or an admission policy, run by pytest-crd.",
        "$defs": {name: keyschemas.with_meaning(key.form, key.meaning) for name, key in CASE_KEYS.items()},
    }


def schema_text() -> str:
    """Return the text of the JSON Schema file that ships with the package."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
