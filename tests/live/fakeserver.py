"""
A fake API server in this process: it creates, changes, lists and deletes CRDs, namespaces and objects.

What it answers to a request is what the engine says: it tests nothing of that, but what is made on a server and left there.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
import urllib.parse
from collections.abc import Callable, Sequence
from typing import Any

from live.loopback import Reply

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, Response
from pytest_crd.engine.client import completion

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMESPACES = "/api/v1/namespaces"
_CONDITIONS = [
    {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"},
    {
        "type": "Established",
        "status": "True",
        "reason": "InitialNamesAccepted",
        "message": "the initial names have been accepted",
    },
]


class FakeServer:
    """
    State of a fake server: stored objects and received requests.

    Attributes:
        objects: By path.
        log: Method and path of each request, without its query.
        interfere: Called before each answer; returns a reply of its own, or None.
        minor: The minor version.
        lag: The number of lists of its objects for which a changed CRD keeps its old form.
    """

    def __init__(self) -> None:
        self.url = ""
        self.objects: dict[str, Any] = {}
        self.log: list[str] = []
        self.interfere: Callable[[str, str, Any], Reply | None] = lambda *_: None
        self.minor = "37"
        self.has_namespaces = True
        self.lag = 0
        self._before: dict[str, Any] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """Return the paths of all stored objects."""
        return sorted(self.objects)

    def written(self) -> list[str]:
        """Return the requests other than reads and dry runs."""
        return [line for line in self.log if not line.startswith("GET ") and "dryRun" not in line]

    def __call__(self, method: str, url: str, headers: dict[str, str], text: str) -> Reply:
        with self._lock:
            self.log.append(f"{method} {url}")
            path, _, query = url.partition("?")
            body = completion.read(text).value if text else None
            options = dict(urllib.parse.parse_qsl(query))
            if reply := self.interfere(method, url, body):
                return reply
            if method == "PATCH" and "fieldValidation" in options:
                return self._asked_patch(path, options, headers["Content-Type"], text)
            return self._answer(method, path, options, body, text)

    def _answer(  # noqa: PLR0911 - what there is to be asked
        self, method: str, path: str, query: dict[str, str], body: Any, text: str
    ) -> Reply:
        if path == "/version":
            return _reply(200, {"major": "1", "minor": self.minor, "gitVersion": f"v1.{self.minor}.0"})
        if path.startswith(NAMESPACES) and not self.has_namespaces:
            return Reply(404, "404 page not found")
        if method == "GET":
            return self._get(path)
        if method == "DELETE":
            return self._delete(path, body)
        if method == "PATCH":
            return self._patch(path, body)
        metadata = body.get("metadata") if isinstance(body, dict) else None
        metadata = metadata if isinstance(metadata, dict) else {}
        name = metadata.get("name") or f"{metadata.get('generateName')}bcdf5"
        target = _key(f"{path}/{name}" if method == "POST" else path.removesuffix("/status"))
        if method == "POST" and target in self.objects:
            return _status(409, "AlreadyExists", f"{target.rpartition('/')[2]!r} already exists")
        response = self._response(method, path, query, body if path.startswith(CRDS) else text)
        if response is not None and not response.accepted:
            return _reply(response.code, response.status, response.warnings)
        stored = dict(body if response is None else response.stored)
        old = self.objects.get(target, {"metadata": {}})["metadata"]
        number = str(next(self._numbers))
        stored["metadata"] = {
            "name": name,
            **stored["metadata"],
            "uid": old.get("uid", f"u{number}"),
            "resourceVersion": number,
        }
        if path.startswith(CRDS):
            stored["status"] = {"conditions": _CONDITIONS}
        if "dryRun" not in query:
            self._store(target, stored)
        return _reply(201 if method == "POST" else 200, stored, () if response is None else response.warnings)

    def _response(self, method: str, path: str, query: dict[str, str], body: Any) -> Response | None:
        """Return the engine's answer; None for an unknown kind."""
        strictness: Any = query.get("fieldValidation", "Warn")
        if path.startswith(CRDS):
            return CustomResourceDefinition.from_manifest(body).create(field_validation=strictness)
        parts = re.fullmatch(r"/apis/([^/]+)/([^/]+)(?:/namespaces/([^/]*))?/([^/]+)(?:/([^/]+?))?(/status)?", path)
        if parts is None or "." not in parts[1]:
            return None
        version = self._version(parts)
        if method == "POST":
            return version.create(body, namespace=parts[3], field_validation=strictness)
        old = self.objects[_key(path.removesuffix("/status"))]
        send = version.update_status if parts[6] else version.update
        return send(body, old=old, namespace=parts[3], field_validation=strictness)

    def _asked_patch(self, path: str, query: dict[str, str], media_type: str, text: str) -> Reply:
        """Return the engine's answer to a patch or apply, and store the object unless it is a dry run."""
        parts = re.fullmatch(
            r"/apis/([^/]+)/([^/]+)(?:/namespaces/([^/]*))?/([^/]+)/([^/]+?)(?:/(status|scale))?", path
        )
        assert parts is not None
        subresource: Any = parts[6] or ""
        target = _key(path.removesuffix(f"/{subresource}"))
        old, version = self.objects.get(target), self._version(parts)
        strictness: Any = query["fieldValidation"]
        common = {"old": old, "namespace": parts[3], "subresource": subresource, "field_validation": strictness}
        if media_type == "application/apply-patch+yaml":
            response = version.apply(text, manager=query["fieldManager"], force="force" in query, **common)
        else:
            response = version.patch(text, media_type=media_type, **common)
        if not response.accepted or response.whole is None:
            return _reply(response.code, response.status, response.warnings)
        stored = {**response.whole.value, "metadata": {**response.whole.value["metadata"], "resourceVersion": "7"}}
        if "dryRun" not in query:
            self.objects[target] = stored
        return _reply(response.code, response.scale or stored, response.warnings)

    def _version(self, parts: re.Match[str]) -> CrdVersion:
        crd = self._served(f"{CRDS}/{parts[4]}.{parts[1]}")
        manifest = {key: crd[key] for key in ("apiVersion", "kind", "metadata", "spec")}
        return CustomResourceDefinition.from_manifest(manifest).version(parts[2])

    def _store(self, path: str, stored: Any) -> None:
        if path.startswith(CRDS) and path in self.objects and self.lag:
            self._before[path] = [self.lag, self.objects[path]]
        self.objects[path] = stored

    def _served(self, path: str) -> Any:
        """Return the form of a CRD that is in use."""
        return self._before.get(path, (0, self.objects.get(path)))[1]

    def _columns(self, path: str) -> list[Any]:
        """Return the printer columns of a CRD in the requested version."""
        columns: list[Any] = self._served(path)["spec"]["versions"][0].get("additionalPrinterColumns", [])
        if path in self._before:
            self._before[path][0] -= 1
            if not self._before[path][0]:
                del self._before[path]
        return columns

    def _get(self, path: str) -> Reply:
        path = _key(path)
        if path in self.objects:
            return _reply(200, self.objects[path])
        crd = next(
            (name for name in self.objects if name.startswith(CRDS) and _collection(self.objects[name], path)), None
        )
        if path in (CRDS, NAMESPACES) or crd:
            plural = path.rpartition("/")[2] if crd else ""
            prefix = path.removesuffix(plural) if crd else f"{path}/"
            objects = [value for name, value in self.objects.items() if name.startswith(prefix) and plural in name]
            return _reply(200, {"items": objects or None, "columnDefinitions": self._columns(crd) if crd else []})
        return _status(404, "NotFound", f"{path} not found")

    def _delete(self, path: str, body: Any) -> Reply:
        path = _key(path)
        stored = self.objects.get(path)
        if stored is None:
            return _status(404, "NotFound", f"{path} not found")
        wanted = ((body or {}).get("preconditions") or {}).get("uid")
        if wanted not in (None, stored["metadata"]["uid"]):
            return _status(409, "Conflict", "another uid")
        below = f"/{stored['spec']['group']}/" if path.startswith(CRDS) else None
        own = [name for name in self.objects if below and below in name]
        if any(self.objects[name]["metadata"].get("finalizers") for name in (*own, path)):
            stored["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        else:
            for name in (*own, path):
                del self.objects[name]
        return _reply(200, {"status": "Success"})

    def _patch(self, path: str, body: Any) -> Reply:
        path = _key(path)
        if path not in self.objects:
            return _status(404, "NotFound", f"{path} not found")
        for key, value in body["metadata"].items():
            if value in (None, [{}]):
                self.objects[path]["metadata"].pop(key, None)
            elif isinstance(value, list):
                self.objects[path]["metadata"][key] = value
            else:
                self.objects[path]["metadata"].setdefault(key, {}).update(value)
        return _reply(200, self.objects[path])


def _key(path: str) -> str:
    """Return the path under which an object is stored, the same for each version."""
    return re.sub(r"^(/apis/[^/]+)/v[^/]+/", r"\1/v1/", path)


def _collection(crd: Any, path: str) -> bool:
    return bool(crd["spec"]) and bool(
        re.fullmatch(rf"/apis/{crd['spec']['group']}/[^/]+(/namespaces/[^/]+)?/{crd['spec']['names']['plural']}", path)
    )


def _reply(code: int, body: Any, warnings: Sequence[str] = ()) -> Reply:
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in warnings)
    return Reply(code, json.dumps(body), tuple(("Warning", f'299 - "{text}"') for text in quoted))


def _status(code: int, reason: str, message: str) -> Reply:
    return _reply(code, {"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code})
