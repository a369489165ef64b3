"""
A server of pytest-crd without any CRD, as a process of its own, for tests in other languages that begin with nothing.

The first line of its output is JSON that says how it is reached; it ends with its input.
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
    # Nobody waits for a request that is still looked at: the test that sent it has been ended.
    os._exit(0)


if __name__ == "__main__":
    serve()
