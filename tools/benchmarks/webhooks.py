"""
The time of a create that a webhook converts to the storage version and back, relative to the same create without a webhook.

The webhook is a Python function that renames nothing: called in this process, and over HTTPS on loopback.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import ssl
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme

from benchmarks import peers
from benchmarks.figures import Figure
from benchmarks.subjects import BACKUPS, backup
from pytest_crd import engine
from pytest_crd.webhooks.calledwebhooks import CalledWebhooks
from pytest_crd.webhooks.endpoints import Assignment, Endpoint, FunctionEndpoint, UrlEndpoint
from pytest_crd.webhooks.project import ProjectWebhooks

_CLIENT = {"service": {"namespace": "system", "name": "webhook"}}
# Other threads and processes do a part of the work.
_best = functools.partial(peers.best, rounds=5, calls=20, clock=time.perf_counter)


def convert(review: Any) -> Any:
    """Return the response to a ConversionReview: the same objects in the desired version."""
    request = review["request"]
    objects = [{**item, "apiVersion": request["desiredAPIVersion"]} for item in request["objects"]]
    return {"uid": request["uid"], "convertedObjects": objects, "result": {"status": "Success"}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # the whole response in one packet

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({**review, "response": convert(review)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[Endpoint]:
    """Serve the webhook over HTTPS, and yield its endpoint."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    certificates = folder / "ca.crt"
    authority.cert_pem.write_to_path(certificates)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield UrlEndpoint(f"https://127.0.0.1:{server.server_port}", str(certificates))
    finally:
        server.shutdown()
        server.server_close()


def _version(manifest: Any, endpoint: Endpoint | None) -> engine.CrdVersion:
    """Return the version of a CRD that is not stored, with its webhook at *endpoint*; None for the conversion `None`."""
    versions = manifest["spec"]["versions"]
    stored = next(version for version in versions if version["storage"])
    unstored = {**stored, "name": "v1other", "storage": False}
    client = {"clientConfig": _CLIENT, "conversionReviewVersions": ["v1"]}
    conversion = {"strategy": "None"} if endpoint is None else {"strategy": "Webhook", "webhook": client}
    spec = {**manifest["spec"], "versions": [*versions, unstored], "conversion": conversion}
    crd = engine.CustomResourceDefinition.from_manifest({**manifest, "spec": spec})
    if endpoint is None:
        return crd.version("v1other")
    project = ProjectWebhooks([Assignment("conversion", endpoint, "the benchmark")], base=Path())
    return crd.with_webhooks(CalledWebhooks(project)).version("v1other")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the example project's Backup: a create takes two conversions."""
    manifest = engine.load([BACKUPS])["Backup"].declared
    resource = {key: value for key, value in backup(manifest["spec"]["group"]).items() if key != "apiVersion"}
    with tempfile.TemporaryDirectory() as folder, _serving(Path(folder)) as url:
        versions = [_version(manifest, endpoint) for endpoint in (None, FunctionEndpoint(convert), url)]
        for version in versions:
            version.create(resource).assert_accepted()
        plain, called, sent = _best([functools.partial(version.create, resource) for version in versions])
    print(
        f"Backup in a version that is not stored: {plain * 1000:.2f} ms without a webhook; a round trip of the "
        f"conversion takes {(called - plain) * 1000:.2f} ms in process and {(sent - plain) * 1000:.2f} ms over HTTPS"
    )
    yield Figure("create with a function", called / plain, "the conversion None")
    yield Figure("create with HTTPS", sent / plain, "the conversion None")
