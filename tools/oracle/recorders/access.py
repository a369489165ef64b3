"""
Record decisions about access: tests/conformance/access/reviews.jsonl and refusals.jsonl.

A user with few rights sends requests, and an administrator asks reviews about the roles of tools/oracle/generators/accessroles.yaml.
"""

from __future__ import annotations

import argparse
import json
import ssl
import time
import urllib.parse
from collections.abc import Mapping
from http.client import HTTPSConnection
from pathlib import Path
from random import Random
from typing import Any, Final

from conformance import accessrefusals, accessreviews

from oracle.fuzzers import rbac
from oracle.generators import accessgen
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.versions import NEWEST

_FOLDER: Final = Path(accessreviews.__file__).with_name("access")
_ROLES: Final = Path(accessgen.__file__).with_name("accessroles.yaml")
_REVIEWS: Final = 400
_SEED: Final = 1


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add no arguments: the recorder needs a new server."""


def main(_options: argparse.Namespace) -> int:
    """Write both files."""
    with kubeapiserver.started(NEWEST) as url:
        cluster = Cluster(url, kubeapiserver.TOKEN)
        objects = [*rbac.install(cluster, _ROLES, "")]
        roles = accessreviews.stored_roles(objects)
        rbac.aggregate(cluster, roles)
        time.sleep(rbac.SETTLE)
        source = Random(_SEED)  # noqa: S311 - a reproducible sequence
        specs = [accessgen.review(source, objects, roles) for _ in range(_REVIEWS)]
        reviews = [(spec, rbac.review_access(cluster, spec)) for spec in specs]
        accessreviews.write(_FOLDER / "reviews.jsonl", objects, reviews)
        rows = [{**request, "answer": _answer(url, request)} for request in accessrefusals.requests()]
    rows = [row for row in rows if accessrefusals.is_refused(row)]
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    (_FOLDER / "refusals.jsonl").write_text(text, encoding="utf-8")
    print(f"{len(reviews)} reviews, {len(rows)} refusals")
    return 0


def _answer(url: str, request: Mapping[str, Any]) -> Any:
    """Return the code and the body of the server's answer; the client may repeat headers."""
    context = ssl._create_unverified_context()  # noqa: S323 - on loopback
    connection = HTTPSConnection(urllib.parse.urlsplit(url).netloc, context=context, timeout=30)
    body = json.dumps(request["body"]).encode() if "body" in request else b""
    connection.putrequest(request["method"], request["path"], skip_accept_encoding=True)
    own = [
        ("Authorization", f"Bearer {kubeapiserver.NOBODY}"),
        ("Content-Type", "application/json"),
        ("User-Agent", "access"),
    ]
    impersonation = [(f"Impersonate-{name}", value) for name, value in request.get("headers", ())]
    for name, value in (*own, *impersonation, ("Content-Length", str(len(body)))):
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    if response.status == 200:  # maybe a watch, and nothing to record
        connection.close()
        return [200, None]
    text = response.read().decode()
    connection.close()
    try:
        return [response.status, accessrefusals.without_times(json.loads(text))]
    except ValueError:
        return [response.status, text]
