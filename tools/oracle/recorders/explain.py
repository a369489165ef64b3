"""
Record the output of `kubectl explain` for custom resources of a real API server.

The CRD in `tests/cli/explained/widgets.yaml` is created on a started server, and `widgets.json` beside it is written.
This server has no discovery of groups, which kubectl needs; a proxy in between adds it.
"""

from __future__ import annotations

import argparse
import contextlib
import http.server
import json
import os
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import yaml

from oracle.recorders import files
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, settling

FOLDER: Final = Path(__file__).parents[3] / "tests" / "cli" / "explained"
CRD: Final = FOLDER / "widgets.yaml"
RECORDED: Final = FOLDER / "widgets.json"
VERSION: Final = NEWEST
_V1_FIELDS: Final = (
    *(
        "",
        "spec",
        "spec.parts",
        "spec.parts.name",
        "spec.parts.name.x",
        "spec.nope",
        "spec.color",
        "spec.mode",
        "spec.size",
    ),
    *("spec.size.x", "spec.tpl", "spec.port", "spec.labels", "spec.limits", "spec.limits.a", "spec.matrix", "spec.any"),
    *(
        "spec.nums",
        "spec.obj",
        "spec.when",
        "spec.odd",
        "spec.mixed",
        "spec.long",
        "spec.junctors",
        "metadata",
        "metadata.name",
        "metadata.ownerReferences",
    ),
    *("metadata.managedFields.time", "status"),
)
_RECURSIVE: Final = ("", "spec.deep", "metadata")


def _queries() -> Iterator[tuple[str, str, bool]]:
    """Yield version, field, and whether all fields below are listed."""
    yield from (("v1", field, False) for field in _V1_FIELDS)
    yield from (("v1", field, True) for field in _RECURSIVE)
    yield "v2", "", False


@contextlib.contextmanager
def _with_discovery(server: str, groups: JSONValue) -> Iterator[str]:
    """Yield the URL of a proxy for *server* that adds discovery of *groups*."""
    discovery = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups},
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path in discovery:
                self._reply(200, json.dumps(discovery[path]).encode(), "application/json")
                return
            request = urllib.request.Request(server + self.path, headers={"Accept": self.headers.get("Accept", "*/*")})  # noqa: S310 - loopback
            try:
                with urllib.request.urlopen(request) as answer:  # noqa: S310 - loopback
                    self._reply(answer.status, answer.read(), answer.headers["Content-Type"])
            except urllib.error.HTTPError as error:
                self._reply(error.code, error.read(), error.headers["Content-Type"])

        def _reply(self, code: int, body: bytes, content_type: str) -> None:
            self.send_response(code)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Log no requests."""

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{proxy.server_address[1]}"
    proxy.shutdown()


def _explained(url: str, group: str, query: tuple[str, str, bool], home: str) -> JSONValue:
    version, field, is_recursive = query
    resource = f"widgets.{field}" if field else "widgets"
    options: Sequence[str] = ["--recursive"] if is_recursive else []
    command = ["kubectl", "--server", url, "explain", resource, f"--api-version={group}/{version}", *options]
    process = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": home})
    recorded = {"version": version, "field": field, "recursive": is_recursive, "code": process.returncode}
    return {**recorded, "stdout": process.stdout, "stderr": process.stderr}


def explained() -> str:
    """Return the content of the file: the output of kubectl for each query."""
    crd = yaml.safe_load(CRD.read_text(encoding="utf-8"))
    group = crd["spec"]["group"]
    versions = [
        {"groupVersion": f"{group}/{version['name']}", "version": version["name"]}
        for version in crd["spec"]["versions"]
    ]
    groups = [{"name": group, "versions": versions, "preferredVersion": versions[0]}]
    with (
        apiserver.started(VERSION) as url,
        tempfile.TemporaryDirectory() as home,
        _with_discovery(url, groups) as proxy,
    ):
        server = client.Server(url)
        delete(server, crd)
        server.ask("POST", collection(crd), crd)
        settling.wait_until_served(server, crd)
        server.wait(f"/openapi/v3/apis/{group}/v1", lambda answer: answer.code == 200 and answer.body, "the document")
        content = [_explained(proxy, group, query, home) for query in _queries()]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the output; return 1 if a check finds a difference."""
    changed = files.keep(RECORDED, explained(), check=options.check)
    return files.outcome(int(changed), check=options.check)
