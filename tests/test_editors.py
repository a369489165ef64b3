"""Editors: diagnostics and completions of yaml-language-server with the schemas of case files and of a catalogue."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import pytest

from pytest_crd import __main__ as program

ROOT = Path(__file__).parents[1]
HEAD = f"# yaml-language-server: $schema={ROOT}/pytest_crd/cases/case-file.schema.json\n"
FILES = sorted((ROOT / "integrations/schemastore").glob("*test/*.yaml"))
_DIAGNOSTICS = "textDocument/publishDiagnostics"
_CONFIGURATION = "workspace/configuration"
_SETTINGS = {"yaml": {"validate": True, "completion": True, "schemaStore": {"enable": False}}}

pytestmark = pytest.mark.slow


class Editor:
    """Client of a language server on pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._input = cast("IO[bytes]", process.stdin)
        self._output = cast("IO[bytes]", process.stdout)
        self._numbers = itertools.count(1)
        self.request("initialize", processId=None, rootUri=None, capabilities={})
        self._send(method="initialized", params={})

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
        # The server repeats the diagnostics of earlier documents at each change of its settings.
        while (message := self._read()).get("method") != _DIAGNOSTICS or message["params"]["uri"] != address:
            pass
        return [(item["range"]["start"]["line"], item["message"]) for item in message["params"]["diagnostics"]]

    def complete(self, name: str, line: int, character: int = 0) -> set[str]:
        """Return the completions at a place of an open document."""
        position = {"line": line, "character": character}
        completions = self.request(
            "textDocument/completion", textDocument={"uri": f"file:///{name}"}, position=position
        )
        return {item["label"] for item in completions["items"]}

    def _send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._input.flush()

    def _read(self) -> dict[str, Any]:
        """Return the next message; a request for settings is answered with them, and another one with nothing."""
        lines = iter(lambda: self._output.readline().strip(), b"")
        (length,) = [int(line.partition(b":")[2]) for line in lines if line.lower().startswith(b"content-length")]
        message: dict[str, Any] = json.loads(self._output.read(length))
        if "id" in message and "method" in message:
            items = message["params"].get("items", ()) if message["method"] == _CONFIGURATION else ()
            self._send(id=message["id"], result=[_SETTINGS.get(item["section"]) for item in items] or None)
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


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, maximum: 9}
              mode: {type: string, enum: [fast, slow]}
              port: {x-kubernetes-int-or-string: true}
              marks: {type: object, additionalProperties: {type: string}}
              any: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nspec:\n"


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the catalogue of a CRD, and return the comment that names its schema."""
    folder = tmp_path_factory.mktemp("catalogue")
    (folder / "crds.yaml").write_text(CRD)

    code = program.main(["json-schema", str(folder / "crds.yaml"), "--layout", "catalog", "--out", str(folder)])

    assert code == 0
    return f"# yaml-language-server: $schema={folder}/example.com/tab_v1.json\n"


@pytest.mark.parametrize(
    ("name", "spec", "diagnostics"),
    [
        ("good", "  size: 9\n  mode: fast\n  port: 80\n  marks: {a: b}\n  any: {a: {b: 1}}\n", []),
        ("port", "  port: http\n", []),
        ("large", "  size: 10\n", [(5, "Value is above the maximum of 9.")]),
        ("text", "  size: ten\n", [(5, 'Incorrect type. Expected "integer".')]),
        ("mode-new", "  mode: new\n", [(5, 'Value is not accepted. Valid values: "fast", "slow".')]),
        ("misspelt-field", "  sise: 1\n", [(5, "Property sise is not allowed.")]),
        ("number", "  marks: {a: 1}\n", [(5, 'Incorrect type. Expected "string".')]),
    ],
)
def test_a_catalogue_gives_objects_the_diagnostics_of_their_crd(
    name: str, spec: str, diagnostics: list[tuple[int, str]], head: str, editor: Editor
) -> None:
    assert editor.diagnose(f"{name}.yaml", f"{head}{TAB}{spec}") == diagnostics


def test_a_catalogue_gives_objects_the_completions_of_their_crd(head: str, editor: Editor) -> None:
    editor.diagnose("begun-tab.yaml", f"{head}{TAB}  \n")
    editor.diagnose("mode.yaml", f"{head}{TAB}  mode: \n")

    assert editor.complete("begun-tab.yaml", 5, 2) == {"size", "mode", "port", "marks", "any"}
    assert editor.complete("mode.yaml", 5, 8) == {"fast", "slow"}
