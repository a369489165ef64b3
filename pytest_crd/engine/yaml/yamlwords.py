"""A server's messages about unreadable YAML, with the wording and line numbers of Go's YAML library."""

from __future__ import annotations

from typing import Final

import yaml
from yaml.events import DocumentEndEvent, DocumentStartEvent, StreamEndEvent
from yaml.reader import ReaderError
from yaml.scanner import ScannerError

from pytest_crd.engine.inputerror import ManifestError

# The prefix of errors about the JSON form of a document.
_OF_JSON: Final = "json: "
_INCOMPATIBLE: Final = "found incompatible YAML document"
_ENDS: Final = (DocumentEndEvent, StreamEndEvent)


def server_message(text: bytes, error: ManifestError) -> str:
    """
    Return the server's message about an unreadable document, `yaml: line 2: did not find expected key`.

    Args:
        text: The document.
        error: The error of `yamlreader`.

    Reference:
        go.yaml.in/yaml/v2 decode.go, (*parser).fail; sigs.k8s.io/yaml, YAMLToJSON.
    """
    if problem := _syntax_error(text):
        return f"yaml: {problem}"
    message = error.mistakes[0].message
    return message if message.startswith(_OF_JSON) else f"yaml: {message}"


def _syntax_error(text: bytes) -> str:
    """Return the syntax error of the first document; empty if there is no error."""
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
    """Return the line in Go's message: 1-based from the scanner, 0-based from the parser; 0 for no line."""
    if error.problem_mark is not None and error.problem_mark.line:
        return int(error.problem_mark.line) + isinstance(error, ScannerError)
    return int(error.context_mark.line) if error.context_mark is not None else 0


def _at(line: int, problem: str) -> str:
    return f"line {line}: {problem}" if line else problem
