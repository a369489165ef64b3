"""
Peers of the benchmarks: the API server's packages in one Go process, and a whole API server.

Both are independent of the engine.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from oracle.options import UsageError
from oracle.servers import programs
from oracle.servers.crds import collection, delete

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, settling

_GROUP = "benchmark.example.com"
_REQUESTS = 50


class Reference:
    """The Go packages of one Kubernetes version, called in the order in which a server calls them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Wrap a running program, `timing` or `sequences`; `reference` starts one."""
        self._process = process

    def call(self, question: JSONValue) -> JSONValue:
        """
        Send one request to the program and return its answer.

        Raises:
            ValueError: The reference rejects the request; the message has the reason.
            RuntimeError: The process was started without pipes.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the program has no pipes")
        stdin.write(json.dumps(question) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        if answer["problem"]:
            raise ValueError(answer["problem"])
        return answer

    def measure(self, crd: JSONValue, resource: JSONValue = None, *, namespace: str = "", **times: int) -> JSONValue:
        """
        Return seconds of processor time by name: `crd`, and with a *resource* `create`, `update`, `validate`, `rules`.

        Args:
            crd: A v1 CRD.
            resource: A custom resource that the CRD accepts.
            namespace: The namespace in the URL.
            times: The number of `rounds`, and of `calls` per round; the best round counts.

        Raises:
            ValueError: The reference rejects the CRD or the resource; the message has the reason.
        """
        return self.call({"crd": crd, "object": resource, "namespace": namespace, **times})


def needed_program(name: str, version: str) -> Path:
    """
    Return the path of a program of the reference, after building it if necessary.

    Raises:
        UsageError: The program is not built yet, and there is no Go.
    """
    if not (shutil.which("go") or (programs.cache() / f"{name}-{version}").exists()):
        raise UsageError("the reference is not built yet, and there is no Go to build it")
    return programs.build_for_version(name, version)


@contextlib.contextmanager
def needed_reference(version: str, program: str = "timing") -> Iterator[Reference]:
    """
    Run a *program* with the Go packages of a Kubernetes *version* until the end of the `with` block.

    Raises:
        UsageError: The program is not built yet, and there is no Go.
    """
    binary = needed_program(program, version)
    with subprocess.Popen([str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Reference(process)
        finally:
            process.terminate()


@contextlib.contextmanager
def reference(version: str, program: str = "timing") -> Iterator[Reference | None]:
    """Run the Go packages as `needed_reference` does, but yield None with a printed notice if there is no Go."""
    with contextlib.ExitStack() as stack:
        try:
            running = stack.enter_context(needed_reference(version, program))
        except UsageError as error:
            print(f"{error}; the comparison is skipped")
            running = None
        yield running


def best(
    functions: list[Callable[[], object]],
    *,
    rounds: int = 15,
    calls: int = 50,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """
    Return the best time of a call of each function, in seconds.

    The functions are measured in turns, so that noise hits all alike.

    Args:
        functions: The functions.
        rounds: The number of turns.
        calls: The number of calls in a turn.
        clock: Returns the time: the processor time, as the reference measures it, or the wall-clock time.
    """
    times = [float("inf")] * len(functions)
    for _ in range(rounds):
        for index, function in enumerate(functions):
            start = clock()
            for _ in range(calls):
                function()
            times[index] = min(times[index], (clock() - start) / calls)
    return times


def dry_run(url: str, crd: JSONValue, resource: JSONValue) -> float:
    """
    Return the wall-clock seconds of a dry-run create on the server at *url*, including HTTP and JSON.

    The CRD is installed for the measurement only, in its own group.

    Raises:
        ValueError: The server rejects it; the message is its answer.
    """
    server = client.Server(url)
    crd, resource = _in_own_group(crd, resource)
    delete(server, crd)
    try:
        answer = server.ask("POST", collection(crd), crd)
        if answer.code != 201:
            raise ValueError(answer.body)
        settling.wait_until_served(server, crd)
        namespace = resource["metadata"].get("namespace", "default")
        path = client.resource_path(crd, resource["apiVersion"].rpartition("/")[2], namespace=namespace)
        return min(_seconds(server, path, resource) for _ in range(_REQUESTS))
    finally:
        delete(server, crd)


def _seconds(server: client.Server, path: str, resource: JSONValue) -> float:
    start = time.perf_counter()
    answer = server.ask("POST", path, resource, query={"dryRun": "All"})
    seconds = time.perf_counter() - start
    if answer.code != 201:
        raise ValueError(answer.body)
    return seconds


def _in_own_group(crd: JSONValue, resource: JSONValue) -> tuple[JSONValue, JSONValue]:
    spec: Mapping[str, JSONValue] = crd["spec"]
    moved = {**crd, "spec": {**spec, "group": _GROUP}, "metadata": {"name": f"{spec['names']['plural']}.{_GROUP}"}}
    version = resource["apiVersion"].rpartition("/")[2]
    return moved, {**resource, "apiVersion": f"{_GROUP}/{version}"}


def without_rules(manifest: JSONValue) -> JSONValue:
    """Return the manifest of a CRD without its CEL rules."""
    if isinstance(manifest, dict):
        return {key: without_rules(value) for key, value in manifest.items() if key != "x-kubernetes-validations"}
    return [without_rules(item) for item in manifest] if isinstance(manifest, list) else manifest
