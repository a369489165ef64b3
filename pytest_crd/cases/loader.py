"""
Loader of case files: from the text to the cases, or to all of its mistakes at once.

It opens no file and runs no case.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_crd import lazyimport
from pytest_crd.cases import builder, mistakes, sections
from pytest_crd.cases.model import AnyCase, CaseFile, CaseFileError
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import manifest, yamlreader, yamlstream
from pytest_crd.engine.yaml.document import Document

if TYPE_CHECKING:
    from pytest_crd.cases import casekeys
    from pytest_crd.cases.openshift.suite import Suite
else:
    casekeys = lazyimport.module("pytest_crd.cases.casekeys")


def load(content: str | bytes, *, source: str, fills: bool = False) -> tuple[CaseFile, ...]:
    """
    Return the cases of a case file.

    Args:
        content: The file: one or several documents in YAML, or JSON.
        source: The name of the file for messages.
        fills: Whether expectations may be left out, to be filled in later.

    Returns:
        A CaseFile for each document, in order; each has at least one case.

    Raises:
        CaseFileError: All mistakes, in the order of their lines.
        ManifestError: The text is not YAML.
    """
    text, documents = _read(content, source)
    return _case_files(text, documents, source, fills=fills)


def load_any(content: str | bytes, *, source: str, fills: bool = False) -> tuple[CaseFile, ...] | Suite:
    """
    Return the cases of a file, or its suite if it is in the format of openshift/api.

    Args:
        content: The file.
        source: The name of the file for messages.
        fills: Whether expectations may be left out, to be filled in later.

    Raises:
        CaseFileError: All mistakes, in the order of their lines.
        ManifestError: The text is not YAML.
    """
    text, documents = _read(content, source)
    if len(documents) != 1 or not sections.is_suite(documents[0].value):
        return _case_files(text, documents, source, fills=fills)
    if line := yamlstream.find_unread_line(text):
        raise CaseFileError([Mistake(source, line, yamlstream.UNREAD_MESSAGE)])
    from pytest_crd.cases.openshift import suite  # noqa: PLC0415 - most projects have none

    return suite.load(documents[0])


def replace_expectations(case: AnyCase, declared: Mapping[str, JSONValue]) -> AnyCase:
    """
    Return *case* with the expectations of *declared*; everything else stays, including objects from other files.

    Args:
        case: A case.
        declared: The case as a file declares it, free of mistakes.
    """
    keys = [key for key in casekeys.case_keys(case.section) if key in builder.EXPECTATIONS]
    unstated: dict[str, Any] = {option.name: option.default for option in dataclasses.fields(case)}
    unstated = {attribute: unstated[attribute] for attribute in (builder.ATTRIBUTES.get(key, key) for key in keys)}
    return dataclasses.replace(case, **(unstated | builder.stated_in(declared, keys) | builder.find_blanks(declared)))


def _read(content: str | bytes, source: str) -> tuple[str, list[Document]]:
    """Return the text of a file, and its documents."""
    try:
        text = yamlreader.decode(content, source=source)
        return text.content, yamlreader.read(text, source=source)
    except ManifestError as error:
        if not manifest.is_template(content.encode(errors="replace") if isinstance(content, str) else content):
            raise
        why = "this is a Helm template, which nothing renders here"
        raise ManifestError(
            [Mistake(mistake.source, mistake.line, f"{mistake.message} ({why})") for mistake in error.mistakes]
        ) from None


def _case_files(text: str, documents: list[Document], source: str, *, fills: bool) -> tuple[CaseFile, ...]:
    mistakes.raise_mistakes(text, documents, source, fills=fills)
    return tuple(map(builder.case_file, documents))
