"""
Record hashes of the OpenAPI documents of a whole kube-apiserver: tests/conformance/documenthashes.json.

The server gets the CRDs of `servergen`. Documents with paths that our server lacks are recorded without these.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import ssl
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from conformance import openapidocuments, serverside

from oracle.generators import servergen
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue

_FILE: Final = Path(serverside.__file__).with_name("documenthashes.json")
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_JSON: Final = "application/json"
_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
_PATIENCE: Final = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the server and its version."""
    kubeapiserver.add_arguments(parser)
    parser.add_argument("--kubernetes-version", default=NEWEST, help="the version of the server: 1.37 or 1.34")


def main(options: argparse.Namespace) -> int:
    """Write the hashes of one version, and keep the other hashes."""
    with kubeapiserver.at(options.server, options.kubernetes_version) as url:
        hashes = _hashes(_Server(url, options.token))
    recorded = json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.exists() else {}
    recorded[options.kubernetes_version] = hashes
    _FILE.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n", encoding="utf-8")
    print(f"{options.kubernetes_version}: {len(hashes)} documents")
    return 0


class _Server:
    """A server with the CRDs of `servergen`."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        cluster = Cluster(url, token)
        for crd in servergen.crds():
            cluster.request("POST", _CRDS, crd)

    def document(self, path: str, form: str = _JSON) -> bytes:
        """Return the document at a path below `/openapi`."""
        headers = {"Accept": form, "Authorization": f"Bearer {self._token}"}
        request = urllib.request.Request(f"{self._url}/openapi/{path}", headers=headers)  # noqa: S310 - a server on loopback
        # The certificate is the server's own.
        context = ssl._create_unverified_context()  # noqa: S323 - of a temporary server on loopback
        with urllib.request.urlopen(request, context=context) as response:  # noqa: S310 - as above
            content: bytes = response.read()
        return content

    def index(self) -> Mapping[str, Mapping[str, str]]:
        """
        Return the index of version 3, once it has the group of the CRDs.

        Raises:
            RuntimeError: The group is not published.
        """
        groups = {crd["spec"]["group"] for crd in servergen.crds()}
        until = time.monotonic() + _PATIENCE
        while True:
            paths: Mapping[str, Mapping[str, str]] = json.loads(self.document("v3"))["paths"]
            if groups <= {path.split("/")[1] for path in paths if path.startswith("apis/")}:
                return paths
            if time.monotonic() > until:
                raise RuntimeError(f"not published: {groups}")
            time.sleep(1)


def _hashes(server: _Server) -> dict[str, JSONValue]:
    hashes = {path: _of_document(server, path, entry) for path, entry in sorted(server.index().items())}
    whole = openapidocuments.without_lacking(json.loads(server.document("v2")))
    return {**hashes, "v2": {"content": openapidocuments.digest(whole)}}


def _of_document(server: _Server, path: str, entry: Mapping[str, str]) -> dict[str, str]:
    """
    Return the hashes of a document; empty without the document, and without a hash of protobuf if our server lacks a part.

    Raises:
        RuntimeError: The JSON is not written as by the server.
    """
    document = json.loads(server.document(f"v3/{path}"))
    reduced = openapidocuments.without_lacking(document)
    if openapidocuments.tag(document) != entry["serverRelativeURL"].partition("?hash=")[2]:
        raise RuntimeError(f"{path}: the document is not written as by the server")
    if not reduced["paths"]:
        return {}
    protobuf = hashlib.sha256(server.document(f"v3/{path}", _PROTOBUF)).hexdigest()
    return {"json": openapidocuments.tag(reduced), **({"protobuf": protobuf} if reduced == document else {})}
