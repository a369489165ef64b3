"""What a server says of YAML that it cannot read: the words and the lines of Go's YAML, which are not those for people."""

from __future__ import annotations

from typing import Final

import yaml
from yaml.events import DocumentEndEvent, DocumentStartEvent, StreamEndEvent
from yaml.reader import ReaderError
from yaml.scanner import ScannerError

from pytest_crd.engine.inputerror import ManifestError

# What it says of the JSON that a document becomes, and not of the YAML.
_OF_JSON: Final = "json: "
_INCOMPATIBLE: Final = "found incompatible YAML document"
_ENDS: Final = (DocumentEndEvent, StreamEndEvent)


def of(text: bytes, error: ManifestError) -> str:
    """
    Return why a document cannot be read, `yaml: line 2: did not find expected key`.

    Args:
        text: The document.
        error: What was found out about it.

    Reference:
        go.yaml.in/yaml/v2 decode.go, (*parser).fail; sigs.k8s.io/yaml, YAMLToJSON.
    """
    if problem := _of_syntax(text):
        return f"yaml: {problem}"
    message = error.mistakes[0].message
    return message if message.startswith(_OF_JSON) else f"yaml: {message}"


def _of_syntax(text: bytes) -> str:
    """Return what is wrong with the syntax of the first document; empty where nothing is."""
    try:
        advance = yaml.cyaml.CParser(text).get_event  # type: ignore[attr-defined]  # the stubs hide it
        while not isinstance(event := advance(), _ENDS):
            if isinstance(event, DocumentStartEvent) and event.version not in (None, (1, 1)):
                mark = event.start_mark
                return _at(mark.line if mark else 0, _INCOMPATIBLE)
    except ReaderError as error:
        return str(error.reason)
    except yaml.MarkedYAMLError as error:
        return _at(_line(error), str(error.problem))
    return ""


def _line(error: yaml.MarkedYAMLError) -> int:
    """Return the line that Go tells: that of a scanner counts from 1, that of a parser from 0, where it is not told at all."""
    if error.problem_mark is not None and error.problem_mark.line:
        return int(error.problem_mark.line) + isinstance(error, ScannerError)
    return int(error.context_mark.line) if error.context_mark is not None else 0


def _at(line: int, problem: str) -> str:
    return f"line {line}: {problem}" if line else problem
