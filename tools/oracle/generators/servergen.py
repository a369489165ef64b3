"""Random conversations with a server: three clients write, read and watch few objects, so that they interfere."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue

_GROUP: Final = "fuzz.example.com"
_SPEC: Final = {
    "type": "object",
    "properties": {
        "schedule": {"type": "string", "maxLength": 12},
        "replicas": {"type": "integer", "default": 1, "minimum": 0},
        "paused": {"type": "boolean"},
        "ratio": {"type": "number"},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
            },
        },
    },
}
_STATUS: Final = {
    "type": "object",
    "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}, "selector": {"type": "string"}},
}


def crds() -> list[JSONValue]:
    """Return two CRDs: a namespaced one with every feature of a version, and a cluster-scoped one."""
    schema = {"type": "object", "properties": {"spec": _SPEC, "status": _STATUS}}
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    columns = [
        {"name": "Schedule", "type": "string", "jsonPath": ".spec.schedule", "description": "when"},
        {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas", "priority": 1},
        {"name": "Ratio", "type": "number", "jsonPath": ".spec.ratio"},
        {"name": "Paused", "type": "boolean", "jsonPath": ".spec.paused"},
        {"name": "Ports", "type": "string", "jsonPath": ".spec.ports[*].name"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    jobs = [
        {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}, "scale": scale},
            "additionalPrinterColumns": columns,
            "selectableFields": [{"jsonPath": ".spec.schedule"}, {"jsonPath": ".spec.paused"}],
        },
        {
            "name": "v1beta1",
            "served": True,
            "storage": False,
            "deprecated": True,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        },
    ]
    boards = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    return [_crd("Job", "jobs", "Namespaced", jobs), _crd("Board", "boards", "Cluster", boards)]


def _crd(kind: str, plural: str, scope: str, versions: list[JSONValue]) -> JSONValue:
    spec = {"group": _GROUP, "scope": scope, "names": {"kind": kind, "plural": plural}, "versions": versions}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{_GROUP}"},
        "spec": spec,
    }


def conversation(random: Random, length: int = 20) -> list[JSONValue]:
    """Return the requests of a random conversation."""
    maker = _Generator(random)
    return [maker.request(number) for number in range(length)]


class _Generator:
    """A generator of the requests of one conversation."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._writes: list[int] = []
        self._lists: list[int] = []
        self._number = 0

    def request(self, number: int) -> JSONValue:
        self._number = number
        weights = {
            self._create: 6 if number else 20,
            self._update: 4,
            self._patch: 5,
            self._apply: 3,
            self._get: 2,
            self._list: 4,
            self._delete: 4,
            self._delete_collection: 1,
            self._watch: 3,
            self._odd: 1,
        }
        request_ = self._random.choices(list(weights), list(weights.values()))[0]()
        request_["agent"] = self._random.choice(("alpha/1", "beta/1", "gamma/1"))
        return request_

    def _pick(self, *values: Any) -> Any:
        return self._random.choice(values)

    def _maybe(self, chance: float) -> bool:
        return self._random.random() < chance

    def _base(self) -> tuple[str, str, bool]:
        """Return the URL of a collection, its apiVersion, and whether it is cluster-scoped."""
        if self._maybe(0.15):
            return f"/apis/{_GROUP}/v1/boards", f"{_GROUP}/v1", True
        version = "v1beta1" if self._maybe(0.1) else "v1"
        return f"/apis/{_GROUP}/{version}/namespaces/{{ns}}/jobs", f"{_GROUP}/{version}", False

    def _name(self, *, cluster: bool) -> str:
        name = self._pick("a", "b", "c", "a-b")
        return f"{{ns}}-{name}" if cluster else name

    def _spec(self) -> JSONValue:
        spec: dict[str, JSONValue] = {}
        if self._maybe(0.7):
            spec["schedule"] = self._pick("daily", "hourly", "x", "much-too-long-for-this")
        if self._maybe(0.3):
            spec["replicas"] = self._pick(0, 1, 3, -1, "many")
        if self._maybe(0.3):
            spec["paused"] = bool(self._pick(0, 1))
        if self._maybe(0.2):
            spec["ratio"] = self._pick(1, 0.5, 2.0)
        if self._maybe(0.3):
            spec["ports"] = [
                {"name": name, "port": self._pick(80, 81)} for name in self._pick(["p"], ["p", "q"], ["q"])
            ]
        if self._maybe(0.1):
            spec["unknown"] = 1
        return spec

    def _metadata(self, name: str) -> JSONValue:
        metadata: dict[str, JSONValue] = {"name": name}
        if self._maybe(0.35):
            metadata["labels"] = {self._pick("x", "y"): self._pick("1", "2")}
        if self._maybe(0.2):
            metadata["finalizers"] = self._pick(["example.com/hold"], [])
        if self._maybe(0.1):
            metadata["annotations"] = {"note": "n"}
        return metadata

    def _object(self, api_version: str, name: str, *, cluster: bool) -> JSONValue:
        kind = "Board" if cluster else "Job"
        value = {"apiVersion": api_version, "kind": kind, "metadata": self._metadata(name), "spec": self._spec()}
        if self._maybe(0.2):
            value["status"] = {"phase": self._pick("Ready", "Failed")}
        return value

    def _options(self) -> str:
        options = []
        if self._maybe(0.1):
            options.append("dryRun=" + self._pick("All", "All", "Some"))
        if self._maybe(0.15):
            options.append("fieldValidation=" + self._pick("Strict", "Ignore", "Warn", "Loose"))
        if self._maybe(0.15):
            options.append("fieldManager=" + self._pick("m", "n"))
        return "?" + "&".join(options) if options else ""

    def _accept(self, request: JSONValue) -> JSONValue:
        if self._maybe(0.1):
            shape = self._pick("Table", "PartialObjectMetadata", "PartialObjectMetadataList")
            request["accept"] = f"application/json;as={shape};g=meta.k8s.io;v=v1" + self._pick("", ",application/json")
        elif self._maybe(0.05):
            request["accept"] = self._pick(
                "application/yaml", "*/*", "text/html", "application/json;q=0.5,application/yaml"
            )
        return request

    def _create(self) -> JSONValue:
        base, api_version, cluster = self._base()
        value = self._object(api_version, self._name(cluster=cluster), cluster=cluster)
        if self._maybe(0.05) and not cluster:
            del value["metadata"]["name"]
            value["metadata"]["generateName"] = "gen-"
        if self._maybe(0.05):
            base = base.replace("{ns}", "nowhere")
        self._writes.append(self._number)
        return self._accept({"method": "POST", "path": base + self._options(), "body": value})

    def _version(self, metadata: JSONValue) -> None:
        if self._writes and self._maybe(0.7):
            metadata["resourceVersion"] = f"{{rv:{self._random.choice(self._writes[-3:])}}}"
        elif self._maybe(0.2):
            metadata["resourceVersion"] = self._pick("1", "0", "abc")
        if self._writes and self._maybe(0.1):
            metadata["uid"] = f"{{uid:{self._random.choice(self._writes)}}}"

    def _below(self, *, cluster: bool) -> str:
        return "" if cluster or self._maybe(0.7) else self._pick("/status", "/status", "/scale", "/nothing")

    def _update(self) -> JSONValue:
        base, api_version, cluster = self._base()
        name = self._name(cluster=cluster)
        below = self._below(cluster=cluster)
        value = self._object(api_version, name, cluster=cluster)
        if below == "/scale":
            metadata = {"name": name} if cluster else {"name": name, "namespace": "{ns}"}
            value = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata}
            value["spec"] = {"replicas": self._pick(0, 2, 5)}
        elif below:
            value["status"] = {"phase": self._pick("Ready", "Failed"), "replicas": self._pick(0, 2)}
        self._version(value["metadata"])
        self._writes.append(self._number)
        return self._accept({"method": "PUT", "path": f"{base}/{name}{below}{self._options()}", "body": value})

    def _patch(self) -> JSONValue:
        base, _, cluster = self._base()
        name, below = self._name(cluster=cluster), self._below(cluster=cluster)
        self._writes.append(self._number)
        if self._maybe(0.3):
            body: JSONValue = [
                self._pick(
                    {"op": "replace", "path": "/spec/schedule", "value": "weekly"},
                    {"op": "add", "path": "/metadata/labels", "value": {"x": "3"}},
                    {"op": "remove", "path": "/metadata/finalizers"},
                    {"op": "test", "path": "/spec/replicas", "value": 1},
                )
            ]
            media_type = "application/json-patch+json"
        else:
            body = self._pick(
                {"spec": self._spec()},
                {"metadata": {"labels": {"x": self._pick("1", None)}}},
                {"metadata": {"finalizers": None}},
                {"status": {"phase": "Running"}},
                {"metadata": {"finalizers": ["example.com/other"]}},
            )
            media_type = self._pick(*["application/merge-patch+json"] * 9, "application/strategic-merge-patch+json")
        path = f"{base}/{name}{below}{self._options()}"
        return self._accept({"method": "PATCH", "path": path, "body": body, "mediaType": media_type})

    def _apply(self) -> JSONValue:
        base, api_version, cluster = self._base()
        name = self._name(cluster=cluster)
        value = self._object(api_version, name, cluster=cluster)
        options = ["fieldManager=" + self._pick("m", "n", "o")] if self._maybe(0.95) else []
        options += ["force=true"] if self._maybe(0.3) else []
        self._writes.append(self._number)
        path = f"{base}/{name}?{'&'.join(options)}"
        return self._accept(
            {"method": "PATCH", "path": path, "body": value, "mediaType": "application/apply-patch+yaml"}
        )

    def _get(self) -> JSONValue:
        base, _, cluster = self._base()
        below = self._below(cluster=cluster)
        return self._accept({"method": "GET", "path": f"{base}/{self._name(cluster=cluster)}{below}"})

    def _selectors(self) -> list[str]:
        options = []
        if self._maybe(0.25):
            options.append(
                "labelSelector=" + self._pick("x%3D1", "x", "%21y", "x+in+%281%2C2%29", "x%3D%3D%3D", "y%21%3D1")
            )
        if self._maybe(0.2):
            options.append(
                "fieldSelector="
                + self._pick(
                    "metadata.name%3Da",
                    "spec.schedule%3Ddaily",
                    "spec.schedule%21%3Dx",
                    "spec.paused%3Dtrue",
                    "spec.ratio%3D1",
                )
            )
        return options

    def _list(self) -> JSONValue:
        base, _, cluster = self._base()
        options = self._selectors()
        if cluster:
            options = ["labelSelector=board%3D{ns}"]
        if self._lists and self._maybe(0.4):
            options.append(f"continue={{continue:{self._lists[-1]}}}")
        if self._maybe(0.4):
            options.append("limit=" + self._pick("1", "2", "0"))
            self._lists.append(self._number)
        if self._maybe(0.15):
            options.append(
                "resourceVersion=" + self._pick("abc", f"{{rv:{self._writes[-1]}}}" if self._writes else "abc")
            )
            if self._maybe(0.5):
                options.append("resourceVersionMatch=" + self._pick("Exact", "NotOlderThan", "Loose"))
        return self._accept({"method": "GET", "path": f"{base}?{'&'.join(options)}"})

    def _delete(self) -> JSONValue:
        base, _, cluster = self._base()
        name = self._name(cluster=cluster)
        request: dict[str, JSONValue] = {"method": "DELETE", "path": f"{base}/{name}"}
        if self._maybe(0.4):
            body: dict[str, JSONValue] = {}
            if self._maybe(0.5):
                body["propagationPolicy"] = self._pick("Orphan", "Foreground", "Background", "Other")
            if self._writes and self._maybe(0.4):
                number = self._random.choice(self._writes)
                body["preconditions"] = self._pick(
                    {"uid": f"{{uid:{number}}}"}, {"resourceVersion": f"{{rv:{number}}}"}
                )
            if self._maybe(0.1):
                body["dryRun"] = ["All"]
            request["body"] = body
        elif self._maybe(0.2):
            request["path"] += "?propagationPolicy=" + self._pick("Orphan", "Foreground", "Background")
        return self._accept(request)

    def _delete_collection(self) -> JSONValue:
        base = f"/apis/{_GROUP}/v1/namespaces/{{ns}}/jobs"
        return self._accept({"method": "DELETE", "path": f"{base}?{'&'.join(self._selectors())}"})

    def _watch(self) -> JSONValue:
        base = f"/apis/{_GROUP}/{self._pick('v1', 'v1', 'v1beta1')}/namespaces/{{ns}}/jobs"
        options = ["watch=1", *self._selectors()]
        if self._writes and self._maybe(0.5):
            options.append(f"resourceVersion={{rv:{self._random.choice(self._writes)}}}")
        elif self._maybe(0.2):
            options += ["sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true"]
        elif self._maybe(0.1):
            options.append("resourceVersion=abc")
        request = {"method": "GET", "path": f"{base}?{'&'.join(options)}", "watch": True}
        if self._maybe(0.15):
            request["accept"] = (
                f"application/json;as={self._pick('Table', 'PartialObjectMetadata')};g=meta.k8s.io;v=v1,application/json"
            )
        return request

    def _odd(self) -> JSONValue:
        base = f"/apis/{_GROUP}/v1/namespaces/{{ns}}/jobs"
        return self._pick(
            {"method": "GET", "path": f"/apis/{_GROUP}/v2/jobs"},
            {"method": "GET", "path": f"/apis/{_GROUP}/v1/jobs/a"},
            {"method": "PUT", "path": base, "body": {}},
            {"method": "DELETE", "path": f"{base}/a/status"},
            {"method": "POST", "path": base, "body": "{"},
            {"method": "POST", "path": base, "body": "kind: Job\napiVersion: fuzz.example.com/v1\nmetadata: {name: y}\n", "mediaType": "application/yaml"},
            {"method": "POST", "path": base, "body": {}, "mediaType": "text/plain"},
            {"method": "POST", "path": base, "body": {"kind": "Job"}},
            {"method": "POST", "path": base, "body": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}},
            {"method": "POST", "path": base, "body": []},
            {"method": "PATCH", "path": f"{base}/a", "body": {}, "mediaType": "application/json"},
            {"method": "POST", "path": f"{base}?pretty=true", "body": {"kind": "Job", "apiVersion": f"{_GROUP}/v1", "metadata": {"name": "d"}}},
        )  # fmt: skip
