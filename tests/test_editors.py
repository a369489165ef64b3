"""Editors: diagnostics and completions of yaml-language-server with the schema of case files."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import pytest

ROOT = Path(__file__).parents[1]
HEAD = f"# yaml-language-server: $schema={ROOT}/pytest_crd/cases/case-file.schema.json\n"
FILES = sorted((ROOT / "integrations/schemastore").glob("*test/*.yaml"))

pytestmark = pytest.mark.slow


class Editor:
    """Client of a language server on pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._input = cast("IO[bytes]", process.stdin)
        self._output = cast("IO[bytes]", process.stdout)
        self._numbers = itertools.count(1)
        self.request("initialize", processId=None, rootUri=None, capabilities={})
        settings = {"yaml": {"validate": True, "completion": True, "schemaStore": {"enable": False}}}
        self._send(method="initialized", params={})
        self._send(method="workspace/didChangeConfiguration", params={"settings": settings})

    def request(self, method: str, **parameters: object) -> Any:
        """Send a request and return its result."""
        number = next(self._numbers)
        self._send(id=number, method=method, params=parameters)
        while (message := self._read()).get("id") != number or "method" in message:
            pass
        return message["result"]

    def diagnose(self, name: str, text: str) -> list[tuple[int, str]]:
        """Open a document; return the lines, from 0, and the messages of its diagnostics."""
        address = f"file:///{name}"
        document = {"uri": address, "languageId": "yaml", "version": 1, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})
        while (message := self._read()).get("method") != "textDocument/publishDiagnostics":
            pass
        assert message["params"]["uri"] == address
        return [(item["range"]["start"]["line"], item["message"]) for item in message["params"]["diagnostics"]]

    def complete(self, name: str, line: int) -> set[str]:
        """Return the completions at the start of a line of an open document."""
        position = {"line": line, "character": 0}
        completions = self.request(
            "textDocument/completion", textDocument={"uri": f"file:///{name}"}, position=position
        )
        return {item["label"] for item in completions["items"]}

    def _send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._input.flush()

    def _read(self) -> dict[str, Any]:
        """Return the next message; answer it with nothing if it is a request."""
        lines = iter(lambda: self._output.readline().strip(), b"")
        (length,) = [int(line.partition(b":")[2]) for line in lines if line.lower().startswith(b"content-length")]
        message: dict[str, Any] = json.loads(self._output.read(length))
        if "id" in message and "method" in message:
            self._send(id=message["id"], result=None)
        return message


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    """Return a client of the installed language server."""
    program = shutil.which("yaml-language-server")
    if program is None:
        pytest.skip("yaml-language-server is not on the PATH: npm install --global yaml-language-server")
    with subprocess.Popen([program, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Editor(process)
        process.terminate()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_good_case_files_have_no_diagnostics_and_bad_ones_have(editor: Editor, file: Path) -> None:
    diagnostics = editor.diagnose(file.name, HEAD + file.read_text(encoding="utf-8"))

    assert bool(diagnostics) == (file.parent.name == "negative_test"), diagnostics


def test_a_misspelt_section_is_named_in_its_line(editor: Editor) -> None:
    diagnostics = editor.diagnose("misspelt.yaml", f"{HEAD}crd: a\ncreates: []\n")

    assert (2, "Property creates is not allowed.") in diagnostics


def test_the_sections_of_a_case_file_are_completions(editor: Editor) -> None:
    editor.diagnose("begun.yaml", f"{HEAD}crd: a\n\n")

    assert {"version", "create", "update", "pruning", "convert"} <= editor.complete("begun.yaml", 2)
