"""
A pytest-crd server without CRDs in its own process, for tests in other languages that start from nothing.

The first line of its output is JSON with URL, token and certificate authority. It ends when its input ends.
"""

from __future__ import annotations

import json
import os
import sys

from pytest_crd.server import httpserver
from pytest_crd.server.api import Api
from pytest_crd.server.http.certificates import Certificates


def serve() -> None:
    """Serve until the input ends."""
    token, signed = httpserver.new_token(), Certificates()
    server = httpserver.HTTPServer(Api(token=token), signed, token=token)
    server.start()
    print(json.dumps({"url": server.url, "token": token, "authority": signed.authority}), flush=True)
    sys.stdin.read()
    # Pending requests are dropped: the test that sent them has ended.
    os._exit(0)


if __name__ == "__main__":
    serve()
